"""The readers of foreign text, each with the errors that it may raise and with the texts that are
made for it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from adapters.diffs.patches import parse as parse_diff
from adapters.discord.outgoing.markup import render_within
from adapters.material.changes import Extent, from_diff
from adapters.material.prose import seen_by_readers
from adapters.material.web import WebPage, page_text
from adapters.redaction import redact
from adapters.slack.outgoing.markup import render
from adapters.templates.catalogue import builtin
from adapters.text.markdown import pieces, plain
from adapters.text.splitting import split
from core.application.commands import parse as parse_command
from core.debate.errors import BadInput
from core.debate.material.plaintext import neutral, one_line
from core.debate.replies.objects import Unreadable, quotation_of
from core.debate.replies.parsing import parse as parse_reply
from core.debate.replies.tasks import TASKS
from core.debate.script import SeatId, Turn, TurnId
from core.debate.template import Option
from tools.fuzz import inputs
from tools.fuzz.inputs import Make, damaged, either, spliced


@dataclass(frozen=True)
class Target:
    """``read`` may raise only ``refuses``. ``weight`` is its share of the inputs."""

    name: str
    make: Make
    read: Callable[[str], object]
    refuses: type[Exception] | tuple[()] = ()
    weight: int = 1


BALLOT = (Option("approve"), Option("request_changes"))
REPLY = json.dumps(
    {
        "text": "x",
        "stance": {"option": "approve", "confidence": 0.9},
        "findings": [],
        "claims": ["c"],
    }
)
COMMANDS = (
    "code_review https://github.com/o/r/pull/1 --rounds 3 --models a,b",
    'schedule add "every weekday 09:00" --tz Europe/Helsinki code_review github:o/r',
    "fork abc --at 3 --without P1 --assume it rains",
    "vote abc approve",
)


@cache
def template_names() -> tuple[str, ...]:
    return tuple(builtin())


@cache
def turns() -> tuple[Turn, ...]:
    return tuple(Turn(TurnId("t1"), SeatId("a"), name, ()) for name in TASKS)


def read_command(text: str) -> None:
    parse_command(text, templates=template_names(), prefix="/debate", attached=len(text) % 2 == 0)


def read_reply(text: str) -> None:
    turn = turns()[len(text) % len(turns())]
    known = frozenset({"t1.f1", "t1", "P1"})
    quotation = quotation_of(("a diff that holds nothing of the kind",))
    parse_reply(text, TASKS[turn.task], turn, BALLOT, known=known, quotation=quotation)


def read_diff(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    parsed = parse_diff(data)
    from_diff(parsed, data, "x.diff", Extent(2_000), source="x.diff")


def read_page(text: str) -> None:
    page_text(WebPage("https://x.example", "text/html", "", text.encode("utf-8", "surrogatepass")))


def read_markdown(text: str) -> None:
    blocks = pieces(text)
    plain(blocks)
    render(blocks)
    for part in split(text, 2_000):
        assert len(part) <= 2_000
    for part in render_within(text, 2_000):
        assert len(part) <= 2_000


def read_report(text: str) -> None:
    """Foreign words on their way into our own Markdown: nothing of them is a link or a mention."""
    blocks = pieces(neutral(text))
    assert not any(span.url for piece in blocks for span in piece.spans)
    one_line(text)


TARGETS = (
    Target(
        "grammar",
        either(spliced(inputs.COMMAND, " "), damaged(COMMANDS, inputs.COMMAND)),
        read_command,
        BadInput,
        3,
    ),
    Target(
        "replies",
        either(spliced(inputs.REPLY), damaged((REPLY,), inputs.REPLY)),
        read_reply,
        Unreadable,
        4,
    ),
    Target(
        "diffs",
        either(
            spliced(inputs.DIFF),
            damaged([inputs.sample("01-retry-payments.diff")[:1_500]], inputs.DIFF),
        ),
        read_diff,
        BadInput,
        2,
    ),
    Target("HTML", spliced(inputs.HTML), read_page, (), 4),
    Target("Markdown", spliced(inputs.MARKDOWN), read_markdown, (), 2),
    Target("reports", spliced(inputs.MARKDOWN), read_report, (), 2),
    Target("prose", spliced((*inputs.MARKDOWN, *inputs.HTML)), seen_by_readers, (), 3),
    Target("secrets", spliced((*inputs.SECRET, *inputs.DIFF)), redact, (), 3),
)
