"""What a browser is shown."""
