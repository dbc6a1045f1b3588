"""What is configured in a shell: asked for, written, looked at."""
