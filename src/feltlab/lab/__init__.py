"""The lab: the analysis of a sheet's tables for the page, as functions from a choice to an answer."""
