"""The base of models around another one, and a choice of models with each one wrapped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.debate.ports import Model, Models, Price


@dataclass(eq=False, slots=True)
class WrappedModel:
    """Has the name, family, mark and window of the model inside; subclasses define the reply."""

    inner: Model

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def family(self) -> str:
        return self.inner.family

    @property
    def demo(self) -> bool:
        return self.inner.demo

    @property
    def window(self) -> int:
        return self.inner.window


@dataclass(frozen=True, slots=True)
class WrappedModels:
    """Implements ``core.debate.ports.Models``: each model of ``inner`` as ``wrap`` returns it."""

    inner: Models
    wrap: Callable[[Model], Model]

    def get(self, name: str) -> Model:
        return self.wrap(self.inner.get(name))

    def price(self, name: str) -> Price:
        return self.inner.price(name)

    def default(self) -> Sequence[str]:
        return self.inner.default()
