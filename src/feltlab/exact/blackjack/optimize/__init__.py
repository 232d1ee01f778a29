"""The best play: by the cards of a hand, or by its total as a chart needs it."""
