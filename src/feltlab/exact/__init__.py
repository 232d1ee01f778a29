"""Exact analysis: laws from all cases, by counting where play does not matter and by playing a strategy out where it does."""
