"""Turns a finished debate into an Open Decision Receipt 0.2: who decided what, who disagreed, and
on what grounds.

The receipt holds only what the outcome document holds. An unknown value is marked absent with a
reason and never made up: agreement is not offered as confidence, and a fingerprint of the material
is given only if there is one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from core.debate.errors import Refused
from core.debate.verdict import same_option
from core.debate.verdict.families import family
from core.words.receipt.canonical import digest

_ODR = "0.2"
_PROFILE = f"https://aragora.ai/specs/open-decision-receipt/v{_ODR}"
SYSTEM = "debatebot"
_SCHEMA = "debatebot.outcome.v1"
_LEVELS = {"critical": "P0", "high": "P1", "medium": "P2", "low": "P3"}
_PULL = re.compile(
    r"https://(?P<host>[^/]+)/(?P<repo>.+?)/(?:-/)?(?:pull|merge_requests)/(?P<number>[0-9]+)$"
)
Doc = dict[str, Any]


def receipt(
    outcome: Mapping[str, Any],
    *,
    issued_at: str,
    chain: str = "",
    verdicts: Sequence[Doc] = (),
    attestor: Mapping[str, str] | None = None,
) -> Doc:
    """Returns the unsigned receipt of an outcome document; ``receipt.signing.sign`` signs it.

    ``issued_at`` is an ISO time with zone, ``chain`` the head of the event chain
    (``core.words.receipt.canonical.head``), ``verdicts`` those that the debate has had
    (``receipt.verdicts``), ``attestor`` the person who vouches for the decision (``id`` and
    other known members); without one the receipt states ``autonomous``. Raises ``Refused`` while
    the debate is not over.
    """
    if outcome["ended_because"] is None or outcome["material"] is None:
        raise Refused("Only a finished debate has a receipt.")
    decided, condition = outcome["verdict"], {}
    if decided.get("condition"):
        condition["condition"] = decided["condition"]
    return {
        "odr_version": _ODR,
        "profile": _PROFILE,
        "receipt_id": outcome["id"],
        "issued_at": issued_at,
        "subject": _subject(outcome["material"]),
        "claim": {
            "verdict": decided["decision"],
            "statement": decided["summary"],
            **condition,
        },
        "reasoning": _reasoning(outcome),
        "quorum": _quorum(outcome),
        "confidence": _absent(
            "seats' agreement is not confidence, and no calibrated figure exists"
        ),
        "cruxes": _cruxes(outcome),
        "attestation": _attestation(outcome, chain, verdicts, attestor),
        "routing": {"status": "reserved"},
        "source": {
            "system": SYSTEM,
            "schema": _SCHEMA,
            "receipt_id": outcome["id"],
            "artifact_hash": digest(outcome),
        },
        "signatures": [],
    }


def _absent(reason: str) -> Doc:
    return {"status": "absent", "reason": reason}


def _subject(material: Mapping[str, Any]) -> Doc:
    """Returns the receipt's subject. A 64-digit revision is the content's digest; a shorter one is
    a commit, named as the head if there is a pull request.
    """
    revision, source = material["revision"], material["source"]
    pull = _PULL.match(source)
    subject: Doc = {
        "identifier": (f"{source}@{revision}" if revision else source)
        or material["title"]
        or "untitled",
        "digest": _absent("the subject is identified by its revision"),
        "summary": material["title"],
    }
    if re.fullmatch(r"[0-9a-f]{64}", revision):
        subject["digest"] = {"status": "present", "alg": "sha-256", "value": revision}
    if pull:
        subject |= {"repository": pull["repo"], "pr_number": int(pull["number"])}
        if revision:
            subject["head_sha"] = revision
    return subject


def _reasoning(outcome: Mapping[str, Any]) -> Doc:
    models = {s["seat"]: s["model"] for s in outcome["seats"]}
    observed = [
        {
            "kind": "timeout" if "timeout" in t["failed"].casefold() else "failure",
            "family": _family(models.get(t["seat"], "")),
            "detail": f"{t['id']} ({t['seat']}): {t['failed']}",
        }
        for r in outcome["rounds"]
        for t in r["turns"]
        if t["failed"]
    ]
    verdict = outcome["verdict"]
    summary = (
        f"{verdict['summary']} Decided by {verdict['mechanism']}; the debate ended because: "
        f"{outcome['ended_because']}."
    )
    made: Doc = {"status": "present", "summary": summary}
    if observed:
        made["observations"] = observed
    return made


def _family(model: str) -> str:
    if model:
        return family(model)
    return "undisclosed"


def _model(seat: Mapping[str, Any]) -> Doc:
    known = seat.get("family") or _family(seat["model"])
    return {"model_family": known, "model_id": seat["model"] or "undisclosed"}


def _quorum(outcome: Mapping[str, Any]) -> Doc:
    verdict, against = outcome["verdict"], [d["seat"] for d in outcome["dissent"]]
    code = any("code" in f["by"] for f in outcome["findings"])
    participants = [{"agent": s["seat"]} | _model(s) for s in outcome["seats"]]
    if code:
        participants.append({"agent": "code", "model_family": "deterministic", "model_id": SYSTEM})
    families = sorted({p["model_family"] for p in participants} - {"undisclosed", "deterministic"})
    return {
        "status": "present",
        "method": verdict["mechanism"],
        "reached": verdict["reached"],
        "supporting_agents": [
            s["seat"]
            for s in outcome["seats"]
            if s["stance"] is not None
            and same_option(s["stance"], verdict["decision"])
            and s["seat"] not in against
        ],
        "participants": participants,
        "independence": {
            "disclosed": all(p["model_family"] != "undisclosed" for p in participants),
            "distinct_model_families": len(families),
            "model_families": families,
        },
        "dissent": _dissent(outcome),
        "verdicts": [
            {"issuer": s["seat"], "verdict": s["stance"]} | _model(s)
            for s in outcome["seats"]
            if s["stance"] not in (None, "none")
        ],
    }


def _dissent(outcome: Mapping[str, Any]) -> Doc:
    """Lists the dissenters with their reasons, and the findings they hold.

    Verifiers print only the findings, so a dissenter without a finding gets its reason as an entry
    of the lowest level.
    """
    against = [d["seat"] for d in outcome["dissent"]]
    made: Doc = {
        "present": bool(against),
        "dissenting_agents": against,
        "views": [f"{d['seat']} ({d['stance']}): {d['because']}" for d in outcome["dissent"]],
    }
    findings = []
    for finding in outcome["findings"]:
        issuer = next((s for s in finding["by"] if s in against), None)
        if issuer is not None:
            level = _LEVELS[finding["severity"]]
            entry = {
                "issuer": issuer,
                "severity": level,
                "blocking": level in ("P0", "P1"),
                "text": finding["title"],
            }
            if place := _place(finding):
                entry["location"] = place
            findings.append(entry)
    issuers = {f["issuer"] for f in findings}
    findings += [
        {"issuer": d["seat"], "severity": "P3", "blocking": False, "text": view}
        for d, view in zip(outcome["dissent"], made["views"], strict=True)
        if d["seat"] not in issuers
    ]
    if findings:
        levels = [str(f["severity"]) for f in findings]
        made |= {
            "findings": findings,
            "severity_max": min(levels),
            "blocking": any(f["blocking"] for f in findings),
        }
    return made


def _place(finding: Mapping[str, Any]) -> str:
    if finding["line"] is None:
        return str(finding["path"])
    return f"{finding['path']}:{finding['line']}"


def _cruxes(outcome: Mapping[str, Any]) -> Doc:
    items = [
        {"point": d["because"], "would_resolve_if": d["would_resolve_if"], "raised_by": d["seat"]}
        for d in outcome["dissent"]
    ]
    items += [
        {
            "point": c["text"],
            "would_resolve_if": "an answer to the challenge",
            "raised_by": c["author"],
        }
        for c in outcome["challenges"]
        if c["state"] == "open"
    ]
    if not items:
        return _absent("nobody dissented and no challenge is open")
    return {"status": "present", "items": items}


def _proofs(outcome: Mapping[str, Any]) -> list[Doc]:
    return [
        {
            "finding": finding["id"],
            "standing": proof["standing"],
            "commits": proof["commits"],
            "digests": proof["digests"],
        }
        for finding in outcome["findings"]
        if (proof := finding.get("proof")) and proof["digests"]
    ]


def _attestation(
    outcome: Mapping[str, Any],
    chain: str,
    verdicts: Sequence[Doc],
    attestor: Mapping[str, str] | None,
) -> Doc:
    """Returns the attestation. The format has no place for people's votes, so their counts are part
    of the mechanism.
    """
    made: Doc = {"disposition": "autonomous", "execution_identity": {"id": SYSTEM}}
    if attestor is not None:
        if not attestor.get("id") or attestor["id"] == SYSTEM:
            raise ValueError("the attestor is a person with an id")
        made |= {"disposition": "human_attested", "attestor": dict(attestor)}
    people = {option: n for option, n in outcome["votes"]["people"].items() if n}
    mechanism: Doc = {"type": "event_log", "events": outcome["events"]}
    if chain:
        mechanism["chain_head"] = chain
    if verdicts:
        mechanism["verdicts"] = list(verdicts)
    if people:
        mechanism["people_votes"] = people
    if proofs := _proofs(outcome):
        mechanism["proofs"] = proofs
    return made | {"mechanism": mechanism}
