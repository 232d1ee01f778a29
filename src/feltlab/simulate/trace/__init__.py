"""Every hand dealt, card by card: read back for a person, or written to a file."""
