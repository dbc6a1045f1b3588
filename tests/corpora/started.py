"""What the bot makes before anybody speaks and beside it: openings with their price and notes,
forks, posts for places that join late, rulings, rules of channels and pages of templates.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import product
from random import Random
from typing import Any

from adapters.commands import Templates
from adapters.models.catalogue.choice import DefaultModels
from adapters.models.pace import ModelPace
from adapters.ports.desk import Caller
from adapters.templates.catalogue import builtin
from bot.debates.fork import fork
from bot.debates.opening.consent import ConsentRule
from bot.debates.opening.prepare import Preparer
from bot.debates.opening.terms import TermDefaults
from bot.debates.opening.tools import Tools
from bot.desk.reading.templates import TemplateDesk
from bot.forges.rules import Rules, checked, describe_rules, quiet_until, rules_of, stored
from bot.permissions.actions import Action
from bot.permissions.audience import Audience, Reach, may_hold, refusal
from bot.permissions.policy import MACHINE, Policy
from bot.permissions.rule import Asker, Nearness, Standing, Surface, Thing, needs_inside, rule
from bot.posting.record import outgoing, posts_so_far, reactions_of
from bot.settings.choices import UnknownPrice
from core import events as e
from core.debate import replay
from core.errors import DebateError
from core.formats import FORMATS, PanelSize, Speaking
from core.material import Coverage, Material, MaterialKind, Read
from core.material.since import Since
from core.ports import Model, Price
from core.script import SeatId
from core.template import Mode
from tests.adapters.posts.told import posted
from tests.adapters.review.samples import material as change
from tests.core.memory import StandingClock, Voice
from tests.corpora.courses import COUNT, course
from tests.corpora.surfaces import events_text, text_of

_PRICES = (
    Price(0.0, 0.0), Price(1e-6, 4e-6), Price(1e-6, 4e-6), Price(3e-6, 15e-6, thinking=900),
    Price(2e-5, 8e-5, tools=True), Price(1e-6, 4e-6, tools=True), Price(1e-7, 4e-7),
    Price(None, None), Price(1e-6, None),
)  # fmt: skip
_NAMES = tuple(sorted(builtin()))
_LONG = (
    "Should we migrate the orders database to a managed cloud service over three years? Customers, "
    "finance and regulators would notice; latency and privacy are at stake."
)
_QUESTIONS = ("Tabs or spaces?", "Why?", "A or B?", _LONG, _LONG, " ")


@dataclass
class _Shop:
    """Models with prices of their own."""

    voices: dict[str, Voice]
    prices: dict[str, Price]

    def get(self, name: str) -> Model:
        return self.voices[name]

    def price(self, name: str) -> Price:
        return self.prices[name]

    def default(self) -> list[str]:
        return [*self.voices][:2]


@dataclass
class _Paces:
    """Servers that know how quick the models of this machine are."""

    paces: dict[str, ModelPace]

    def choice(self) -> DefaultModels:
        return DefaultModels(("m0",), "the only key that is set")

    async def learn(self, names: Sequence[str]) -> None:
        """Does nothing: every price is known."""

    async def check(self, names: Sequence[str]) -> None:
        """Does nothing: every model can be reached."""

    async def measure(self, names: Sequence[str]) -> dict[str, ModelPace]:
        return {name: pace for name, pace in self.paces.items() if name in names}


@dataclass
class _Library:
    """Reads whatever it is asked for, and says what it was asked for."""

    material: Material
    around: int
    holds: bool

    async def read(
        self,
        target: str,
        *,
        kind: str,
        budget: int,
        place: str = "",
        files: bool = False,
        since: Since | None = None,
        parts: int = 1,
        around: bool = True,
    ) -> Material:
        note = f"{target} {kind} {budget} {place} {files} {parts} {around}"
        return replace(self.material, notes=(*self.material.notes, note))

    async def with_evidence(self, material: Material, name: str, *, files: bool) -> Material:
        return replace(material, notes=(*material.notes, f"{name} {files}"))

    def missing_around(self, material: Material, budget: int) -> int:
        return self.around

    async def complete(self, material: Material, *, budget: int, place: str) -> Material:
        return replace(material, notes=(*material.notes, f"{budget} {place}"))

    def holds_repository(self, material: Material, files: bool) -> bool:
        return self.holds

    async def read_attachment(
        self, name: str, data: bytes, *, kind: str, budget: int, parts: int = 1
    ) -> Material:
        return Material(MaterialKind.DOCUMENT, name, f"{data.decode()} {kind} {budget} {parts}")


def _shop(rng: Random) -> _Shop:
    voices = {}
    for n in range(rng.choice((1, 1, 2, 3, 5))):
        demo = rng.random() < 0.15
        window = rng.choice((3_999, 4_000, 32_000, 200_000)) if not demo else 3_000
        voices[f"m{n}"] = Voice(f"m{n}", rng.choice("ab"), n, demo=demo, window=window)
    if rng.random() < 0.02:
        voices = {}
    return _Shop(voices, {name: rng.choice(_PRICES) for name in voices})


def _extras(rng: Random) -> dict[str, str]:
    drawn = {
        "form": rng.choice((*PanelSize, "huge")), "importance": rng.choice(("low", "critical")),
        "turns": rng.choice(list(Speaking)), "openings": rng.choice("234"),
        "timeout": rng.choice(("90s", "2m")),
        "convergence": rng.choice(("0", "0.3")), "debate-anyway": rng.choice(("yes", "no")),
        "attachment": "notes.md",
    }  # fmt: skip
    return {name: value for name, value in drawn.items() if rng.random() < 0.1}


def _request(rng: Random, names: Sequence[str]) -> e.DebateRequest:
    chosen = rng.sample([*names], rng.randint(0, len(names))) if rng.random() < 0.4 else ()
    return e.DebateRequest(
        rng.choice((*_NAMES, *("panel",) * 4)), rng.choice(_QUESTIONS), "slack:T1/U1",
        rng.choice(("slack:T1/C1", "shell:ann", "program:T1/x")),
        rounds=rng.choice((None, None, 1, 3)), models=tuple(chosen),
        consensus=rng.choice(("", "", *Mode)), threshold=rng.choice((None, None, 0.8)),
        budget=rng.choice((None, None, None, 0.5, 2.0, 0.0001)),
        format=rng.choice(("", "", "", *sorted(FORMATS))),
        vote_window=rng.choice((None, 0.0, 60.0)), quiet=rng.random() < 0.2,
        search=rng.random() < 0.3, evidence=rng.choice(("", "", "scan.sarif")),
        text=rng.choice(("", "", "A whole text.")), extras=_extras(rng), files=rng.random() < 0.5,
    )  # fmt: skip


def _material(rng: Random) -> Material:
    if rng.random() < 0.4:
        text = rng.choice(_QUESTIONS)
        return Material(MaterialKind.QUESTION, rng.choice(("Why?", text)), text)
    states = (Read.FULL, Read.PARTIAL, Read.LEFT_OUT)
    files = range(rng.choice((1, 2, 11, 12, 13, 14)))
    whole = rng.random() < 0.3
    coverage = [
        Coverage(f"f{n}.py", Read.FULL if whole else rng.choice(states), "too long") for n in files
    ]
    notes = ("The branch moved.",) * rng.randint(0, 2)
    return replace(change(redacted=rng.choice((0, 1, 2)), notes=notes), coverage=tuple(coverage))


def _prepared(number: int) -> str:
    """What is opened, its price and every line that a person reads before."""
    rng = Random(f"opening {number}")
    people = _shop(rng)
    speeds = (0.4, 2.9, 3.0, 40.0, 90.0, 900.0, 2000.0, 5000.0)
    paces = {
        name: ModelPace(rng.choice(speeds), rng.choice(speeds))
        for name in people.voices
        if rng.random() < 0.3
    }
    library = _Library(_material(rng), rng.choice((0, 0, 900)), rng.random() < 0.5)
    preparer = Preparer(
        library, people, StandingClock(),
        default_models=rng.choice(((), ("m0",))) if people.voices else (),
        tools=Tools(rng.random() < 0.5, rng.random() < 0.5),
        consent=ConsentRule(0.5, rng.choice((None, *UnknownPrice)), rng.random() < 0.3),
        defaults=TermDefaults(
            budget=rng.choice((None, None, 0.3)), timeout=rng.choice((None, 40.0)),
            convergence=rng.choice((None, 0.2)), extended_above=rng.choice((0.3, 0.8)),
        ),
        servers=_Paces(paces) if rng.random() < 0.5 else None, seed=rng.choice((None, 3)),
    )  # fmt: skip
    request = _request(rng, [*people.voices])
    branch = e.Fork("debate-0000", 3, SeatId(""), "nobody logs in")
    try:
        made = asyncio.run(
            preparer.prepare(
                request, fork=branch if rng.random() < 0.1 else None,
                left_today=rng.choice((None, 0.0, 0.05, 10.0)), ask=rng.random() < 0.7, seed=number,
            )
        )  # fmt: skip
    except DebateError as refused:
        return f"{type(refused).__name__}: {refused} {text_of(getattr(refused, 'calls', ()))}"
    opened = replace(made.opened, template=replace(made.opened.template, description=""))
    rest = asyncio.run(preparer.complete(made))
    facts = [made.cost, made.notes, made.calls, made.complete, made.assumed, made.free]
    return text_of([made.lines, opened, facts, rest.notes])


def _agreed(number: int) -> str:
    """Who has to agree to which price."""
    rule_ = ConsentRule(0.5, (None, *UnknownPrice)[number % 4], number >= 4)
    made: list[object] = [number]
    for usd, yes, budget in product((None, 0.0, 0.5, 0.51), (False, True), (False, True)):
        made.append([usd, yes, budget, rule_.asks(usd, yes=yes, budget=budget)])
    for models, most in product(((), ("a",), ("a", "b")), (None, 2.0)):
        try:
            rule_.require_known(models, most)
            made.append("known enough")
        except DebateError as refused:
            made.append(str(refused))
    return text_of(made)


def _forked(number: int) -> str:
    """Forks of a drawn debate at drawn positions, under drawn conditions."""
    rng = Random(f"fork {number}")
    events = [*course(number)]
    parent = replay(events)
    voices = {name: Voice(name, name[0], demo=name == "d0") for name in ("a0", "b0", "d0")}
    shop = _Shop(voices, {name: rng.choice(_PRICES) for name in (*voices, "openai/gpt-5")})
    models = {m for each in (parent.opened.cast.values() if parent.opened else ()) for m in each}
    shop.prices |= dict.fromkeys(models, Price(1e-6, 4e-6))
    seats = ["", "P1", "P2"]
    if parent.opened is not None:
        seats += [s.id for s in parent.open.script.seats]
        seats += [parent.open.script.label(s.id).upper() for s in parent.open.script.seats]
    made = []
    for _ in range(6):
        condition = e.Fork(
            parent.id, rng.choice((0, 0, 1, 2, 3, rng.randint(2, len(events)), len(events) + 1)),
            SeatId(rng.choice(seats)), rng.choice(("", "nobody logs in")),
            rng.choice(((), (), ("a0",), ("a0", "d0"), ("d0",))),
        )  # fmt: skip
        try:
            begun, past = fork(parent, events, "debate-f", condition, parent.request, shop, _NOW)
            made += [text_of(condition), events_text([begun, *past])]
        except DebateError as refused:
            made.append(f"{text_of(condition)}: {refused}")
    return "\n".join(made)


_NOW = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)


def _joined_late(number: int) -> str:
    """All posts so far, for a place that joins midway or at the end; and emojis by post."""
    events = course(9 * number)
    made: list[object] = [
        posts_so_far(events[:at], place, untold=untold)
        for at, place, untold in (
            (0, "slack:T1/C9", False),
            (len(events) // 2, "slack:T1/C9", False),
            (len(events), "discord:1/2", True),
            (len(events), "shell:ann", False),
        )
    ]
    made += [
        [outgoing(post, "slack:T1/C9").op, reactions_of(post, "slack:T1/C9")]
        for post in posted(events)
    ]
    return text_of(made)


_POLICIES = (
    Policy(),
    Policy(workspaces=frozenset({"slack:T2"}), starters=frozenset({"p"})),
    Policy(
        private_workspaces=frozenset({"slack:T1"}), starters=frozenset({"admins"}),
        moderators=frozenset({"p"}),
    ),
)  # fmt: skip
_FLAGS = tuple(product((False, True), repeat=4))


def _ruled(number: int) -> str:
    """Everything that the rule says about one action."""
    action = [*Action][number]
    made: list[object] = [action, needs_inside(action)]
    for surface, standing, policy in product(Surface, Standing, _POLICIES):
        for workspace, steers in (("slack:T1", False), ("slack:T1", True), (MACHINE, False)):
            asker = Asker(surface, "p", workspace, standing, steers)
            ruling = rule(action, asker, None, policy)
            made.append(ruling.refusal)
            if not ruling.allowed:
                continue
            for nearness, (own, here, sealed, home) in product(Nearness, _FLAGS):
                ruling = rule(action, asker, Thing(own, nearness, here, sealed, home), policy)
                made.append([ruling.refusal, ruling.hidden, ruling.allowed])
    return text_of(made)


def _held_elsewhere(number: int) -> str:
    """Which place may hold what was held in which others."""
    copy = Audience([*Reach][number], "c", "w1")
    made: list[object] = []
    origins = [Audience(reach, place, w) for reach in Reach for place in "co" for w in ("w1", "w2")]
    for sealed, abroad in product((False, True), (False, True)):
        given = {"sealed": sealed, "abroad": abroad}
        made += [may_hold(copy, (origin,), **given) for origin in origins]
        made += [may_hold(replace(copy, place=""), (origin,), **given) for origin in origins]
        made += [may_hold(copy, origins, **given), may_hold(copy, (), **given)]
        made.append(refusal(copy, Action.MIRROR, sealed=sealed))
    return text_of(made)


def _channel_rules(number: int) -> str:
    """What starts debates in a channel, in words, and its quiet hours around a day."""
    rng, made = Random(f"rules {number}"), []
    for _ in range(20):
        given: dict[str, Any] = {
            "labels": rng.choice(((), ("debate",), ("a", "b"))), "comments": rng.random() < 0.5,
            "opened": rng.random() < 0.5, "drafts": rng.random() < 0.5,
            "pushes": rng.random() < 0.5, "budget": rng.choice((None, 0.5, 0.0, -1.0)),
            "quiet": rng.choice(("", "22-7", "7:00 - 22:00", "0-0", "9-9", "23-0", "24-1", "x")),
            "tz": rng.choice(("UTC", "Europe/Helsinki", "America/New_York", "Nowhere", "../x")),
            "request_changes": rng.random() < 0.5, "checks": rng.random() < 0.5,
        }  # fmt: skip
        try:
            rules = checked(Rules(**given))
        except DebateError as refused:
            made.append(str(refused))
            continue
        same = rules_of(stored(rules)) == rules
        made.append(f"{describe_rules(rules)} {same} {rules_of({'quiet': rules.quiet})}")
        day = datetime(2026, 10, 24, 21, 30, tzinfo=UTC)
        made += [str(quiet_until(rules, day + timedelta(minutes=n * 30))) for n in range(50)]
    return "\n".join(made)


def _pages(number: int) -> str:
    """The page of each template, and help on it, in a chat and in a shell."""
    desk, name = TemplateDesk(), (*_NAMES, "", "code", "panel", "nothing of this kind")[number]
    made: list[object] = [desk.choices()]
    for caller in (
        Caller("shell:ann", "shell:ann", "x"),
        Caller("slack:T1/U1", "slack:T1/C1", "x"),
    ):
        for request in (Templates(name), Templates(check="no.toml")):
            try:
                made.append(desk.show(request, caller))
            except DebateError as refused:
                made.append(str(refused))
    for prefix in ("debate", "/debate"):
        try:
            made.append(desk.help(name, prefix))
        except DebateError as refused:
            made.append(str(refused))
    return text_of(made)


CORPORA = {
    "openings": (135, _prepared),
    "agreed": (8, _agreed),
    "forks": (COUNT, _forked),
    "late": (COUNT // 9, _joined_late),
    "rulings": (len(Action), _ruled),
    "elsewhere": (len(Reach), _held_elsewhere),
    "channels": (15, _channel_rules),
    "pages": (len(_NAMES) + 4, _pages),
}
