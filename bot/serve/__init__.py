"""The bot as a process that runs for weeks."""
