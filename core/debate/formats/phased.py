"""Phases with active roles: each active role speaks once a round, reading the earlier phases and
the last round of the same phase.

The first round of a phase is simultaneous, so nobody makes a first statement after reading a
neighbour of the same round. In later rounds (and in one-round phases, for seats that have spoken
before) the topology decides: ``all`` reads only the last round, ``round_robin`` also the seats that
spoke earlier in this round, ``ring`` only itself and its two neighbours of the last round. With
``rotate`` each seat moves one role on in every later round of the phase and argues from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from core.debate.errors import BadInput
from core.debate.formats.draft import Draft, brief, goal, heading
from core.debate.formats.plan import Plan
from core.debate.script import About, Duty, Script, SeatId, Topic, TurnId
from core.debate.stored import stored
from core.debate.template import Phase, Template, Turns

RING_FROM = 4
"""Up to this number of seats every seat is a neighbour of every other."""


@dataclass
class _Table:
    """The state that phases share while they are laid out; ``material`` holds the statements that
    count as part of the material.
    """

    draft: Draft
    seats: Mapping[str, SeatId]
    briefs: Mapping[str, str]
    material: set[TurnId] = field(default_factory=set)
    spoke: set[SeatId] = field(default_factory=set)


def compile(template: Template, plan: Plan, rng: Random) -> Script:
    """Builds the turns of a phased template. Raises ``BadInput`` for an impossible number of
    rounds.
    """
    phases = phases_of(template)
    if plan.turns is not None:
        phases = tuple(replace(phase, turns=plan.turns, rotate=plan.rotate) for phase in phases)
    phases = in_order(phases)
    closer = closing_phase(phases)
    lengths = _rounds_of(template, phases, plan.rounds)
    draft = Draft(template.format, rng)
    closing_role = ""
    if closer:
        closing_role = closer.roles_active[0]
    duty = {closing_role: Duty.CHAIR}
    active = {r for p in phases for r in p.roles_active}
    seats = {
        r.name: draft.seat(r.name, duty.get(r.name, Duty.DEBATER), brief(r))
        for r in template.roles
        if r.name in active
    }
    table = _Table(draft, seats, {r.name: brief(r) for r in template.roles})
    presenting = _presenting(template, phases)
    spoken: dict[str, tuple[TurnId, ...]] = {}
    for phase in phases:
        reads = tuple(t for name in ancestors(phases, phase.name) for t in spoken[name])
        if phase is closer:
            draft.round(heading(phase.name), phase.name, goal(phase))
            spoken[phase.name] = (
                draft.say(seats[closing_role], "close", draft.turn_ids, closing=True),
            )
            continue
        spoken[phase.name] = _phase(
            table, phase, reads, lengths[phase.name], turns_of(template, phase)
        )
        if phase.name in presenting:
            table.material.update(spoken[phase.name])
    draft.close(template, plan, by=seats[closing_role] if closer else None)
    return draft.script()


def phases_of(template: Template) -> tuple[Phase, ...]:
    """Returns the template's phases; a template of another format gets an opening and a debate of
    all its roles.
    """
    if template.phases:
        return template.phases
    everyone = tuple(r.name for r in template.roles)
    return (
        Phase(
            "opening", roles_active=everyone, objectives=("State your position and your reasons",)
        ),
        Phase(
            "debate",
            duration_rounds=2,
            roles_active=everyone,
            objectives=("Settle what is still in dispute",),
        ),
    )


def turns_of(template: Template, phase: Phase) -> Turns:
    """Returns a phase's topology: its own, else all-to-all for research synthesis and below four
    roles, else round-robin.
    """
    if phase.turns is not None:
        return phase.turns
    research = template.id.replace("-", "_").startswith("research_synthesis")
    if research or len(template.roles) < RING_FROM:
        return Turns.ALL
    return Turns.ROUND_ROBIN


def in_order(phases: Sequence[Phase]) -> tuple[Phase, ...]:
    """Sorts phases so that each comes after those that it names, and otherwise as in the file.
    Raises ``BadInput`` for a circle.
    """
    done: list[Phase] = []
    waiting = [replace(p, after=predecessors(phases, p.name)) for p in phases]
    while waiting:
        names = {p.name for p in done}
        ready = next((p for p in waiting if names.issuperset(p.after or ())), None)
        if ready is None:
            raise BadInput(
                f"phases wait for each other in a circle: {', '.join(p.name for p in waiting)}"
            )
        waiting.remove(ready)
        done.append(ready)
    return tuple(done)


def predecessors(phases: Sequence[Phase], name: str) -> tuple[str, ...]:
    """Returns the phases that come directly before ``name``."""
    at = next(i for i, p in enumerate(phases) if p.name == name)
    after = phases[at].after
    if after is not None:
        return after
    if at:
        return (phases[at - 1].name,)
    return ()


def ancestors(phases: Sequence[Phase], name: str) -> tuple[str, ...]:
    """Returns every phase that comes before ``name``, in the given order."""
    earlier: set[str] = set()
    edge = list(predecessors(phases, name))
    while edge:
        at = edge.pop()
        if at not in earlier:
            earlier.add(at)
            edge.extend(predecessors(phases, at))
    return tuple(p.name for p in phases if p.name in earlier)


def closing_phase(phases: Sequence[Phase]) -> Phase | None:
    """Returns the last phase if it is one turn of a role that is active in no other phase: that
    seat took no side and may close.
    """
    last = phases[-1]
    elsewhere = {r for p in phases[:-1] for r in p.roles_active}
    alone = (
        len(last.roles_active) == 1
        and last.duration_rounds == 1
        and not set(last.roles_active) & elsewhere
    )
    if alone and elsewhere:
        return last
    return None


def _rounds_of(template: Template, phases: Sequence[Phase], wanted: int | None) -> dict[str, int]:
    """Returns the number of rounds of each phase: without a wanted total, the larger of the phases'
    sum and ``max_rounds``.

    A surplus repeats the last phase in which several roles argue; a smaller total shortens the
    longest phases first (the later of equals), and never below one round for each phase.
    """
    if wanted is not None and wanted < 1:
        raise BadInput(f"a debate has at least one round, not {wanted}")
    lengths = {p.name: p.duration_rounds for p in phases}
    total = sum(lengths.values())
    if wanted is None:
        wanted = max(total, template.max_rounds)
    closer = closing_phase(phases)
    open_phases = [p for p in phases if p is not closer]
    repeated = ([p for p in open_phases if len(p.roles_active) > 1] or open_phases)[-1]
    lengths[repeated.name] += max(0, wanted - total)
    for _ in range(total - wanted):
        longest = max(reversed(open_phases), key=lambda p: lengths[p.name])
        lengths[longest.name] = max(1, lengths[longest.name] - 1)
    return lengths


def _presenting(template: Template, phases: Sequence[Phase]) -> frozenset[str]:
    """Returns the phases whose statements count as material: those that the template names, else a
    first phase in which one role presents.
    """
    named = template.settings.get("presenting")
    if named is not None:
        return frozenset(named)
    first = phases[0]
    return frozenset({first.name} if len(first.roles_active) == 1 else ())


def _phase(
    table: _Table, phase: Phase, before: tuple[TurnId, ...], rounds: int, turns: Turns
) -> tuple[TurnId, ...]:
    spoken: list[TurnId] = []
    last: tuple[TurnId, ...] = ()
    for n in range(rounds):
        title = heading(phase.name)
        if rounds > 1:
            title = stored("{why} {n}/{of}", why=title, n=n + 1, of=rounds)
        table.draft.round(title, phase.name, goal(phase))
        together = n == 0 and rounds > 1
        last = _round(table, phase, before, last, n, turns, together=together)
        spoken += last
    return tuple(spoken)


def _round(
    table: _Table,
    phase: Phase,
    before: tuple[TurnId, ...],
    last: tuple[TurnId, ...],
    n: int,
    turns: Turns,
    *,
    together: bool,
) -> tuple[TurnId, ...]:
    """Adds round ``n`` (from 0) of a phase; ``together`` means that nobody in it reads another."""
    roles = phase.roles_active
    spoken: list[TurnId] = []
    newcomers = {r for r in roles if table.seats[r] not in table.spoke}
    for i, role in enumerate(roles):
        speaker = role
        if phase.rotate:
            speaker = roles[(i + n) % len(roles)]
        reads = (*before, *_heard(last, i, turns))
        if turns is Turns.ROUND_ROBIN and speaker not in newcomers and not together:
            reads = (*reads, *spoken)
        about = About(Topic.ROLE, table.briefs[role]) if speaker != role else None
        spoken.append(_turn(table, table.seats[speaker], reads, alone=len(roles) == 1, about=about))
    return tuple(spoken)


def _heard(last: tuple[TurnId, ...], i: int, turns: Turns) -> tuple[TurnId, ...]:
    """Returns the turns of the last round of the phase that the seat at place ``i`` reads."""
    if turns is not Turns.RING or len(last) < RING_FROM:
        return last
    return tuple(last[j % len(last)] for j in (i - 1, i, i + 1))


def _turn(
    table: _Table, seat: SeatId, reads: tuple[TurnId, ...], *, alone: bool, about: About | None
) -> TurnId:
    first = seat not in table.spoke
    heard = set(reads) - table.material
    table.spoke.add(seat)
    if first:
        task = "open"
        if alone and heard:
            task = "respond"
    else:
        task = "stand_in" if about else "debate"
    return table.draft.say(seat, task, reads, independent=first and not heard, about=about)
