"""The database: its schema, and how it is read and written."""
