"""Feltlab: casino table games proven, simulated and played from one rule sheet."""

__version__ = "0.1.0"
