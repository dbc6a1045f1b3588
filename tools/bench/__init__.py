"""Benchmarks: what the machinery costs beside what it waits for.

``make bench`` prints ratios to an ideal.
"""
