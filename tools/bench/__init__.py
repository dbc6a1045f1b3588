"""Benchmarks: the cost of the machinery compared with the time that it waits.

``make bench`` prints ratios to an ideal.
"""
