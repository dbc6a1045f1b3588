"""The answers to browsers."""
