"""The servers of models, which are asked for what no table has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from adapters.models.catalogue.choice import DefaultModels
from adapters.models.pace import ModelPace


class ModelServers(Protocol):
    """Asks servers; ``adapters.models.Vendors`` is the real one."""

    def choice(self) -> DefaultModels:
        """Returns the models that speak if nobody named any, and the reason."""
        ...

    async def learn(self, names: Sequence[str]) -> None:
        """Asks for the context and the prices of these models. Never raises."""
        ...

    async def check(self, names: Sequence[str]) -> None:
        """Raises ``ModelError`` for a refused key, or if none of the models can be reached."""
        ...

    async def measure(self, names: Sequence[str]) -> Mapping[str, ModelPace]:
        """Measures the speed of those models that run on the operator's own machine."""
        ...
