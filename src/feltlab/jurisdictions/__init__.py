"""Jurisdictions: dated profiles of limits. A table is checked against one only if it names it.

>>> load("washington").max_wager.amount
'400.00'
"""

from feltlab.jurisdictions.profile import Jurisdiction, builtin, builtin_names, load

__all__ = ["Jurisdiction", "builtin", "builtin_names", "load"]
