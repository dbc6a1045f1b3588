"""Sees which readers of text run on the loop's own thread, and how much each was given: work is
counted, no clock is asked.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any
from urllib.parse import parse_qsl

import markupsafe

from adapters.redaction import Redactor
from adapters.room.outgoing import markup
from adapters.text.markdown import pieces
from adapters.text.splitting import split
from core.complexity import assess
from core.material.escaping import show_hidden
from core.material.plaintext import neutral

READERS: tuple[Callable[..., Any], ...] = (
    Redactor._find,
    parse_qsl,
    assess,
    show_hidden,
    pieces,
    split,
    neutral,
    inspect.unwrap(markup.html),
    markupsafe.escape,
)
"""What takes time in proportion to a text, each in a function that is written in Python."""


@contextmanager
def watched_loop() -> Iterator[dict[str, int]]:
    """The longest text that each reader was given on this thread, by the reader's name."""
    codes: dict[CodeType, str] = {each.__code__: each.__qualname__ for each in READERS}
    longest: dict[str, int] = {}

    def seen(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code in codes:
            name = codes[frame.f_code]
            given = (v for v in frame.f_locals.values() if isinstance(v, str | bytes))
            longest[name] = max(longest.get(name, 0), *map(len, given), 0)

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        yield longest
    finally:
        sys.setprofile(before)
