"""What is made of our own tables: what programs and platforms read of the commands and routes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib.metadata import version

from adapters.api.document import openapi
from adapters.api.operations import OPERATIONS
from adapters.commands import requests
from adapters.commands.help import TOPICS
from adapters.commands.options import options_of
from adapters.commands.stored import from_stored, to_stored
from adapters.discord.setup.manifest import manifest as discord_manifest
from adapters.room.incoming import fields as room_fields
from adapters.room.outgoing.curve import curve
from adapters.routes import Media, Route, RouteField, Who
from adapters.slack.setup.manifest import making_link
from adapters.slack.setup.manifest import manifest as slack_manifest
from core.verdict.learned.ratings import CurvePoint
from core.verdict.votes import Interval
from tests.adapters.discord.desk import RecordingDesk
from tests.corpora.surfaces import text_of


def _api() -> str:
    return openapi().replace(f'"version": "{version("debatebot")}"', '"version": ""')


async def _answer(_request: object) -> object:
    raise NotImplementedError


def _rows() -> Iterator[object]:
    """The fields of every form of the room, and how large each may be."""
    for name, row in sorted(vars(room_fields).items()):
        if isinstance(row, tuple) and row and isinstance(row[0], RouteField):
            route = Route("POST", "/", Who.ANYONE, _answer, form=row)  # type: ignore[arg-type]  # never asked
            yield name, row, [route.largest(media) for media in Media]
    for operation in OPERATIONS:
        yield operation.name, [(f.name, f.required) for f in (*operation.asks, *operation.says)]


def _options() -> Iterator[object]:
    for name, kind in sorted(vars(requests).items()):
        if isinstance(kind, type) and hasattr(kind, "__dataclass_fields__"):
            yield (
                name,
                [
                    (o.field, o.typed, o.title, o.hint, o.takes_value, repr(o.kind))
                    for o in options_of(kind)
                ],
            )


def _kept() -> Iterator[object]:
    start = requests.Start(
        "panel", "Why?", rounds=3, models=("a", "b"), budget=0.5, quiet=True, vote_window=600.0
    )
    whole = requests.ScheduleAdd("daily", start, requests.Filters(label=("x",), at_most=3), "UTC")
    for request in (requests.Start("panel", "Why?"), start, whole):
        kept = to_stored(request)
        yield kept, repr(from_stored(json.loads(json.dumps(kept))))


def _curves() -> Iterator[object]:
    """The curve of confidence, of one step and of several."""
    steps = [
        CurvePoint(n, stated, right, Interval(max(0.0, right - 0.2), min(1.0, right + 0.1)))
        for stated, right, n in ((0.5, 0.6, 9), (0.7, 0.0, 1), (0.9, 1.0, 30))
    ]
    for count in range(len(steps) + 1):
        yield curve(steps[:count])


_TABLES: tuple[Callable[[], object], ...] = (
    _api,
    lambda: discord_manifest(RecordingDesk()),
    lambda: [slack_manifest(), making_link()],
    lambda: [*_rows()],
    lambda: [*_options()],
    lambda: [*_kept()],
    lambda: [*_curves()],
    lambda: [(name, topic.does) for name, topic in TOPICS.items()],
)

CORPORA = {"tables": (len(_TABLES), lambda number: text_of(_TABLES[number]()))}
