"""How a browser comes in: by signing in, or by the link that the shell of this machine prints."""
