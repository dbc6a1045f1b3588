"""core.formats."""
