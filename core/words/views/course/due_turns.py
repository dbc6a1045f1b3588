"""Asks the holder of a seat for a statement, in words."""

from __future__ import annotations

from core.debate.due.argument import at_issue
from core.debate.prompting.form import task_of
from core.debate.replies.tasks import OF_A_POINT
from core.debate.script import Topic, Turn
from core.debate.state import Debate
from core.languages import msgid, say
from core.words.views.course.progress import round_name
from core.words.views.language.grammar import length_of_time
from core.words.views.language.people import holder_of
from core.words.views.language.references import called
from core.words.views.language.seats import the_seat
from core.words.views.verdict.findings import finding_view

TYPE_IT = msgid("Type it on one line and press Enter.")
ANSWER_HERE = msgid("Answer with the button, or with a reply here that begins with “say:”.")


def due_title(debate: Debate, turn: Turn) -> str:
    """Writes "ann, it is your turn as the devil's advocate"."""
    return say(
        "{holder_of}, it is your turn as {the_seat}",
        holder_of=holder_of(debate, turn.seat),
        the_seat=the_seat(debate, turn.seat),
    )


def due_lines(debate: Debate, turn: Turn) -> list[str]:
    """Returns lines with the task, the form of the answer, and how long the debate waits for it."""
    waits = say(
        "Without an answer within {minutes} the seat is silent.",
        minutes=length_of_time(debate.open.terms.patience),
    )
    if debate.open.terms.held[turn.seat].name:
        return [say("It answers through the API. {waits}", waits=waits)]
    task = task_of(debate, turn)
    lines = [f"{round_name(debate, turn.round + 1)}. {_subject(debate, turn)}".strip()]
    if "stance" in task.asks:
        options = ", ".join(option.option for option in debate.open.template.ballot)
        lines.append(
            say("Begin with the option that you hold ({options}), then say why.", options=options)
        )
    if "findings" in task.asks and debate.open.material.hunks:
        lines.append(say("A line that begins with FILE:LINE is a finding."))
    if task.positions == OF_A_POINT:
        lines.append(
            say("On a line each: NUMBER, then must fix, need not block or not real, and why.")
        )
        points = at_issue(debate, turn)
        lines += [f"{n}. {finding_view(debate, m).heading}" for n, m in enumerate(points, 1)]
    how = TYPE_IT if debate.request.files else ANSWER_HERE
    return [*lines, f"{say(how)} {waits}"]


def _subject(debate: Debate, turn: Turn) -> str:
    about = turn.about
    if about is None:
        return ""
    if about.topic in (Topic.CHALLENGE, Topic.HOT_SEAT):
        return say("Answer “{called}”.", called=called(debate, about.name)[0])
    if about.topic is Topic.ARGUMENT:
        return say("A {name} is due.", name=about.name)
    return ""
