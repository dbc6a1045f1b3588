"""A scanner's results (SARIF 2.1.0, OASIS) as claims about the lines of a change.

Only a result on a line that the change shows is debated: everything else is counted. A result is
foreign text like any other, so it is redacted and escaped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from adapters.material.sarif import ScanResult, read_results
from adapters.redaction.texts import one_line
from core.debate.errors import BadInput
from core.debate.finding import Severity
from core.debate.material import Hunk, Material, Scanned
from core.debate.stored import stored, stored_many

MOST = 20
"""Most results that are debated: those about security before the rest, in each group those on an
added line first, then the most severe. Linters call most of their results errors, and would leave
no room for other results.
"""
_SCORES = ((9.0, "critical"), (7.0, "high"), (4.0, "medium"), (0.0, "low"))
"""GitHub's bands of a rule's ``security-severity``."""
_HIGHEST = 10.0
_LONGEST = 10_000
"""Characters of a result's words that are read: no secret in those that are shown is cut by it."""
_LONGEST_REGION = 1_000  # lines of one place that are looked at
_LEVELS = {"error": "high", "warning": "medium"}


_Weight: TypeAlias = tuple[bool, bool, int, float]


@dataclass(frozen=True, slots=True)
class Reported:
    """The results of scanners, or the remarks of people, that are debated: ``scanned``.
    ``elsewhere`` counts results that are on no line of the change, ``more`` those beyond
    ``MOST``, ``skipped`` the others that are not debated, by reason.
    """

    scanned: tuple[Scanned, ...]
    elsewhere: int = 0
    more: int = 0
    secrets: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)


def reported(files: tuple[bytes, ...], hunks: tuple[Hunk, ...]) -> Reported:
    """Returns the results in SARIF files that are on lines of the change. Raises ``BadInput`` for a
    file that is not SARIF.
    """
    try:
        results = [result for data in files for result in read_results(data)]
    except ValueError as error:
        raise BadInput(
            "That is no SARIF file (2.1.0), which scanners write with an option like "
            "--format sarif."
        ) from error
    lines = {(h.path, x.new): x.text for h in hunks for x in h.lines if x.new is not None}
    paths = {path for path, _ in lines}
    added = {(h.path, x.new) for h in hunks for x in h.lines if x.old is None}
    placed: list[tuple[_Weight, ScanResult, tuple[str, int]]] = []
    elsewhere = 0
    for result in results:
        if result.skipped:
            continue
        place = _line_of(result, paths, lines)
        if place is None:
            elsewhere += 1
        else:
            placed.append((_weight(result, new=place in added), result, place))
    placed.sort(key=lambda one: one[0], reverse=True)
    kept = [_claim(result, place, lines[place]) for _, result, place in placed[:MOST]]
    return Reported(
        tuple(replace(one, id=f"scan.f{n}") for n, (one, _) in enumerate(kept, 1)),
        elsewhere,
        len(placed) - len(kept),
        sum(secrets for _, secrets in kept),
        Counter(result.skipped for result in results if result.skipped),
    )


def with_reported(material: Material, reported: Reported, name: str) -> Material:
    """Returns the material with what a scanner reported, and a sentence that says so."""
    here = len(reported.scanned)
    note = stored_many(
        here,
        "{name} reports {n} result on the lines of this change",
        "{name} reports {n} results on the lines of this change",
        name=name,
    )
    if more := reported.more:
        note = stored(
            "{why} (security and added lines first; {more} more are not debated)",
            why=note,
            more=more,
        )
    if elsewhere := reported.elsewhere:
        note += "; " + stored("{elsewhere} elsewhere are not debated", elsewhere=elsewhere)
    for reason, count in reported.skipped.items():
        note += f"; {stored('{n} {why}', n=count, why=reason)}"
    return replace(
        material,
        scanned=reported.scanned,
        notes=(*material.notes, f"{note}."),
        redacted=material.redacted + reported.secrets,
    )


def _line_of(
    result: ScanResult, paths: Iterable[str], lines: Mapping[tuple[str, int], str]
) -> tuple[str, int] | None:
    """Returns the first changed file and line that a result names; None if it names none."""
    for place in result.places:
        path = max((_changed(name, paths) for name in place.paths), key=len, default="")
        for line in range(place.first, min(place.last, place.first + _LONGEST_REGION) + 1):
            if (path, line) in lines:
                return path, line
    return None


def _changed(name: str, paths: Iterable[str]) -> str:
    """Returns the changed file of that name. A whole address names the one with which it has the
    longest ending in common, a relative path names one file only.
    """
    whole = name.startswith("/")
    ends = [path for path in paths if name == path or (whole and name.endswith(f"/{path}"))]
    return max(ends, key=len, default="")


def _claim(result: ScanResult, place: tuple[str, int], quote: str) -> tuple[Scanned, int]:
    """Returns the claim without its id, and how many secrets were taken out of its words."""
    title = one_line(result.words[:_LONGEST])
    named = one_line(f"{result.tool} {result.rule_id}".strip()[:_LONGEST])
    claim = Scanned("", named.text[:120], _severity(result), title.text, *place, quote)
    return claim, title.secrets + named.secrets


def _weight(result: ScanResult, *, new: bool) -> _Weight:
    """Returns the order of a result: larger ones are debated first. A minor result about security
    is like any other.
    """
    severity = Severity(_severity(result))
    tags = result.rule.properties.get("tags")
    tagged = isinstance(tags, list) and "security" in tags
    weighty = (_score(result) is not None or tagged) and severity.rank >= Severity.MEDIUM.rank
    return weighty, new, severity.rank, _score(result) or 0.0


def _score(result: ScanResult) -> float | None:
    """Returns the rule's own security severity, 0 to 10; None if it has none."""
    given = result.rule.properties.get("security-severity")
    if not isinstance(given, str | int | float) or isinstance(given, bool):
        return None
    try:
        score = float(given)
    except (ValueError, OverflowError):
        return None
    return score if 0 <= score <= _HIGHEST else None


def _severity(result: ScanResult) -> str:
    score = _score(result)
    if score is not None:
        return next(severity for least, severity in _SCORES if score >= least)
    return _LEVELS.get(result.level or "warning", "low")
