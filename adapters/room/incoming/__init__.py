"""What a browser asks for."""
