"""Blackjack by playing strategies out: from any shoe, under any house rules."""
