"""Posts of proofs: each when it has ended, with the whole test as a file, which chats fold."""

from __future__ import annotations

from dataclasses import replace

from adapters.ports.chat import Post, Shape
from adapters.posts.finding import keep_button, proof_file
from adapters.posts.keys import post_key
from core.debate import events as e
from core.debate.proof import Standing, judge
from core.debate.script import Topic, Turn
from core.debate.state import Debate
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.proofs import AUDIT, PROVE
from core.languages import say
from core.languages.stored import say_stored
from core.words.views.language.titles import finding_title
from core.words.views.proofs import NO_TEST_RUN, proof_words
from core.words.views.verdict.findings import finding_numbers, finding_word


def proof_posts(
    debate: Debate, at: int, event: e.ProofsFramed | e.ProofRun | e.TurnSkipped
) -> tuple[Post, ...]:
    """Returns the posts of an event between the turns of proofs: a test was run, unless another
    seat has to read it first; none can be run; or a turn was skipped.
    """
    match event:
        case e.ProofsFramed(framing):
            problem = say_stored(framing.problem)
            return (_post(debate, at, say(NO_TEST_RUN), problem),) if problem else ()
        case e.ProofRun(turn, result):
            proves = judge(result).standing is Standing.PROVEN
            return () if proves else _proof_posts(debate, at, debate.script.turn(turn))
        case e.TurnSkipped(turn):
            skipped = debate.script.turn(turn)
            return proof_read_posts(debate, at, skipped) if is_of_a_proof(skipped) else ()


def proof_read_posts(debate: Debate, at: int, turn: Turn) -> tuple[Post, ...]:
    """Returns the post of a proof whose test another seat has read, or could not, and of one that
    ended without a test.
    """
    statement = debate.statement(turn.id)
    written = statement is not None and statement.test is not None
    return _proof_posts(debate, at, turn) if turn.task == AUDIT or not written else ()


def is_of_a_proof(turn: Turn) -> bool:
    """Return whether the turn writes or reads a test: the proof's own post tells of it."""
    return turn.task in (PROVE, AUDIT)


def _proof_posts(debate: Debate, at: int, turn: Turn) -> tuple[Post, ...]:
    id = turn.about_the(Topic.FINDING)
    finding = next((m for m in merge_findings(debate) if id in m.ids), None)
    if finding is None or finding.proof is None:
        return ()
    words = proof_words(debate, finding)
    title = f"{finding_word(finding_numbers(debate)[finding.id])}: {finding_title(finding.wording)}"
    post = _post(debate, at, title, words)
    files, buttons = proof_file(debate, finding.proof), keep_button(debate, finding)
    return (replace(post, files=files, buttons=buttons),)


def _post(debate: Debate, at: int, title: str, body: str) -> Post:
    key = post_key(debate, at, "proof")
    fallback = f"{title}: {body}"
    return Post(key, debate.id, Shape.NOTICE, title=title, body=body, fallback=fallback)
