"""The desk's parts for reading debates and templates, from any surface."""
