"""Stores debates: the append-only log, the outbox, queued commands, schedules and projections, on
SQLite or PostgreSQL.
"""
