"""The result of a proof as a post: what it came to, and the beginning of its test."""

from __future__ import annotations

from adapters.ports.chat import Post, Shape
from adapters.posts.hunks import narrowed
from adapters.posts.keys import post_key
from core.debate import Debate
from core.proof import Standing, judge
from core.script import Topic, Turn, TurnId
from core.verdict.findings import merge_findings
from core.verdict.findings.proofs import AUDIT, PROVE
from core.views.proofs import proof_words
from core.views.verdict.findings import finding_numbers, finding_word


def proof_run_posts(debate: Debate, at: int, turn: TurnId) -> tuple[Post, ...]:
    """Returns the post of a test that was run; none yet if another seat has to read it first."""
    if judge(debate.proofs[turn].result).standing is Standing.PROVEN:
        return ()
    return _posts(debate, at, debate.script.turn(turn))


def proof_read_posts(debate: Debate, at: int, turn: Turn) -> tuple[Post, ...]:
    """Returns the post of a proof whose test another seat has read, or could not."""
    return _posts(debate, at, turn) if turn.task == AUDIT else ()


def is_of_a_proof(turn: Turn) -> bool:
    """Return whether the turn writes or reads a test: the proof's own post tells of it."""
    return turn.task in (PROVE, AUDIT)


def _posts(debate: Debate, at: int, turn: Turn) -> tuple[Post, ...]:
    id = turn.about_the(Topic.FINDING)
    finding = next((m for m in merge_findings(debate) if id in m.ids), None)
    if finding is None or finding.proof is None:
        return ()
    words = proof_words(debate, finding)
    title = f"{finding_word(finding_numbers(debate)[finding.id])}: {finding.wording.title}"
    test = finding.proof.test
    post = Post(
        post_key(debate, at, "proof"),
        debate.id,
        Shape.NOTICE,
        title=title,
        body=words,
        quote=narrowed(test.text.strip().split("\n")) if test is not None else "",
        fallback=f"{title}: {words}",
    )
    return (post,)
