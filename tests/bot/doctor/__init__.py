"""The doctor's findings."""
