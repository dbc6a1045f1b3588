"""Reads a reply to the bot in a debate's thread: a command, or else an objection."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import MISSING, fields

from core.application.commands.named import find_template
from core.application.commands.parsing import is_change, parse
from core.application.commands.pasted import pasted_diff
from core.application.commands.requests.starting import Compare
from core.application.commands.row import ROWS, CommandRow, Request
from core.debate.errors import BadInput

_POLITE = frozenset(
    {"", "please", "pls", "it", "this", "the", "debate", "now", "thanks", "thank", "you"}
    | {"bitte", "danke", "jetzt", "prosím", "prosim", "díky", "diky", "děkuji", "teď", "hned"}
)
"""Words around the name of a command that change nothing: ``please stop it now``."""


def parse_reply(
    text: str, debate: str, *, templates: Collection[str], prefix: str
) -> Request | None:
    """Returns the command of a reply in the thread of ``debate``, which is meant if the command
    names none; None for an objection, which may begin with a command's name too.

    Raises ``BadInput`` for a slip in a command that is recognised by its name only.
    """
    words = [word.lower().strip(".,!") for word in text.split()]
    match [word for word in words if word not in _POLITE]:
        case [command] if command in ROWS and command != text:
            with suppress(BadInput):
                return parse_reply(command, debate, templates=templates, prefix=prefix)
    name, *rest = text.split(maxsplit=1) or [""]
    row = ROWS.get(name.lower())
    if row is not None and row.typed:
        lines = [f"{name} {debate} {' '.join(rest)}"] if _needs_id(row) else []
        for line in (*lines, text):
            with suppress(BadInput):
                request = parse(line, templates=templates, prefix=prefix)
                if not (isinstance(request, Compare) and request.start):  # a sentence parses, too
                    return request
        starts = row.in_thread or not rest
    else:
        starts = bool(find_template(name, templates)) and (
            pasted_diff(text) is not None or is_change("".join(rest).partition(" ")[0])
        )
    return parse(text, templates=templates, prefix=prefix) if starts else None


def _needs_id(row: CommandRow) -> bool:
    """True if a line of this command has to name a debate."""
    words = fields(row.requests[0])
    return any(each.name == "debate" and each.default is MISSING for each in words)
