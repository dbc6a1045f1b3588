"""The two ways in for a browser: signing in, or the link that the shell of this machine prints."""
