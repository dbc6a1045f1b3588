"""Stores the log of events, and the release level that reading a debate requires."""
