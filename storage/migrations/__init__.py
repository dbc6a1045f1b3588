"""Alembic's migrations, run by ``storage.schema``.

Each states its ``phase``, so that two releases can share one database. ``expand`` comes before the
code that needs it and only adds: a table, a column that may be left out, an index. ``fill`` writes
rows into the additions, a batch at a time, and changes no table. ``contract`` removes what the
release before no longer reads, and raises ``compatible.least`` to the migration of that release.
"""
