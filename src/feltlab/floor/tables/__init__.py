"""Live tables: their commands, the procedure that carries them out, and the public view."""
