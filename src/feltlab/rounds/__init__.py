"""The round engine: bets and payments in integer cents, and everything that happens as an event."""
