"""The database: its schema, and how what is kept there is read and written."""
