"""Stored records of play: read back, replayed and proven."""
