"""A finding as a post: the defect, its place, the case in which it matters, its fix, and
its state.
"""

from __future__ import annotations

from dataclasses import replace

from adapters.ports.chat import Post, Shape
from adapters.posts.brevity import fitted
from adapters.posts.hunks import hunk, narrowed
from adapters.posts.keys import finding_key
from adapters.text.pieces import TextSpan
from core.application.desk import Button, ChatFile
from core.debate.script import SeatId
from core.debate.state import Debate
from core.debate.verdict.findings import MergedFinding
from core.debate.verdict.findings.proofs import FindingProof
from core.languages import say
from core.words.views.language.grammar import shortened
from core.words.views.proofs import ADD, PROVE, kept_test
from core.words.views.verdict.findings import also_raised, finding_view, same_as, wording_shown

_TITLE, _TEXT, _REASON, _PLACING = 160, 220, 160, 120
"""Most characters of a title, of a trigger or fix, of a reason, and of the sentence on its
placing.
"""


def finding_post(debate: Debate, finding: MergedFinding) -> Post:
    """Returns the post of a finding in its present state."""
    view = finding_view(debate, finding, text=_TEXT, reason=_REASON)
    title, placing = view.short_heading(_TITLE), shortened(view.placing, _PLACING)
    small = (view.sure, also_raised(debate, _raised_too(finding)))
    post = Post(
        key=finding_key(debate.id, finding.id),
        debate=debate.id,
        shape=Shape.FINDING,
        title=title,
        subtitle=(
            TextSpan(view.place, url=view.url),
            *((TextSpan(f" ({placing})"),) if placing else ()),
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
    post, same = finding_post(debate, finding), same_as(other, _TITLE)
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
    """Returns the id of the wording that readers see."""
    wording = wording_shown(finding)
    return wording.finding.id if wording is not None else finding.id


def _raised_too(finding: MergedFinding) -> list[SeatId]:
    """Returns the seats that raised the same finding in different words."""
    wording = _wording_id(finding)
    mine = next((r.seat for r in finding.raised if r.finding.id == wording), SeatId(""))
    return list(dict.fromkeys(r.seat for r in finding.raised if r.seat != mine))


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
        Button(
            "vote",
            say("⏫ Worse"),
            f"{debate}:{finding}:worse",
            more=True,
        ),
        Button(
            "vote",
            say("⏬ Milder"),
            f"{debate}:{finding}:milder",
            more=True,
        ),
    )
