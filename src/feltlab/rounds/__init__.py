"""Rounds dealt by the book: bets and payments in integer cents, every act an event."""
