"""Connects alembic to the database: over the connection that ``storage.schema`` opened, with
foreign keys off, in its transaction.
"""

from __future__ import annotations

from alembic import context

from storage.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,
    transactional_ddl=True,
)
context.run_migrations()
