"""Debates and events to store."""

from __future__ import annotations

from datetime import UTC, datetime

from core.debate.events import (
    DebateOpened,
    DebateRequest,
    DebateRequested,
    Terms,
    TurnFinished,
    TurnStarted,
)
from core.debate.material import Material, MaterialKind
from core.debate.replies import Stance, Statement
from core.debate.script import Round, Script, Seat, SeatId, Turn, TurnId
from core.debate.template import Option, Role, Template
from core.debate.usage import Usage

AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def requested(
    id: str = "d1", place: str = "slack:T1/C1", template: str = "code_review"
) -> DebateRequested:
    return DebateRequested(
        id, DebateRequest(template, "https://example.org/pull/1", "slack:T1/U1", place), AT
    )


def opened(
    title: str = "Add caching", *, private: bool = False, text: str = "@@ -1 +1 @@"
) -> DebateOpened:
    seat, turn = SeatId("critic"), Turn(TurnId("r1.critic"), SeatId("critic"), "open", closing=True)
    return DebateOpened(
        template=Template(
            id="code_review",
            name="Code review",
            description="",
            domain="software",
            format="phased",
            roles=(Role("critic"),),
            phases=(),
            ballot=(Option("approve"),),
            rubric={"correctness": 1.0},
            output_format="",
            max_rounds=1,
            consensus_threshold=0.5,
            recommended_agents=1,
        ),
        script=Script(
            "phased", (Seat(seat, "critic"),), (Round(0, "Opening"),), (turn,), ((seat, "P1"),)
        ),
        cast={seat: ("scripted",)},
        material=Material(MaterialKind.DIFF, title, text, private=private),
        terms=Terms("majority", 0.5, 1),
        at=AT,
    )


def started(turn: str = "r1.critic") -> TurnStarted:
    return TurnStarted(TurnId(turn))


def finished(turn: str = "r1.critic", text: str = "It leaks.") -> TurnFinished:
    return TurnFinished(
        TurnId(turn), Statement(text, Stance("approve", 0.75)), Usage(100, 0, 20, 0.002), "scripted"
    )
