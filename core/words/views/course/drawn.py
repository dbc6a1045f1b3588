"""Explains how seats were drawn and how votes weigh, before a debate begins and in its report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.debate.casting import TrackRecord
from core.debate.events import Terms
from core.debate.template import Mode
from core.debate.verdict import label
from core.debate.verdict.learned.discounts import ALL_ROLES, calibration_factor, load_factor
from core.debate.verdict.learned.ratings import ENOUGH

_FEW = f"too few known outcomes (a model needs {ENOUGH})"
_HALF = "a seat that changes sides without naming what moved it counts half"


def drawn_lines(terms: Terms) -> Iterator[str]:
    """Yields the lines on how seats were drawn and how votes weigh; none if neither depends on the
    past.
    """
    if terms.known:
        yield f"seats drawn by how often a model was right before: {_pasts(terms.known)}"
    if terms.ruled:
        yield f"judges drawn by how often their rulings were right: {_pasts(terms.ruled)}"
    if terms.stated:
        yield f"models that were surer than right drawn less: {'; '.join(_stated(terms))}"
    if terms.busy:
        yield f"models that were busiest in the last hour drawn less: {'; '.join(_busy(terms))}"
    if terms.known and not terms.stated:
        yield f"how sure models say they are, and how busy they are, plays no part yet: {_FEW}"
    if terms.weights:
        weighed = ", ".join(f"{seat} {w:.2f}" for seat, w in terms.weights.items())
        yield f"votes weigh by how often a model was right before: {weighed}; {_HALF}"
    elif terms.consensus == Mode.WEIGHTED:
        yield f"all votes weigh the same: {_FEW}; {_HALF}"


def _pasts(known: Mapping[str, TrackRecord]) -> str:
    return ", ".join(f"{model} {past.right} of {past.of}" for model, past in sorted(known.items()))


def _stated(terms: Terms) -> Iterator[str]:
    for role, mine in sorted(terms.stated.items()):
        where = "" if role == ALL_ROLES else f" as {label(role)}"
        for model, one in sorted(mine.items()):
            text = f"says {one.confidence:.2f}, right {one.right} of {one.of}"
            yield f"{model}{where} {text}, counts {calibration_factor(one):.2f}"


def _busy(terms: Terms) -> Iterator[str]:
    for model, calls in sorted(terms.busy.items()):
        text = f"{calls} call{'s' * (calls != 1)}"
        yield f"{model} {text}, counts {load_factor(terms.busy, model):.2f}"
