"""Renders the decision records of the base branch for seats."""

from __future__ import annotations

from collections.abc import Iterable

from core.debate.material import DecisionRecord


def render_records(records: Iterable[DecisionRecord]) -> str:
    """Renders each record below its number, title and path."""
    return "\n\n".join(
        f"record {one.number}: {one.title} ({one.path})\n{one.text}" for one in records
    )
