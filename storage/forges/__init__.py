"""Stores the data about forges: events, posts, followed changes, installations of the App."""
