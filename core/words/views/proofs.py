"""Describes the proof of a finding, or why there is none."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.debate.material import MaterialKind
from core.debate.material.escaping import show_path
from core.debate.proof import ProofTest, Standing, TreeName
from core.debate.state import Debate
from core.debate.verdict.condition import is_for_show
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import MergedFinding
from core.debate.verdict.findings.proofs import FindingProof
from core.languages import msgid, say
from core.languages.stored import say_stored
from core.words.views.language.grammar import bracketed, shortened

PROVEN = msgid("proven by a test")
NO_TEST_RUN = msgid("No test can be run")
PROVE = msgid("Prove by a test")
ADD = msgid("Add the test to the branch")
KEEP = msgid("The test is worth keeping: add it to the project as")
_ERROR, _REASON = 160, 300


def proof_words(debate: Debate, finding: MergedFinding) -> str:
    """Describes the proof: "proven: `tests/test_x.py::test_y` fails on this change
    (AssertionError: 3 != 2), passes on main"; empty if nobody tried to prove the finding.
    """
    proof = finding.proof
    if proof is None:
        return ""
    label = say("a test")
    if proof.test is not None:
        label = f"`{code(proof.test.label)}`"
    match proof.result.standing:
        case Standing.PROVEN:
            error = ""
            if proof.run is not None:
                error = proof.run.result.runs[TreeName.HEAD].error
            return say(
                "proven: {label} fails on this change{error}, {passes}",
                label=label,
                error=bracketed(code(shortened(error, _ERROR))),
                passes=_passes(debate, proof),
            )
        case Standing.REFUTED_INPUT:
            return say("the stated input is refuted: {label} passes on this change", label=label)
        case Standing.NO_PROOF:
            return say(
                "no proof: {reason}", reason=shortened(say_stored(proof.result.reason), _REASON)
            )


def proof_groups(debate: Debate) -> Sequence[tuple[str, Sequence[MergedFinding]]]:
    """Returns the findings by what they rest on: proven, argued, with a refuted input. Empty if
    nobody tried to prove anything.
    """
    findings = merge_findings(debate)
    if not any(m.proof for m in findings):
        return ()
    proven = [m for m in findings if m.tested]
    refuted = [m for m in findings if m.proof and m.proof.result.standing is Standing.REFUTED_INPUT]
    argued = [m for m in findings if m not in proven and m not in refuted]
    named = (
        (say("Proven by a test"), proven),
        (say("Argued"), argued),
        (say("Input refuted by a test"), refuted),
    )
    return [(title, members) for title, members in named if members]


def kept_test(debate: Debate, turn: str) -> ProofTest | None:
    """Returns the test of a turn if it proves a finding of a pull request, so that a person may add
    it to the branch; else None.
    """
    opened = debate.opened
    if opened is None or opened.material.kind is not MaterialKind.PULL_REQUEST:
        return None
    if is_for_show(debate):
        return None
    proofs = (m.proof for m in merge_findings(debate) if m.tested and m.proof is not None)
    return next((proof.test for proof in proofs if proof.turn == turn), None)


def code(text: str) -> str:
    """Returns foreign text for a place between backquotes."""
    return " ".join(text.replace("`", "'").split())


def _passes(debate: Debate, proof: FindingProof) -> str:
    if proof.result.against == TreeName.FIX:
        return say("passes with the fix")
    material = debate.open.material
    base = material.facts.get("base_branch") or material.base
    if re.fullmatch(r"[0-9a-f]{40,64}", base):
        base = base[:10]
    if base:
        return say("passes on {show_path}", show_path=show_path(base))
    return say("passes before it")
