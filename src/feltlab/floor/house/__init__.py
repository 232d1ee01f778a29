"""What the house does at its tables: configure, open and operate them, and give wagers back."""
