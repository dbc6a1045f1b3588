"""Debates that the shell plays itself, from the command to the exit code."""
