"""Sees which readers of text run on the loop's own thread, and how much each was given: work is
counted, no clock is asked.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any
from urllib.parse import parse_qsl

import markupsafe

from adapters import redaction
from adapters.posts.compare import comparison
from adapters.posts.export import export
from adapters.posts.export.play import play
from adapters.review.sarif import sarif
from adapters.room.outgoing import markup
from adapters.room.outgoing.parts import around_transcript, parts
from adapters.text.markdown import pieces
from adapters.text.splitting import split
from bot.debates.replay import replay_debate
from core.application.commands.tokens import tokenize
from core.debate.formats.complexity import assess
from core.debate.material.escaping import show_hidden
from core.debate.material.plaintext import neutral
from core.words.outcome import outcome, without_report
from core.words.receipt import receipt
from core.words.receipt.canonical import digest
from core.words.receipt.signing import sign, verify
from core.words.views.course.following import news_since
from storage import audit

READERS: tuple[Callable[..., Any], ...] = (
    redaction._find,
    parse_qsl,
    assess,
    tokenize,
    show_hidden,
    pieces,
    split,
    neutral,
    inspect.unwrap(markup.html),
    markupsafe.escape,
)
"""The functions, written in Python, that take time in proportion to a text."""
MAKERS: tuple[Callable[..., Any], ...] = (
    *(outcome, without_report, receipt, sign, verify, digest, export, play, sarif, news_since),
    *(parts, around_transcript, comparison, replay_debate),
)
"""The functions that take time in proportion to a whole debate."""
SMALL: frozenset[CodeType] = frozenset({audit._hash.__code__})
"""What calls one of them for little: an act of the audit log is one row of short fields."""


def _is_small(caller: FrameType | None) -> bool:
    return caller is not None and caller.f_code in SMALL


@contextmanager
def watched_loop(seen_of: Sequence[Callable[..., Any]] = READERS) -> Iterator[dict[str, int]]:
    """Notes the longest text that each of them was given on this thread, by its name."""
    codes: dict[CodeType, str] = {each.__code__: each.__qualname__ for each in seen_of}
    longest: dict[str, int] = {}

    def seen(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code in codes and not _is_small(frame.f_back):
            name = codes[frame.f_code]
            given = (v for v in frame.f_locals.values() if isinstance(v, str | bytes))
            longest[name] = max(longest.get(name, 0), *map(len, given), 0)

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        yield longest
    finally:
        sys.setprofile(before)
