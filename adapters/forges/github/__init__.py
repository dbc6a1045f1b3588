"""GitHub, on github.com and GitHub Enterprise: reading, writing and webhooks."""
