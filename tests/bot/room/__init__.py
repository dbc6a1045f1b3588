"""The room over a real bot."""
