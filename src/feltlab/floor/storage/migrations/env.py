"""Runs migrations in the transaction that `database.migrate` opened."""

from __future__ import annotations

from alembic import context

from feltlab.floor.storage.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite changes a table by making it anew
    transaction_per_migration=False,
)
context.run_migrations()
