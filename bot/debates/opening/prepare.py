"""Prepares the opening of a request, with nothing stored: everything that can go wrong before a
debate goes wrong here.

The template is looked up, the material is read (redacted, numbered, its coverage counted), the
models are looked up and their keys checked, a panel's size is chosen, the script is compiled with a
fresh random draw, seats are cast and the whole is priced. The result is one event,
``DebateOpened``, its price, and the notes that a person reads before it begins.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from adapters.templates.catalogue import find, in_format
from adapters.templates.sources import SHIPPED, TemplateSources
from bot.debates.opening.brief import (
    Note,
    NoteKind,
    brief,
    demo_note,
    lookups_note,
    material_notes,
    model_notes,
    pace_notes,
    price_words,
    proofs_note,
    search_note,
    seats_note,
    size_notes,
    turns_notes,
)
from bot.debates.opening.consent import ConsentRule
from bot.debates.opening.effect import require_effect
from bot.debates.opening.history import History
from bot.debates.opening.holders import (
    FindToken,
    HeldSeat,
    assign,
    held_seats,
    patience_of,
)
from bot.debates.opening.money import require_money
from bot.debates.opening.pace import pace_line, pace_note, with_pace
from bot.debates.opening.request import (
    apply_options,
    example_target,
    openings_of,
)
from bot.debates.opening.resolved import Learned, weights_of
from bot.debates.opening.servers import ModelServers
from bot.debates.opening.size import Reserve, Sized, Sizer
from bot.debates.opening.terms import FindLanguage, TermDefaults, language_of, terms_of
from bot.debates.opening.tools import LOOKS_UP, NOT_ALLOWED, PROVES, SEARCHES, Tools
from core.debate.budget.pricing import Estimate, closing_reserve, estimate_price, foreseen
from core.debate.casting import ModelCandidate, cast, count_voices
from core.debate.earned import GateTerms
from core.debate.earned.records import TrackRecord
from core.debate.errors import BadInput, DebateError
from core.debate.events import DebateOpened, DebateRequest, Fork
from core.debate.formats import FORMATS, Plan
from core.debate.formats.demonstration import DEMONSTRATED, shortened
from core.debate.formats.parts import in_parts, most_parts
from core.debate.log import Call
from core.debate.material import NAMELESS, Material
from core.debate.material.library import MaterialLibrary
from core.debate.ports import Clock, Model, Models
from core.debate.prompting.size import Size, material_chars
from core.debate.script import CONTESTED, Script
from core.debate.template import Evidence, Mode, Template
from core.debate.verdict.families import family
from core.debate.verdict.learned.ratings import counts

_SHARE_FOR_MATERIAL = 0.6
"""The material's share of the smallest context window in the cast; the rest is for the transcript,
the instruction and the answer.
"""
_MOST_MATERIAL = 60_000
"""The most tokens of material: more context made reviewers worse, not better (arXiv 2603.26130)."""
_DEMONSTRATED = 800
"""Tokens of a change that a demonstration reads: half a minute of the embedded model's work on two
cores.
"""
_SMALL_WINDOW = 4000
"""Tokens of context below which a model counts as small, like the embedded model and local servers
that do not state their context.
"""


@dataclass(frozen=True, slots=True)
class Prepared:
    """An opening that is not stored yet, its price, and the notes to read before it begins.

    ``calls`` were made and paid for already; they are stored with the opening. ``complete`` is
    False if a model has still to estimate how large the panel must be, or if the code around a
    change is still to be read; the price assumes ``assumed`` characters of it.
    """

    request: DebateRequest
    opened: DebateOpened
    cost: Estimate
    notes: tuple[Note, ...]
    fork: Fork | None = None
    calls: tuple[Call, ...] = ()
    complete: bool = True
    assumed: int = 0

    @property
    def free(self) -> bool:
        """True if no call of the debate can cost money: its cast is local or scripted."""
        return self.cost.most == 0

    @property
    def price(self) -> str:
        """Says the price in words."""
        return price_words(self.cost, self.opened.terms.budget)

    @property
    def lines(self) -> list[str]:
        """Returns all lines that a person reads before the debate begins."""
        return brief(self.notes, self.price)


class OpeningRefused(DebateError):
    """A debate could not be opened after calls were paid for; ``calls`` are charged all the
    same.
    """

    def __init__(self, error: DebateError, calls: tuple[Call, ...]) -> None:
        super().__init__(str(error))
        self.exit_code = error.exit_code
        self.calls = calls


@dataclass(frozen=True, slots=True)
class Preparer:
    """Prepares openings.

    ``tools`` are the tools that seats may use. ``consent`` is True if a price may be unknown.
    ``servers`` know the context and prices of models that no table has; ``history`` is what earlier
    debates left. ``seed`` fixes every random draw; with None each debate has its own.
    ``find_token`` finds the programs that can hold a seat, ``find_language`` the language of a
    place.
    """

    library: MaterialLibrary
    models: Models
    clock: Clock
    templates: TemplateSources = SHIPPED
    default_models: Sequence[str] = ()
    tools: Tools = field(default_factory=Tools)
    consent: ConsentRule = field(default_factory=ConsentRule)
    defaults: TermDefaults = field(default_factory=TermDefaults)
    servers: ModelServers | None = None
    history: History | None = None
    seed: int | None = None
    find_token: FindToken | None = None
    find_language: FindLanguage | None = None

    async def prepare(
        self,
        request: DebateRequest,
        *,
        fork: Fork | None = None,
        material: Material | None = None,
        left_today: float | None = None,
        ask: bool = True,
        template: Template | None = None,
        seed: int | None = None,
        reserve: Reserve | None = None,
    ) -> Prepared:
        """Prepares the opening of a request. Raises ``BadInput`` or ``CouldNotFinish``.

        ``material`` is given when it was read before, ``template`` if it is not the one of that
        name, ``seed`` to repeat a draw. ``ask`` allows the one short model call for a panel's size
        (which ``reserve`` records first), the free calls that time a model, and reading the code
        around a change; without it, only what a price needs is done.
        """
        names = self._names(request)
        await self.learn(names)
        voices, idle = self._voices(names)
        template = self._as_played(request, voices, template)
        wishes = await held_seats(request, self.find_token)
        if material is None:
            material = await self._read(request, template, voices, fork, around=ask)
            material = await self._with_knowledge(request, material, voices)
        sized: Sized | None = None
        if template.format == "panel":
            sized = await Sizer(self.models, self.defaults.extended_above).size(
                request,
                template,
                material,
                voices,
                left_today=left_today,
                ask=ask,
                reserve=reserve,
            )
        calls = _calls(sized)
        past = await self._learned(request, template, voices, material)
        budget = self._budget(template, voices)
        assumed = 0 if ask else self.library.missing_around(material, budget)
        try:
            prepared = self._draw(
                request,
                fork,
                template,
                (voices, idle),
                (material, assumed),
                sized,
                past,
                (seed, wishes),
            )
            prepared = await self._in_language(prepared)
            require_money(prepared.opened, self.models.price, left_today, assumed=assumed)
            return await self._with_pace(prepared, names) if ask else prepared
        except DebateError as error:
            if calls:
                raise OpeningRefused(error, calls) from error
            raise

    async def _in_language(self, prepared: Prepared) -> Prepared:
        opened = prepared.opened
        language = await language_of(prepared.request, opened.material, self.find_language)
        terms = replace(opened.terms, language=language)
        return replace(prepared, opened=replace(opened, terms=terms))

    async def _with_knowledge(
        self, request: DebateRequest, material: Material, voices: Sequence[Model]
    ) -> Material:
        """Adds earlier decisions, a scanner's reports and other reviewers' remarks."""
        if self.history is not None:
            material = await self.history.with_precedents(request, material, voices)
        if request.evidence:
            files = request.files
            material = await self.library.with_evidence(material, request.evidence, files=files)
        if request.extras.get("with-remarks") == "yes":
            material = await self.library.with_remarks(material, request.place)
        return material

    async def check_options(self, request: DebateRequest) -> None:
        """Raises ``BadInput`` for an unknown template, model or format, for an option that would
        change nothing, for a script that cannot be played and for a seat that nobody can hold.
        """
        voices, _ = self._voices(self._names(request))
        template = self._as_played(request, voices)
        plan = _plan_asked(request, template, voices, None, None)
        script = self.templates.format(template.format).compile(template, plan, Random(0))
        assign(script, await held_seats(request, self.find_token), Random(0))

    def _names(self, request: DebateRequest) -> Sequence[str]:
        return request.models or self.default_models or self.models.default()

    def _as_played(
        self, request: DebateRequest, voices: Sequence[Model], template: Template | None = None
    ) -> Template:
        """Returns the template as these models play it for the request. Raises as
        ``check_options``.
        """
        template = template or find(request.template, self.templates)
        if request.format:
            template = in_format(template, request.format)
        template = _for_these(request, apply_options(request, template), voices)
        require_effect(request, template)
        return template

    async def check(self, request: DebateRequest) -> None:
        """Asks the providers of a request's models, for nothing that costs. Raises ``BadInput``,
        and ``ModelError`` for a refused key or if none of them can be reached.
        """
        voices, _ = self._voices(self._names(request))
        if self.servers is not None:
            await self.servers.check([voice.name for voice in voices])

    async def learn(self, models: Sequence[str]) -> None:
        """Asks the models' servers for what no table has, if there are any. Never raises."""
        if self.servers is not None:
            await self.servers.learn(models)

    def _script(
        self,
        request: DebateRequest,
        template: Template,
        voices: Sequence[Model],
        plan: Plan,
        material: Material,
        seed: int,
    ) -> Script:
        """Compiles the script of the template's format; a large change is read in parts, and a
        demonstration is shorter.
        """
        script = self.templates.format(template.format).compile(template, plan, Random(seed))
        if material.parts:
            script = in_parts(script, len(material.parts))
        if _needs_short_rounds(request, template, voices) and _is_demonstration(template, voices):
            script = shortened(script, DEMONSTRATED)
        return script

    async def _with_pace(self, prepared: Prepared, names: Sequence[str]) -> Prepared:
        """Adds how long the debate takes on the operator's own machine. Raises ``BadInput`` if a
        model is too slow.
        """
        paces = await self.servers.measure(names) if self.servers is not None else {}
        if not paces:
            return prepared
        opened = prepared.opened
        ahead = foreseen(opened.template, opened.script, prove=opened.terms.prove)
        line = pace_line(opened, paces, ahead)
        if not line:
            return prepared
        notes = (*prepared.notes, pace_note(line))
        return replace(prepared, opened=with_pace(opened, line), notes=notes)

    def _draw(
        self,
        request: DebateRequest,
        fork: Fork | None,
        template: Template,
        models: tuple[list[Model], list[Model]],
        read: tuple[Material, int],
        sized: Sized | None,
        past: Learned,
        seating: tuple[int | None, Sequence[HeldSeat]],
    ) -> Prepared:
        """Builds the opening. ``models`` are those that speak and those that stay idle; ``read`` is
        the material and how many more characters are assumed; ``past`` are the outcomes of earlier
        verdicts; ``seating`` are the seed, None for a new draw, and the seats that someone holds.
        """
        (voices, idle), (material, assumed) = models, read
        seed, wishes = self._seed(seating[0]), seating[1]
        known = _known(counts(past.records, template.domain), voices)
        ruled = _known(counts(past.records, template.domain, ruled=True), voices)
        less = past.discounts([m.name for m in voices])
        candidates = [ModelCandidate(m.name, m.family) for m in voices]
        plan = _plan_asked(request, template, voices, fork, sized)
        if request.models:
            places = count_voices(candidates, Random(seed), known, ruled, less)
            plan = replace(plan, voices=places)
        script = self._script(request, template, voices, plan, material, seed)
        held = assign(script, wishes, Random(seed))
        seats = cast(script, candidates, Random(seed), known, ruled, less)
        seats = {seat: names for seat, names in seats.items() if seat not in held}
        search = request.search and self._may_search(template) and self._can_use_tools(voices)
        size = _chars(material, assumed)
        lookups = self._may_look_up(request, material, voices, coming=bool(assumed))
        ahead = foreseen(template, script, prove=self._is_to_prove(request))
        price = self.models.price
        tools: dict[str, Any] = {"search": search, "lookups": lookups}
        cost = estimate_price(script, seats, size, price, **tools, ahead=ahead)
        reserve = closing_reserve(script, seats, size, price)
        terms = terms_of(request, template, script, cost, reserve, self.defaults)
        self.consent.require_known(cost.unknown, terms.budget)
        terms = replace(
            terms,
            known=known,
            ruled=ruled,
            weights=weights_of(template, script, seats, past),
            stated=past.stated,
            busy=past.busy,
            gate=past.gate,
            **tools,
            provable=self.tools.allow(PROVES),
            held=held,
            patience=patience_of(request),
            **_of_voices(voices),
            assume=fork.assume if fork is not None else "",
        )
        if sized is not None:
            terms = replace(terms, sizing=sized.sizing, assessed=sized.usage)
        opened = DebateOpened(template, script, seats, material, terms, self.clock.now(), seed)
        notes = tuple(self._notes(request, opened, voices, idle, sized))
        complete = not assumed and (sized is None or not sized.postponed)
        return Prepared(request, opened, cost, notes, fork, _calls(sized), complete, assumed)

    def _is_to_prove(self, request: DebateRequest) -> bool:
        """True if findings are to be proven. Raises ``BadInput`` if the operator does not allow
        it.
        """
        prove = request.extras.get("prove", "") == "yes"
        if prove and not self.tools.allow(PROVES):
            raise BadInput(NOT_ALLOWED)
        return prove

    def _seed(self, seed: int | None) -> int:
        if seed is not None:
            return seed
        return secrets.randbits(48) if self.seed is None else self.seed

    def _voices(self, names: Sequence[str]) -> tuple[list[Model], list[Model]]:
        """Splits the models into those that speak and those that stay idle: a demonstration model
        among real ones is idle.
        """
        models = [self.models.get(name) for name in names]
        if not models:
            raise BadInput(
                "No model is there to speak. Set a provider's key or DEBATE_MODELS, or run "
                "`debate doctor`."
            )
        real = [m for m in models if not m.demo]
        if not real:
            return models, []
        return real, [m for m in models if m.demo]

    async def _learned(
        self,
        request: DebateRequest,
        template: Template,
        voices: Sequence[Model],
        material: Material,
    ) -> Learned:
        """Returns the outcomes of earlier verdicts, if seats or weights are chosen by them, and of
        earlier findings, for a review.
        """
        if self.history is None:
            return Learned()
        gate: GateTerms | None = None
        if template.findings and not any(m.demo for m in voices):
            gate = await self.history.findings.terms(request.place, template.id, material)
        if len(voices) < 2 and template.consensus is not Mode.WEIGHTED:
            return Learned(gate=gate)
        names = list(dict.fromkeys(m.name for m in voices))
        return replace(await self.history.learned(names, self.clock.now()), gate=gate)

    async def _read(
        self,
        request: DebateRequest,
        template: Template,
        voices: Sequence[Model],
        fork: Fork | None,
        *,
        around: bool,
    ) -> Material:
        openings = openings_of(request)
        plan = _plan(template, _rounds(request, template, voices), fork, openings)
        parts = _most_parts(template, plan)
        budget = self._budget(template, voices)
        if _is_demonstration(template, voices):
            parts = 1
        kind = template.material
        target = request.text or request.target
        if not target.strip():
            example = example_target(template)
            raise BadInput(
                "What is to be debated? `debate {id} {example}`", id=template.id, example=example
            )
        if not request.text:
            since = await self.history.run_before(request) if self.history is not None else None
            read = await self.library.read(
                target,
                kind=kind,
                budget=budget,
                place=request.place,
                files=request.files,
                since=since,
                parts=parts,
                around=around,
            )
            return replace(read, private=read.private or (since is not None and since.private))
        name = request.extras.get("attachment") or request.target or NAMELESS
        return await self.library.read_attachment(
            name, request.text.encode(), kind=kind, budget=budget, parts=parts
        )

    def _budget(self, template: Template, voices: Sequence[Model]) -> int:
        """Returns the most tokens of material that the models can read."""
        budget = min(_MOST_MATERIAL, *(int(m.window * _SHARE_FOR_MATERIAL) for m in voices))
        if _is_demonstration(template, voices):
            return min(budget, _DEMONSTRATED)
        return budget

    async def complete(self, prepared: Prepared) -> Material:
        """Reads the rest of the material for an opening that was prepared only for its price."""
        opened = prepared.opened
        if not prepared.assumed:
            return opened.material
        voices, _ = self._voices(self._names(prepared.request))
        budget = self._budget(opened.template, voices)
        return await self.library.complete(
            opened.material, budget=budget, place=prepared.request.place
        )

    def _may_search(self, template: Template) -> bool:
        policy = template.evidence_policy
        return self.tools.allow(SEARCHES) and policy is not Evidence.DISALLOW_EXTERNAL

    def _can_use_tools(self, voices: Sequence[Model]) -> bool:
        return any(self.models.price(m.name).tools for m in voices)

    def _may_look_up(
        self, request: DebateRequest, material: Material, voices: Sequence[Model], *, coming: bool
    ) -> bool:
        """True if there is (or with ``coming`` will be) a repository to look into, and a model that
        can use it.
        """
        can = self._can_use_tools(voices) and self.tools.allow(LOOKS_UP)
        return can and (coming or self.library.holds_repository(material, request.files))

    def _notes(
        self,
        request: DebateRequest,
        opened: DebateOpened,
        voices: Sequence[Model],
        idle: Sequence[Model],
        sized: Sized | None,
    ) -> Iterator[Note]:
        yield from material_notes(opened.template.name, opened.material)
        yield seats_note(opened)
        yield from turns_notes(opened)
        yield from model_notes(opened, voices, idle)
        if sized is not None:
            yield from size_notes(sized)
        if opened.terms.demo:
            yield demo_note()
        if opened.terms.lookups:
            yield lookups_note()
        if opened.terms.prove:
            yield proofs_note()
        if request.search:
            can = [m.name for m in voices if self.models.price(m.name).tools]
            every = len(can) == len(voices)
            yield search_note(opened.template, can, enabled=self.tools.allow(SEARCHES), every=every)
        if _needs_short_rounds(request, opened.template, voices):
            yield from pace_notes(opened.script, embedded=opened.terms.demo)
        if self.servers is not None and not (request.models or self.default_models):
            yield Note(NoteKind.CHOICE, f"models chosen: {self.servers.choice().reason}")


def _is_demonstration(template: Template, voices: Sequence[Model]) -> bool:
    """True if only the embedded model holds a review; it shows how a debate goes and has no
    judgement.
    """
    return template.findings and all(m.demo and m.window < _SMALL_WINDOW for m in voices)


def _needs_short_rounds(
    request: DebateRequest, template: Template, voices: Sequence[Model]
) -> bool:
    """True if each phase gets one round only: in a small context a second exchange would not fit
    next to the first and only repeats it.
    """
    small = min(m.window for m in voices) < _SMALL_WINDOW
    return small and request.rounds is None and template.format == "phased"


def _rounds(request: DebateRequest, template: Template, voices: Sequence[Model]) -> int | None:
    """Returns the number of rounds, or None if the template decides it."""
    if _needs_short_rounds(request, template, voices):
        return len(template.phases)
    return request.rounds


def _calls(sized: Sized | None) -> tuple[Call, ...]:
    """Returns the calls that were paid for before the debate opens."""
    return (sized.call,) if sized is not None and sized.call is not None else ()


def _chars(material: Material, assumed: int) -> Size:
    size = material_chars(material)
    return replace(size, whole=size.whole + assumed)


def _plan_asked(
    request: DebateRequest,
    template: Template,
    voices: Sequence[Model],
    fork: Fork | None,
    sized: Sized | None,
) -> Plan:
    """Returns the plan with the rounds and the order of turns that a person requested."""
    rounds = _rounds(request, template, voices)
    plan = _plan(template, rounds, fork, openings_of(request), sized)
    return plan.speaking(request.extras.get("turns", ""))


def _known(past: Mapping[str, TrackRecord], voices: Sequence[Model]) -> dict[str, TrackRecord]:
    return {model.name: past[model.name] for model in voices if model.name in past}


def _most_parts(template: Template, plan: Plan) -> int:
    """Returns into how many parts a large change may be split: more than one only where every
    critic opens on its own.
    """
    if template.format not in ("phased", CONTESTED):
        return 1
    return most_parts(FORMATS[template.format].compile(template, plan, Random(0)))


def _for_these(request: DebateRequest, template: Template, voices: Sequence[Model]) -> Template:
    """Returns the template as these models can play it.

    Small models read too little for an argument over findings, and demonstration models have
    nothing to argue, so they play its phases instead, unless a person requested the format; a
    requested order of turns means the phases too.
    """
    small = min(m.window for m in voices) < _SMALL_WINDOW
    phases = small or all(m.demo for m in voices) or "turns" in request.extras
    if template.format == CONTESTED and phases and not request.format:
        return in_format(template, "phased")
    return template


def _of_voices(voices: Sequence[Model]) -> dict[str, Any]:
    """Returns the terms that follow from the models that speak."""
    families = {m.name: m.family for m in voices if m.family != family(m.name)}
    return {"demo": any(m.demo for m in voices), "families": families}


def _plan(
    template: Template,
    rounds: int | None,
    fork: Fork | None,
    openings: int | None,
    sized: Sized | None = None,
) -> Plan:
    plan = Plan(rounds=rounds, mode=template.consensus, openings=openings)
    if fork is not None:
        plan = replace(plan, without=fork.without)
    if sized is not None:
        plan = replace(plan, form=sized.form, rounds=rounds or sized.rounds)
    return plan
