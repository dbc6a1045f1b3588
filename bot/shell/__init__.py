"""The bot as a command in a terminal."""
