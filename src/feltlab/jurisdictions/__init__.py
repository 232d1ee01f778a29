"""Jurisdictions: dated profiles of the limits that a table is checked against, only if it names one.

>>> load("washington").max_wager.amount
'400.00'
"""

from feltlab.jurisdictions.profile import Jurisdiction, builtin, builtin_names, load

__all__ = ["Jurisdiction", "builtin", "builtin_names", "load"]
