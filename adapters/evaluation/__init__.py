"""Cases for a measurement, read from a folder or a repository's history, and its reports."""
