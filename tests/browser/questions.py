"""Questions that three seats debated blind, for the stage: one of two days ago, and old ones of
which people know how the verdict went.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random

from adapters.templates.catalogue import find
from core.debate import events as e
from core.debate.formats import FORMATS, Plan
from core.debate.material import Material, MaterialKind
from core.debate.replies import Claim, Stance
from core.debate.usage import Usage
from tests.core.table import Table

ASKER = "shell:ann"
SPENT = Usage(5200, 3100, 410, 0.011, 21_000, 6.4)
QUESTION = "Should the queue of jobs live in PostgreSQL?"
ON_QUEUES = (
    "Yes. A job that is written with its row can't be lost, and one system less runs at night.",
    "Fine at today's rate. Beyond ten thousand jobs a minute I want a broker, so measure first.",
    "We have a thousand jobs a minute, and the table takes ten times that. That settles it.",
    "Dead rows pile up where jobs are short. I have seen such a table stop a night's batch.",
)
PAST = (
    ("Should we move the mobile builds to our own runners?", "yes"),
    ("Is a second region worth its price this year?", "no"),
    ("Can the nightly report wait until the morning?", "it_depends"),
    ("Should feature flags be removed after a month?", "yes"),
    ("Do we let the search index lag by a minute?", "yes"),
    ("Is it time to drop Python 3.10?", "yes"),
    ("Should every service have its own database?", "it_depends"),
    ("Do we rewrite the importer in Rust?", "no"),
    ("Should we pay for a managed broker?", "no"),
    ("Is one on-call rota enough for both teams?", "it_depends"),
    ("Do we keep the second cache?", "yes"),
    ("Should a release need two approvals?", "yes"),
)
ON_PAST = ("The numbers speak for it.", "It depends on what it costs to run.",
           "The costs are known by now, so I follow.", "Nobody has measured it yet.")  # fmt: skip


def question_table(
    id: str,
    at: datetime,
    question: str = QUESTION,
    firm: str = "yes",
    statements: Sequence[str] = ON_QUEUES,
    turned: int = 5,
) -> Table:
    """Returns a question that three seats answered blind; ``turned`` shuffles the labels."""
    template = find("triad")
    script = FORMATS["triad"].compile(template, Plan(), Random(turned))
    models = ("openai/gpt-5", "anthropic/claude-sonnet", "gemini/gemini-pro")
    cast = {seat.id: (models[(n + turned) % 3],) for n, seat in enumerate(script.seats)}
    doubtful = "no" if firm == "it_depends" else "it_depends"
    request = e.DebateRequest("triad", question, ASKER, ASKER)
    terms = e.Terms("majority", 0.6, 2)
    made = Table(
        [
            e.DebateRequested(id, request, at),
            e.DebateOpened(
                template,
                script,
                cast,
                Material(MaterialKind.QUESTION, question, question),
                terms,
                at,
            ),
        ]
    )
    spoken(made, statements, firm, doubtful)
    made.events = list(dated(made.concluded().events, at))
    return made


def spoken(made: Table, statements: Sequence[str], firm: str, doubtful: str) -> None:
    """Adds three statements: a firm one, one that was moved by the first one's point, and one whose
    doubt would be settled by a named fact.
    """
    surest, moved, last = (s.id for s in made.debate.open.script.seats if s.votes)
    point = ""
    for turn in made.debate.open.script.turns:
        closing = turn.task == "final"
        if turn.seat == surest:
            held, text = Stance(firm, 0.82, "one system less can fail"), statements[0]
        elif turn.seat == moved and closing:
            held, text = Stance(firm, 0.74, "the rate is known", moved_by=point), statements[2]
        elif turn.seat == moved:
            held, text = Stance(doubtful, 0.6, "it hangs on the rate"), statements[1]
        elif turn.seat == last:
            settled = "a test at ten times today's rate"
            held, text = (
                Stance(doubtful, 0.66, "nobody has tried it", would_resolve_if=settled),
                statements[3],
            )
        else:
            made.says(
                turn.id, text="Two of three are convinced; the doubt has a test.", usage=SPENT
            )
            continue
        claims = [Claim("", statements[0].partition(". ")[2] or statements[0])] if not point else ()
        made.says(turn.id, held, text=text, claims=claims, usage=SPENT)
        point = point or f"{turn.id}.c1"


def resolved(id: str, at: datetime, n: int) -> Table:
    """Returns an old question whose outcome people know."""
    question, firm = PAST[n % len(PAST)]
    made = question_table(id, at, question, firm, ON_PAST, n)
    return made.add(e.OutcomeResolved(n % 7 not in (1, 4), ASKER, at + timedelta(days=9)))


def dated(events: Sequence[e.Event], at: datetime) -> Sequence[e.Event]:
    """Returns the events with the end two minutes after the beginning."""
    end = at + timedelta(minutes=2, seconds=12)
    return [
        replace(x, at=end) if isinstance(x, e.DebateConcluded | e.VotesClosed) else x
        for x in events
    ]
