"""Recurring debates: their times, their targets, and the ticker that fires them."""
