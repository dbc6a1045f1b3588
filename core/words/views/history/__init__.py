"""Describes findings and verdicts by what became of earlier ones."""
