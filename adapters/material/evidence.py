"""A scanner's results (SARIF 2.1.0, OASIS) as claims about the lines of a change.

Only what stands on a line that the change shows is debated: everything else is counted. A result is
foreign text like any other, so it is read where that can do no harm, redacted and escaped.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import msgspec

from adapters.redaction.texts import one_line
from adapters.text.documents import read_json
from core.errors import BadInput
from core.material import Hunk, Material, Scanned
from core.replies import Severity

MOST = 20
"""Most results that are debated: those about security before the rest, in each those on an added
line first, then the most severe. Linters call most of their results errors, and would leave no room
for anything else.
"""
_SCORES = ((9.0, "critical"), (7.0, "high"), (4.0, "medium"), (0.0, "low"))
"""GitHub's bands of a rule's ``security-severity``."""
_HIGHEST = 10.0
_LONGEST = 10_000
"""Characters of a result's words that are read: no secret in those that are shown is cut by it."""
_LEVELS = {"error": "high", "warning": "medium"}


class _Text(msgspec.Struct):
    text: str = ""


class _Properties(msgspec.Struct):
    tags: list[object] = []
    security: str | float | None = msgspec.field(name="security-severity", default=None)


class _Default(msgspec.Struct):
    level: str = ""


class _Rule(msgspec.Struct, rename="camel"):
    id: str = ""
    short_description: _Text = msgspec.field(default_factory=_Text)
    default_configuration: _Default = msgspec.field(default_factory=_Default)
    properties: _Properties = msgspec.field(default_factory=_Properties)


class _Driver(msgspec.Struct):
    name: str = "scanner"
    rules: list[_Rule] = []


class _Tool(msgspec.Struct):
    """A scanner with its rules, which can stand in its extensions (CodeQL's packs)."""

    driver: _Driver = msgspec.field(default_factory=_Driver)
    extensions: list[_Driver] = []


class _Artifact(msgspec.Struct):
    uri: str = ""


class _Region(msgspec.Struct, rename="camel"):
    start_line: int = 0


class _Physical(msgspec.Struct, rename="camel"):
    artifact_location: _Artifact = msgspec.field(default_factory=_Artifact)
    region: _Region = msgspec.field(default_factory=_Region)


class _Location(msgspec.Struct, rename="camel"):
    physical_location: _Physical = msgspec.field(default_factory=_Physical)


class _Result(msgspec.Struct, rename="camel"):
    rule_id: str = ""
    level: str = ""
    message: _Text = msgspec.field(default_factory=_Text)
    locations: list[_Location] = []
    suppressions: list[object] | None = None


class _SarifRun(msgspec.Struct):
    tool: _Tool = msgspec.field(default_factory=_Tool)
    results: list[_Result] | None = None


class _Log(msgspec.Struct):
    runs: list[_SarifRun]
    version: str = "2.1.0"


_Weight: TypeAlias = tuple[bool, bool, int, float]


@dataclass(frozen=True, slots=True)
class Reported:
    """``elsewhere`` counts results that stand on no line of the change, ``more`` those beyond
    ``MOST``.
    """

    scanned: tuple[Scanned, ...]
    elsewhere: int = 0
    more: int = 0
    secrets: int = 0


def reported(files: tuple[bytes, ...], hunks: tuple[Hunk, ...]) -> Reported:
    """Returns the results in SARIF files that are on lines of the change. Raises ``BadInput`` for a
    file that is not SARIF.
    """
    try:
        logs = [read_json(_as_text(data), _Log) for data in files]
    except ValueError as error:
        raise BadInput(
            "That is no SARIF file (2.1.0), which scanners write with an option like "
            "--format sarif."
        ) from error
    lines = {(h.path, x.new): x.text for h in hunks for x in h.lines if x.new is not None}
    paths = {path for path, _ in lines}
    added = {(h.path, x.new) for h in hunks for x in h.lines if x.old is None}
    placed: list[tuple[_Weight, _Rule, str, _Result, tuple[str, int]]] = []
    elsewhere = 0
    for rule, tool, result in (result_of for log in logs for result_of in _results(log)):
        place = _place(result, paths)
        if place not in lines:
            elsewhere += 1
            continue
        placed.append((_weight(rule, result, new=place in added), rule, tool, result, place))
    placed.sort(key=lambda one: one[0], reverse=True)
    kept = [
        _claim(rule, tool, result, place, lines[place])
        for _, rule, tool, result, place in placed[:MOST]
    ]
    return Reported(
        tuple(replace(one, id=f"scan.f{n}") for n, (one, _) in enumerate(kept, 1)),
        elsewhere,
        len(placed) - len(kept),
        sum(secrets for _, secrets in kept),
    )


def _as_text(data: bytes) -> bytes | str:
    """Returns the text of a file, in UTF-8 or in Windows' UTF-16. Raises ``ValueError``."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16")
    return data.removeprefix(codecs.BOM_UTF8)


def with_reported(material: Material, reported: Reported, name: str) -> Material:
    """Returns the material with what a scanner reported, and a sentence that says so."""
    here = len(reported.scanned)
    note = f"{name} reports {here} result{'s' * (here != 1)} on the lines of this change"
    if reported.more:
        note += f" (security and added lines first; {reported.more} more are not debated)"
    if reported.elsewhere:
        note += f"; {reported.elsewhere} elsewhere are not debated"
    return replace(
        material,
        scanned=reported.scanned,
        notes=(*material.notes, f"{note}."),
        redacted=material.redacted + reported.secrets,
    )


def _results(log: _Log) -> Iterator[tuple[_Rule, str, _Result]]:
    """Yields every result that nobody suppressed, with its rule and the scanner's name."""
    for run in log.runs:
        parts = (*run.tool.extensions, run.tool.driver)
        rules = {rule.id: rule for part in parts for rule in part.rules}
        for result in run.results or ():
            if not result.suppressions:
                yield rules.get(result.rule_id, _Rule()), run.tool.driver.name, result


def _place(result: _Result, paths: Iterable[str]) -> tuple[str, int]:
    """Returns the changed file and line that a result names, matched by the longest common ending
    of the paths; ("", 0) for none.
    """
    if not result.locations:
        return "", 0
    where = result.locations[0].physical_location
    uri = where.artifact_location.uri.removeprefix("file://").removeprefix("./")
    ends = [path for path in paths if uri == path or uri.endswith(f"/{path}")]
    return max(ends, key=len, default=""), where.region.start_line


def _claim(
    rule: _Rule, tool: str, result: _Result, place: tuple[str, int], quote: str
) -> tuple[Scanned, int]:
    """Returns the claim without its id, and how many secrets were taken out of its words."""
    words = result.message.text or rule.short_description.text or result.rule_id
    title = one_line(words[:_LONGEST])
    named = one_line(f"{tool} {result.rule_id}".strip()[:_LONGEST])
    claim = Scanned("", named.text[:120], _severity(rule, result), title.text, *place, quote)
    return claim, title.secrets + named.secrets


def _weight(rule: _Rule, result: _Result, *, new: bool) -> _Weight:
    """Returns the order of a result: larger ones are debated first. A minor result about security
    is like any other.
    """
    severity = Severity(_severity(rule, result))
    about_security = _score(rule) is not None or "security" in rule.properties.tags
    weighty = about_security and severity.rank >= Severity.MEDIUM.rank
    return weighty, new, severity.rank, _score(rule) or 0.0


def _score(rule: _Rule) -> float | None:
    """Returns the rule's own security severity, 0 to 10; None where it has none."""
    try:
        score = float(rule.properties.security or "")
    except ValueError:
        return None
    return score if 0 <= score <= _HIGHEST else None


def _severity(rule: _Rule, result: _Result) -> str:
    score = _score(rule)
    if score is not None:
        return next(severity for least, severity in _SCORES if score >= least)
    return _LEVELS.get(result.level or rule.default_configuration.level or "warning", "low")
