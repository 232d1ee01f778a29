"""Blackjack hands: what a hand can become. Shared by everything that plays them."""
