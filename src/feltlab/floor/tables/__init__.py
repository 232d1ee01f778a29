"""Tables in play: commands, the procedure that they follow, and what everybody sees."""
