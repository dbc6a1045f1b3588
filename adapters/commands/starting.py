"""The words that start a debate: a template, what to debate, and the options that a schedule and a
comparison share with it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from adapters.commands.options import Given, sift
from adapters.commands.requests import Start
from adapters.commands.tokens import Line, Token
from core.errors import BadInput
from core.template import Mode

FORMATS = ("phased", "triad", "critique", "adversarial", "panel", "gauntlet")
FORMS = ("standard", "extended")
IMPORTANCE = ("low", "medium", "high", "critical")
LONGEST_WINDOW = 7 * 86400.0  # seconds

START = {
    "rounds": "a whole number from 1 to 9",
    "models": "model names with commas between them",
    "consensus": "a mode: " + ", ".join(Mode),
    "threshold": "a share above 0 and at most 1",
    "budget": "US dollars",
    "format": "a format: " + ", ".join(FORMATS),
    "vote-window": "a time like 10m",
    "form": "standard or extended",
    "importance": ", ".join(IMPORTANCE),
    "debate-anyway": "",
    "quiet": "",
    "search": "",
    "check": "",
    "yes": "",
    "json": "",
}
"""Options of a start: what each one's value is, "" for none."""

FORK = {
    "at": "how many events to keep",
    "without": "a seat",
    "assume": "a changed condition in words",
    "models": START["models"],
    "yes": "",
    "json": "",
}
FILTERS = {
    "label": "a label",
    "base": "a branch",
    "author": "a name",
    "since": "a time like 7d",
    "at-most": "a whole number from 1 to 50",
}
"""Which pull requests a schedule takes, where its target is a repository."""
SCHEDULE = {**START, **FILTERS, "tz": "a time zone like Europe/Berlin"}
EVERY = frozenset({*SCHEDULE, *FORK})


class Wrong(BadInput):
    """A ``BadInput`` that knows which command's example to show, or the very ``form`` that was
    probably meant.
    """

    def __init__(self, topic: str, message: str, form: str = "") -> None:
        super().__init__(message)
        self.topic = topic
        self.form = form


@dataclass(frozen=True, slots=True)
class Said:
    """What the parts of the parser share: the line and the templates that exist.

    ``attached``: the material comes by another way.
    """

    line: Line
    templates: Collection[str]
    attached: bool = False


def template_named(typed: str, templates: Collection[str]) -> str:
    """The template's own id; hyphens, capitals and a version at the end do not matter.

    Empty if there is none.
    """
    if typed in templates:
        return typed
    return next((t for t in templates if _bare(t) == _bare(typed)), "")


def _bare(name: str) -> str:
    return re.sub(r"_v\d+$", "", name.lower().replace("-", "_"))


def sifted(said: Said, tokens: Sequence[Token], allowed: Mapping[str, str] = START) -> Given:
    try:
        return sift(said.line, tokens, allowed, EVERY)
    except BadInput as wrong:
        raise Wrong("start", str(wrong)) from None


def start(said: Said, name: Token, rest: Sequence[Token]) -> Start:
    given = sifted(said, rest)
    template = template_named(name.text, said.templates)
    if not given.text() and not said.attached:
        raise Wrong("start", f"{template} needs something to debate: a link, a file or a text.")
    return started(Start(template, given.text()), given)


def started(begun: Start, given: Given) -> Start:
    """The start with all its options."""
    try:
        extras = {
            "form": given.choice("form", FORMS),
            "importance": given.choice("importance", IMPORTANCE),
            "debate-anyway": "yes" if given.flag("debate-anyway") else "",
        }
        return replace(
            begun,
            rounds=given.number("rounds", 1, 9),
            models=given.names("models"),
            consensus=given.choice("consensus", tuple(Mode)),
            threshold=given.share("threshold"),
            budget=given.money("budget"),
            format=given.choice("format", FORMATS),
            vote_window=given.seconds("vote-window", LONGEST_WINDOW),
            quiet=given.flag("quiet"),
            search=given.flag("search"),
            check=given.flag("check"),
            json=given.flag("json"),
            yes=given.flag("yes"),
            extras=tuple((k, v) for k, v in extras.items() if v),
        )
    except BadInput as wrong:
        raise Wrong("start", str(wrong)) from None
