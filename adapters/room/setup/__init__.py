"""Signing in, sessions and links for people outside."""
