"""Debates as a service: prepared, priced, forked, advanced."""
