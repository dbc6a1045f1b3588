"""``python -m tests.trust.route_words``: writes the tables of docs/routes.md from the rows that the
bot is served from.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from adapters.routes import Media, Route, RouteField
from bot.desk.commands import PRESSED
from bot.settings import read
from bot.wire.bot import open_bot
from core.application.commands.bounds import SHORT
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


BOUNDED = tuple(
    dict.fromkeys(kind for row in ROWS.values() for kind in (*row.requests, *row.inner))
)
"""The requests, and the parts of which some consist."""


async def every_route(folder: Path) -> Sequence[Route]:
    env = EVERYTHING | {"DEBATE_DATABASE_URL": str(folder / "debate.db")}
    async with open_bot(read(env, folder)) as (_, bot):
        return bot.routes


def route_lines(routes: Iterable[Route]) -> list[str]:
    lines = [
        "| route | who | fields | body | read and worked on | kept |",
        "|---|---|---|---|---|---|",
    ]
    for each in routes:
        cells = (
            f"`{each.method} {each.path}`",
            each.who.value,
            _fields(each.form or each.query),
            _body(each),
            each.work.value,
            each.stored or "nothing",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def command_lines() -> list[str]:
    lines = ["| command | texts | worked on | kept |", "|---|---|---|---|"]
    for kind in BOUNDED:
        row = kind if issubclass(kind, Request) else Request
        lines.append(
            f"| `{kind.__name__}` | {_texts(kind)} | {row.work.value} | {row.stored or 'nothing'} |"
        )
    return lines


def button_lines() -> list[str]:
    lines = ["| button | characters said with it | what it is ruled as |", "|---|---|---|"]
    for name, most in PRESSED.items():
        lines.append(f"| `{name}` | {most:,} | {PRESSES[name].value} |")
    return lines


def _texts(kind: type) -> str:
    named = ", ".join(f"`{name}` {most:,}" for name, most in most_of(kind).items())
    return f"{named}; others {SHORT}" if named else f"{SHORT} each"


def _fields(fields: Sequence[RouteField]) -> str:
    return ", ".join(f"`{each.name}` {_size(each)}" for each in fields) or "none"


def _size(each: RouteField) -> str:
    if each.large:
        return f"{each.most:,} bytes"
    return f"{each.most:,}"


def _body(each: Route) -> str:
    short = {Media.LINE: "form", Media.PARTS: "parts", Media.JSON: "JSON"}
    lines = [f"{short[media]} {each.largest(media):,}" for media in each.takes]
    return ", ".join(lines) or "none"


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
