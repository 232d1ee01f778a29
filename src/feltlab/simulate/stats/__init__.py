"""What was counted, and how far chance may have moved it."""
