"""Debates as a table for a screen: id, verdict, title, kind, when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from adapters.terminal.printing import one_line
from core.languages import say
from core.words.views.documents.headings import COLUMNS, labels_line
from core.words.views.language.grammar import ago, capital, option_words

_STYLES = {"running": "cyan", "queued": "cyan", "waiting": "yellow", "failed": "red"}
"""The style of the verdict's column if there is no verdict yet, or none came."""


_NARROW = 80
"""Screens of fewer cells have no room for a debate's kind next to its title."""


def debates(
    rows: Sequence[Mapping[str, Any]], now: datetime, width: int
) -> Iterator[RenderableType]:
    """Yields a table of debates for a screen of ``width`` cells, with the next commands below;
    ``rows`` are those of ``list --json``.
    """
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    kept = [number for number in range(len(COLUMNS)) if width >= _NARROW or number != 3]
    for number in kept:
        name, most = say(COLUMNS[number]), (None, 26, None, 20, None)[number]
        table.add_column(name, no_wrap=number not in (1, 2), overflow="fold", max_width=most)
    for row in rows:
        at = datetime.fromisoformat(row["created_at"])
        title = one_line(row["title"] or option_words(row["template"]))
        labels = {k.replace("_", "-"): v for k, v in row["labels"].items()}
        if line := labels_line(labels, demo=row.get("demo", False)):
            title = f"{title} [{one_line(line)}]"
        cells = (
            Text(row["id"], "dim"),
            Text(capital(row["state"]), _STYLES.get(row["status"], "bold")),
            Text(title),
            Text(option_words(row["template"]), "dim"),
            Text(ago(at, now), "dim"),
        )
        table.add_row(*(cells[number] for number in kept))
    yield table
    for row in rows:
        if row["next"]:
            yield Text(f"{row['id']}: {row['next']}", "yellow")


def separated(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Iterator[str]:
    """Yields the named members of each row on a line, separated by tabs."""
    for row in rows:
        yield "\t".join(_cell(row.get(name)) for name in names)


def standings(ratings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields a row for each standing of the leaderboard's document: a count, of how many, and the
    interval of the true share.
    """
    for one in ratings["models"]:
        yield _standing(one["model"], "model held", one["right"], one["n"], one["held"])
    for one in ratings["seats"]:
        name = f"{one['role']}, {one['model']}"
        yield _standing(name, "seat held", one["right"], one["n"], one["held"])
    for one in ratings["dissent"]:
        yield _standing(one["role"], "dissent warned", one["warned"], one["failed"])
    for name, kind in (("form", "panels"), ("template", "kinds")):
        for one in ratings[kind]:
            for measure, of in (("useful", "judged"), ("held", "resolved")):
                share, within = one[measure], one[f"{measure}_within"]
                yield _standing(one[name], f"{name} {measure}", share, one[of], within)


def _standing(
    name: str, measure: str, count: int, of: int, within: Mapping[str, float] | None = None
) -> dict[str, Any]:
    ends = {end: round(share, 3) for end, share in (within or {}).items()}
    row = {"name": name, "measure": measure, "count": count, "of": of}
    return row | {end: ends.get(end, "") for end in ("low", "high")}


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case _:
            return one_line(str(value))
