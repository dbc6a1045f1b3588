"""A debate's findings as SARIF 2.1.0 (OASIS), which forges' code scanning and editors read.

It holds the open findings of the change, with the decided severity: a finding that need not be
fixed is at most a warning, a finding that more seats dispute than hold is a note without a score.
Findings that people called not real are suppressed, and findings of an earlier run that are gone
are marked absent, so that a dashboard closes them. Withdrawn findings, and findings without a
place, are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from core.debate.finding import TEXTS, Severity
from core.debate.material import RIGHT
from core.debate.state import Debate
from core.debate.status import DebateStatus
from core.debate.verdict.condition import is_what_if
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.evidence import quoted_lines
from core.debate.verdict.findings.merged import FindingState, MergedFinding
from core.words.outcome.findings import finding_document
from core.words.views.documents.review import NOT_REAL, RULES

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVELS = {
    Severity.LOW: "note",
    Severity.MEDIUM: "warning",
    Severity.HIGH: "error",
    Severity.CRITICAL: "error",
}
_SCORES = {
    Severity.LOW: "3.0",
    Severity.MEDIUM: "5.5",
    Severity.HIGH: "8.0",
    Severity.CRITICAL: "9.5",
}
"""The scores by which GitHub sorts security results; each is the middle of its band."""

_CONTESTED, _RESOLVED = "contested", "resolved"
_UNSCORED = {
    _CONTESTED: ("note", RULES[_CONTESTED]),
    _RESOLVED: ("none", RULES[_RESOLVED]),
}
"""Kinds of results that need no fix, with their level and description."""


def sarif(debate: Debate) -> dict[str, Any]:
    """Returns the log of one run. Raises ``Refused`` before the opening."""
    material = debate.open.material
    findings = [m for m in merge_findings(debate) if _told(m)]
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "debatebot",
                "rules": [
                    {
                        "id": f"finding/{severity.value}",
                        "name": f"Finding{severity.value.capitalize()}",
                        "shortDescription": {"text": f"{severity.value.capitalize()} finding"},
                        "properties": {"security-severity": _SCORES[severity]},
                    }
                    for severity in Severity
                ]
                + [
                    {
                        "id": f"finding/{kind}",
                        "name": f"Finding{kind.capitalize()}",
                        "shortDescription": {"text": description},
                    }
                    for kind, (_, description) in _UNSCORED.items()
                ],
            }
        },
        "automationDetails": {"id": f"debatebot/{debate.request.template}/{debate.id}"},
        "invocations": [
            {
                "executionSuccessful": (
                    debate.over
                    and debate.status is not DebateStatus.FAILED
                    and not is_what_if(debate)
                )
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(debate, m, mark) for m, mark in zip(findings, _marks(findings), strict=True)
        ],
    }
    if material.facts.get("repo"):
        repository = f"https://{material.facts['host']}/{material.facts['repo']}"
        run["versionControlProvenance"] = [
            {"repositoryUri": repository, "revisionId": material.facts.get("head", "")}
        ]
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _told(finding: MergedFinding) -> bool:
    """True if a finding is in the log: it is in the change and is not withdrawn, or an earlier run
    reported it and it is gone.
    """
    if finding.state is FindingState.RESOLVED:
        return finding.demand is not None
    return (
        finding.state is not FindingState.WITHDRAWN
        and finding.wording.anchored
        and bool(finding.wording.path)
    )


def _marks(findings: Sequence[MergedFinding]) -> Iterator[str]:
    """Yields a fingerprint each: of several that look alike in one file (the same title on the same
    words) all but the first, by line, are numbered.
    """
    ordered = sorted(findings, key=lambda m: (m.mark, m.wording.line or 0, m.id))
    seen: Counter[str] = Counter()
    numbered = {}
    for m in ordered:
        seen[m.mark] += 1
        numbered[m.id] = m.mark if seen[m.mark] == 1 else f"{m.mark}:{seen[m.mark]}"
    return (numbered[m.id] for m in findings)


def _kind(finding: MergedFinding) -> tuple[str, str]:
    if finding.state is FindingState.RESOLVED:
        return _RESOLVED, _UNSCORED[_RESOLVED][0]
    outvoted = len(finding.disputed_by) > len(finding.by)
    if not finding.blocking and (finding.contested or outvoted):
        return _CONTESTED, _UNSCORED[_CONTESTED][0]
    severity = finding.wording.severity
    if (
        finding.state is FindingState.OPEN
        and not finding.blocking
        and severity.rank > Severity.MEDIUM.rank
    ):
        severity = Severity.MEDIUM
    return severity.value, _LEVELS[severity]


def _result(debate: Debate, finding: MergedFinding, mark: str) -> dict[str, Any]:
    entry = finding_document(debate, finding)
    message = ". ".join(filter(None, (entry["title"], entry["trigger"])))
    rule, level = _kind(finding)
    result: dict[str, Any] = {
        "ruleId": f"finding/{rule}",
        "level": level,
        "message": {"text": message},
        "partialFingerprints": {"debatebot/v1": mark},
        "properties": {
            **{name: entry[name] for name in ("severity", "confidence", "anchored", "placing")},
            **{name: entry[name] for name in TEXTS if entry[name]},
            "heldBy": entry["by"],
            "disputedBy": entry["disputed_by"],
            "contested": entry["contested"],
        },
    }
    if place := _location(debate, finding):
        result["locations"] = [place]
    if finding.state is FindingState.RESOLVED:
        result["kind"] = "pass"
    if finding.state is FindingState.DISPUTED:
        result["suppressions"] = [
            {"kind": "external", "status": "accepted", "justification": NOT_REAL}
        ]
    if debate.open.material.demands:
        result["baselineState"] = _baseline(finding)
    return result


def _location(debate: Debate, finding: MergedFinding) -> dict[str, Any] | None:
    f = finding.wording
    if not f.path:
        return None
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(f.path)}}
    if f.anchored and f.line and f.side.upper() == RIGHT:
        first, last = quoted_lines(debate, f) or (f.line, f.line)
        physical["region"] = {"startLine": first, "endLine": last}
    return {"physicalLocation": physical}


def _baseline(finding: MergedFinding) -> str:
    if finding.state is FindingState.RESOLVED:
        return "absent"
    if finding.demand is not None:
        return "unchanged"
    return "new"
