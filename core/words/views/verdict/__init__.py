"""Puts the verdict into words: the decision, its findings, the dissent, and the coverage."""
