"""What was played, as it was stored: read back, played again and proven."""
