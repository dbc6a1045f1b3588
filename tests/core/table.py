"""Sets a table for tests: a debate built by folding real events, one readable line for each thing
that happens.

t = table(seats=("security_critic", "author"), turns=("t1 security_critic independent", "t2 author
reads=t1")) t.says("t1", "request_changes",
findings=(finding(severity="high"),)).fails("t2").concluded() verdict(t.debate)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import reduce
from typing import Any, Self

from core.debate import events as e
from core.debate.finding import Finding, Severity
from core.debate.material import Material, MaterialKind
from core.debate.replies import Answer, Claim, Position, Stance, Statement
from core.debate.script import About, Duty, Round, Script, Seat, SeatId, Topic, Turn, TurnId
from core.debate.state import Debate, evolve, replay
from core.debate.template import Mode, Option, Phase, Role, Template
from core.debate.usage import Usage
from core.debate.verdict import end_reason, verdict

START = datetime(2026, 11, 21, 20, 30, tzinfo=UTC)
REVIEW = (
    Option("approve", "white_check_mark", 0),
    Option("comment", "speech_balloon", 1),
    Option("request_changes", "x", 2, blocks=True),
)
CRITICS = ("security_critic", "performance_critic", "maintainability_critic")
RUBRIC = {
    "security_coverage": 0.3,
    "performance_impact": 0.2,
    "maintainability": 0.2,
    "actionability": 0.2,
    "consensus": 0.1,
}


def finding(title: str = "The query is built from user input", **fields: Any) -> Finding:
    """Returns a good finding: anchored, high, sure. ``id`` is given when it is said."""
    given: dict[str, Any] = {
        "id": "",
        "severity": "high",
        "confidence": 0.8,
        "path": "app/db.py",
        "line": 12,
        "anchored": True,
    }
    given |= fields
    given["severity"] = Severity(given["severity"])
    return Finding(title=title, **given)


def stance(option: str, confidence: float = 0.7, **fields: str) -> Stance:
    return Stance(option, confidence, **fields)


def agree(to: str) -> Answer:
    return Answer(to, Position.AGREE)


def dispute(to: str, because: str = "it cannot happen here") -> Answer:
    return Answer(to, Position.DISPUTE, because)


def withdraw(to: str) -> Answer:
    return Answer(to, Position.WITHDRAW)


def template(**fields: Any) -> Template:
    made = Template(
        id="code_review",
        name="Code Review",
        description="",
        domain="software_engineering",
        format="phased",
        roles=tuple(Role(r) for r in CRITICS),
        phases=(Phase("review", roles_active=CRITICS),),
        ballot=REVIEW,
        rubric=RUBRIC,
        output_format="# Review of {title}\n\nRisk {risk_score}/10, security "
        "{security_score}\n\n{summary}\n",
        max_rounds=3,
        consensus_threshold=0.5,
        recommended_agents=2,
        findings=True,
    )
    return replace(made, **fields)


def script(seats: Sequence[str], turns: Sequence[str], format: str = "phased") -> Script:
    """Makes a script. ``seats``: "role" or "role:duty".

    ``turns``: "id seat [round=N] [reads=a,b] [task=T] [about=topic:name] [independent] [closing]".
    """
    made = [
        Seat(SeatId(name), name, Duty(duty or "debater"))
        for name, _, duty in (s.partition(":") for s in seats)
    ]
    planned = [_turn(line) for line in turns]
    rounds = tuple(Round(n, f"Round {n + 1}") for n in range(max(t.round for t in planned) + 1))
    aliases = tuple((s.id, f"P{n}") for n, s in enumerate(made, 1))
    return Script(format, tuple(made), rounds, tuple(planned), aliases)


def _turn(line: str) -> Turn:
    id, seat, *rest = line.split()
    options = dict(item.partition("=")[::2] for item in rest)
    return Turn(
        TurnId(id),
        SeatId(seat),
        options.get("task", "debate"),
        reads=tuple(TurnId(r) for r in options.get("reads", "").split(",") if r),
        round=int(options.get("round", "0")),
        about=_about(options.get("about", "")),
        closing="closing" in options,
        independent="independent" in options,
    )


def _about(text: str) -> About | None:
    topic, _, name = text.partition(":")
    return About(Topic(topic), name) if topic else None


@dataclass
class Table:
    """The events so far; every method adds some and returns the table. ``debate`` is their fold."""

    events: list[e.Event] = field(default_factory=list)

    @property
    def debate(self) -> Debate:
        return replay(self.events)

    def add(self, *events: e.Event) -> Self:
        self.events += events
        return self

    def says(
        self,
        turn: str,
        option: str | Stance = "",
        *,
        text: str = "",
        findings: Sequence[Finding] = (),
        claims: Sequence[str | Claim] = (),
        answers: Sequence[Answer] = (),
        model: str = "",
        usage: Usage | None = None,
        **fields: Any,
    ) -> Self:
        """Finishes the turn.

        Findings and claims get their ids, ``<turn>.f1`` and ``<turn>.c1`` on; claims may be plain
        texts.
        """
        held = stance(option) if isinstance(option, str) and option else option
        plain = [Claim("", c) if isinstance(c, str) else c for c in claims]
        statement = Statement(
            text or f"{turn} speaks",
            stance=held if isinstance(held, Stance) else None,
            findings=tuple(replace(f, id=f"{turn}.f{n}") for n, f in enumerate(findings, 1)),
            claims=tuple(replace(c, id=f"{turn}.c{n}") for n, c in enumerate(plain, 1)),
            answers=tuple(answers),
            **fields,
        )
        spent = usage or Usage(100, 40, 20, 0.001, 400, 0.5)
        id = TurnId(turn)
        return self.add(
            e.TurnStarted(id), e.TurnFinished(id, statement, spent, model or self._cast(turn))
        )

    def _cast(self, turn: str) -> str:
        debate = self.debate
        seat = next(t.seat for t in debate.turns if t.id == turn)
        return next(iter(debate.open.cast.get(seat, ())), "")

    def fails(self, turn: str, reason: str = "timeout: no answer in 90 s") -> Self:
        return self.add(e.TurnStarted(TurnId(turn)), e.TurnFailed(TurnId(turn), reason))

    def skips(self, *turns: str, reason: str = "converged") -> Self:
        return self.add(*(e.TurnSkipped(TurnId(t), reason) for t in turns))

    def votes(self, voter: str, option: str, subject: str = "", *, author: bool = False) -> Self:
        return self.add(e.VoteCast(voter, option, subject, "author" if author else ""))

    def challenges(self, text: str, *to: str, id: str = "ch1", author: str = "ann") -> Self:
        return self.add(e.ChallengeRaised(id, author, text, tuple(SeatId(s) for s in to)))

    def stops(self, reason: e.EndReason, detail: str = "") -> Self:
        return self.add(e.StopOrdered(reason, detail=detail))

    def concluded(self, *, closed: bool = True) -> Self:
        """Ends the debate as the engine does: computed, and the vote closed at once unless told
        otherwise.
        """
        decided, at = verdict(self.debate), START + timedelta(minutes=5)
        self.add(e.DebateConcluded(end_reason(self.debate), decided.decision, decided.reached, at))
        return (
            self.add(e.VotesClosed(decided.decision, decided.reached, False, at))
            if closed
            else self
        )

    def resolved(self, held: bool) -> Self:
        return self.add(e.OutcomeResolved(held, "ann", START + timedelta(days=30)))


def table(
    seats: Sequence[str] = (*CRITICS, "chair:chair"),
    turns: Sequence[str] = (),
    *,
    format: str = "phased",
    mode: Mode = Mode.MAJORITY,
    threshold: float = 0.5,
    quorum: int = 1,
    blind: bool = False,
    material: Material | None = None,
    cast: Mapping[str, str] | None = None,
    terms: Mapping[str, Any] | None = None,
    fork: e.Fork | None = None,
    **fields: Any,
) -> Table:
    """Returns an opened debate. Without ``turns`` every voting seat opens at once, debates once,
    and the last seat closes.

    ``fields`` are the template's, ``terms`` those of ``Terms`` beyond mode, threshold and quorum.
    Models are of different families.
    """
    made = template(format=format, consensus=mode, consensus_threshold=threshold, **fields)
    played = replace(script(seats, turns or two_rounds(seats), format), blind=blind)
    models = (
        "openai/gpt-5",
        "anthropic/claude-sonnet",
        "gemini/gemini-pro",
        "ollama/qwen3:1.7b",
        "mistral/mistral-large",
    )
    drawn = {s.id: (models[n % len(models)],) for n, s in enumerate(played.seats)}
    drawn |= {SeatId(seat): (model,) for seat, model in (cast or {}).items()}
    debated = material or Material(
        MaterialKind.PULL_REQUEST,
        "Retry on timeout",
        "…",
        "https://github.com/acme/shop/pull/42",
        "0123abcd",
    )
    agreed = e.Terms(mode.value, threshold, quorum, **(terms or {}))
    request = e.DebateRequest("code_review", debated.source, "shell:ann", "shell")
    first_event = e.DebateRequested("debate-0001", request, START, fork)
    return Table([first_event, e.DebateOpened(made, played, drawn, debated, agreed, START)])


def two_rounds(seats: Sequence[str]) -> tuple[str, ...]:
    """t1..tn open independently, u1..un debate, ``end`` is closed by the last seat."""
    voting = [s for s in seats if ":" not in s]
    last = seats[-1].partition(":")[0]
    opened = [f"t{n} {s} independent task=open" for n, s in enumerate(voting, 1)]
    reads = ",".join(f"t{n}" for n, _ in enumerate(voting, 1))
    argued = [f"u{n} {s} round=1 reads={reads}" for n, s in enumerate(voting, 1)]
    return (*opened, *argued, f"end {last} round=2 reads={reads} task=close closing")


def fold(debate: Debate, *events: e.Event) -> Debate:
    return reduce(evolve, events, debate)
