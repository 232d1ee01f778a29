"""What the house does with its tables: configure, describe, open, operate and void them."""
