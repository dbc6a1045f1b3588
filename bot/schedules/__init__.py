"""Recurring debates: when they are due and what fires them."""
