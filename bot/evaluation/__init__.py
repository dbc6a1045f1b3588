"""Measures reviews: every case is played by every arm, as debates in a separate database, so that
no answer is paid for twice.
"""
