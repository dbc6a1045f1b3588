"""Whole outputs as people and programs get them, kept as texts that a person can read.

``python -m tests.golden`` writes them anew after a change that is wanted. Read the difference
before you commit it.
"""
