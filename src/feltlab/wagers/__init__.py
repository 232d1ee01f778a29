"""Wagers: ordered lines over facts, compiled once into a table from cell to outcome.

`facts` says what a wager may look at, `language` and `conditions` how a line says it, `cells` turns lines into the
table that every engine uses, `definition` is a wager as a sheet writes it, `wager` is one ready to be settled.
"""
