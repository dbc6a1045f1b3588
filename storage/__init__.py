"""Where debates are kept: the append-only log, the outbox, commands under way, schedules and
projections, on SQLite or PostgreSQL.
"""
