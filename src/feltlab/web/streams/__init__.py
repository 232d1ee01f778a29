"""What is told as it happens: streams, who follows them, and who is there."""
