"""Baccarat by counting: every ordered sequence of six cards, for one wager or for all of a table at once."""
