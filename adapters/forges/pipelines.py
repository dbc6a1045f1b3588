"""The port through which a team's own pipeline is started and read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

LARGEST = 300_000
"""The most bytes of one job's result."""
MISSING = (
    "the repository has no {file} on the branch it is started on: `debate docs proof` shows how "
    "to add it, and which right the bot's account needs to start it"
)


@dataclass(frozen=True, slots=True)
class PipelineRun:
    """One run of the pipeline; ``ended`` is true if its jobs are over."""

    id: str
    ended: bool
    url: str = ""


class Pipeline(Protocol):
    """The pipeline of one repository. Every method raises ``BadInput`` and ``CouldNotFinish``."""

    async def find(self, id: str) -> PipelineRun | None:
        """Returns the run that was started for a proof, None if there is none yet."""
        ...

    async def start(self, id: str, order: str) -> None:
        """Starts the pipeline with an order, as base64 of JSON."""
        ...

    async def results(self, run: PipelineRun) -> Sequence[bytes]:
        """Returns what the jobs tell, a JSON document each."""
        ...
