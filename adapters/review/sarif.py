"""A debate's findings as SARIF 2.1.0 (OASIS), which code scanning of forges and editors read.

Only what stands in the change has a place; what people called not real is there as suppressed, and
what an earlier run found and this one no longer has is absent, so that a dashboard closes it.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from core.debate import Debate
from core.material.diffs import RIGHT, cited_lines
from core.replies import Severity
from core.verdict.findings import MergedFinding, State, merge_findings

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
"""What GitHub sorts security results by; the middle of each of its bands."""


def sarif(debate: Debate) -> dict[str, Any]:
    """The log of one run. Raises ``Refused`` before the opening."""
    material = debate.open.material
    found = [m for m in merge_findings(debate) if m.state is not State.WITHDRAWN]
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "debatebot",
                "rules": [
                    {
                        "id": f"finding/{severity.value}",
                        "name": f"Finding{severity.value.capitalize()}",
                        "shortDescription": {"text": f"A {severity.value} finding of a debate"},
                        "properties": {"security-severity": _SCORES[severity]},
                    }
                    for severity in Severity
                ],
            }
        },
        "automationDetails": {"id": f"debatebot/{debate.request.template}/{debate.id}"},
        "invocations": [{"executionSuccessful": debate.over and debate.status != "failed"}],
        "columnKind": "unicodeCodePoints",
        "results": [_result(debate, m) for m in found],
    }
    if material.facts.get("repo"):
        repository = f"https://{material.facts['host']}/{material.facts['repo']}"
        run["versionControlProvenance"] = [
            {"repositoryUri": repository, "revisionId": material.facts.get("head", "")}
        ]
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(debate: Debate, found: MergedFinding) -> dict[str, Any]:
    f = found.shown
    said = f"{f.title}. {f.trigger}".strip() if f.trigger else f.title
    result: dict[str, Any] = {
        "ruleId": f"finding/{f.severity.value}",
        "level": _LEVELS[f.severity],
        "message": {"text": said},
        "partialFingerprints": {"debatebot/v1": found.mark},
        "properties": {
            "confidence": f.confidence,
            "heldBy": list(found.by),
            "disputedBy": list(found.disputed_by),
            "anchored": f.anchored,
            "contested": found.contested,
        },
    }
    if place := _location(debate, found):
        result["locations"] = [place]
    if found.state is State.DISPUTED:
        result["suppressions"] = [
            {"kind": "external", "status": "accepted", "justification": "People voted: not real."}
        ]
    if debate.open.material.earlier:
        result["baselineState"] = _baseline(found)
    return result


def _location(debate: Debate, found: MergedFinding) -> dict[str, Any] | None:
    """The file, and the lines where they stand in the new version."""
    f = found.shown
    if not f.path:
        return None
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(f.path)}}
    if f.anchored and f.line and f.side.upper() == RIGHT:
        lines = cited_lines(debate.open.material, f.path, f.line, RIGHT, f.quote)
        first, last = lines or (f.line, f.line)
        physical["region"] = {"startLine": first, "endLine": last}
    return {"physicalLocation": physical}


def _baseline(found: MergedFinding) -> str:
    if found.state is State.RESOLVED:
        return "absent"
    if found.earlier is not None:
        return "unchanged"
    return "new"
