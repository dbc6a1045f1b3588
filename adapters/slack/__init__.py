"""adapters.slack."""
