"""adapters.material."""
