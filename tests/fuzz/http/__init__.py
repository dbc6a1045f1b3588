"""Hostile requests against a real server: `python -m tests.fuzz.http`."""
