"""Explains how seats were drawn, how votes weigh and what decides, before a debate begins and in
its report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.debate.casting import ALL_ROLES
from core.debate.earned import TrackRecord
from core.debate.events import Terms
from core.debate.formats.plan import OPENINGS
from core.debate.script import CONTESTED
from core.debate.template import Mode, Template
from core.debate.verdict import label
from core.debate.verdict.findings.contested import MOST_ARGUING
from core.debate.verdict.learned.discounts import calibration_factor, load_factor
from core.debate.verdict.learned.ratings import ENOUGH
from core.languages import decimal, msgid, percent, say, say_if
from core.words.views.language.grammar import plural

_HALF = msgid("a seat that changes sides without naming what moved it counts half")

_MOST_CALLS = 14


def drawn_lines(terms: Terms) -> Iterator[str]:
    """Yields the lines on how seats were drawn and how votes weigh; none if neither depends on the
    past.
    """
    if terms.known:
        yield say(
            "seats drawn by how often a model was right before: {pasts}", pasts=_pasts(terms.known)
        )
    if terms.ruled:
        yield say(
            "judges drawn by how often their rulings were right: {pasts}", pasts=_pasts(terms.ruled)
        )
    if terms.stated:
        yield say(
            "models that were surer than right drawn less: {stated}",
            stated="; ".join(_stated(terms)),
        )
    if terms.busy:
        yield say(
            "models that were busiest in the last hour drawn less: {busy}",
            busy="; ".join(_busy(terms)),
        )
    if terms.known and not terms.stated:
        yield say(
            "how sure models say they are, and how busy they are, plays no part yet: {few}",
            few=_few(),
        )
    if terms.weights:
        weighed = ", ".join(f"{seat} {decimal(w)}" for seat, w in terms.weights.items())
        yield say(
            "votes weigh by how often a model was right before: {weighed}; {half}",
            weighed=weighed,
            half=say(_HALF),
        )
    elif terms.consensus == Mode.WEIGHTED:
        yield say("all votes weigh the same: {few}; {half}", few=_few(), half=say(_HALF))


def _few() -> str:
    return say("too few known outcomes (a model needs {enough})", enough=ENOUGH)


def _pasts(known: Mapping[str, TrackRecord]) -> str:
    return ", ".join(f"{model} {past.right} of {past.of}" for model, past in sorted(known.items()))


def _stated(terms: Terms) -> Iterator[str]:
    for role, mine in sorted(terms.stated.items()):
        where = say_if(role != ALL_ROLES, msgid(" as {label}"), label=label(role))
        for model, one in sorted(mine.items()):
            text = say(
                "says {confidence}, right {right} of {of}",
                confidence=decimal(one.confidence),
                right=one.right,
                of=one.of,
            )
            yield say(
                "{model}{where} {words}, counts {calibration_factor}",
                model=model,
                where=where,
                words=text,
                calibration_factor=decimal(calibration_factor(one)),
            )


def _busy(terms: Terms) -> Iterator[str]:
    for model, calls in sorted(terms.busy.items()):
        text = plural(calls, "call")
        yield say(
            "{model} {words}, counts {load_factor}",
            model=model,
            words=text,
            load_factor=decimal(load_factor(terms.busy, model)),
        )


def decided_by(template: Template) -> str:
    """Names what decides: a share of the seats, or the rule of a review."""
    if template.findings:
        return say("one rule over findings and votes decides (`debate docs judgement`)")
    return say(
        "it takes {consensus_threshold} of the seats",
        consensus_threshold=percent(template.consensus_threshold),
    )


def course(template: Template) -> str:
    """Describes a course that the template's phases do not show; empty for most."""
    if not template.findings or template.format != CONTESTED:
        return ""
    return say(
        "{openings} seats open. If nothing that would change the decision is contested, "
        "the debate ends there. Else the author answers, {most_arguing} seats argue in "
        "two rounds at most and decide again: {most_calls} calls at most. --format "
        "phased plays all phases.",
        openings=OPENINGS,
        most_arguing=MOST_ARGUING,
        most_calls=_MOST_CALLS,
    )
