"""The base of models around another one."""

from __future__ import annotations

from dataclasses import dataclass

from core.debate.ports import Model


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
