"""Stores sessions of browsers, the links that make one, and tokens of programs."""
