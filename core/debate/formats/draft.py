"""Builds a script: it gives out seats, turn ids and rounds, seats the closing, and draws the blind
labels.

Turn ids are shown to models, so they are short and meaningless: ``t1``, ``t2`` and so on, in script
order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random

from core.debate.errors import BadInput
from core.debate.formats.plan import Plan
from core.debate.replies.wording import as_sentence
from core.debate.script import (
    MAX_TURNS,
    About,
    Duty,
    Round,
    Script,
    Seat,
    SeatId,
    Topic,
    Turn,
    TurnId,
)
from core.debate.template import Phase, Role, Template

_CHAIR_BRIEF = (
    "Chair: took no part. Reports what was said, what holds, what is open and who disagrees."
)
JUDGE_BRIEF = (
    "Judge: took no part. Weighs evidence and reasons, not eloquence, length or order of speaking."
)


def brief(role: Role) -> str:
    """Returns a role's own instruction for the prompt."""
    parts = []
    if role.description:
        parts.append(role.description.rstrip("."))
    if role.objectives:
        parts.append("Aims: " + "; ".join(role.objectives))
    if role.evaluation_criteria:
        parts.append("Judged by: " + "; ".join(role.evaluation_criteria))
    if role.example_prompts:
        parts.append(f"For example: {role.example_prompts[0]}")
    if not parts:
        return f"{heading(role.name)}."
    return " ".join((f"{heading(role.name)}:", *map(as_sentence, parts)))


def goal(phase: Phase) -> str:
    """Returns a phase's purpose for the prompt."""
    parts = ["; ".join(phase.objectives) or phase.description.rstrip(".")]
    if phase.outputs:
        parts.append(f"Produce: {', '.join(phase.outputs)}")
    return " ".join(f"{part}." for part in parts if part)


def heading(name: str) -> str:
    """Turns an identifier into a heading: ``initial_review`` becomes "Initial review"."""
    return name.replace("_", " ").capitalize()


class Draft:
    """A script that is being built; turns go into the round opened last."""

    def __init__(self, form: str, rng: Random, *, blind: bool = False) -> None:
        self._format = form
        self._rng = rng
        self._blind = blind
        self._seats: list[Seat] = []
        self._rounds: list[Round] = []
        self._turns: list[Turn] = []
        self._drawn: list[int] = []

    def seat(self, role: str, duty: Duty = Duty.DEBATER, text: str = "") -> SeatId:
        """Adds a seat named after its role; a name already used gets a number."""
        taken = {s.id for s in self._seats}
        names = (role, *(f"{role}_{n}" for n in range(2, len(taken) + 2)))
        id = next(SeatId(name) for name in names if name not in taken)
        self._seats.append(Seat(id, role, duty, text))
        return id

    def round(self, title: str, phase: str = "", text: str = "") -> None:
        self._rounds.append(Round(len(self._rounds) + 1, title, phase, text))

    def say(
        self,
        seat: SeatId,
        task: str,
        reads: Iterable[TurnId] = (),
        *,
        when: str = "",
        closing: bool = False,
        independent: bool = False,
        about: About | None = None,
    ) -> TurnId:
        """Adds a turn to the open round. ``reads`` are put into script order."""
        if len(self._turns) >= MAX_TURNS:
            raise BadInput(
                f"this debate would take more than the {MAX_TURNS} turns that one may have: ask "
                "for fewer rounds or roles"
            )
        seen = set(reads)
        order = tuple(t.id for t in self._turns if t.id in seen)
        id = TurnId(f"t{len(self._turns) + 1}")
        self._turns.append(
            Turn(id, seat, task, order, len(self._rounds) - 1, when, closing, independent, about)
        )
        return id

    @property
    def turn_ids(self) -> tuple[TurnId, ...]:
        """Returns the ids of all turns so far, in script order."""
        return tuple(t.id for t in self._turns)

    def close(self, template: Template, plan: Plan, *, by: SeatId | None = None) -> None:
        """Adds the closing turns: a judge that scores if the seat ``by`` has already closed the
        debate, else a chair that took no part and does both.

        If the mode asks for a ruling, each judge rules twice, the second time on the same case in
        reversed order.
        """
        everything = self.turn_ids
        self.round("Verdict")
        ruled = self.judge(template, plan, everything)
        if by is not None and not ruled:
            self.say(self.seat("judge", Duty.JUDGE, JUDGE_BRIEF), "judge", everything, closing=True)
        if by is None:
            self.say(
                self.seat("chair", Duty.CHAIR, _CHAIR_BRIEF), "chair", everything, closing=True
            )

    def judge(
        self, template: Template, plan: Plan, everything: Iterable[TurnId], *, when: str = ""
    ) -> bool:
        """Adds the judges if the mode asks for a ruling, and returns whether it did."""
        judges = count_of(template, "judges", "a panel has one to three judges")
        if not (plan.mode or template.consensus).is_judged:
            return False
        heard = tuple(everything)
        for _ in range(judges):
            judge = self.seat("judge", Duty.JUDGE, JUDGE_BRIEF)
            swapped = About(Topic.SWAPPED)
            self.say(judge, "judge", heard, when=when, closing=True)
            self.say(judge, "judge", heard, when=when, closing=True, about=swapped)
        return True

    def labels(self) -> tuple[tuple[SeatId, str], ...]:
        """Draws the blind labels once: P1..Pn for the seats that argue; other seats are labelled by
        their duty, which everyone sees anyway.
        """
        arguing = [s.id for s in self._seats if s.votes]
        if not self._drawn:
            self._drawn = self._rng.sample(range(1, len(arguing) + 1), len(arguing))
        drawn = {seat: f"P{n}" for seat, n in zip(arguing, self._drawn, strict=True)}
        count: Counter[str] = Counter()
        for seat in self._seats:
            if not seat.votes:
                name = str(seat.duty)
                if seat.duty is Duty.MODERATOR:
                    name = seat.role
                count[name] += 1
                drawn[seat.id] = heading(name)
                if count[name] > 1:
                    drawn[seat.id] += f" {count[name]}"
        return tuple((s.id, drawn[s.id]) for s in self._seats)

    def script(self) -> Script:
        """Returns the finished script."""
        return Script(
            self._format,
            tuple(self._seats),
            tuple(self._rounds),
            tuple(self._turns),
            self.labels(),
            self._blind,
        )


def count_of(template: Template, name: str, rule: str) -> int:
    """Returns a small number that the template's settings may give, 1 without it; raises
    ``BadInput`` with the rule for another value.
    """
    wanted = template.settings.get(name, 1)
    if not isinstance(wanted, int) or not 1 <= wanted <= 3:
        raise BadInput(f"{rule}, not {wanted!r}")
    return wanted
