"""Matches the findings of a review with the ledger of its change: what they raise again, what they
contradict, and the evidence that is new about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from core.debate.finding import Finding
from core.debate.ledger import Demand, DemandState, Fate
from core.debate.material import LEFT, RIGHT, Material, squeeze
from core.debate.replies import Answer
from core.debate.state import Debate, once_for
from core.debate.verdict.findings.merging import overlap, same, words

_BESIDE = 1
"""The lines next to a changed line that count as touched: a fault is often quoted at its edge."""
_WANTS: Final = words("add introduce insert missing lack need require enable use without keep")
_WANTS_NOT: Final = words(
    "remove drop delete needless unneeded unnecessary redundant superfluous useless disable avoid "
    "revert undo"
)
_SUBJECT = 0.5
"""The overlap of words, without those above, from which two demands are about one thing."""


def contradicted(wording: Finding, demands: Iterable[Demand]) -> Demand | None:
    """Returns the demand whose opposite a wording asks for at the same place."""
    held = (d for d in demands if d.state is not DemandState.REJECTED)
    return next((d for d in held if _meet(wording, d) and _is_opposite(wording, d)), None)


def settled_before(wordings: Sequence[Finding], demands: Iterable[Demand]) -> Demand | None:
    """Returns the settled demand that wordings raise again: at the same place, or with the same
    meaning in the same file.
    """
    for demand in demands:
        if demand.state is DemandState.DEMANDED:
            continue
        as_finding = demand.finding
        for wording in wordings:
            if _meet(wording, demand) or same(wording, as_finding):
                return demand
            if wording.path and same(replace(wording, line=None), replace(as_finding, line=None)):
                return demand
    return None


def _meet(wording: Finding, demand: Demand) -> bool:
    lines = demand.lines
    if wording.line is None or lines is None or wording.path != demand.finding.path:
        return False
    if demand.fate is not Fate.REPLACED and wording.side != demand.finding.side:
        return False
    return wording.line <= lines[1] and (wording.end or wording.line) >= lines[0]


def _is_opposite(wording: Finding, demand: Demand) -> bool:
    """Return whether a wording's fix brings back what a demand had changed, or its words ask for
    the opposite.
    """
    gone = {squeeze(line) for line in demand.finding.quote.split("\n") if len(line.strip()) > 3}
    back = {squeeze(line) for line in _added(wording.patch)}
    if demand.state is DemandState.FIXED and gone & back:
        return True
    one, other = _leaning(wording), _leaning(demand.finding)
    if one * other >= 0:
        return False
    mine, theirs = _subject(wording), _subject(demand.finding)
    enough = min(2, len(mine), len(theirs))
    return bool(enough) and len(mine & theirs) >= enough and overlap(mine, theirs) >= _SUBJECT


def _added(patch: str) -> Iterator[str]:
    lines = patch.split("\n")
    marked = any(line.startswith(("+", "-")) for line in lines)
    for line in lines:
        if not marked or line.startswith("+"):
            yield line.removeprefix("+") if marked else line


def _leaning(wording: Finding) -> int:
    """Returns 1 if the wording wants something to be there, -1 if it wants it gone, else 0."""
    for text in (wording.advice, wording.title):
        used = words(text)
        wants = bool(used & _WANTS) or text.casefold().startswith("no ")
        not_wanted = bool(used & _WANTS_NOT)
        if wants is not not_wanted:
            return int(wants) - int(not_wanted)
    return 0


def _subject(wording: Finding) -> frozenset[str]:
    return words(f"{wording.title} {wording.advice}") - _WANTS - _WANTS_NOT


@once_for("opened")
def _touched(debate: Debate) -> frozenset[tuple[str, str, int]]:
    places: set[tuple[str, str, int]] = set()
    for hunk in debate.open.material.hunks:
        near = {
            at + step
            for at, line in enumerate(hunk.lines)
            if line.mark != " "
            for step in range(-_BESIDE, _BESIDE + 1)
        }
        for at, line in enumerate(hunk.lines):
            if at in near:
                places |= {
                    (hunk.path, side, number)
                    for side in (LEFT, RIGHT)
                    if (number := line.number_on(side)) is not None
                }
    return frozenset(places)


def is_touched(debate: Debate, wording: Finding) -> bool:
    """Return whether the change touches the lines of a wording; also true for one without lines,
    and if nothing in the material is a change.
    """
    touched = _touched(debate)
    if not touched or not wording.anchored or wording.line is None:
        return True
    lines = range(wording.line, (wording.end or wording.line) + 1)
    return any((wording.path, wording.side.upper(), line) in touched for line in lines)


def is_fresh(material: Material, wording: Finding) -> bool:
    """Return whether lines of a wording changed since the last review; true if that is not known,
    as in the first one.
    """
    if material.fresh is None:
        return True
    if wording.line is None:
        return False
    last = wording.end or wording.line
    return any(
        (span.path, span.side) == (wording.path, wording.side.upper())
        and span.first <= last
        and span.last >= wording.line
        for span in material.fresh
    )


def new_quote(answers: Iterable[Answer], known: Iterable[str]) -> str:
    """Returns the first line that answers quote as evidence, which code found and which nobody
    quoted about the point before; "" for none.
    """
    before = {squeeze(line) for quote in known for line in quote.split("\n") if line.strip()}
    quoted = (a.quote.strip() for a in answers if a.checked)
    return next((q for q in quoted if q and squeeze(q) not in before), "")
