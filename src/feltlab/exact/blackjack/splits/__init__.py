"""Hands that are split: what they are worth together, and how their results fall."""
