"""Two debates side by side: their decisions, their judges' scores, their new points, their
confidence and their cost.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from math import fsum
from typing import Any

from core.languages import decimal, msgid, percent, say
from core.words.views.course.cost import price_words
from core.words.views.language.grammar import plural
from core.words.views.verdict.labels import document_label

MEASURES = (
    msgid("decision"), msgid("agreement"), msgid("quality"), msgid("diversity"),
    msgid("confidence"), msgid("cost"),
)  # fmt: skip


def comparison(first: Mapping[str, Any], second: Mapping[str, Any]) -> str:
    """Returns a Markdown table of two outcome documents."""
    columns = [measured(first), measured(second)]
    lines = [
        "| | " + " | ".join(f"{c['id']} ({c['form']})" for c in columns) + " |",
        "| --- | --- | --- |",
    ]
    return "\n".join(
        (*lines, *(f"| {say(m)} | {columns[0][m]} | {columns[1][m]} |" for m in MEASURES))
    )


def measured(outcome: Mapping[str, Any]) -> dict[str, str]:
    """Returns the numbers of one debate as texts.

    Quality is the mean of the judge's scores, in [0, 1]; diversity counts the claims, findings and
    pieces of evidence that nobody had brought before; confidence is the mean of what the seats
    stated last, which nothing calibrates.
    """
    verdict, cost, (points, new) = outcome["verdict"], outcome["cost"], _points(outcome)
    last, confidence, quality = _mean(_confidence(outcome)), say("none stated"), say("not scored")
    if last is not None:
        confidence = say("{fsum}, unchecked", fsum=decimal(last.at))
    if (scored := _mean(outcome["scores"].values())) is not None:
        quality = decimal(scored.at)
    seats = sum(outcome["votes"]["final"].values())
    return {
        "id": str(outcome["id"]),
        "form": _form(outcome),
        "decision": document_label(outcome),
        "agreement": say(
            "{verdict} of {seats} voting seats", verdict=percent(verdict["agreement"]), seats=seats
        ),
        "quality": quality,
        "diversity": say("{new} new of {points} points", new=new, points=points),
        "confidence": confidence,
        "cost": f"{price_words(cost)}, {plural(cost['calls'], 'call')}",
    }


@dataclass(frozen=True, slots=True)
class ShareBar:
    """A share in [0, 1] to be drawn, with the lowest and the highest value behind the mean."""

    at: float
    low: float
    high: float


def bars(outcome: Mapping[str, Any]) -> dict[str, ShareBar]:
    """Returns the measures that are shares in [0, 1], by name; a measure that nobody stated or
    scored is missing.
    """
    points, new = _points(outcome)
    drawn = {
        "agreement": _mean([outcome["verdict"]["agreement"]]),
        "quality": _mean(outcome["scores"].values()),
        "diversity": _mean([new / max(points, 1)] if points else []),
        "confidence": _mean(_confidence(outcome)),
    }
    return {name: bar for name, bar in drawn.items() if bar is not None}


def _points(outcome: Mapping[str, Any]) -> tuple[int, int]:
    """Counts all points that were made, and the new ones among them."""
    rounds = outcome["metrics"].get("rounds", ())
    return sum(r["said"] for r in rounds), sum(r["new"] for r in rounds)


def _mean(values: Iterable[float]) -> ShareBar | None:
    known = list(values)
    if known:
        return ShareBar(fsum(known) / len(known), min(known), max(known))
    return None


def _confidence(outcome: Mapping[str, Any]) -> Collection[float]:
    return {
        t["seat"]: t["confidence"]
        for r in outcome["rounds"]
        for t in r["turns"]
        if t["confidence"] is not None
    }.values()


def _form(outcome: Mapping[str, Any]) -> str:
    size = ""
    if outcome["complexity"]:
        size = f", {say(outcome['complexity']['form'])}"
    return say(
        "{replace}{size}, {count} seats",
        replace=say(outcome["template"].replace("_", " ")),
        size=size,
        count=len(outcome["seats"]),
    )
