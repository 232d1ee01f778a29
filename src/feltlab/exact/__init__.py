"""Exact analysis: the law of a wager by counting every case, in whole numbers."""
