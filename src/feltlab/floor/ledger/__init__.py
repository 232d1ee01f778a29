"""Where every cent is: accounts, transfers between them, and the proof that they add up."""
