"""Words the messages about the pull request itself: runs, posted reviews, and its merge or
close.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from core.debate.events import ForgeNote, ForgeNoted
from core.debate.ledger import Fate
from core.debate.material import Material
from core.languages import msgid, say
from core.languages.stored import say_stored
from core.words.views.language.grammar import bracketed, capital, option_words, plural
from core.words.views.language.people import person_name
from core.words.views.ledger import converging_sentence

BIND = msgid("Bind a repository")
CREATE_APP, INSTALL_APP = msgid("Create the GitHub App"), msgid("Install the GitHub App")
CHECK_COMMITS, ANSWER_NOW = msgid("Check the new commits"), msgid("Let the seats answer now")
APPROVED_REVIEW = msgid("Approved. The thread says when the review was posted.")
CHOSEN_ISSUE = msgid("Noted. The thread says when the issue was opened.")
CHOSEN_TEST = msgid("Noted. The thread says when the test was added to the branch.")
CHOSEN_RECORD = msgid("Approved. The thread says when the decision record was proposed.")
PROPOSE = msgid("Propose exactly this")
RECORD_PROPOSED = msgid("That decision record was proposed already")
TEST_ADDED = msgid("That test was added already.")
ISSUE_OPENED = msgid("That issue was opened already.")

_TITLES: Mapping[str, str] = {
    ForgeNote.POSTED: msgid("The review was posted"),
    ForgeNote.NOT_POSTED: msgid("The review was not posted"),
    ForgeNote.MOVED: msgid("The branch moved since the debate; the review was not posted"),
    ForgeNote.ISSUE: msgid("An issue was opened"),
    ForgeNote.NO_ISSUE: msgid("The issue was not opened"),
    ForgeNote.TEST: msgid("The test was added to the branch"),
    ForgeNote.NO_TEST: msgid("The test was not added to the branch"),
    ForgeNote.RECORD: msgid("The decision record was proposed"),
    ForgeNote.NO_RECORD: msgid("The decision record was not proposed"),
    ForgeNote.MERGED: msgid("The pull request was merged"),
    ForgeNote.CLOSED: msgid("The pull request was closed"),
    ForgeNote.REOPENED: msgid("The pull request was opened again"),
    ForgeNote.REVERTED: msgid("The merge was reverted"),
    ForgeNote.OBJECTION: msgid("A reply on the pull request"),
    ForgeNote.LIMIT: msgid("The next review waits"),
    ForgeNote.REJECTED: msgid("A maintainer rejected a finding"),
    ForgeNote.NOTHING_NEW: msgid("Nothing new to debate"),
}
_MOVES = {
    "push": msgid("new commits"),
    "merge": msgid("the base was merged into it"),
    "rebase": msgid("rebased"),
    "force_push": msgid("history was rewritten"),
    "base_change": msgid("it goes into another branch now"),
}


def noted_title(event: ForgeNoted) -> str:
    """Describes an act on the forge and its actor."""
    title = say(_TITLES.get(event.what, capital(option_words(event.what))))
    if event.by:
        return say("{title}, by {by}", title=title, by=person_name(event.by))
    return title


def noted_text(event: ForgeNoted) -> str:
    """Returns what a note says besides its title: people's words as they are."""
    if event.what == ForgeNote.OBJECTION:
        return event.text
    return say_stored(event.text)


def posted_line(url: str, what: ForgeNote = ForgeNote.POSTED) -> str:
    """Names the address of a posted review, or of another post."""
    return f"{say(_TITLES[what])}: {url}"


def not_posted_line(reason: str, what: ForgeNote = ForgeNote.NOT_POSTED) -> str:
    """Explains why a review, or another post, was not posted."""
    return f"{say(_TITLES[what])}: {reason.rstrip('.')}."


def limit_line(reviews: int, until: datetime) -> str:
    """Explains why a push is not reviewed at once."""
    return say(
        "{reviews} of this change in a day; the next one starts after {until} UTC (limit "
        "change-reviews in DEBATE_LIMITS).",
        reviews=plural(reviews, "review"),
        until=f"{until:%H:%M}",
    )


def waiting_line(debate: str, reason: str) -> str:
    """States that an approved review has not arrived at the forge; ``reason`` is that of the last
    try, "" before the first.
    """
    return say(
        "The review is approved and not posted yet{why}. A running bot keeps trying; in "
        "a shell, at once: debate post {debate} --approve HASH",
        why=bracketed(reason.rstrip(".")),
        debate=debate,
    )


def run_line(material: Material) -> str:
    """Names the number of this run on the change and the news since; "" for the first."""
    run = material.facts.get("run", "")
    if not run:
        return ""
    fates = [demand.fate for demand in material.demands if demand.listed]
    changed = fates.count(Fate.CHANGED) + fates.count(Fate.REPLACED)
    gone = fates.count(Fate.GONE)
    how = say(_MOVES.get(material.facts.get("moved", ""), ""))
    since = material.facts.get("since", "")[:7]
    new = say("{run}, what is new since {since}", run=run, since=since)
    parts = [new + bracketed(how)]
    if fates:
        earlier = plural(len(fates), "earlier finding")
        parts.append(
            say(
                "{earlier}: {changed} with changed lines, {gone} gone from it",
                earlier=earlier,
                changed=changed,
                gone=gone,
            )
        )
    settled = sum(not demand.listed for demand in material.demands)
    if settled:
        parts.append(say("{demands} settled before", demands=plural(settled, "demand")))
    parts.append(converging_sentence(material))
    return "; ".join(filter(None, parts))
