"""What a thread is told of the pull request itself: runs, reviews that were posted, what became of
it.
"""

from __future__ import annotations

from adapters.ports.chat import Button, Post, Shape
from adapters.posts.words import name_of, post_key
from core import events as e
from core.debate import Debate
from core.material import Fate, Material

_TITLES = {
    "posted": "The review was posted",
    "not_posted": "The review was not posted",
    "moved": "The branch moved since the debate; the review was not posted",
    "issue": "An issue was opened",
    "merged": "The pull request was merged",
    "closed": "The pull request was closed",
    "reopened": "The pull request was opened again",
    "reverted": "The merge was reverted",
    "objection": "A reply on the pull request",
    "nothing_new": "Nothing new to debate",
}
_MOVES = {
    "push": "new commits",
    "merge": "the base was merged into it",
    "rebase": "rebased",
    "force_push": "history was rewritten",
    "base_change": "it goes into another branch now",
}


def forge_notice(debate: Debate, at: int, event: e.ForgeNoted) -> Post:
    title = _TITLES.get(event.what, event.what.replace("_", " ").capitalize())
    if event.by:
        title = f"{title}, by {name_of(event.by)}"
    buttons: tuple[Button, ...] = ()
    if event.what == "moved":
        buttons = (Button("recheck", "Check the new commits", debate.id),)
    elif event.what == "objection":
        buttons = (Button("recheck", "Let the seats answer now", debate.id),)
    return Post(
        post_key(debate, at, "forge"),
        debate.id,
        Shape.NOTICE,
        title=title,
        body=event.text,
        fields=(("At", event.url),) if event.url else (),
        buttons=buttons,
        fallback=f"{title}: {event.text}" if event.text else title,
    )


def run_line(material: Material) -> str:
    """Which run on the change this is and what came since; "" for the first."""
    run = material.facts.get("run", "")
    if not run:
        return ""
    fates = [f.fate for f in material.earlier]
    changed = fates.count(Fate.CHANGED)
    gone = fates.count(Fate.GONE)
    how = _MOVES.get(material.facts.get("moved", ""), "")
    since = material.facts.get("since", "")[:7]
    parts = [f"{run}, what is new since {since}" + (f" ({how})" if how else "")]
    if fates:
        parts.append(
            f"{len(fates)} earlier findings: {changed} with changed lines, {gone} gone from it"
        )
    return "; ".join(parts)
