"""Alembic's migrations, run by ``storage.schema``.

Each says its ``phase``, so that two releases can share one database. ``expand`` comes before the
code that needs it and only adds: a table, a column that may be left out, an index. ``fill`` writes
rows into what was added, a batch at a time, and changes no table. ``contract`` takes away what the
release before no longer reads, and raises ``compatible.least`` to the migration of that release.
"""
