"""A scanner's results (SARIF 2.1.0, OASIS) and other reviewers' remarks, as claims about the lines
of a change that the seats examine.

Only a claim on a line that the change shows is debated: everything else is counted. Its words are
foreign text like any other, so they are redacted and escaped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from adapters.forges.port import Remark
from adapters.material.prose import seen_by_readers
from adapters.material.sarif import ScanResult, read_results
from adapters.redaction.texts import one_line
from core.debate.errors import BadInput
from core.debate.finding import Severity
from core.debate.material import LEFT, RIGHT, Hunk, Material, Scanned
from core.debate.stored import stored, stored_many

MOST = 20
"""Most remarks that are debated, and most results: those about security before the rest, in each
group those on an added line first, then the most severe. Linters call most of their results errors,
and would leave no room for other results.
"""
_SCORES = ((9.0, "critical"), (7.0, "high"), (4.0, "medium"), (0.0, "low"))
"""GitHub's bands of a rule's ``security-severity``."""
_HIGHEST = 10.0
_LONGEST = 10_000
"""Characters of a result or remark that are read: no secret in those that are shown is cut by it.
"""
_MARKUP = re.compile(r"[*_`#>|~]+")
_NAME = 80  # characters of a reviewer's name
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
    return _with(material, reported, note)


def _with(material: Material, reported: Reported, note: str) -> Material:
    return replace(
        material,
        scanned=(*material.scanned, *reported.scanned),
        notes=(*material.notes, f"{note}."),
        redacted=material.redacted + reported.secrets,
    )


def placed(remarks: Sequence[Remark], hunks: tuple[Hunk, ...]) -> Reported:
    """Returns the remarks that are on lines of the change."""
    lines = {
        (hunk.path, side, number): line.text
        for hunk in hunks
        for line in hunk.lines
        for side in (LEFT, RIGHT)
        if (number := line.number_on(side)) is not None
    }
    here = [one for one in remarks if one.line and (one.path, one.side, one.line) in lines]
    claims, secrets = [], 0
    for number, one in enumerate(here[:MOST], 1):
        seen, _ = seen_by_readers(one.text[:_LONGEST])
        title, author = one_line(_MARKUP.sub("", seen)), one_line(one.author)
        secrets += title.secrets + author.secrets
        claims.append(
            Scanned(
                f"remark.f{number}",
                f"remark of {author.text[:_NAME]}",
                "medium",
                title.text,
                one.path,
                one.line or 0,
                lines[one.path, one.side, one.line or 0],
                author.text[:_NAME],
                one.side,
            )
        )
    return Reported(tuple(claims), len(remarks) - len(here), max(0, len(here) - MOST), secrets)


def with_remarks(material: Material, remarks: Reported) -> Material:
    """Returns the material with the remarks, and a sentence that counts them."""
    note = stored_many(
        len(remarks.scanned),
        "{n} remark of others on the lines of this change",
        "{n} remarks of others on the lines of this change",
    )
    if remarks.more:
        note = stored("{why} ({more} more are not debated)", why=note, more=remarks.more)
    if elsewhere := remarks.elsewhere:
        note += "; " + stored(
            "{elsewhere} elsewhere or on older lines are not debated", elsewhere=elsewhere
        )
    return _with(material, remarks, note)


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
    if 0 <= score <= _HIGHEST:
        return score
    return None


def _severity(result: ScanResult) -> str:
    score = _score(result)
    if score is not None:
        return next(severity for least, severity in _SCORES if score >= least)
    return _LEVELS.get(result.level or "warning", "low")
