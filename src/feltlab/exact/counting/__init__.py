"""Blackjack wagers that play does not matter to: named cards, first cards and the dealer's hand, counted."""
