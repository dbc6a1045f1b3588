"""Turns events into posts, and brings posts into chats."""
