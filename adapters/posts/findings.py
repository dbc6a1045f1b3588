"""A message per finding, because people vote on them: raised in a round, shown when the round is
complete.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from adapters.ports.chat import Button, Post, ReactionOption, Shape
from adapters.posts.words import counted, finding_key, holder, post_key
from core.debate import Debate
from core.script import TurnId
from core.verdict.findings import MergedFinding, State, merge_findings
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
    settled; those of earlier rounds again where the round changed who holds or disputes them.
    """
    number = debate.script.turn(TurnId(turn_id)).round
    if not _complete(debate, number):
        return ()
    earlier = _with_message(debate, before=number)
    now = merge_findings(debate)
    fresh = [m for m in now if _round_of(debate, m) == number]
    posted = fresh[: max(0, _MOST_FINDINGS - len(earlier))]
    moved = _moved(debate, at, [m for m in now if m.id in earlier], number)
    return (*(_finding_post(debate, at, m) for m in posted), *moved)


def _complete(debate: Debate, number: int) -> bool:
    return debate.all_settled(t for t in debate.turns if t.round == number)


def _round_of(debate: Debate, m: MergedFinding) -> int:
    """The round in which the finding was first raised; -1 for what code found before the first."""
    turn = m.id.rpartition(".f")[0]
    return next((t.round for t in debate.turns if t.id == turn), -1)


def _until(debate: Debate, number: int) -> tuple[MergedFinding, ...]:
    """The findings as they stood after round ``number``."""
    rounds = {t.id: t.round for t in debate.turns}
    said = {t: s for t, s in debate.finished.items() if rounds[t] <= number}
    return merge_findings(replace(debate, finished=said))


def _with_message(debate: Debate, before: int) -> set[str]:
    """The ids of findings that have a message of their own from the rounds before ``before``."""
    shown: list[str] = []
    for number in range(-1, before):
        if _complete(debate, number):
            fresh = [m.id for m in _until(debate, number) if _round_of(debate, m) == number]
            shown += fresh[: max(0, _MOST_FINDINGS - len(shown))]
    return set(shown)


def _moved(
    debate: Debate, at: int, earlier: Sequence[MergedFinding], number: int
) -> Iterator[Post]:
    """The messages of earlier findings again where seats hold or dispute them that did not."""
    was = {m.id: (m.by, m.disputed_by) for m in _until(debate, number - 1)}
    for n, m in enumerate(earlier):
        if was.get(m.id) != (m.by, m.disputed_by):
            shown = _finding_post(debate, at, m)
            key = post_key(debate, at, f"finding:{n}")
            stands = m.counts if m.state is State.OPEN else m.state.value
            moved = f"contested: {stands}" if m.contested else stands
            yield replace(shown, key=key, edits=shown.key, facts={**shown.facts, "moved": moved})


def code_findings(debate: Debate, at: int) -> tuple[Post, ...]:
    return tuple(_finding_post(debate, at, m) for m in merge_findings(debate)[:_MOST_FINDINGS])


def _finding_post(debate: Debate, at: int, m: MergedFinding) -> Post:
    f = m.shown
    place = f"{f.path}:{f.line}" if f.path and f.line else f.path or "no place named"
    head = f"{f.severity.value.upper()} {f.confidence:.2f}  {place}"
    fields = [
        ("Trigger", f.trigger),
        ("Fix", f.advice),
        ("Held by", ", ".join(holder(debate, s) for s in m.by)),
        ("Contested" if m.contested else "Seats", m.counts if m.disputed_by else ""),
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
    last = 1 + max((t.round for t in debate.turns if t.id in debate.settled), default=-1)
    if found is None or found.id not in _with_message(debate, before=last):
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
