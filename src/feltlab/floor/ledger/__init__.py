"""The ledger: accounts, transfers between them, and the proof that they add up."""
