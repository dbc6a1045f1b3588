"""A scanner's results (SARIF 2.1.0, OASIS) as claims about the lines of a change.

Only what stands on a line that the change shows is debated: everything else is counted. A result is
foreign text like any other, so it is read where that can do no harm, redacted and escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import msgspec

from adapters.redaction.texts import one_line
from core.errors import BadInput
from core.material import Hunk, Material, Scanned
from core.replies import Severity

MOST = 20
"""Results that are debated, the most severe first."""
_SCORES = ((9.0, "critical"), (7.0, "high"), (4.0, "medium"), (0.0, "low"))
"""GitHub's bands of a rule's ``security-severity``."""
_LEVELS = {"error": "high", "warning": "medium"}


class _Text(msgspec.Struct):
    text: str = ""


class _Properties(msgspec.Struct):
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
    driver: _Driver = msgspec.field(default_factory=_Driver)


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


class _Run(msgspec.Struct):
    tool: _Tool = msgspec.field(default_factory=_Tool)
    results: list[_Result] | None = None


class _Log(msgspec.Struct):
    runs: list[_Run]
    version: str = "2.1.0"


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
    """What SARIF files say of the lines of a change. ``BadInput`` for what is none."""
    try:
        logs = [msgspec.json.decode(data, type=_Log) for data in files]
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadInput(
            "That is no SARIF file (2.1.0), which scanners write with an option like "
            "--format sarif."
        ) from error
    lines = {(h.path, x.new): x.text for h in hunks for x in h.lines if x.new is not None}
    paths = {path for path, _ in lines}
    found: list[tuple[Scanned, int]] = []
    elsewhere = 0
    for rule, tool, result in (told for log in logs for told in _results(log)):
        place = _place(result, paths)
        if place not in lines:
            elsewhere += 1
            continue
        found.append(_claim(rule, tool, result, place, lines[place]))
    found.sort(key=lambda one: -Severity(one[0].severity).rank)
    kept = found[:MOST]
    return Reported(
        tuple(replace(one, id=f"scan.f{n}") for n, (one, _) in enumerate(kept, 1)),
        elsewhere,
        len(found) - len(kept),
        sum(secrets for _, secrets in kept),
    )


def with_reported(material: Material, told: Reported, name: str) -> Material:
    """The material with what a scanner reported, and a sentence that says so."""
    here = len(told.scanned)
    note = f"{name} reports {here} result{'s' * (here != 1)} on the lines of this change"
    if told.more:
        note += f" (the most severe; {told.more} more are not debated)"
    if told.elsewhere:
        note += f"; {told.elsewhere} elsewhere are not debated"
    return replace(
        material,
        scanned=told.scanned,
        notes=(*material.notes, f"{note}."),
        redacted=material.redacted + told.secrets,
    )


def _results(log: _Log) -> Iterator[tuple[_Rule, str, _Result]]:
    """Every result that nobody suppressed, with its rule and the scanner's name."""
    for run in log.runs:
        rules = {rule.id: rule for rule in run.tool.driver.rules}
        for result in run.results or ():
            if not result.suppressions:
                yield rules.get(result.rule_id, _Rule()), run.tool.driver.name, result


def _place(result: _Result, paths: Iterable[str]) -> tuple[str, int]:
    """The changed file and line that it names, by the longest ending they share; ("", 0) for
    none.
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
    """The claim without its id, and how many secrets were taken out of its words."""
    title = one_line(result.message.text or rule.short_description.text or result.rule_id)
    named = one_line(f"{tool} {result.rule_id}".strip())
    claim = Scanned("", named.text[:120], _severity(rule, result), title.text, *place, quote)
    return claim, title.secrets + named.secrets


def _severity(rule: _Rule, result: _Result) -> str:
    try:
        score = float(rule.properties.security or "")
    except ValueError:
        return _LEVELS.get(result.level or rule.default_configuration.level or "warning", "low")
    return next((severity for least, severity in _SCORES if score >= least), "low")
