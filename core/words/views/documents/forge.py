"""Words the messages about the pull request itself: runs, posted reviews, and its merge or
close.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from core.debate.events import ForgeNote, ForgeNoted
from core.debate.ledger import Fate
from core.debate.material import Material
from core.words.views.language.grammar import capital, option_words, plural
from core.words.views.language.people import person_name
from core.words.views.ledger import converging_sentence

BIND = "Bind a repository"
CREATE_APP, INSTALL_APP = "Create the GitHub App", "Install the GitHub App"
CHECK_COMMITS, ANSWER_NOW = "Check the new commits", "Let the seats answer now"
APPROVED_REVIEW = "Approved. The thread says when the review was posted."
CHOSEN_ISSUE = "Noted. The thread says when the issue was opened."
CHOSEN_TEST = "Noted. The thread says when the test was added to the branch."
TEST_ADDED = "That test was added already."
ISSUE_OPENED = "That issue was opened already."

_TITLES: Mapping[str, str] = {
    ForgeNote.POSTED: "The review was posted",
    ForgeNote.NOT_POSTED: "The review was not posted",
    ForgeNote.MOVED: "The branch moved since the debate; the review was not posted",
    ForgeNote.ISSUE: "An issue was opened",
    ForgeNote.NO_ISSUE: "The issue was not opened",
    ForgeNote.TEST: "The test was added to the branch",
    ForgeNote.NO_TEST: "The test was not added to the branch",
    ForgeNote.MERGED: "The pull request was merged",
    ForgeNote.CLOSED: "The pull request was closed",
    ForgeNote.REOPENED: "The pull request was opened again",
    ForgeNote.REVERTED: "The merge was reverted",
    ForgeNote.OBJECTION: "A reply on the pull request",
    ForgeNote.LIMIT: "The next review waits",
    ForgeNote.REJECTED: "A maintainer rejected a finding",
    ForgeNote.NOTHING_NEW: "Nothing new to debate",
}
_MOVES = {
    "push": "new commits",
    "merge": "the base was merged into it",
    "rebase": "rebased",
    "force_push": "history was rewritten",
    "base_change": "it goes into another branch now",
}


def noted_title(event: ForgeNoted) -> str:
    """Describes an act on the forge and its actor."""
    title = _TITLES.get(event.what, capital(option_words(event.what)))
    return f"{title}, by {person_name(event.by)}" if event.by else title


def posted_line(url: str) -> str:
    """Names the address of a posted review."""
    return f"{_TITLES[ForgeNote.POSTED]}: {url}"


def not_posted_line(reason: str) -> str:
    """Explains why a review was not posted."""
    return f"{_TITLES[ForgeNote.NOT_POSTED]}: {reason.rstrip('.')}."


def limit_line(reviews: int, until: datetime) -> str:
    """Explains why a push is not reviewed at once."""
    return (
        f"{plural(reviews, 'review')} of this change in a day; the next one starts after "
        f"{until:%H:%M} UTC (limit change-reviews in DEBATE_LIMITS)."
    )


def waiting_line(debate: str, reason: str) -> str:
    """States that an approved review has not arrived at the forge; ``reason`` is that of the last
    try, "" before the first.
    """
    why = f" ({reason.rstrip('.')})" if reason else ""
    return (
        f"The review is approved and not posted yet{why}. A running bot keeps trying; in a "
        f"shell, at once: debate post {debate} --approve HASH"
    )


def run_line(material: Material) -> str:
    """Names the number of this run on the change and the news since; "" for the first."""
    run = material.facts.get("run", "")
    if not run:
        return ""
    fates = [demand.fate for demand in material.demands if demand.listed]
    changed = fates.count(Fate.CHANGED) + fates.count(Fate.REPLACED)
    gone = fates.count(Fate.GONE)
    how = _MOVES.get(material.facts.get("moved", ""), "")
    since = material.facts.get("since", "")[:7]
    parts = [f"{run}, what is new since {since}" + (f" ({how})" if how else "")]
    if fates:
        earlier = plural(len(fates), "earlier finding")
        parts.append(f"{earlier}: {changed} with changed lines, {gone} gone from it")
    settled = sum(not demand.listed for demand in material.demands)
    if settled:
        parts.append(f"{plural(settled, 'demand')} settled before")
    if converging := converging_sentence(material):
        parts.append(converging)
    return "; ".join(parts)
