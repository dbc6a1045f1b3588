"""GitHub, of github.com and of enterprises: read, written to, heard."""
