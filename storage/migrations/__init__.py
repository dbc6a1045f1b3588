"""Alembic's migrations, run by ``storage.schema``."""
