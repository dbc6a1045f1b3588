"""Describes a running debate: its events, progress, cost, and what people may do."""
