"""The verdict in words: what was decided, by which findings, who disagrees, what was read."""
