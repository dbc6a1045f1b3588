"""Turns what Discord sends into requests."""
