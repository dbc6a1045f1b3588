"""Template files: finding, reading and checking them."""
