"""Templates: the shipped files, and the way from a file to a checked ``Template``."""
