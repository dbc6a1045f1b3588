"""Measures reviews: every case is played by every arm, as debates in a database of their own, so
that no answer is paid for twice.
"""
