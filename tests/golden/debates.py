"""The debates that the texts are made of."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from functools import cache

from adapters.models.scripted import Scripted
from core.debate import events as e
from core.debate.material import Coverage, Material, MaterialKind, Read
from core.debate.ports import CallOptions, Message, OnWords, Reply
from core.debate.replies import Answer, Position
from core.debate.script import About, SeatId, Topic, Turn, TurnId
from core.debate.usage import Usage
from tests.adapters.posts.threads import shown_review
from tests.adapters.review.samples import injection, leak, material
from tests.core.memory import Voice, Voices, opening, played
from tests.core.table import CRITICS, START, agree, dispute, finding, stance, table

_DESIGN = Material(
    MaterialKind.DOCUMENT, "Orders in PostgreSQL",
    "Orders move from files to one PostgreSQL database. Reads go to a replica.\n"
    "Old files are deleted after thirty days.",
    coverage=(Coverage("orders.md", Read.FULL),),
)  # fmt: skip
_INCIDENT = Material(
    MaterialKind.INCIDENT, "Checkout was down",
    "09:02 the pool of connections is full. 09:40 the release of 08:55 is rolled back.",
)  # fmt: skip
_QUESTION = Material(
    MaterialKind.QUESTION, "Shall we move the orders to PostgreSQL?",
    "Shall we move the orders to PostgreSQL?",
)  # fmt: skip
_MATERIALS = {
    "code_review": material(), "design_doc": _DESIGN, "incident_response": _INCIDENT,
}  # fmt: skip


@cache
def review() -> tuple[e.Event, ...]:
    """Returns a review by models of three families, recorded once."""
    return shown_review()


@cache
def busy() -> tuple[e.Event, ...]:
    """Returns a review in which people vote, object, pause and say afterwards what became of it."""
    seats = [*CRITICS, "author"]
    first = [f"t{n} {seat} independent task=open" for n, seat in enumerate(seats, 1)]
    then = [f"u{n} {seat} round=1 reads=t1,t2,t3,t4" for n, seat in enumerate(seats, 1)]
    reads = "t1,t2,t3,t4,u1,u2,u3,u4"
    end = f"end chair round=2 reads={reads} task=close closing"
    change = material(notes=("The branch moved while it was read.",), redacted=2)
    t = table([*seats, "chair:chair"], [*first, *then, end], material=change, findings=True,
              threshold=0.6, terms={"vote_window": 3600.0, "budget": 0.5, "estimate": 0.2},
              follow_up_days=14)  # fmt: skip
    paid = Usage(2600, 0, 180, 0.01)
    t.says("t1", stance("request_changes", 0.9, because="a form reaches the query"),
           text="Whoever names the row writes part of the query.", findings=[injection()],
           claims=["The name comes from a form."], usage=paid)  # fmt: skip
    t.says("t2", stance("comment", 0.6), text="It costs one query more.", findings=[leak()],
           usage=paid)  # fmt: skip
    t.fails("t3")
    t.says("t4", stance("approve", 0.7, because="only tests call it"), usage=paid,
           text="Nobody but our tests calls it.")  # fmt: skip
    t.votes("slack:T1/U1", "real", "t1.f1").votes("slack:T1/U2", "not_real", "t1.f1")
    t.add(e.DebatePaused("slack:T1/U1", "lunch"), e.DebateResumed("slack:T1/U2"))
    t.says("u1", stance("request_changes", 0.9), text="The form is public.", usage=paid,
           answers=[dispute("t2.f1", "the pool is closed by its context")])  # fmt: skip
    untested = finding("No test names an unknown row", severity="low", confidence=0.5)
    t.says("u2", stance("request_changes", 0.7, moved_by="t1.f1"), usage=paid,
           text="I had not seen the form.", answers=[agree("t1.f1")], findings=[untested],
    )  # fmt: skip
    t.skips("u3", reason="it did not open")
    t.challenges("The form accepts letters only.", "author", id="x1", author="slack:T1/U3")
    reply = Turn(TurnId("x1a"), SeatId("author"), "answer", (TurnId("t1"),), 1,
                 about=About(Topic.CHALLENGE, "x1"))  # fmt: skip
    t.add(e.TurnsAdded((reply,), (TurnId("end"),), "a person objected"))
    t.says("x1a", stance("request_changes", 0.6, moved_by="x1"), usage=paid,
           text="It accepts anything; I was wrong.",
           answers=[Answer("x1", Position.ANSWERED, "the form has no check")])  # fmt: skip
    t.says("u4", stance("request_changes", 0.6), text="Then it must be bound.", usage=paid)
    t.add(e.PlaceAdded("slack:T1/C2", "slack:T1/U1"))
    t.says("end", usage=paid, text="It must be bound.", actions=("Bind the name",),
           sections={"summary": "The query is built from a form."})  # fmt: skip
    t.votes("slack:T1/U1", "request_changes").votes("slack:T1/U2", "approve", author=True)
    t.concluded()
    later = START + timedelta(days=15)
    t.add(e.ForgeNoted("merged", "abc1234", later, "ann", "https://github.com/o/r/pull/412"))
    t.add(e.VerdictRated(True, "slack:T1/U1", later))
    t.add(e.FollowUpDue("Did it hold?", later)).add(e.OutcomeResolved(True, "ann", later))
    return tuple(t.events)


class _Speaker(Voice):
    """The model of demonstrations: it answers in the shape asked for."""

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        return await Scripted(seed=self.seed).reply(messages, asking, on_words)


@cache
def demonstrated(template: str, format: str = "") -> tuple[e.Event, ...]:
    """Returns a debate on a shipped template by models that only demonstrate."""
    voices = Voices([_Speaker(), _Speaker("voice-b", "b", 1)])
    subject = _MATERIALS.get(template, _QUESTION)
    events = opening(template, voices=voices, material=subject, format=format)
    _, log = asyncio.run(played(events, voices))
    return tuple(log.events)
