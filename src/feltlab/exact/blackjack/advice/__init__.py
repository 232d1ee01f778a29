"""Advice for players: what each action is worth, a chart, and when to leave it for a side bet."""
