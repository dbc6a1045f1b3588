"""Requests that are kept open until something happens: so many for one asker that nobody's keep
others out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from adapters.routes.reading import RequestRefused

MOST = 100
"""For a person or a token: more than browsers have tabs and programs have debates."""


class OpenRequests:
    """What is open now, by who asks."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    @contextmanager
    def one(self, who: str, most: int = 0) -> Iterator[None]:
        """Returns one more, ``MOST`` unless another number is given. Raises ``RequestRefused``."""
        if self._open[who] >= (most or MOST):
            raise RequestRefused("So many of your requests wait already: end some of them.", 429)
        self._open[who] += 1
        try:
            yield
        finally:
            self._open[who] -= 1
            if not self._open[who]:
                del self._open[who]
