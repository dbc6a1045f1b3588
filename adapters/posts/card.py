"""A finding as a card: what is wrong, where, how it bites, what mends it, and how it stands now."""

from __future__ import annotations

from dataclasses import replace

from adapters.ports.chat import Button, Post, ReactionOption, Shape
from adapters.posts.brevity import fitted, shortened
from adapters.posts.hunks import hunk
from adapters.posts.names import spelled_out
from adapters.posts.words import counted, finding_key, holder, listed
from adapters.text.pieces import Span
from core.debate import Debate
from core.material.addresses import line_url
from core.replies import Finding, Position
from core.script import SeatId
from core.verdict.findings import MergedFinding, State
from core.verdict.votes import FINDING_BALLOT

_REACTIONS = tuple(
    ReactionOption(o.emoji, o.option, label)
    for o, label in zip(
        FINDING_BALLOT, ("real", "not real", "more severe", "less severe"), strict=True
    )
)
_TITLE, _TEXT, _REASON = 160, 220, 160
"""Characters of a title, a trigger or fix, a reason."""
_REASONS = 2


def card(debate: Debate, found: MergedFinding) -> Post:
    """The card of a finding as it stands now."""
    f, id = found.shown, _wording_id(found)
    severity = f.severity.value.capitalize()
    title = f"{severity}: {shortened(f.title, _TITLE)}"
    state = state_words(found)
    fields = [
        ("Trigger", spelled_out(debate, shortened(f.trigger, _TEXT))),
        ("Fix", spelled_out(debate, shortened(f.advice, _TEXT))),
        ("Held by", listed([holder(debate, s) for s in found.by])),
        *(_withdrawals(debate, found) or disputes(debate, found)),
        ("People", counted(found.people)),
    ]
    small = (f"finding {id}", f"{f.confidence:.0%} sure", *_raised_too(debate, found))
    post = Post(
        key=finding_key(debate.id, found.id),
        debate=debate.id,
        shape=Shape.FINDING,
        title=title,
        subtitle=(place(debate, f), Span(" · "), Span(state, bold=True)),
        quote=hunk(debate.open.material, f),
        fields=tuple((label, text) for label, text in fields if text),
        buttons=_buttons(debate.id, found.id),
        reaction_options=_REACTIONS,
        subject=found.id,
        small=" · ".join(small),
        fallback=f"{title} ({place(debate, f).text}, {state})",
        facts={"finding": id, "severity": f.severity.value},
    )
    return fitted(post)


def joined_card(debate: Debate, found: MergedFinding, other: MergedFinding) -> Post:
    """The card of a finding that turned out to be the ``other`` in different words: it says so, and
    the other's card says the rest.
    """
    shown = card(debate, found)
    same = f"the same as “{shortened(other.shown.title, _TITLE)}”"
    return replace(
        shown,
        subtitle=(place(debate, found.shown), Span(" · "), Span(same, bold=True)),
        quote="",
        fields=(),
        buttons=(),
        small=f"finding {_wording_id(found)}",
        fallback=f"{shown.title} ({same})",
        facts={**shown.facts, "moved": same},
    )


def place(debate: Debate, finding: Finding) -> Span:
    """``file:line``, linked to that line at the revision that was read."""
    line = f":{finding.line}" if finding.line else ""
    text = "no place named"
    if finding.path:
        text = f"{finding.path}{line}"
    url = line_url(debate.open.material, finding.path, finding.line, finding.side)
    return Span(text if len(text) <= 120 else "…" + text[-119:], url=url)


def state_words(found: MergedFinding) -> str:
    """open, disputed, withdrawn, confirmed by people, resolved; in the words of the card."""
    match found.state:
        case State.WITHDRAWN if found.refuted:
            return f"refuted: {found.counts}"
        case State.WITHDRAWN:
            return "withdrawn"
        case State.DISPUTED:
            return "not real, people say"
        case State.RESOLVED:
            return "resolved since"
        case State.OPEN if found.confirmed:
            return "confirmed by people"
        case State.OPEN if found.contested:
            return f"contested: {found.counts}"
        case State.OPEN if found.disputed_by:
            return f"disputed: {found.counts}"
        case State.OPEN:
            return "open"


def _withdrawals(debate: Debate, found: MergedFinding) -> list[tuple[str, str]]:
    """Who took it back and why."""
    if found.state is not State.WITHDRAWN:
        return []
    return [
        ("Withdrawn by", _because(debate, seat, answer.because))
        for seat, answer in found.reasons.items()
        if answer.position is Position.WITHDRAW
    ][:_REASONS]


def _because(debate: Debate, seat: SeatId, why: str) -> str:
    named = holder(debate, seat)
    if why:
        return f"{named}: {spelled_out(debate, shortened(why, _REASON))}"
    return named


def disputes(debate: Debate, found: MergedFinding) -> list[tuple[str, str]]:
    """Who disputes it and why, a line each."""
    told = []
    for seat in found.disputed_by[:_REASONS]:
        why = ""
        if seat in found.reasons:
            why = found.reasons[seat].because
        told.append(("Disputed by", _because(debate, seat, why)))
    if len(found.disputed_by) > _REASONS:
        rest = [holder(debate, s) for s in found.disputed_by[_REASONS:]]
        told.append(("Also disputed by", listed(rest)))
    return told


def _wording_id(found: MergedFinding) -> str:
    """The id of the wording that is shown."""
    f = found.shown
    same = (
        r.finding.id
        for r in found.standing
        if (r.finding.title, r.finding.path, r.finding.line) == (f.title, f.path, f.line)
    )
    return next(same, found.id)


def _raised_too(debate: Debate, found: MergedFinding) -> list[str]:
    """Who else raised it, in words of their own."""
    shown = _wording_id(found)
    mine = next((r.seat for r in found.raised if r.finding.id == shown), SeatId(""))
    others = dict.fromkeys(r.seat for r in found.raised if r.seat != mine)
    if others:
        return [f"also raised by {listed([holder(debate, s) for s in others])}"]
    return []


def _buttons(debate: str, finding: str) -> tuple[Button, ...]:
    """For those who can't or won't react: the two common votes and a challenge of this very
    finding.
    """
    return (
        Button("vote", "Real", f"{debate}:{finding}:real"),
        Button("vote", "Not real", f"{debate}:{finding}:not_real"),
        Button("challenge", "Challenge", f"{debate}:{finding}", form=True),
    )
