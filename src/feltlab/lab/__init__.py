"""The lab: what can be asked of a sheet's table, as pure functions from a choice to an answer."""
