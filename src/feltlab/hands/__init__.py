"""What can become of a blackjack hand, and what its wagers make of it: shared by the engines, strategies and the coach."""
