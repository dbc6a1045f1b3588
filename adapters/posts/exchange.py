"""A cross-examination of a format that is no longer played, as one message: the finding, the
answers, and the result. It is edited with each answer that follows.
"""

from __future__ import annotations

from collections.abc import Iterator

from adapters.ports.chat import Post, Shape
from adapters.posts.brevity import fitted
from adapters.posts.keys import post_key
from adapters.text.emoji import character
from adapters.text.pieces import TextSpan, coded
from core.debate.replies import Answer
from core.debate.script import Turn
from core.debate.state import Debate
from core.debate.verdict.findings import MergedFinding, merge_findings
from core.debate.verdict.findings.contested import asked_about
from core.languages import say
from core.words.views.course.progress import round_name
from core.words.views.language.faces import faces
from core.words.views.language.grammar import shortened
from core.words.views.language.references import spelled_out
from core.words.views.language.seats import seat_name
from core.words.views.verdict.answers import EXAMINED
from core.words.views.verdict.findings import argued_result, raised_by

Line = tuple[TextSpan, ...]

_ANSWERING, _FORMAT = ("refute", "uphold"), "cross_examination"
_TITLE, _REASON = 90, 260
"""Most characters of a finding's title and of an answer's reason."""


def is_exchange(debate: Debate, turn: Turn) -> bool:
    """True if the turn is part of a cross-examination."""
    return turn.task in _ANSWERING and debate.open.script.format == _FORMAT


def exchange_posts(before: Debate | None, debate: Debate, at: int, turn: Turn) -> tuple[Post, ...]:
    """Returns the posts of the cross-examinations of this turn, in their present state."""
    return tuple(
        _post(before, debate, at, finding)
        for finding in _examined(debate)
        if set(finding.ids) & set(asked_about(turn)) and any(_answers(debate, finding))
    )


def exchange_lines(debate: Debate) -> list[Line]:
    """Returns the lines of all cross-examinations, one below the other, each under its finding."""
    lines: list[Line] = []
    for finding in _examined(debate):
        lines_of = list(_lines(debate, finding))
        if lines_of:
            lines += [(TextSpan(raised_by(debate, finding, _TITLE), bold=True),), *lines_of]
    return lines


def _examined(debate: Debate) -> list[MergedFinding]:
    """Returns the cross-examined findings, in the order in which their exchanges began."""
    order = {id: n for n, t in enumerate(debate.turns) if t.task in _ANSWERING
             for id in reversed(asked_about(t))}  # fmt: skip
    findings = [m for m in merge_findings(debate) if set(m.ids) & order.keys()]
    return sorted(findings, key=lambda m: min(order[i] for i in m.ids if i in order))


def _post(before: Debate | None, debate: Debate, at: int, finding: MergedFinding) -> Post:
    key = f"{debate.id}:exchange:{finding.id}"
    edited = before is not None and any(_answers(before, finding))
    title = raised_by(debate, finding, _TITLE)
    post = Post(
        key=post_key(debate, at, f"exchange:{finding.id}") if edited else key,
        debate=debate.id,
        shape=Shape.ROUND,
        title=title,
        lines=tuple(_lines(debate, finding)),
        edits=key if edited else "",
        small=round_name(debate, _turns(debate, finding)[0].round + 1),
        fallback=say("Cross-examined: {title}", title=title),
    )
    return fitted(post)


def _turns(debate: Debate, finding: MergedFinding) -> list[Turn]:
    return [
        t for t in debate.turns if t.task in _ANSWERING and set(asked_about(t)) & set(finding.ids)
    ]


def _answers(debate: Debate, finding: MergedFinding) -> Iterator[tuple[Turn, Answer]]:
    for turn in _turns(debate, finding):
        statement = debate.statement(turn.id)
        yield from (
            (turn, a) for a in (statement.answers if statement else ()) if a.to in finding.ids
        )


def _lines(debate: Debate, finding: MergedFinding) -> Iterator[Line]:
    answers = list(_answers(debate, finding))
    for turn, answer in answers:
        who = seat_name(debate, turn.seat)
        face = character(faces(debate)[turn.seat])
        why = spelled_out(debate, shortened(answer.because, _REASON))
        text = f": {say(EXAMINED[answer.position])}{f': {why}' if why else ''}"
        yield TextSpan(f"{face} {who[:1].upper()}{who[1:]}", bold=True), *coded(text)
    if answers and debate.all_settled(_turns(debate, finding)):
        yield (TextSpan(f"→ {argued_result(finding)}"),)
