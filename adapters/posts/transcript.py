"""What was said, twice: by round, and by finding (who raised it, who disputed it with what, what
people said). Ids are spelled out; foreign words are inert.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from adapters.posts.card import state_words
from adapters.posts.hunks import hunk
from adapters.posts.names import called, spelled_out
from adapters.posts.statement import VERBS, speaker, standing
from adapters.posts.words import counted, holder, name_of, seat_name
from core.debate import Debate
from core.events import ChallengeRaised
from core.guards import why_skipped
from core.material.escaping import show_hidden
from core.material.plaintext import neutral, one_line
from core.outcome.account import models_hidden, people_shown
from core.outcome.appendix import linked_place
from core.replies import Answer, Position, Statement
from core.script import SeatId, Turn
from core.verdict.findings import MergedFinding, merge_findings
from core.verdict.positions import answers

_ABOUT = re.compile(r"On (?:“.*?” \()?([a-z]{1,6}\d*\.[fc]\d+)\)?: ")
"""How a challenge of a finding begins."""

_OF_IT = {verb: f"{words} it" for verb, words in VERBS.items()} | {
    Position.WITHDRAW: "takes it back"
}


def by_round(debate: Debate) -> dict[str, str]:
    """Title and text of every round in which somebody spoke; then people's challenges."""
    if debate.opened is None:
        return {}
    told: dict[str, str] = {}
    for number, at in enumerate(debate.open.script.rounds):
        turns = [t for t in debate.turns if t.round == number and t.id in debate.settled]
        if turns:
            title = f"Round {number + 1}: {at.title}"
            told[title] = "\n\n".join(_turn(debate, turn) for turn in turns)
    if debate.challenges:
        told["Challenges"] = "\n\n".join(f"> {_challenge(c)}" for c in debate.challenges)
    return told


def by_finding(debate: Debate) -> dict[str, str]:
    """Title and text of every finding, in the order of the verdict's."""
    if debate.opened is None:
        return {}
    given = answers(debate)
    titles: dict[str, str] = {}
    for found in merge_findings(debate):
        f = found.shown
        title = f"{f.severity.value.capitalize()}: {one_line(f.title)}"
        if title in titles:
            title = f"{title} ({found.id})"
        once = {(r.at, r.seat, r.finding.title): n for n, r in reversed([*enumerate(found.raised)])}
        words = [(found.raised[n].at, _raised(debate, found, n)) for n in sorted(once.values())]
        words += [
            (w.at, _position(debate, w.at, w.seat, w.answer))
            for id in found.ids
            for w in given.get(id, ())
        ]
        said = [line for _, line in sorted(words, key=lambda one: one[0])]
        about = [c for c in debate.challenges if _subject(c) in (found.id, *found.ids)]
        said += [f"- {_challenge(c)}" for c in about]
        people = counted(people_shown(debate, found.id))
        said += [f"- People: {people}"] if people else []
        quote = _fenced(hunk(debate.open.material, f))
        titles[title] = "\n\n".join(filter(None, (_facts(debate, found), quote, "\n".join(said))))
    return titles


def _facts(debate: Debate, found: MergedFinding) -> str:
    told = [linked_place(debate, found), state_words(found)]
    if not found.evident:
        told.append("counts for nothing: no line of the material shows it")
    return " · ".join(filter(None, (*told, f"`{found.id}`")))


def _raised(debate: Debate, found: MergedFinding, number: int) -> str:
    raised = found.raised[number]
    f, also = raised.finding, "also " * bool(number)
    who = f"{_when(debate, raised.at)}{holder(debate, raised.seat)}"
    told = f"- {who} {also}raised it, {f.confidence:.0%} sure"
    if f.title == found.shown.title:
        return told
    return f"{told}, in these words: {one_line(f.title)}"


def _position(debate: Debate, at: int, seat: SeatId, answer: Answer) -> str:
    told = f"- {_when(debate, at)}{holder(debate, seat)} {_OF_IT[answer.position]}"
    if because := one_line(spelled_out(debate, answer.because), 600):
        return f"{told}: {because}"
    return told


def _when(debate: Debate, at: int) -> str:
    if at < 0:
        return "Before the debate: "
    return f"Round {debate.turns[at].round + 1}: "


def _subject(challenge: ChallengeRaised) -> str:
    found = _ABOUT.match(challenge.text)
    if not found:
        return ""
    return found[1]


def _challenge(c: ChallengeRaised) -> str:
    return f"{one_line(name_of(c.author), 80)} challenges: {one_line(_ABOUT.sub('', c.text), 1000)}"


def _turn(debate: Debate, turn: Turn) -> str:
    said = debate.statement(turn.id)
    if said is None:
        return f"**{speaker(debate, turn)}** gave no answer{_why_silent(debate, turn)}."
    who = f"**{speaker(debate, turn)}**"
    if stands := "".join(span.text for span in standing(debate, turn, said)):
        who += f" · {one_line(stands)}"
    points = "\n".join(_points(debate, turn, said))
    return "\n\n".join(filter(None, (who, neutral(spelled_out(debate, said.text)), points)))


def _why_silent(debate: Debate, turn: Turn) -> str:
    failed = debate.failed.get(turn.id)
    if failed is not None and models_hidden(debate):
        return ""  # the reason names the model
    if failed is None:
        failed = why_skipped(debate.skipped.get(turn.id, ""))
    return f" ({one_line(failed)})"


def _points(debate: Debate, turn: Turn, said: Statement) -> Iterator[str]:
    for claim in said.claims:
        yield f"- {one_line(spelled_out(debate, claim.text), 1000)}"
    for answer in said.answers:
        title, by = called(debate, answer.to)
        told = f"- {VERBS[answer.position]} *{one_line(title)}*"
        if by and by != seat_name(debate, turn.seat):
            told += f" ({by})"
        if answer.because:
            told += f": {one_line(spelled_out(debate, answer.because), 1000)}"
        yield told
    for f in said.findings:
        told = f"- raises {f.severity.value}: {one_line(f.title)}"
        if f.path:
            told += f" at {one_line(f.path)}"
        if f.path and f.line is not None:
            told += f":{f.line}"
        yield told


def _fenced(text: str) -> str:
    """Lines of a change as code, whatever they hold."""
    if not text.strip():
        return ""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    mark = "`" * max(3, longest + 1)
    return f"{mark}diff\n{show_hidden(text)}\n{mark}"
