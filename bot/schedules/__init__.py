"""Recurring debates: when they are due, what they are about, and what fires them."""
