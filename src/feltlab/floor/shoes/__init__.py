"""Fair shoes, whose order nobody chooses, and the key that seals them."""
