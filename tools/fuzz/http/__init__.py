"""Hostile requests against a real server: `python -m tools.fuzz.http`."""
