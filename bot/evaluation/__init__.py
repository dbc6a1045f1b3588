"""Measuring: every case by every arm, as debates of a database of their own, so that what was paid
for is never paid again.
"""
