"""The servers of models, asked for what no table knows of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from adapters.models.catalogue.choice import Choice
from adapters.models.pace import Pace


class ModelServers(Protocol):
    """``adapters.models.Vendors`` asks real ones."""

    def choice(self) -> Choice:
        """Which models speak where nobody was named, and why."""
        ...

    async def learn(self, names: Sequence[str]) -> None:
        """Asks how much these models read and what they cost. Never raises."""
        ...

    async def measure(self, names: Sequence[str]) -> Mapping[str, Pace]:
        """How fast those of the models are that run on a machine of the operator's."""
        ...
