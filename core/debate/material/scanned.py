"""Renders scanners' reports on a change for the seats."""

from __future__ import annotations

from collections.abc import Iterable

from core.debate.material import Scanned
from core.debate.material.escaping import show_hidden, show_path


def render_scanned(scanned: Iterable[Scanned]) -> str:
    """Renders one line for each report."""
    return "\n".join(
        show_hidden(f"{s.id} {s.severity} {show_path(s.path)}:{s.line} {s.title} ({s.tool})")
        for s in scanned
    )
