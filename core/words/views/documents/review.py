"""Words the texts of a review and of a forge's check, and the reasons why some debates
post none.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.debate.commands.challenges import refuse_reopened
from core.debate.errors import Refused
from core.debate.material import ChangeState, MaterialKind
from core.debate.state import Debate
from core.debate.status import DebateStatus
from core.debate.verdict import FAILED, NO_QUORUM, verdict
from core.debate.verdict.condition import is_what_if
from core.debate.verdict.findings.merged import FindingState, MergedFinding
from core.debate.verdict.gate import gated
from core.debate.verdict.unread import covered
from core.languages import msgid, say, say_if
from core.languages.stored import say_stored
from core.words.views.language.grammar import shortened
from core.words.views.verdict.caveats import warnings
from core.words.views.verdict.decision import decision

RUNNING = msgid("The debate is running.")
NOT_HELD = msgid("The debate could not be held; nothing was reviewed.")
NO_VERDICT_YET = msgid("Neutral: the change has no verdict for its last commit.")
NOT_REAL = msgid("People voted: not real.")
RULES = {
    "contested": msgid("A finding on which the seats differ"),
    "resolved": msgid("A finding of an earlier run that is gone"),
}
"""The kinds of findings, as code scanning lists them, that need no fix."""
_TITLE = 110
"""The most characters of a decision in a check's title; its details are a separate text."""


def refuse_unpostable(debate: Debate) -> None:
    """Raise ``Refused`` for a debate that is never posted: no pull request, no verdict, a
    demonstration, a what-if, or a change that is merged or closed.
    """
    if debate.nothing_because:
        raise Refused(
            say("{rstrip} There is no review to post.", rstrip=say_stored(debate.nothing_because))
        )
    refuse_reopened(debate)
    if debate.opened is None or not debate.over:
        raise Refused(say("There is no verdict yet: a review is posted when the debate is over."))
    material = debate.open.material
    if material.kind is not MaterialKind.PULL_REQUEST:
        raise Refused(
            say("This debate is not about a pull request, so there is nowhere to post it.")
        )
    if debate.open.terms.demo:
        raise Refused(
            say(
                "This was a demonstration: nobody should rely on its judgement, so it is not "
                "posted."
            )
        )
    if is_what_if(debate):
        instead = ""
        if debate.fork is not None:
            instead = say(
                " Post the debate that it was forked from: `post {parent}`",
                parent=debate.fork.parent,
            )
        raise Refused(
            say(
                "This is a what-if: its verdict holds only under its condition, so it is never "
                "posted as a review.{instead}",
                instead=instead,
            )
        )
    if verdict(debate).decision in (FAILED, NO_QUORUM) or debate.status is DebateStatus.FAILED:
        raise Refused(say("The debate came to no verdict, so there is no review to post."))
    if material.facts.get("state", ChangeState.OPEN) != ChangeState.OPEN:
        raise Refused(
            say("The pull request was closed when it was debated: a post-mortem stays here.")
        )


def check_title(debate: Debate) -> str:
    """Returns the verdict in the one line that a list of checks shows."""
    if debate.open.terms.demo:
        return say("Demonstration, not a review")
    if is_unfinished(debate):
        return say("No verdict: the debate did not come to its end")
    decided = decision(debate)
    if decided.condition:
        return say("What-if, not a review")
    title = shortened(decided.headline.rstrip("."), _TITLE)
    if gated(debate).advises:
        title = say("Advice: {title}", title=title)
    if not decided.blocks and is_read_in_part(debate):
        return say("{title}; not everything was read", title=title)
    return title


def is_unfinished(debate: Debate) -> bool:
    """True if the debate was stopped or lost, so that its verdict means nothing."""
    return debate.lost or debate.status in (DebateStatus.FAILED, DebateStatus.STOPPED)


def is_read_in_part(debate: Debate) -> bool:
    """True if some file was not read in full."""
    return any(not c.full for c in covered(debate))


def quiet_line(quiet: int) -> str:
    """Counts the milder findings that a later run does not repeat; empty for none."""
    return say_if(
        quiet, msgid("{quiet} milder not repeated here; the debate has them."), quiet=quiet
    )


def not_now_line(refusal: str) -> str:
    """Explains that a reply is answered in the next review, and why not now."""
    return say(
        "Not answered now: {refusal} It is put to the seats of the next review.", refusal=refusal
    )


def voted_out_line(findings: Sequence[MergedFinding]) -> str:
    """Counts the findings that people voted out; empty for none."""
    out = sum(m.state is FindingState.DISPUTED and m.demand is None for m in findings)
    return say_if(out, msgid("Left out, because people called it not real: {out}."), out=out)


def warning_line(debate: Debate) -> str:
    """Warns readers of the review's limits; empty for none. It leaves people's votes out: they
    concern readers of the place in which people vote.
    """
    sentences = warnings(debate, {})
    warned = msgid("Before you rely on it: {sentences}")
    return say_if(sentences, warned, sentences=" ".join(sentences))


def later_line(finding: MergedFinding, head: str) -> str:
    """Describes the state of an earlier run's finding as of the commit ``head``."""
    if finding.successor:
        return say("Replaced by another finding as of `{head}`.", head=head)
    if finding.state is FindingState.RESOLVED:
        return say("Resolved as of `{head}`.", head=head)
    if finding.state is FindingState.WITHDRAWN:
        return say("Withdrawn as of `{head}`.", head=head)
    return say("Still there as of `{head}`.", head=head)
