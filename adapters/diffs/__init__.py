"""Diffs as files with numbered lines."""
