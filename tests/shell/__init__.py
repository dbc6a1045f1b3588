"""The shell: grammar, settings, terminal, commands."""
