"""What scanners reported on a change, as seats read it."""

from __future__ import annotations

from collections.abc import Iterable

from core.material import Scanned
from core.material.escaping import show_hidden, show_path


def render_scanned(scanned: Iterable[Scanned]) -> str:
    """One line each."""
    return "\n".join(
        show_hidden(f"{s.id} {s.severity} {show_path(s.path)}:{s.line} {s.title} ({s.tool})")
        for s in scanned
    )
