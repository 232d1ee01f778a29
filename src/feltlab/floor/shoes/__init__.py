"""Shoes whose order nobody chose, and the key that seals them."""
