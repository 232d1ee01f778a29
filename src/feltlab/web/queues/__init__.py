"""Work that waits: the desk's thread, turns, and one answer for all who ask together."""
