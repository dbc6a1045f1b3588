"""Prepares the opening of a request, with nothing stored: everything that can go wrong before a
debate goes wrong here.

The template is looked up, the material is read (redacted, numbered, its coverage counted), the
models are looked up and their keys checked, a panel's size is chosen, the script is compiled with a
fresh random draw, seats are cast and the whole is priced. The result is one event,
``DebateOpened``, its price, and the brief that a person reads before it begins.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Protocol

from adapters.models.pace import ModelPace
from adapters.templates.catalogue import find, in_format
from bot.debates.opening.brief import Brief, brief_of, price_words
from bot.debates.opening.effect import require_effect
from bot.debates.opening.history import History, Learned, weights_of
from bot.debates.opening.holders import FindToken, assign, held_seats
from bot.debates.opening.lineup import SMALL_WINDOW, Lineup
from bot.debates.opening.money import require_known, require_money
from bot.debates.opening.pace import pace_line
from bot.debates.opening.reading import read_for_price, read_whole
from bot.debates.opening.request import apply_options
from bot.debates.opening.size import Reserve, Sized, choose_size, estimate
from bot.debates.opening.terms import (
    LOOKS_UP,
    NOT_ALLOWED,
    PROVES,
    SEARCHES,
    allowed_tools,
    debate_language,
    terms_of,
)
from bot.posting.private import FindLanguage
from bot.settings import Settings
from core.debate.budget.pricing import Estimate, closing_reserve, estimate_price, foreseen
from core.debate.casting import ModelCandidate, cast, count_voices
from core.debate.earned import GateTerms, TrackRecord
from core.debate.errors import BadInput, DebateError
from core.debate.events import DebateOpened, DebateRequest
from core.debate.formats import PanelSize
from core.debate.formats.changes import DEMONSTRATED, in_parts, shortened
from core.debate.log import Call
from core.debate.material import Material
from core.debate.material.library import MaterialLibrary, ReadForPrice
from core.debate.ports import Clock, Model, Models
from core.debate.prompting.size import material_chars
from core.debate.script import CONTESTED, Script
from core.debate.template import Evidence, Mode, Template
from core.debate.verdict.families import family
from core.debate.verdict.learned.discounts import discounts
from core.debate.verdict.learned.ratings import counts
from storage.database.lock import RunnerLock


class ModelServers(Protocol):
    """Asks servers; ``adapters.models.Vendors`` is the real one."""

    def choice(self) -> tuple[tuple[str, ...], str]:
        """Returns the models that speak if nobody named any, and the reason."""
        ...

    async def learn(self, names: Sequence[str]) -> None:
        """Asks for the context and the prices of these models. Never raises."""
        ...

    async def check(self, names: Sequence[str]) -> None:
        """Raises ``ModelError`` for a refused key, or if none of the models can be reached."""
        ...

    async def measure(self, names: Sequence[str]) -> Mapping[str, ModelPace]:
        """Measures the speed of those models that run on the operator's own machine."""
        ...


@dataclass(frozen=True, slots=True)
class Prepared:
    """An opening that is not stored yet, its price, and the brief to read before it begins.

    ``calls`` were made and paid for already; they are stored with the opening.
    """

    request: DebateRequest
    opened: DebateOpened
    cost: Estimate
    brief: Brief
    read: ReadForPrice
    calls: tuple[Call, ...] = ()

    async def material(self) -> Material:
        """Returns the whole material; the code around a change is read now."""
        if self.read.rest is None:
            return self.opened.material
        return await self.read.rest()

    @property
    def free(self) -> bool:
        """True if no call of the debate can cost money: its cast is local or scripted."""
        return self.cost.most == 0

    @property
    def price(self) -> str:
        """The price in words."""
        return price_words(self.cost, self.opened.terms.budget)

    @property
    def lines(self) -> list[str]:
        """All lines that a person reads before the debate begins."""
        return self.brief.lines(self.price)


class OpeningRefused(DebateError):
    """A debate could not be opened after calls were paid for; ``calls`` are charged all the
    same.
    """

    def __init__(self, error: DebateError, calls: tuple[Call, ...]) -> None:
        super().__init__(error.text, **error.fields)
        self.exit_code = error.exit_code
        self.calls = calls


@dataclass(frozen=True, slots=True)
class Preparer:
    """Prepares openings.

    ``servers`` know the context and prices of models that no table has; ``history`` is what earlier
    debates left. ``seed`` fixes every random draw; with None each debate has its own.
    ``find_token`` finds the programs that can hold a seat, ``find_language`` the language of a
    place. If another process holds the ``lock``, that process plays the debate, and its settings
    say what seats may do.
    """

    library: MaterialLibrary
    models: Models
    clock: Clock
    settings: Settings
    servers: ModelServers
    history: History | None = None
    seed: int | None = None
    find_token: FindToken | None = None
    find_language: FindLanguage | None = None
    lock: RunnerLock | None = None

    async def prepare(
        self,
        request: DebateRequest,
        *,
        material: Material | None = None,
        template: Template | None = None,
        seed: int | None = None,
        left_today: float | None = None,
        reserve: Reserve | None = None,
    ) -> Prepared:
        """Prepares the opening of a request. Raises ``BadInput`` or ``CouldNotFinish``.

        ``material`` is given if it was read before, ``template`` to replace the template that the
        request names, ``seed`` to repeat a draw. A panel's size may cost one short model call,
        which ``reserve`` records first; free calls time a model on this machine.
        """
        await self.servers.learn(self.names(request))
        lineup = await self._lineup(request, template)
        if material is None:
            material = await read_whole(lineup, self.library, self.history)
        models = self.models
        guess = await estimate(lineup, material, models, left_today, reserve)
        calls = guess.calls
        try:
            sized = await choose_size(lineup, material, models, self.settings, left_today, guess)
            prepared = await self._build(lineup, ReadForPrice(material), sized, seed)
            require_money(prepared.opened, models.price, left_today)
            return await self._with_pace(replace(prepared, calls=calls))
        except DebateError as error:
            if calls:
                raise OpeningRefused(error, calls) from error
            raise

    async def price(
        self,
        request: DebateRequest,
        *,
        material: Material | None = None,
        template: Template | None = None,
        seed: int | None = None,
        left_today: float | None = None,
    ) -> Prepared:
        """Prices a request as ``prepare`` does, without a call of a model and before the code
        around a change is read.
        """
        await self.servers.learn(self.names(request))
        lineup = await self._lineup(request, template)
        if material is None:
            read = await read_for_price(lineup, self.library, self.history)
        else:
            read = ReadForPrice(material)
        sized = await choose_size(lineup, read.material, self.models, self.settings, left_today)
        prepared = await self._build(lineup, read, sized, seed)
        require_money(prepared.opened, self.models.price, left_today, around=read.around)
        return prepared

    async def check_options(self, request: DebateRequest) -> None:
        """Raises ``BadInput`` as ``prepare``, without asking any server, and for a script that
        cannot be played.
        """
        lineup = await self._lineup(request)
        script = self.settings.templates.format(lineup.template.format).compile(
            lineup.template, lineup.plan(), Random(0)
        )
        assign(script, lineup.wishes, Random(0))

    async def check(self, request: DebateRequest) -> None:
        """Asks the providers of a request's models, for nothing that costs. Raises ``BadInput``,
        and ``ModelError`` for a refused key or if none of them can be reached.
        """
        voices, _ = self._voices(self.names(request))
        await self.servers.check([voice.name for voice in voices])

    async def _build(
        self, lineup: Lineup, read: ReadForPrice, sized: Sized | None, seed: int | None
    ) -> Prepared:
        """Builds the opening: compiles the script, casts the seats, and prices them, with the code
        around a change that is still to be read. Raises ``BadInput``.
        """
        request, template, voices = lineup.request, lineup.template, lineup.voices
        material = read.material
        if seed is None:
            seed = secrets.randbits(48) if self.seed is None else self.seed
        past = await self._learned(lineup, material)
        known = _records_of(counts(past.records, template.domain), voices)
        ruled = _records_of(counts(past.records, template.domain, ruled=True), voices)
        less = discounts(past.stated, past.busy, [m.name for m in voices])
        candidates = [ModelCandidate(m.name, m.family) for m in voices]
        plan = lineup.plan()
        if sized is not None:
            plan = lineup.plan(PanelSize(sized.sizing.form), sized.rounds)
        if request.models:
            places = count_voices(candidates, Random(seed), known, ruled, less)
            plan = replace(plan, voices=places)
        templates = self.settings.templates
        script = templates.format(template.format).compile(template, plan, Random(seed))
        script = _script_for(script, lineup, material)
        held = assign(script, lineup.wishes, Random(seed))
        seats = cast(script, candidates, Random(seed), known, ruled, less)
        seats = {seat: names for seat, names in seats.items() if seat not in held}
        search, lookups = self._tools_of(lineup, read)
        size = material_chars(material, read.around)
        ahead = foreseen(template, script, prove=self._is_to_prove(request))
        prices = self.models.price
        cost = estimate_price(
            script, seats, size, prices, search=search, lookups=lookups, ahead=ahead
        )
        reserve = closing_reserve(script, seats, size, prices)
        terms = terms_of(request, template, script, cost, reserve, self.settings)
        require_known(self.settings, cost.unknown, terms.budget)
        terms = replace(
            terms,
            known=known,
            ruled=ruled,
            weights=weights_of(template, script, seats, past),
            stated=past.stated,
            busy=past.busy,
            gate=past.gate,
            search=search,
            lookups=lookups,
            provable=self._allows(PROVES),
            held=held,
            demo=any(m.demo for m in voices),
            families={m.name: m.family for m in voices if m.family != family(m.name)},
            language=await debate_language(request, material, self.find_language),
        )
        if sized is not None:
            terms = replace(terms, sizing=sized.sizing, assessed=sized.usage)
        opened = DebateOpened(template, script, seats, material, terms, self.clock.now(), seed)
        return Prepared(request, opened, cost, self._brief(lineup, opened, sized), read)

    def _tools_of(self, lineup: Lineup, read: ReadForPrice) -> tuple[bool, bool]:
        """Returns whether seats may search the web, and whether they may look into the repository,
        if there is one or it is still to be read.
        """
        request = lineup.request
        able = bool(self._searchers(lineup))
        closed = lineup.template.evidence_policy is Evidence.DISALLOW_EXTERNAL
        coming = read.rest is not None
        there = coming or self.library.holds_repository(read.material, request.files)
        search = request.search and able and self._allows(SEARCHES) and not closed
        return search, able and there and self._allows(LOOKS_UP)

    def _searchers(self, lineup: Lineup) -> list[str]:
        return [m.name for m in lineup.voices if self.models.price(m.name).tools]

    def _brief(self, lineup: Lineup, opened: DebateOpened, sized: Sized | None) -> Brief:
        request, because = lineup.request, ""
        if not (request.models or self.settings.models):
            _, because = self.servers.choice()
        return brief_of(
            lineup,
            opened,
            sized,
            searchers=self._searchers(lineup),
            search_enabled=self._allows(SEARCHES),
            chosen_because=because,
        )

    async def _lineup(self, request: DebateRequest, template: Template | None = None) -> Lineup:
        """Raises ``BadInput`` for an unknown template, model or format, for an option that would
        change nothing and for a seat that nobody can hold.
        """
        voices, idle = self._voices(self.names(request))
        template = template or find(request.template, self.settings.templates)
        if request.format:
            template = in_format(template, request.format)
        template = _template_for(request, apply_options(request, template), voices)
        require_effect(request, template)
        wishes = await held_seats(request, self.find_token)
        return Lineup(request, template, voices, idle, wishes)

    def names(self, request: DebateRequest) -> Sequence[str]:
        """Returns the models that a request names, or those that speak if it names none."""
        return request.models or self.settings.models or self.models.default()

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

    async def _with_pace(self, prepared: Prepared) -> Prepared:
        """Adds how long the debate takes on the operator's own machine. Raises ``BadInput`` if a
        model is too slow.
        """
        opened = prepared.opened
        paces = await self.servers.measure(self.names(prepared.request))
        ahead = foreseen(opened.template, opened.script, prove=opened.terms.prove)
        if not (paces and (line := pace_line(opened, paces, ahead))):
            return prepared
        others = (*prepared.brief.others, f"{line}; Ctrl-C pauses, and nothing is lost")
        # in the material's notes for readers who are not at a terminal
        material = replace(opened.material, notes=(*opened.material.notes, line))
        opened = replace(opened, material=material)
        return replace(prepared, opened=opened, brief=replace(prepared.brief, others=others))

    async def _learned(self, lineup: Lineup, material: Material) -> Learned:
        """Returns the outcomes of earlier verdicts, if seats or weights are chosen by them, and of
        earlier findings, for a review.
        """
        template, voices = lineup.template, lineup.voices
        if self.history is None:
            return Learned()
        gate: GateTerms | None = None
        if template.findings and not any(m.demo for m in voices):
            gate = await self.history.findings.terms(lineup.request.place, template.id, material)
        if len(voices) < 2 and template.consensus is not Mode.WEIGHTED:
            return Learned(gate=gate)
        names = list(dict.fromkeys(m.name for m in voices))
        return replace(await self.history.learned(names, self.clock.now()), gate=gate)

    def _is_to_prove(self, request: DebateRequest) -> bool:
        """True if findings are to be proven. Raises ``BadInput`` if the operator does not allow
        it.
        """
        prove = request.extras.get("prove", "") == "yes"
        if prove and not self._allows(PROVES):
            raise BadInput(NOT_ALLOWED)
        return prove

    def _allows(self, tool: str) -> bool:
        """True if the process that will play the debate allows a tool."""
        if self.lock is not None and (there := self.lock.allowed()) is not None:
            return tool in there
        return tool in allowed_tools(self.settings)


def _script_for(script: Script, lineup: Lineup, material: Material) -> Script:
    """Returns the script for this material: a large change is read in parts, and a demonstration is
    shorter.
    """
    if material.parts:
        script = in_parts(script, len(material.parts))
    if lineup.has_short_rounds and lineup.is_demonstration:
        script = shortened(script, DEMONSTRATED)
    return script


def _records_of(past: Mapping[str, TrackRecord], voices: Sequence[Model]) -> dict[str, TrackRecord]:
    return {model.name: past[model.name] for model in voices if model.name in past}


def _template_for(request: DebateRequest, template: Template, voices: Sequence[Model]) -> Template:
    """Returns the template as these models can play it.

    Small models read too little for an argument over findings, and demonstration models have
    nothing to argue, so they play its phases instead, unless a person requested the format; a
    requested order of turns means the phases too.
    """
    small = min(m.window for m in voices) < SMALL_WINDOW
    phases = small or all(m.demo for m in voices) or "turns" in request.extras
    if template.format == CONTESTED and phases and not request.format:
        return in_format(template, "phased")
    return template
