"""The rules of form for Open Decision Receipts, beyond their signature, in versions 0.1 and 0.2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_TOP = {
    "odr_version", "profile", "receipt_id", "issued_at", "subject", "claim", "reasoning", "quorum",
    "confidence", "cruxes",
    "attestation", "routing", "signatures", "source",
}  # fmt: skip
_NEW = {"adjudication"}  # from 0.2 on
_REQUIRED = _TOP - {"source"}
_PARTS = (
    "subject",
    "claim",
    "reasoning",
    "quorum",
    "confidence",
    "cruxes",
    "attestation",
    "routing",
)
_NEW_MEMBERS = {
    "subject": {"repository", "pr_number", "head_sha", "base_sha"},
    "reasoning": {"observations"},
    "quorum": {"verdicts", "rule"},
}


def broken_rules(document: Mapping[str, Any]) -> list[str]:
    """Describes what is wrong with the receipt; empty when nothing is."""
    version = document.get("odr_version")
    if version not in ("0.1", "0.2"):
        return [f"odr_version is {version!r}, not 0.1 or 0.2"]
    members = set(document)
    allowed = _TOP | (_NEW if version == "0.2" else set())
    wrong = [f"{m} is no member of a receipt" for m in sorted(members - allowed)]
    wrong += [f"{m} is missing" for m in sorted(_REQUIRED - members)]
    wrong += [
        f"{m} is not an object"
        for m in _PARTS
        if m in members and not isinstance(document[m], Mapping)
    ]
    if wrong:
        return wrong
    if document["profile"] != f"https://aragora.ai/specs/open-decision-receipt/v{version}":
        wrong.append("the profile is another version's")
    if not isinstance(document["receipt_id"], str) or not document["receipt_id"]:
        wrong.append("receipt_id is empty")
    if not document["claim"].get("verdict"):
        wrong.append("the claim has no verdict")
    if version == "0.1":
        for part, names in _NEW_MEMBERS.items():
            if newer := set(document[part]) & names:
                wrong.append(f"{part} holds members of 0.2: {sorted(newer)}")
    return [*wrong, *_quorum(document["quorum"]), *_attestation(document["attestation"])]


def _quorum(quorum: Mapping[str, Any]) -> list[str]:
    if quorum.get("status") == "absent":
        if quorum.get("reason"):
            return []
        return ["an absent quorum needs a reason"]
    there = {p.get("agent") for p in quorum.get("participants", ()) if isinstance(p, Mapping)}
    dissent = quorum.get("dissent") or {}
    named = [
        *(("supporter", a) for a in quorum.get("supporting_agents", ())),
        *(("dissenter", a) for a in dissent.get("dissenting_agents", ())),
        *(("issuer", v.get("issuer")) for v in quorum.get("verdicts", ())),
    ]
    wrong = [
        f"{what} {agent!r} is not a participant" for what, agent in named if agent not in there
    ]
    return [*wrong, *_findings(dissent, there)]


def _findings(dissent: Mapping[str, Any], there: set[Any]) -> list[str]:
    findings = dissent.get("findings") or []
    wrong = [
        f"the issuer {f.get('issuer')!r} of a finding is not a participant"
        for f in findings
        if f.get("issuer") not in there
    ]
    wrong += [
        f"a finding of {f.get('severity')} has blocking {f.get('blocking')}"
        for f in findings
        if f.get("blocking") is not _blocks(f)
    ]
    if findings:
        worst = min(str(f.get("severity")) for f in findings)
        if dissent.get("severity_max", worst) != worst:
            wrong.append(f"severity_max is {dissent['severity_max']}, the findings' is {worst}")
        if dissent.get("blocking", any(map(_blocks, findings))) is not any(map(_blocks, findings)):
            wrong.append("blocking does not match the findings")
    return wrong


def _blocks(finding: Mapping[str, Any]) -> bool:
    return finding.get("severity") in ("P0", "P1")


def _attestation(attestation: Mapping[str, Any]) -> list[str]:
    disposition, attestor = attestation.get("disposition"), attestation.get("attestor") or {}
    if disposition not in ("human_attested", "autonomous"):
        return [f"the disposition is {disposition!r}"]
    if disposition == "human_attested" and not attestor:
        return ["human_attested without an attestor"]
    executed = attestation.get("execution_identity") or {}
    if attestor.get("id") is not None and attestor.get("id") == executed.get("id"):
        return ["who attests and what executed are the same"]
    return []
