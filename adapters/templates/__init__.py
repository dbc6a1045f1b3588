"""Template files: found, read, checked."""
