"""The requests of browsers."""
