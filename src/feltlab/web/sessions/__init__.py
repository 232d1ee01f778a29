"""Who asks: sessions, their cookies and tokens, and guessing slowed."""
