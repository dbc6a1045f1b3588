"""Measures how well seats, thresholds and sizes of panels did, from the outcomes of earlier
verdicts.
"""
