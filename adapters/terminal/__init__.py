"""A debate in a terminal."""
