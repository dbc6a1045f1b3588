"""The configuration in a shell: asked for, written, examined."""
