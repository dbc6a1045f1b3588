"""A room that holds debates as people would have them, for pictures and for tests that need more
than one.

They are folded from events that were written by hand, with the material of an example that ships.
"""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random
from typing import TypeVar

import sqlalchemy as sa

from adapters.templates.catalogue import find, in_format
from bot.debates.advance.parts import heartbeats
from bot.wire.parts import Parts
from core.application.commands import ScheduleAdd, Start
from core.application.desk import Caller
from core.debate import events as e
from core.debate.finding import Finding, Severity
from core.debate.formats import FORMATS, Plan
from core.debate.log import Append
from core.debate.material import MaterialKind
from core.debate.replies import Answer, Claim, Position, Stance
from core.debate.script import SeatId
from core.debate.state import replay
from core.debate.template import Template
from core.words.outcome import outcome
from core.words.views.language.grammar import shortened
from storage.database import Database, Work
from storage.debates import Debates
from storage.debates.outcomes import Outcomes
from storage.events.log import DebateLog
from storage.tables import DEBATE
from tests.browser.questions import ASKER, SPENT, dated, question_table, resolved
from tests.core.table import Table
from tests.project import EXAMPLES
from tests.replayed import STAGED

CAST = {
    "author": "anthropic/claude-sonnet",
    "security_critic": "openai/gpt-5",
    "performance_critic": "gemini/gemini-pro",
    "maintainability_critic": "mistral/mistral-large",
    "synthesizer": "openai/gpt-5",
    "judge": "anthropic/claude-opus",
}
T = TypeVar("T")
ELSEWHERE = f"{socket.gethostname()}:1"
"""A living process of this machine that is not this one, whose debates are left alone."""
COMMIT = "5e0f8b3c9d27a41c6e8f0b92d47a135c8e6f7a90"


@dataclass(frozen=True)
class Staged:
    """The ids of the debates in the room."""

    review: str
    fork: str
    question: str
    running: str


@asynccontextmanager
async def stage(parts: Parts) -> AsyncIterator[Staged]:
    """Puts everything into the store of a bot that has not been started, and keeps the running
    debates alive.
    """
    now = parts.clock.now()
    for n in range(24):
        past = resolved(f"past{n:02d}xy", now - timedelta(days=40 - n), n)
        await keep(parts, past.events)
    question = await keep(parts, question_table("qst7n2hd", now - timedelta(days=2)).events)
    review = await keep(parts, await finished_review(parts, "revw4k7q", now - timedelta(hours=3)))
    fork = await keep(parts, await forked_review(parts, "frkx9m3b", now - timedelta(hours=2)))
    running = await keep(parts, await unfinished_review(parts, "rnng5t8w", now))
    for n, when in enumerate(("weekdays at 9", "0 7 * * mon")):
        start = Start("code_review" if n == 0 else "security_audit", "github:acme/shop")
        await parts.desk.take(ScheduleAdd(when, start, tz="Europe/Berlin"), _caller(n))
    async with held(parts, running):
        yield Staged(review, fork, question, running)


def _caller(n: int) -> Caller:
    return Caller(ASKER, ASKER, f"stage:{n}", name="ann", admin=True)


async def keep(parts: Parts, events: Sequence[e.Event]) -> str:
    """Stores a debate as it is; no process plays it on."""
    first, *past = events
    assert isinstance(first, e.DebateRequested)
    STAGED.add(first.id)
    debate, database = replay(events), parts.stores.database

    async def store(within: Database) -> None:
        debates = Debates(within)
        await debates.create(first, f"stage:{first.id}")
        log = await debates.claim(first.id, ELSEWHERE)
        await log.append(Append(first.id, 1, tuple(past), status=debate.status))
        if debate.concluded is not None:
            held = debate.resolved.held if debate.resolved is not None else None
            outcomes = Outcomes(within)
            await outcomes.save(first.id, outcome(debate), debate.concluded.at, held)
        if debate.over:
            await log.release()
        asked_at = sa.update(DEBATE).where(DEBATE.c.id == first.id)
        await within.change(asked_at.values(created_at=first.at))

    def work(conn: sa.Connection) -> None:
        try:
            store(_Within(database, conn)).send(None)
        except StopIteration:  # its end
            return
        raise AssertionError("within a transaction nothing may be waited for")

    # in one transaction: a bot that runs already would take it up in between, and open it
    await database.write(work)
    return first.id


class _Within(Database):
    """A database whose writes all belong to a transaction that has begun."""

    def __init__(self, database: Database, conn: sa.Connection) -> None:
        vars(self).update(vars(database))
        self._conn = conn

    async def write(self, work: Work[T]) -> T:
        return work(self._conn)


@asynccontextmanager
async def held(parts: Parts, id: str) -> AsyncIterator[DebateLog]:
    """Keeps a debate's heartbeat while the block runs; without one it would be taken over."""
    log = await parts.stores.debates.claim(id, ELSEWHERE)
    async with heartbeats(log, 5.0):
        yield log


def _four_seats(template: Template) -> Template:
    """Returns a review without the critic of correctness, so that a picture holds all seats."""

    def others(roles: Sequence[str]) -> tuple[str, ...]:
        return tuple(role for role in roles if role != "correctness_critic")

    return replace(
        template,
        roles=tuple(role for role in template.roles if others([role.name])),
        phases=tuple(
            replace(phase, roles_active=others(phase.roles_active)) for phase in template.phases
        ),
    )


async def opened(parts: Parts, id: str, at: datetime, fork: e.Fork | None = None) -> Table:
    """Returns an opened code review in phases, of the example that asks a gateway again."""
    template = _four_seats(in_format(find("code_review"), "phased"))
    script = FORMATS[template.format].compile(template, Plan(rounds=4), Random(3))
    data = (EXAMPLES / "01-retry-payments.diff").read_bytes()
    material = await parts.library.read_attachment(
        "retry.diff", data, kind="pull_request", budget=60_000
    )
    material = replace(
        material,
        kind=MaterialKind.PULL_REQUEST,
        source="https://github.com/acme/shop/pull/412",
        revision=COMMIT,
        base=COMMIT[::-1],
        facts={**material.facts, "state": "open"},
    )
    request = e.DebateRequest("code_review", material.source, ASKER, ASKER, budget=0.5)
    terms = e.Terms(
        "majority", 0.7, 2, budget=0.5, estimate=0.12, vote_window=600.0, thread="rounds"
    )
    cast = {seat.id: (CAST.get(seat.role, "openai/gpt-5"),) for seat in script.seats}
    return Table(
        [
            e.DebateRequested(id, request, at, fork),
            e.DebateOpened(template, script, cast, material, terms, at),
        ]
    )


KEY = Finding(
    "",
    Severity.CRITICAL,
    0.93,
    "Every attempt carries a new idempotency key, so a retry can charge twice",
    "shop/payments.py",
    25,
    quote="return charge(client, order.card, order.total, key=str(uuid.uuid4()))",
    trigger="the gateway charges the card, the answer is lost, and the next try has another key",
    fix="draw the key once, before the first attempt, and pass it to every attempt",
    anchored=True,
)
WAIT = Finding(
    "",
    Severity.MEDIUM,
    0.7,
    "A worker may be held for the gateway's time-out times four",
    "shop/retry.py",
    25,
    quote="longest: float = 2.0,",
    trigger="the gateway hangs until its time-out on every attempt at peak hour",
    fix="give `retried` a deadline for all attempts together",
    anchored=True,
)
TEXTS: Mapping[str, str] = {
    "t1": "The retry is right in spirit and **wrong in one line**: the idempotency key is drawn "
    "inside `attempt`, so each try is a new charge to the gateway.\n\nA time-out does not say that "
    "nothing happened. With one key for all attempts the gateway recognises the second request; "
    "with a fresh one it cannot.",
    "t2": "Four attempts with jittered pauses are a sound choice for a failure of one in two "
    "hundred. What I miss is a bound on the whole: each attempt may use up the client's own "
    "time-out, and `sleep` blocks the worker in between.",
    "t3": "`pauses` and `retried` are small, named well and tested without a real clock. The test "
    "of `pay` counts calls only; it would pass with any key, so it can't notice the case that "
    "matters here.",
    "t4": "The key belongs outside of `attempt`: I moved it there when the function was extracted "
    "and did not see what that means for the gateway. On the deadline I disagree: the client's "
    "time-out is two seconds, so four attempts stay under ten.",
    "t5": "I will draw the key once and assert in the test that all four calls carry the same. The "
    "deadline can come with the next change; nothing here makes it worse than one slow request.",
    "t6": "Agreed on the repair. Until it is in, this must not be merged: it turns a failed "
    "payment into a double one, which is the worse of the two.",
    "t7": "Two seconds per attempt is what the configuration says today. I take the point and keep "
    "the finding as one to think about, not one that stops the change.",
    "t8": "With the key drawn once, and a test that compares the four keys, I have nothing left "
    "against it.",
    "t9": "The retry is wanted and well made. One line turns it into a risk of charging twice; the "
    "author agrees and has a repair.",
    "t10": "The key decides it: everybody who read the line holds it, the author too. Whether four "
    "attempts need a deadline of their own stayed open, and stops nothing.",
}
SPOKEN = 110
"""The characters that a seat has said when the picture is taken."""
SCORES = {
    "security_coverage": 0.85,
    "performance_impact": 0.7,
    "maintainability": 0.8,
    "actionability": 0.9,
    "consensus": 0.75,
}


def first_round(made: Table) -> Table:
    changes = Stance("request_changes", 0.9, "a retry may charge a customer twice")
    comment = Stance("comment", 0.65, "no bound on all attempts together")
    weak = Stance("comment", 0.6, "the test can't see a second charge")
    return (
        made.says(
            "t1",
            changes,
            text=TEXTS["t1"],
            findings=[KEY],
            claims=[Claim("", "A time-out does not say that the charge failed.")],
            usage=SPENT,
        )
        .says("t2", comment, text=TEXTS["t2"], findings=[WAIT], usage=SPENT)
        .says(
            "t3",
            weak,
            text=TEXTS["t3"],
            claims=[Claim("", "No test compares the keys of two attempts.")],
            usage=SPENT,
        )
        .challenges(
            "On t2.f1: our workers are async, does the sleep really block one?",
            "performance_critic",
            id="x1",
            author=ASKER,
        )
    )


def answered(made: Table) -> Table:
    mine = Stance("request_changes", 0.85, "the key moved by accident", moved_by="t1.f1")
    return made.says(
        "t4",
        mine,
        text=TEXTS["t4"],
        answers=[
            Answer("t1.f1", Position.CONCEDE, "the key must be the same for every attempt"),
            Answer("t2.f1", Position.DISPUTE, "the client's time-out bounds it to ten seconds"),
        ],
        usage=SPENT,
    )


def debated(made: Table) -> Table:
    agree = Answer("t1.f1", Position.AGREE, "a lost answer is the common case")
    changes = Stance("request_changes", 0.92, "a double charge is worse than a failed one")
    convinced = Stance("request_changes", 0.8, "the key decides", moved_by="t1.f1")
    milder = Stance("comment", 0.7, "the bound can wait", would_resolve_if="a deadline is set")
    return (
        made.says("t5", replace(changes, confidence=0.9), text=TEXTS["t5"], usage=SPENT)
        .says("t6", changes, text=TEXTS["t6"], answers=[agree], usage=SPENT)
        .says(
            "t7",
            milder,
            text=TEXTS["t7"],
            answers=[
                Answer("t2.f1", Position.KEEP, "what is configured can change"),
                Answer("x1", Position.ANSWERED, "`time.sleep` blocks whatever thread runs it"),
            ],
            usage=SPENT,
        )
        .says("t8", convinced, text=TEXTS["t8"], answers=[agree], usage=SPENT)
    )


def relieved(made: Table) -> Table:
    """Adds the statements that follow once a second charge turns out to do no harm."""
    mild = Stance("comment", 0.75, "no charge can come twice", moved_by="t5.c1")
    bound = Stance("comment", 0.7, "the bound can wait", would_resolve_if="a deadline is set")
    harmless = Claim("", "The gateway drops the second charge whatever its key.")
    kept = Answer("t2.f1", Position.KEEP, "what is configured can change")
    answer = Answer("x1", Position.ANSWERED, "`time.sleep` blocks whatever thread runs it")
    dropped = Answer("t1.f1", Position.DISPUTE, "the gateway drops the second charge")
    made.says("t5", replace(mild, moved_by="t1.c1"), text=WHAT_IF["t5"], claims=[harmless],
              answers=[dropped], usage=SPENT)  # fmt: skip
    made.says("t6", mild, text=WHAT_IF["t6"], usage=SPENT,
              answers=[Answer("t1.f1", Position.WITHDRAW, "it charges once")])  # fmt: skip
    made.says("t7", bound, text=TEXTS["t7"], answers=[kept, answer], usage=SPENT)
    return made.says("t8", replace(mild, confidence=0.8), text=WHAT_IF["t8"], usage=SPENT)


WHAT_IF: Mapping[str, str] = {
    "t5": "If the gateway drops a second charge of one order, a fresh key does no harm. I would "
    "still draw it once: the next gateway may not be so kind.",
    "t6": "Under this condition I take my finding back: nobody is charged twice. What is left is a "
    "line that reads as if the key mattered.",
    "t8": "Then the test has nothing to notice. A sentence in the docstring on what the gateway "
    "promises would do.",
    "t9": "Where the gateway itself charges once, the key is a matter of taste; the deadline of "
    "all attempts is what stays.",
    "t10": "Nothing that is left must be fixed before it goes in.",
}
SECTIONS_IF = {
    "security_findings": "None under this condition: the gateway charges an order once.",
    "performance_findings": "Four attempts may hold a worker for four time-outs of the gateway.",
    "maintainability_findings": "Say in the docstring what the gateway promises.",
    "action_items": "- Write down that the gateway charges an order once.",
    "consensus_notes": "All agree that nothing blocks where the gateway charges once.",
}
SECTIONS = {
    "security_findings": "A lost answer leads to a second charge: the key must outlive an attempt.",
    "performance_findings": "Four attempts may hold a worker for four time-outs of the gateway.",
    "maintainability_findings": "`pauses` and `retried` are small, tested without a clock.",
    "action_items": "- Draw the idempotency key once, before the first attempt.\n"
    "- Let the test of `pay` fail when two attempts carry different keys.",
    "consensus_notes": "All agree on the key. Whether four attempts need a deadline is open.",
}


async def finished_review(parts: Parts, id: str, at: datetime) -> Sequence[e.Event]:
    made = debated(answered(first_round(await opened(parts, id, at))))
    made.says(
        "t9",
        text=TEXTS["t9"],
        actions=("Draw the idempotency key once, before the first attempt",),
        sections=SECTIONS,
        usage=SPENT,
    )
    made.says("t10", ruling="request_changes", text=TEXTS["t10"], scores=SCORES, usage=SPENT)
    made.votes("shell:ben", "request_changes").votes("shell:cleo", "request_changes")
    made.votes("shell:ben", "real", "t1.f1").votes("shell:cleo", "real", "t1.f1")
    return dated(made.concluded().events, at)


async def forked_review(parts: Parts, id: str, at: datetime) -> Sequence[e.Event]:
    fork = e.Fork("revw4k7q", 12, SeatId(""), "the gateway ignores a second charge for an order")
    made = relieved(answered(first_round(await opened(parts, id, at, fork))))
    made.says("t9", text=WHAT_IF["t9"], sections=SECTIONS_IF, usage=SPENT)
    made.says("t10", ruling="comment", text=WHAT_IF["t10"], scores=SCORES, usage=SPENT)
    return dated(made.concluded().events, at)


async def begin_speaking(parts: Parts, id: str) -> None:
    """Streams the first words of two of the seats whose turn it is; the other two still think."""
    for turn in (await parts.service.load(id)).running[:2]:
        words = parts.advancer.token_listener(id, turn)
        assert words is not None, "nobody has opened the page"
        words(f"{shortened(TEXTS[turn.id], SPOKEN).rstrip('…')} ")


async def unfinished_review(parts: Parts, id: str, at: datetime) -> Sequence[e.Event]:
    """Returns a review in which three seats have opened and the author answers now."""
    made = answered(first_round(await opened(parts, id, at - timedelta(seconds=48))))
    made.add(*(e.TurnStarted(t.id) for t in replay(made.events).turns if t.round == 2))
    return made.events
