"""Debates as a service: they are prepared, priced, forked and advanced here."""
