"""``python -m tests.trust.route_words``: writes the tables of docs/routes.md from the rows that the
bot is served from.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from adapters.routes import Media, Route, RouteField
from bot.desk.bounds import PRESSED
from bot.settings import read
from bot.wire.bot import open_bot
from core.application.commands.actions import SHORT, RouteWork
from core.application.commands.row import ROWS, Request, most_of
from core.application.permissions.actions import PRESSES
from tests.project import ROOT

PAGE = Path(ROOT) / "docs" / "routes.md"
EVERYTHING = {
    "DEBATE_MODELS": "scripted",
    "DEBATE_SCRIPTED": "1",
    "DEBATE_PUBLIC_URL": "https://bot.example",
    "DEBATE_SECRET_KEY": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVoxMjM0NTY=",
    "SLACK_SIGNING_SECRET": "s3cret-s3cret",
    "SLACK_CLIENT_ID": "1.2",
    "SLACK_CLIENT_SECRET": "s3cret-s3cret",
}
"""Settings with which every address is served."""


_EVERY_FORM = ["`token` 64", "`once` 64"]
"""The first fields of every form of the room."""
BOUNDED = tuple(
    dict.fromkeys(kind for row in ROWS.values() for kind in (*row.requests, *row.inner))
)
"""The requests, and the parts of which some consist."""


async def every_route(folder: Path) -> Sequence[Route]:
    env = EVERYTHING | {"DEBATE_DATABASE_URL": str(folder / "debate.db")}
    async with open_bot(read(env, folder)) as (_, bot):
        return bot.routes


def route_lines(routes: Iterable[Route]) -> list[str]:
    lines = ["| route | fields | body | kept |", "|---|---|---|---|"]
    people: dict[str, dict[tuple[str, ...], list[str]]] = {}
    for each in routes:
        fields = _fields(each.form or each.query)
        cells = (fields, _worked(_body(each), each.work), each.stored)
        alike = people.setdefault(each.who.value, {})
        alike.setdefault(cells, []).append(f"`{each.method} {each.path}`")
    for who, alike in people.items():
        lines += [f"| **{who}** | | | |", *_rows(alike)]
    return lines


def command_lines() -> list[str]:
    lines = ["| command | texts | kept |", "|---|---|---|"]
    alike: dict[tuple[str, ...], list[str]] = {}
    for kind in BOUNDED:
        row = kind if issubclass(kind, Request) else Request
        cells = (_worked(_texts(kind), row.work), row.stored)
        alike.setdefault(cells, []).append(f"`{kind.__name__}`")
    lines += _rows(alike)
    return lines


def button_lines() -> list[str]:
    lines = ["| button | what it is ruled as |", "|---|---|"]
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, most in PRESSED.items():
        alike.setdefault((PRESSES[name].value,), []).append(_bounded(name, most))
    lines += _rows(alike)
    return lines


def _rows(alike: Mapping[tuple[str, ...], Sequence[str]]) -> Iterator[str]:
    """Yields a row for all names whose other cells are the same."""
    for cells, names in alike.items():
        yield f"| {' | '.join((', '.join(names), *cells))} |"


def _texts(kind: type) -> str:
    return ", ".join(_bounded(name, most) for name, most in most_of(kind).items())


def _fields(fields: Sequence[RouteField]) -> str:
    named = [_bounded(each.name, each.most) + " bytes" * each.large for each in fields]
    if named[: len(_EVERY_FORM)] == _EVERY_FORM:
        named = ["the form's", *named[len(_EVERY_FORM) :]]
    return ", ".join(named)


def _bounded(name: str, most: int) -> str:
    """Returns the name with the most characters, unless they are as many as everywhere."""
    return f"`{name}`" if most == SHORT else f"`{name}` {most:,}"


def _worked(cell: str, work: RouteWork) -> str:
    """Returns the cell with the place of the work, unless it is the loop."""
    return cell if work is RouteWork.LOOP else f"{cell}, {work.value}".removeprefix(", ")


def _body(each: Route) -> str:
    short = {Media.LINE: "form", Media.PARTS: "parts", Media.JSON: "JSON"}
    lines = [f"{short[media]} {each.largest(media):,}" for media in each.takes]
    return ", ".join(lines)


def tables(routes: Iterable[Route]) -> dict[str, list[str]]:
    """Returns the tables by the heading under which they stand."""
    return {
        "## Addresses": route_lines(routes),
        "## Commands": command_lines(),
        "## Buttons": button_lines(),
    }


def written(page: str, made: dict[str, list[str]]) -> str:
    """Returns the page with these tables in the place of its own."""
    for heading, lines in made.items():
        before, _, after = page.partition(f"{heading}\n")
        parts = after.split("\n")
        first = next(n for n, line in enumerate(parts) if line.startswith("|"))
        last = next(
            (n for n in range(first, len(parts)) if not parts[n].startswith("|")), len(parts)
        )
        page = f"{before}{heading}\n" + "\n".join([*parts[:first], *lines, *parts[last:]])
    return page


def main(*_typed: Any) -> int:
    with TemporaryDirectory() as name:
        routes = asyncio.run(every_route(Path(name)))
    PAGE.write_text(written(PAGE.read_text("utf-8"), tables(routes)), "utf-8")
    print(f"{len(routes)} addresses, {len(BOUNDED)} commands, {len(PRESSED)} buttons")
    return 0


if __name__ == "__main__":
    sys.exit(main())
