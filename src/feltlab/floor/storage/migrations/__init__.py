"""Changes of the schema, from the first version on."""
