"""A finding as a post: the defect, its place, the case in which it matters, its fix, and its state.
Its proof is another post, with the whole test as a file, which chats fold.
"""

from __future__ import annotations

from dataclasses import replace

from adapters.ports.chat import Post, Shape
from adapters.posts.brevity import fitted
from adapters.posts.hunks import hunk, narrowed
from adapters.posts.keys import finding_key, post_key
from adapters.text.pieces import TextSpan
from core.application.desk import Button, ChatFile
from core.debate import events as e
from core.debate.proof import Standing, judge
from core.debate.script import SeatId, Topic, Turn
from core.debate.state import Debate
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import MergedFinding
from core.debate.verdict.findings.proofs import AUDIT, FindingProof
from core.debate.verdict.findings.proofs import PROVE as WRITE
from core.languages import msgid, say, say_if
from core.languages.stored import say_stored
from core.words.views.language.grammar import bracketed, listed, shortened
from core.words.views.language.references import finding_title
from core.words.views.language.seats import holder
from core.words.views.proofs import ADD, NO_TEST_RUN, PROVE, kept_test, proof_words
from core.words.views.verdict.findings import (
    finding_numbers,
    finding_view,
    finding_word,
    wording_shown,
)

_TITLE, _TEXT, _REASON, _PLACING = 160, 220, 160, 120
"""Most characters of a title, of a trigger or fix, of a reason, and of the sentence on its
placing.
"""


def finding_post(debate: Debate, finding: MergedFinding) -> Post:
    """Returns the post of a finding in its present state."""
    view = finding_view(debate, finding, text=_TEXT, reason=_REASON)
    title, placing = view.short_heading(_TITLE), shortened(view.placing, _PLACING)
    small = (view.sure, _also_raised(debate, finding))
    post = Post(
        key=finding_key(debate.id, finding.id),
        debate=debate.id,
        shape=Shape.FINDING,
        title=title,
        subtitle=(
            TextSpan(view.place, url=view.url),
            *(TextSpan(each) for each in (bracketed(placing),) if each),
            TextSpan(" · "),
            TextSpan(view.state, bold=True),
        ),
        quote=hunk(debate, finding.wording),
        fields=tuple(view.facts),
        patch=narrowed(view.patch.splitlines()),
        buttons=(*_buttons(debate.id, finding.id), *prove_button(debate, finding)),
        subject=finding.id,
        small=" · ".join(filter(None, small)),
        fallback=f"{title} ({view.place}, {view.state})",
        facts={"finding": _wording_id(finding), "severity": finding.wording.severity.value},
    )
    return fitted(post)


def joined_finding_post(debate: Debate, finding: MergedFinding, other: MergedFinding) -> Post:
    """Returns the post of a finding that turned out to be the ``other`` in different words: it says
    so, and the other's post holds the rest.
    """
    post = finding_post(debate, finding)
    same = say("the same as “{title}”", title=shortened(finding_title(other.wording), _TITLE))
    return replace(
        post,
        subtitle=(post.subtitle[0], TextSpan(" · "), TextSpan(same, bold=True)),
        quote="",
        fields=(),
        patch="",
        buttons=(),
        small="",
        fallback=f"{post.title} ({same})",
        facts={**post.facts, "moved": same},
    )


def _wording_id(finding: MergedFinding) -> str:
    if (wording := wording_shown(finding)) is None:
        return finding.id
    return wording.finding.id


def _also_raised(debate: Debate, finding: MergedFinding) -> str:
    """Names the other seats that raised it, in their own words; empty for none."""
    wording = _wording_id(finding)
    mine = next((r.seat for r in finding.raised if r.finding.id == wording), SeatId(""))
    others = dict.fromkeys(holder(debate, r.seat) for r in finding.raised if r.seat != mine)
    return say_if(others, msgid("also raised by {seats}"), seats=listed(list(others)))


def prove_button(debate: Debate, finding: MergedFinding) -> tuple[Button, ...]:
    """A button for a finding that nobody tried to prove, if tests may be run."""
    opened = debate.open.terms
    if not opened.provable or opened.demo or finding.proof is not None:
        return ()
    return (Button("prove", say(PROVE), f"{debate.id}:{finding.id}", more=True),)


def keep_button(debate: Debate, finding: MergedFinding) -> tuple[Button, ...]:
    """A button that adds the test of a proven finding to the branch of its pull request."""
    proof = finding.proof
    if proof is None or kept_test(debate, proof.turn) is None:
        return ()
    return (Button("keep", say(ADD), f"{debate.id}:{proof.turn}"),)


def proof_file(debate: Debate, proof: FindingProof) -> tuple[ChatFile, ...]:
    """The whole test as a file, which chats fold."""
    if proof.test is None:
        return ()
    name = proof.test.path.rpartition("/")[2][-80:]
    return (ChatFile(f"{debate.id}-{proof.turn}-{name}", proof.test.text),)


def _buttons(debate: str, finding: str) -> tuple[Button, ...]:
    """Returns the votes as buttons with words, the rarer ones in a menu, and a button that
    challenges this finding. A reaction counts as the same vote, but none is put there.
    """
    return (
        Button("vote", say("Real"), f"{debate}:{finding}:real"),
        Button("vote", say("Not real"), f"{debate}:{finding}:not_real"),
        Button("challenge", say("Challenge"), f"{debate}:{finding}", form=True),
        Button("vote", say("⏫ Worse"), f"{debate}:{finding}:worse", more=True),
        Button("vote", say("⏬ Milder"), f"{debate}:{finding}:milder", more=True),
    )


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
            if judge(result).standing is not Standing.PROVEN:
                return _proof_posts(debate, at, debate.script.turn(turn))
        case e.TurnSkipped(turn):
            skipped = debate.script.turn(turn)
            if is_of_a_proof(skipped):
                return proof_read_posts(debate, at, skipped)
    return ()


def proof_read_posts(debate: Debate, at: int, turn: Turn) -> tuple[Post, ...]:
    """Returns the post of a proof after another seat has read its test or failed to, or if the
    proof ended without a test.
    """
    statement = debate.statement(turn.id)
    written = statement is not None and statement.test is not None
    if written and turn.task != AUDIT:
        return ()
    return _proof_posts(debate, at, turn)


def is_of_a_proof(turn: Turn) -> bool:
    """Return whether the turn writes or reads a test: the proof's own post tells of it."""
    return turn.task in (WRITE, AUDIT)


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
