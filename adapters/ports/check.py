"""What a surface says of its own set-up, asked of the platform itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the doctor.

    ``ok`` None: it works without, but something is missing. ``step`` is what to do next.
    """

    name: str
    ok: bool | None
    says: str
    step: str = ""
