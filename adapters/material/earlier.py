"""The knowledge of an earlier run that a new run on the same change starts from."""

from __future__ import annotations

from dataclasses import dataclass

from adapters.forges.port import Reading
from core.material.since import BranchMove, Since


@dataclass(frozen=True, slots=True)
class Earlier:
    """The run before, the change that it read (raw), and how the branch came from there; both are
    None if the forge no longer has that head.
    """

    since: Since
    reading: Reading | None = None
    move: BranchMove | None = None
