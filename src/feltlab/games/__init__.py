"""The games: who draws, what a hand is worth, what a player may do. Pure functions on small integers.

A game knows nothing of money, wagers or tables; `feltlab.compile` can compile its marked functions as they stand.
"""
