"""The runtimes, which decide when ``advance`` is called.

There are two, and the database chooses: only this process on a SQLite file, any number of replicas
on PostgreSQL.
"""
