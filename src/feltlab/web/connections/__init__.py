"""Connections: who may hold one and for how long, before anything is asked."""
