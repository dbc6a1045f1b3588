"""What a terminal draws at many widths: ratings, lists, the status, posts; and posts cut short."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import Any

import msgspec
from rich.console import Console, RenderableType

from adapters.ports.chat import Shape
from adapters.posts import brevity
from adapters.posts.compare import comparison
from adapters.terminal import charts, layout, lists
from adapters.terminal.folding import fold
from adapters.terminal.printing import document, one_line
from adapters.terminal.status import StatusLine, lines
from adapters.terminal.typing import Keys
from core.debate import replay
from core.formats.plan import PanelSize
from core.outcome import outcome
from core.script import SeatId
from core.verdict.learned.kinds import KindRecord, by_kind
from core.verdict.learned.ratings import Record, rate
from core.verdict.learned.sizes import PanelRecord, by_form
from tests.core.table import START
from tests.corpora.chats import drawn_post, drawn_text
from tests.corpora.courses import COUNT, course
from tests.corpora.surfaces import text_of

_ROLES = ("security_critic", "author", "chair")
_MODELS = ("m/a", "m/b", "anthropic/claude-sonnet-5", "a-name-that-is-far-too-long/for-a-column")
_LINK = re.compile(r"(\x1b\]8;)id=[^;]*")
"""A link's number, which the library draws."""
_KEYS = ("a", "é", "\x7f", "\x15", "\x17", " b", "\r", "\x1b[A", "\x1bO", "\x04")
_SHARES = (0.0, 0.02, 0.1, 0.5, 0.98, 1.0)


def _drawn(parts: Iterable[RenderableType], width: int, encoding: str = "utf-8") -> str:
    """Prints ``parts`` with their colours on a screen of this width."""
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding=encoding, errors="replace")
    console = Console(
        file=out, width=width, force_terminal=True, color_system="standard", markup=False,
        highlight=False, emoji=False, legacy_windows=False,
    )  # fmt: skip
    for part in parts:
        console.print(part)
    out.flush()
    return _LINK.sub("\\1", raw.getvalue().decode(encoding))


def _ratings(rng: Random) -> dict[str, Any]:
    records = [
        Record(
            f"d{n}", SeatId(role), rng.choice(_MODELS), rng.random() < 0.6, rng.choice(_SHARES),
            rng.randint(0, 2), 0, rng.choice((role, role, "")), "code", rng.random() < 0.3,
        )
        for n in range(rng.choice((0, 1, 9, 10, 30)))
        for role in _ROLES
    ]  # fmt: skip
    rated = rate(records)
    held = (None, True, True, False)
    panels = [
        PanelRecord(
            rng.choice(list(PanelSize)), 0.5, rng.randint(0, 2), rng.randint(0, 1),
            rng.choice(held), rng.choice((0, 1200)), rng.choice((0, 3)),
        )
        for _ in range(rng.choice((0, 1, 30)))
    ]  # fmt: skip
    kinds = [
        KindRecord(
            rng.choice(("code_review", "panel")), rng.choice((None, 0.0, 0.5)), rng.randint(0, 2),
            rng.randint(0, 1), rng.choice(held),
        )
        for _ in range(rng.choice((0, 1, 30)))
    ]  # fmt: skip
    made: dict[str, Any] = {
        "models": rated.models, "seats": rated.seats, "dissent": rated.dissent,
        "panels": by_form(panels), "kinds": by_kind(kinds),
    }  # fmt: skip
    return {name: msgspec.to_builtins(value) for name, value in made.items()}


def _charts(number: int) -> str:
    rng = Random(f"charts {number}")
    width, encoding = rng.choice((60, 80, 120)), rng.choice(("utf-8", "utf-8", "ascii"))
    made = [_drawn(charts.leaderboard(_ratings(rng)), width, encoding)]
    for share in _SHARES:
        low, high = max(0.0, share - rng.random() / 3), min(1.0, share + rng.random() / 3)
        bars = (charts.IntervalBar(share, low, high), charts.Filled(share, high, "red"))
        made.append(_drawn(bars, width, encoding))
    debates = [replay(course(n)) for n in rng.sample(range(COUNT), 6)]
    documents = [outcome(debate) for debate in debates if debate.concluded is not None][:2]
    if len(documents) == 2:
        made.append(_drawn(charts.comparison(documents), width, encoding))
        made.append(comparison(*documents))
    return "\n".join(made)


def _row(rng: Random, at: datetime) -> dict[str, Any]:
    status = rng.choice(("running", "queued", "waiting", "failed", "finished", "paused"))
    return {
        "id": "d1k7q2xy", "status": status, "state": rng.choice((status, "changes requested")),
        "title": rng.choice(("", "A title", "Retry\x1b[2J", drawn_text(rng, 200))),
        "created_at": (at - timedelta(seconds=rng.choice((0, 59, 60, 5400, 90_000)))).isoformat(),
        "template": rng.choice(("code_review", "panel")),
        "labels": rng.choice(({}, {"department": "pay", "target_date": "2027-01-31"})),
        "next": rng.choice(("", "go on: debate resume d1k7q2xy")),
    }  # fmt: skip


def _lists(number: int) -> str:
    rng, made = Random(f"lists {number}"), list[str]()
    for _ in range(3):
        rows = [_row(rng, START) for _ in range(rng.choice((1, 2, 6)))]
        width = rng.choice((60, 90, 140))
        made.append(_drawn(lists.debates(rows, START, width), width))
        made.append(document(rows))
    for _ in range(20):
        line = rng.choice(("", "  ", "- ", "• ", "   -> ", "audit  ", "  debate ", "a b  c  "))
        line += drawn_text(rng, 120).replace("\n", " ")
        made += [text_of(fold(line, width)) for width in (0, 10, 21, len(line))]
    typed = "".join(rng.choice(_KEYS) for _ in range(200))
    keys = Keys()
    made.append(text_of([keys.feed(typed.encode()), keys.text]))
    return "\n".join(made)


def _status(number: int) -> str:
    rng, made = Random(f"status {number}"), list[str]()
    events = course(number * 3 % COUNT)
    for _ in range(4):
        debate = replay(events[: rng.randint(1, len(events))])
        status = StatusLine(
            debate, seconds=rng.choice((0.0, 59.9, 60.0, 3661.5)),
            typed=rng.choice(("", "vote approve", "x" * 90)), note=rng.choice(("", "Fetching")),
            hint=rng.choice(("", "Ctrl-C pauses")),
        )  # fmt: skip
        for turn in debate.turns if debate.opened is not None else ():
            for words in (drawn_text(rng, 90), drawn_text(rng, 2002)):
                status.heard(turn, words)
        for width, most in ((20, 3), (60, 4), (80, 9)):
            for ascii_only in (False, True):
                drawn = lines(status, width, most, ascii_only=ascii_only)
                made.append(text_of([(line.plain, [*map(str, line.spans)]) for line in drawn]))
        made.append(_drawn([status], 60))
        status.settled()
        made.append(text_of(status.tails))
    return "\n".join(made)


def _threads(number: int) -> str:
    rng, made = Random(f"threads {number}"), list[str]()
    for _ in range(4):
        post = drawn_post(rng)
        short = brevity.fitted(post)
        facts = {**post.facts, "moved": "2 hold it", "severity": rng.choice(("high", "low", ""))}
        post = replace(short, facts=facts, quote=post.quote[:200], body=short.body[:900])
        for shape in (post.shape, rng.choice(list(Shape))):
            for number_of in (0, rng.randint(1, 3)):
                one = replace(post, shape=shape)
                made.append(_drawn([layout.thread(one, number_of)], rng.choice((12, 40, 80))))
                made += [layout.plain(one, number_of), layout.moved(one, number_of)]
        made.append(one_line(post.body))
    return "\n".join(made)


def _short(number: int) -> str:
    """Posts and sentences cut to a length, at every edge."""
    rng, made = Random(f"short {number}"), list[object]()
    for _ in range(12):
        post = drawn_post(rng)
        made += [brevity.characters(post), brevity.fitted(post), brevity.without_least(post)]
        room = brevity.LONGEST - brevity.characters(replace(post, body=""))
        for edge in (0, 1, 2):
            edged = replace(post, body="ab. " * 999)
            edged = replace(edged, body=edged.body[: max(0, room + edge)])
            made.append(brevity.fitted(edged))
        text = " ".join(
            rng.choice(("One.", "two", "Three!", "```\ncode.\n```", "a:", "\n\n", "x" * 30))
            for _ in range(rng.randint(1, 40))
        )
        shorten = partial(brevity.sentences, text)
        made += map(shorten, (3, 12, 40, len(text) - 1, len(text), len(text) + 1))
    return text_of(made)


CORPORA = {
    "charts": (8, _charts),
    "lists": (15, _lists),
    "status": (12, _status),
    "threads": (8, _threads),
    "short": (8, _short),
}
