"""Loops that deal: cards from random numbers, coups and rounds. They know arrays and no rules."""
