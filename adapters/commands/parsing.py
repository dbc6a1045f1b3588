"""The way in: which command a line means, and what to say when it means none."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from adapters.commands.grammar import COMMANDS, OPTIONS, RAW
from adapters.commands.help import example
from adapters.commands.options import Given, sift
from adapters.commands.requests import Help, Request, Start
from adapters.commands.starting import EVERY, Said, Wrong, sifted, start, started, template_named
from adapters.commands.tokens import Token, cut
from adapters.text.nearest import nearest
from core.errors import BadInput

QUESTION = 3
"""Words from which a line without a command is a question; fewer are rather a mistyped command."""
SURE = 0.85
"""Likeness from which the first word of a sentence is taken for a mistyped command all the same."""
_SYNONYMS = {"cancel": "stop", "template": "templates", "schedules": "schedule", "?": "help"}
_SHOWN = 200  # characters of what the person typed that a suggestion repeats
_FILES = (".diff", ".patch", ".md", ".txt")


def parse(
    text: str | Sequence[str],
    *,
    templates: Collection[str],
    prefix: str = "/debate",
    attached: bool = False,
    also: Collection[str] = (),
) -> Request:
    """What the person asks for. Raises ``BadInput`` with the nearest right form, and nothing else,
    whatever the text.

    ``text`` is the line behind the command's name, or a shell's arguments. ``attached`` says that
    the surface brings the material itself (a thread, a file), so that a template may stand alone.
    ``also`` are commands that only this surface has, for suggestions.
    """
    line = cut(text)
    if not line.tokens:
        return Help()
    try:
        return _parse(Said(line, templates, attached), (*COMMANDS, *also))
    except Wrong as wrong:
        form = f"{prefix} {wrong.form}" if wrong.form else example(wrong.topic, prefix=prefix)
        raise BadInput(f"{wrong} Like this: {form}") from None


def _parse(said: Said, known: Sequence[str]) -> Request:
    tokens = said.line.tokens
    first, rest = tokens[0], tokens[1:]
    command = first.text.lower().lstrip("/")
    command = _SYNONYMS.get(command, command)
    if asked := next(
        (t for t in tokens[:2] if (t.surely and t.option == "help") or t.text == "-h"), None
    ):
        return Help("" if asked is first else command)
    if command in ("start", "new") and rest and template_named(rest[0].text, said.templates):
        return start(said, rest[0], rest[1:])
    if template_named(first.text, said.templates):
        return start(said, first, rest)
    if command in COMMANDS and not first.quoted:
        return _command(said, command, rest)
    return _unnamed(said, first, rest, known)


def _command(said: Said, command: str, rest: Sequence[Token]) -> Request:
    try:
        given = (
            Given(said.line, tuple(rest), {})
            if command in RAW
            else sift(said.line, rest, OPTIONS.get(command, {}), EVERY)
        )
        return COMMANDS[command](said, given)
    except Wrong:
        raise
    except BadInput as wrong:
        raise Wrong(command, str(wrong)) from None


def _unnamed(said: Said, first: Token, rest: Sequence[Token], known: Sequence[str]) -> Start:
    """No command and no template: a question for the panel if it is long enough and does not look
    like a slip of the hand.
    """
    if "://" in first.text and not first.quoted:
        raise Wrong(
            "start", "Say what kind of debate it shall be.", f"code_review {first.text}"[:_SHOWN]
        )
    length = len(said.line.text(said.line.tokens).split())
    aimed = bool(rest) and ("://" in rest[0].text or rest[0].text.endswith(_FILES))
    cutoff = 0.6 if aimed or length < QUESTION else SURE
    near = "" if first.quoted else nearest(first.text, (*said.templates, *known), cutoff)
    if near:
        meant = f"{near}{said.line.source[first.end :]}" if rest or near in known else ""
        raise Wrong(
            "start", f"There is no {first.text[:40]!r} here. Did you mean {near}?", meant[:_SHOWN]
        )
    given = sifted(said, said.line.tokens)
    question = given.text()
    if len(question.split()) < QUESTION:
        raise Wrong(
            "help",
            f"{question[:60]!r} is neither a command nor a template, and too short for a question.",
        )
    return started(Start("panel", question), given)
