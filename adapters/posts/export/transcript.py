"""The statements of a debate, listed twice: by round, and by finding (who raised it, who disputed
it with which reason, how people voted). Ids are spelled out; foreign words are inert.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from adapters.posts.hunks import hunk
from adapters.posts.statement import speaker, standing
from core.debate.due.guards import why_skipped
from core.debate.events import ChallengeRaised
from core.debate.material.escaping import show_hidden
from core.debate.material.plaintext import code_block, neutral, one_line
from core.debate.replies import Answer, Statement
from core.debate.replies.tasks import TASKS
from core.debate.script import SeatId, Turn
from core.debate.state import Debate
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import MergedFinding
from core.debate.verdict.findings.positions import answers
from core.languages import msgid, say, say_if
from core.languages.stored import say_stored
from core.words.outcome.appendix import linked_place
from core.words.views.course.argued import (
    EVIDENCE,
    OF_IT,
    VERBS,
    answer_types,
    argument_facts,
    argument_title,
    proposes,
    statement_text,
)
from core.words.views.course.happenings import NO_ANSWER, SEARCH_FAILED, failed_searches, why_silent
from core.words.views.course.progress import round_title
from core.words.views.language.grammar import capital, counted
from core.words.views.language.people import person_name
from core.words.views.language.references import called, finding_title, placing_note, spelled_out
from core.words.views.language.seats import holder, models_hidden, seat_name
from core.words.views.verdict.ending import NOT_PLAYED, unplayed, unplayed_lines
from core.words.views.verdict.findings import (
    AREAS,
    FIX,
    PEOPLE,
    finding_numbers,
    finding_view,
    finding_word,
    nowhere_words,
    raised_words,
)
from core.words.views.verdict.stances import people_shown

_ABOUT = re.compile(r"On (?:“.*?” \()?([a-z]{1,6}\d*\.[fc]\d+)\)?: ")
"""The beginning of a challenge that is about one finding."""


def by_round(debate: Debate) -> dict[str, str]:
    """Returns title and text of every round in which someone spoke; then people's challenges."""
    if debate.opened is None:
        return {}
    sections: dict[str, str] = {}
    skipped = unplayed(debate)
    for number in range(1, len(debate.open.script.rounds) + 1):
        turns = [t for t in debate.turns if t.round + 1 == number and t.id in debate.settled]
        if turns and number not in skipped:
            title = round_title(debate, number)
            sections[title] = "\n\n".join(turn_text(debate, turn) for turn in turns)
    if lines := unplayed_lines(debate):
        sections[say(NOT_PLAYED)] = "\n\n".join(one_line(line, 600) for line in lines)
    if debate.challenges:
        sections[say("Challenges")] = "\n\n".join(
            f"> {challenge_text(c)}" for c in debate.challenges
        )
    return sections


def by_finding(debate: Debate) -> dict[str, str]:
    """Returns the title and text of every finding, in the order of the verdict's."""
    if debate.opened is None:
        return {}
    given = answers(debate)
    titles: dict[str, str] = {}
    for finding in merge_findings(debate):
        f = finding.wording
        title = one_line(finding_view(debate, finding).heading)
        if title in titles:
            title = f"{title} ({len(titles) + 1})"
        once = {
            (r.at, r.seat, r.finding.title): n for n, r in reversed([*enumerate(finding.raised)])
        }
        words = [(finding.raised[n].at, _raised(debate, finding, n)) for n in sorted(once.values())]
        words += [
            (w.at, _position(debate, w.at, w.seat, w.answer))
            for id in finding.ids
            for w in given.get(id, ())
        ]
        lines = [line for _, line in sorted(words, key=lambda one: one[0])]
        about = [c for c in debate.challenges if _subject(c) in (finding.id, *finding.ids)]
        lines += [f"- {challenge_text(c)}" for c in about]
        if people := counted(people_shown(debate, finding.id)):
            lines.append(f"- {say(PEOPLE)}: {people}")
        quote = fenced(hunk(debate, f))
        patch = f"{say(FIX)}:\n\n{fenced(f.patch)}" if f.patch else ""
        titles[title] = "\n\n".join(
            filter(None, (_facts(debate, finding), quote, patch, "\n".join(lines)))
        )
    return titles


def _facts(debate: Debate, finding: MergedFinding) -> str:
    """Returns a finding's facts on one line; people type its number to vote in a shell."""
    view = finding_view(debate, finding)
    facts = (
        linked_place(debate, finding),
        view.status,
        nowhere_words(debate, finding),
        finding_word(finding_numbers(debate)[finding.id]),
    )
    return " · ".join(filter(None, facts))


def _raised(debate: Debate, finding: MergedFinding, number: int) -> str:
    raised = finding.raised[number]
    f = raised.finding
    who = f"{_when(debate, raised.at)}{holder(debate, raised.seat)}"
    text = f"- {raised_words(who, f.confidence, first=not number)}"
    if f.title == finding.wording.title:
        return text
    return say("{raised}, in these words: {title}", raised=text, title=one_line(finding_title(f)))


def _position(debate: Debate, at: int, seat: SeatId, answer: Answer) -> str:
    text = f"- {_when(debate, at)}{holder(debate, seat)} {say(OF_IT[answer.position])}"
    if because := one_line(spelled_out(debate, answer.because), 600):
        return f"{text}: {because}"
    return text


def _when(debate: Debate, at: int) -> str:
    if at < 0:
        return say("Before the debate: ")
    return say("Round {round}: ", round=debate.turns[at].round + 1)


def _subject(challenge: ChallengeRaised) -> str:
    match = _ABOUT.match(challenge.text)
    if not match:
        return ""
    return match[1]


def challenge_text(c: ChallengeRaised) -> str:
    """Returns a challenge in words: the challenger and the objection."""
    who = one_line(person_name(c.author), 80)
    return say("{who} challenges: {text}", who=who, text=one_line(_ABOUT.sub("", c.text), 1000))


def turn_text(debate: Debate, turn: Turn) -> str:
    """Returns a turn in Markdown: speaker, stance, statement and points."""
    statement = debate.statement(turn.id)
    if statement is None:
        return f"**{speaker(debate, turn)}** {_silent(debate, turn)}."
    who = f"**{speaker(debate, turn)}**"
    if stands := "".join(span.text for span in standing(debate, turn, statement)):
        who += f" · {one_line(stands)}"
    text = neutral(spelled_out(debate, statement_text(debate, turn, statement)))
    points = "\n".join(_points(debate, turn, statement))
    return "\n\n".join(filter(None, (who, text, points)))


def _silent(debate: Debate, turn: Turn) -> str:
    failed = debate.failed.get(turn.id)
    if failed is None:
        return one_line(why_silent(turn.task, why_skipped(debate.skipped.get(turn.id, ""))))
    if models_hidden(debate):
        return say(NO_ANSWER)  # the reason names the model
    return f"{say(NO_ANSWER)} ({one_line(say_stored(failed))})"


def _points(debate: Debate, turn: Turn, statement: Statement) -> Iterator[str]:
    if title := argument_title(debate, statement):
        yield f"- {one_line(title, 300)}"
    for label, text in argument_facts(statement):
        yield f"- {label}: {one_line(spelled_out(debate, text), 1000)}"
    for claim in statement.claims:
        quote = one_line(claim.quote, 300)
        quote = say_if(quote, msgid(" (quotes “{one_line}”)"), one_line=quote)
        yield f"- {one_line(spelled_out(debate, claim.text), 1000)}{quote}"
    types = answer_types(debate)[turn.id]
    for (type, _), answer in zip(types, statement.answers, strict=True):
        if TASKS[turn.task].pointed:
            break
        title, by = called(debate, answer.to)
        verb = f"{capital(say(type.value))}: {say(VERBS[answer.position])}"
        text = f"- {verb} *{one_line(title)}*"
        if by and by != seat_name(debate, turn.seat):
            text += f" ({by})"
        if answer.because:
            text += f": {one_line(spelled_out(debate, answer.because), 1000)}"
        yield text
    for f in statement.findings:
        text = say(
            "- {proposes}: raises {value}: {one_line}",
            proposes=proposes(statement),
            value=say(f.severity.value),
            one_line=one_line(finding_title(f)),
        )
        if f.path:
            text += say(" at {one_line}", one_line=one_line(f.path))
        if f.path and f.line is not None:
            text += f":{f.line}{placing_note(f)}"
        if f.category is not None:
            text += f" · {say(AREAS)}: {say(f.category.value)}"
        if f.quote:
            text += f" · {say(EVIDENCE)}: “{one_line(f.quote, 300)}”"
        yield text
    if failed := failed_searches(statement):
        yield f"- {say(SEARCH_FAILED)}: {one_line(failed, 600)}"


def fenced(text: str) -> str:
    """Returns the lines of a change in a fence that none of them can close."""
    if not text.strip():
        return ""
    return code_block(show_hidden(text), "diff")
