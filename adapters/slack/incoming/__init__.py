"""Turns what Slack sends into requests."""
