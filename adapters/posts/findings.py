"""A message per finding, because people vote on them: raised in a round, shown when the round is
complete.
"""

from __future__ import annotations

from dataclasses import replace

from adapters.ports.chat import Button, Post, ReactionOption, Shape
from adapters.posts.words import counted, finding_key, holder, post_key
from core.debate import Debate
from core.script import TurnId
from core.verdict.findings import MergedFinding, merge_findings
from core.verdict.votes import FINDING_BALLOT

_MOST_FINDINGS = 7
"""Findings with a message of their own; the others stand in the verdict."""


_FINDING_REACTIONS = tuple(
    ReactionOption(o.emoji, o.option, label)
    for o, label in zip(
        FINDING_BALLOT, ("real", "not real", "more severe", "less severe"), strict=True
    )
)


def round_findings(debate: Debate, at: int, turn_id: str) -> tuple[Post, ...]:
    """A message per finding that was raised in this round, once all of the round's turns are
    settled.
    """
    number = debate.script.turn(TurnId(turn_id)).round
    turns = [t for t in debate.turns if t.round == number]
    if not debate.all_settled(turns):
        return ()
    shown = _leads(debate, before=number)
    fresh = [m for m in merge_findings(debate) if m.id.rpartition(".f")[0] in {t.id for t in turns}]
    return tuple(_finding_post(debate, at, m) for m in fresh[: max(0, _MOST_FINDINGS - shown)])


def _leads(debate: Debate, before: int) -> int:
    """How many findings have a message from earlier rounds."""
    rounds = {t.id: t.round for t in debate.turns}
    earlier = [
        m
        for m in merge_findings(debate)
        if rounds.get(TurnId(m.id.rpartition(".f")[0]), -1) < before
    ]
    return min(len(earlier), _MOST_FINDINGS)


def code_findings(debate: Debate, at: int) -> tuple[Post, ...]:
    return tuple(_finding_post(debate, at, m) for m in merge_findings(debate)[:_MOST_FINDINGS])


def _finding_post(debate: Debate, at: int, m: MergedFinding) -> Post:
    f = m.shown
    place = f"{f.path}:{f.line}" if f.path and f.line else f.path or "no place named"
    head = f"{f.severity.value.upper()} {f.confidence:.2f}  {place}"
    fields = [
        ("Trigger", f.trigger),
        ("Fix", f.advice),
        ("Raised by", ", ".join(holder(debate, s) for s in m.by)),
    ]
    fields.append(("People", counted(m.people)))
    if not f.anchored:
        fields.append(
            (
                "Note",
                "not anchored: the quote does not stand on that line, so it counts for nothing",
            )
        )
    return Post(
        key=finding_key(debate.id, m.id),
        debate=debate.id,
        shape=Shape.FINDING,
        title=f"{head}  {f.title}",
        quote=f.quote,
        fields=tuple((k, v) for k, v in fields if v),
        buttons=_finding_buttons(debate.id, m.id),
        reaction_options=_FINDING_REACTIONS,
        subject=m.id,
        fallback=f"Finding {m.id}, {head}: {f.title}",
        facts={"finding": m.id, "at": str(at)},
    )


def voted_finding(debate: Debate, at: int, finding: str) -> tuple[Post, ...]:
    """The message of a finding again, with what people say of it by now: votes by button and by
    command are seen nowhere else.
    """
    found = next((m for m in merge_findings(debate) if finding in m.ids), None)
    if found is None:
        return ()
    shown = _finding_post(debate, at, found)
    return (replace(shown, key=post_key(debate, at, "finding"), edits=shown.key),)


def _finding_buttons(debate: str, finding: str) -> tuple[Button, ...]:
    """For those who can't or won't react: the two common votes and a challenge of this very
    finding.
    """
    return (
        Button("vote", "Real", f"{debate}:{finding}:real"),
        Button("vote", "Not real", f"{debate}:{finding}:not_real"),
        Button("challenge", "Challenge", f"{debate}:{finding}", form=True),
    )
