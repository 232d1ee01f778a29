"""The service: the floor over HTTP, with live updates."""
