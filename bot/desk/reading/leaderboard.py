"""The desk's part for ratings: how often each model was right if people later learned whether a
verdict held.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from bot.debates.opening.history import kind_records, panel_records
from bot.desk.handlers import handles
from bot.desk.lookup import places_of
from bot.desk.parts import DeskParts
from core.application.commands import Leaderboard
from core.application.desk import Caller, DeskAnswer, json_file
from core.debate.verdict.learned.ratings import (
    ENOUGH,
    ModelStanding,
    Warned,
    rate,
)
from core.debate.verdict.learned.usefulness import GroupStanding, by_form, by_kind
from core.debate.verdict.votes import Interval
from core.languages import decimal, say, say_many
from core.words.views.history import (
    BLOCKING,
    BY_KIND,
    DISAGREED,
    FINDINGS,
    category_lines,
    forecast_lines,
    gate_words,
    range_words,
    tokens_words,
)
from core.words.views.language.grammar import dollars, plural

_OF_ALL_ROLES = ("brier", "moved", "conformed", "strength", "spread", "rank")
"""What is measured of a model over all its roles."""


@handles(Leaderboard)
async def show_leaderboard(desk: DeskParts, request: Leaderboard, caller: Caller) -> DeskAnswer:
    rated = rate(await desk.history.records())
    command = f"{caller.prefix} held ID yes|no [why]"
    empty = say(
        "Nobody has said yet whether a verdict held. Say it later: {command}", command=command
    )
    lines = [_line(standing) for standing in rated.models] or [empty]
    if rated.seats:
        lines += ["", say("By role:"), *(_seat_line(one) for one in rated.seats)]
    if warned := [one for one in rated.dissent if one.failed]:
        lines += ["", f"{say(DISAGREED)}:"]
        lines += [_warned_line(one) for one in warned]
    by_size = await panels(desk)
    if by_size:
        lines += ["", say("Panels by size:"), *map(_panel_line, by_size)]
    by_template = await kinds(desk, caller)
    if by_template:
        lines += ["", f"{say(BY_KIND)}:", *map(_kind_line, by_template)]
    findings = await desk.history.findings.ratings(caller.place)
    if forecasts := forecast_lines(findings):
        lines += ["", f"{say(FINDINGS)}:", *(f"- {line}" for line in forecasts)]
    if categories := category_lines(findings):
        lines += [
            "",
            f"{say(BLOCKING)} ({gate_words(desk.history.findings.gate, findings.threshold)}):",
        ]
        lines += [f"- {where}, {what}: {meter}" for where, what, meter in categories]
    document = {
        "models": _rows(rated.models, without=("role",)),
        "seats": _rows(rated.seats, without=_OF_ALL_ROLES),
        "dissent": msgspec.to_builtins(rated.dissent),
        "panels": _rows(by_size, without=("template", "priced", "usd")),
        "kinds": _rows(by_template, without=("form", "tokens")),
        "findings": msgspec.to_builtins(findings),
    }
    return DeskAnswer("\n".join(lines), files=(json_file("leaderboard.json", document),))


def _rows(
    standings: Sequence[ModelStanding | GroupStanding], *, without: Collection[str]
) -> list[dict[str, object]]:
    """Returns the rows of one list of the document; ``without`` are the fields that mean nothing
    there.
    """
    rows = msgspec.to_builtins(standings)
    return [{name: row[name] for name in row if name not in without} for row in rows]


async def panels(desk: DeskParts) -> Sequence[GroupStanding]:
    """Returns the results of panels of each size."""
    return by_form(await panel_records(desk.stores.outcomes))


async def kinds(desk: DeskParts, caller: Caller) -> Sequence[GroupStanding]:
    """Returns the cost and the usefulness of each kind of decision in the caller's workspace."""
    return by_kind(await kind_records(desk.stores.outcomes, places_of(caller)))


def _line(standing: ModelStanding) -> str:
    """Describes one model's record. It gives no rank if intervals overlap, and no score without
    enough resolved outcomes.
    """
    rank = "- "
    if standing.rank is not None:
        rank = f"{standing.rank}. "
    brier = ""
    if standing.brier is not None:
        brier = f", Brier {decimal(standing.brier, 3)}"
    few = _few(enough=standing.n >= ENOUGH)
    right = _right(standing.right, standing.n, standing.held)
    moved = say_many(standing.moved, "moved once", "moved {n} times")
    return f"{rank}{standing.model}: {right}{brier}, {moved}{few}"


def _seat_line(one: ModelStanding) -> str:
    few = _few(enough=one.enough)
    role = say(one.role.replace("_", " "))
    return f"- {role}, {one.model}: {_right(one.right, one.n, one.held)}{few}"


def _warned_line(one: Warned) -> str:
    text = say(
        "{role}: {warned} of {failed}; doubted {doubted} of {stood} verdicts that held",
        role=say(one.role.replace("_", " ")),
        warned=one.warned,
        failed=one.failed,
        doubted=one.doubted,
        stood=one.stood,
    )
    return f"- {text}"


def _panel_line(one: GroupStanding) -> str:
    text = _useful(one.useful, one.judged, one.useful_within)
    held = _held(one.held, one.resolved, one.held_within)
    each = ""
    if one.tokens is not None:
        each = f", {tokens_words(one.tokens)}"
    few = _few(enough=one.enough)
    return f"- {one.form}, {plural(one.n, 'panel')}: {text}, {held}{each}{few}"


def _kind_line(one: GroupStanding) -> str:
    each = say("price unknown")
    if one.usd is not None:
        each = dollars(one.usd)
    if one.usd:
        each = say("{usd} each", usd=each)
    if one.usd is not None and one.priced < one.n:
        each = say("{usd} if known ({priced} of {n})", usd=each, priced=one.priced, n=one.n)
    text = _useful(one.useful, one.judged, one.useful_within)
    held = _held(one.held, one.resolved, one.held_within)
    few = _few(enough=one.enough)
    return f"- {one.template}, {plural(one.n, 'debate')}: {each}, {text}, {held}{few}"


def _few(*, enough: bool) -> str:
    if enough:
        return ""
    return f", {say('too few to tell (under {enough})', enough=ENOUGH)}"


def _right(right: int, n: int, held: Interval) -> str:
    return say("right in {right} of {n} ({range})", right=right, n=n, range=_range(held))


def _useful(useful: int, n: int, within: Interval) -> str:
    return say("useful {useful} of {n} ({range})", useful=useful, n=n, range=_range(within))


def _held(held: int, n: int, within: Interval) -> str:
    return say("held {held} of {n} ({range})", held=held, n=n, range=_range(within))


def _range(held: Interval) -> str:
    return range_words(held.low, held.high)
