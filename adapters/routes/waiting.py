"""Limits the requests that are kept open until something happens, so that one asker's do not keep
others out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from adapters.routes.reading import RequestRefused

BELIEVED = 2.0
"""Seconds for which a token that was checked is believed; a longer call checks it again before it
is answered.
"""
MOST = 100
"""For a person or a token: more than browsers have tabs and programs have debates."""


class OpenRequests:
    """The number of open requests by who asks."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    @contextmanager
    def one(self, who: str, most: int = 0) -> Iterator[None]:
        """Counts one more open request while the block runs, up to ``MOST`` or the given number.
        Raises ``RequestRefused``.
        """
        if self._open[who] >= (most or MOST):
            raise RequestRefused("Too many of your requests are waiting: end some of them.", 429)
        self._open[who] += 1
        try:
            yield
        finally:
            self._open[who] -= 1
            if not self._open[who]:
                del self._open[who]
