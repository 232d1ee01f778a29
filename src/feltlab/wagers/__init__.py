"""Wagers: ordered lines of conditions on facts, compiled once into a table from cell to outcome.

`facts` is what a wager may look at, `language` and `conditions` are how a line says it, `cells` turns lines into the
table that every engine uses, `definition` is a wager as a sheet writes it, and `wager` is one compiled for a table.
"""
