"""The law by dealing: rounds by the billion, the same counts on every engine."""
