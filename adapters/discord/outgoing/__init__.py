"""Turns posts into Discord messages."""
