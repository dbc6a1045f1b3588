"""Turns posts into Slack messages."""
