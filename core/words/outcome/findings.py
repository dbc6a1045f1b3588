"""A finding for programs: its part of the outcome document, from which the API, the assistants'
tools, the library and SARIF take what they show.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from core.debate.finding import TEXTS
from core.debate.proof import ProofRuns
from core.debate.replies.placing import placing_words
from core.debate.state import Debate
from core.debate.verdict.findings.evidence import quoted_lines
from core.debate.verdict.findings.merged import MergedFinding
from core.languages import ENGLISH, speaking
from core.words.views.ledger import bar_sentence, evidence_sentence
from core.words.views.proofs import proof_words
from core.words.views.verdict.findings import counts_words


@speaking(ENGLISH)
def finding_document(debate: Debate, finding: MergedFinding) -> dict[str, Any]:
    """Returns a finding for programs, whichever way they ask, with its sentences in English."""
    f, record = finding.wording, finding.record
    stated = f.stated  # the place that a seat stated for its quotation, if that differs
    return {
        "id": finding.id,
        "severity": f.severity.value,
        "confidence": f.confidence,
        "path": f.path,
        "line": f.line,
        "side": f.side,
        "quote": f.quote,
        "anchored": f.anchored,
        "end": (lines := quoted_lines(debate, f)) and lines[1],
        "stated": stated and {"path": stated.path, "line": stated.line, "side": stated.side},
        "loose": f.loose,
        "placing": placing_words(f),
        "title": f.title,
        **{name: getattr(f, name) for name in TEXTS},
        "by": list(finding.by),
        "disputed_by": list(finding.disputed_by),
        **_people(debate, finding),
        "state": finding.state.value,
        "blocking": finding.blocking,
        "contested": finding.contested,
        "unplaced": finding.unplaced,
        "counts": counts_words(finding),
        "confirmed": finding.confirmed,
        "maintainer": finding.maintainer,
        "bar": str(finding.bar or ""),
        "bar_reason": bar_sentence(finding) or evidence_sentence(finding),
        "record": record and {"number": record.number, "title": record.title, "path": record.path},
        "source": finding.source,
        "proof": _proof(debate, finding),
        "reasons": [
            {"seat": s, "position": a.position.value, "because": a.because}
            for s, a in finding.reasons.items()
            if s not in finding.unshown
        ],
        "wordings": [
            {"id": r.finding.id, "seat": r.seat, "title": r.finding.title} for r in finding.raised
        ],
    }


def _proof(debate: Debate, finding: MergedFinding) -> dict[str, Any] | None:
    proof = finding.proof
    if proof is None:
        return None
    run = ProofRuns()
    if proof.run is not None:
        run = proof.run.result
    return {
        "standing": proof.result.standing.value,
        "words": proof_words(debate, finding),
        "test": proof.test and asdict(proof.test),
        "where": run.where,
        "framework": run.framework,
        "runs": [
            {
                "tree": tree.value,
                "ending": each.ending.value,
                "error": each.error,
                "output": each.output,
                "seconds": round(each.seconds, 2),
            }
            for tree, each in run.runs.items()
        ],
        "commits": dict(run.commits),
        "digests": dict(run.digests),
        "ignored": [*run.ignored],
        "url": run.url,
    }


def _people(debate: Debate, finding: MergedFinding) -> dict[str, Any]:
    """Returns people's votes, hidden as long as ``people_shown`` hides them."""
    if not debate.over:
        return {"people": {}, "author": {}}
    return {"people": dict(finding.people), "author": dict(finding.author)}
