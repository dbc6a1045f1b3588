"""Joins words, and names people, seats, times and ids."""
