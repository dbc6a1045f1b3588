"""Made-up foreign text against everything that reads it: `python -m tools.fuzz`."""
