"""The repository around a change, read only: its files at one commit, as texts in memory."""
