"""Plays the runs of a measurement, a few at once, within a budget, and reads every arm off them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from adapters.redaction import clean
from bot.debates.opening.prepare import Prepared
from bot.debates.origins import Maker, Origin
from bot.evaluation.plan import PlannedDebate
from bot.wire.parts import Parts
from core.debate.budget.pricing import Estimate, estimate_price, foreseen, total
from core.debate.errors import BadInput, CouldNotFinish, DebateError
from core.debate.events import DebateRequest
from core.debate.material import Material
from core.debate.prompting.size import material_chars
from core.debate.state import Debate
from core.evaluation import ArmResult, Case
from core.evaluation.arms import readings, script_of
from core.words.views.language.grammar import did_you_mean

_WINDOW = 60_000
"""The most tokens of material for every arm, the same as in debates."""

Tell = Callable[[PlannedDebate, int, float], None]
"""Is called with the finished run, the number of finished runs, and the USD spent so far."""


@dataclass(slots=True)
class Played:
    """The results. ``readings`` are the results of all runs played now or before. ``unpaid`` counts
    the runs that the budget did not cover, ``before`` those of earlier calls; ``spent`` is in USD,
    only of this call.
    """

    readings: list[ArmResult] = field(default_factory=list)
    unpaid: int = 0
    before: int = 0
    spent: float = 0.0


@dataclass(slots=True)
class Evaluator:
    """Plays the runs of a plan. ``links`` are the pages of cases that are read from a forge, by
    the case's id; the others are read as diffs. ``budget`` is in USD for everything that is played
    now, None for no limit.
    """

    parts: Parts
    models: Sequence[str]
    asker: str
    links: Mapping[str, str] = field(default_factory=dict)
    budget: float | None = None
    at_once: int = 3
    tell: Tell = lambda _run, _done, _spent: None
    _materials: dict[str, Material] = field(default_factory=dict)
    _reserved: float = 0.0
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)
    _freed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def missing(self, runs: Sequence[PlannedDebate]) -> list[PlannedDebate]:
        """Returns the runs that still have to be played, or played to their end. Raises
        ``BadInput`` for a played one whose defect is in no file of the change.
        """
        missing = []
        for run in runs:
            debate = await self._latest(run)
            if debate is not None:
                _require_places(run.case, debate.open.material)
            if not _is_read(run, debate):
                missing.append(run)
        return missing

    async def price(self, runs: Sequence[PlannedDebate]) -> Estimate:
        """Returns the price of these runs together."""
        each = [await self._price(run) for run in runs]
        return Estimate(
            sum(one.calls for one in each),
            sum(one.prompt_tokens for one in each),
            total([one.likely for one in each]),
            total([one.most for one in each]),
            tuple(dict.fromkeys(name for one in each for name in one.unknown)),
            sum(one.most_calls for one in each),
        )

    async def play(self, runs: Sequence[PlannedDebate]) -> Played:
        """Plays the missing runs and reads all of them. A run that fails is recorded and does not
        keep the others from their turn.
        """
        played, places = Played(), asyncio.Semaphore(self.at_once)
        done = 0

        async def one(run: PlannedDebate) -> None:
            nonlocal done
            async with places:
                debate = await self._latest(run)
                if debate is not None and _is_read(run, debate):
                    played.before += 1
                    played.readings += _readings(run, debate)
                    return
                read = await self._one(run, debate, played)
                done += 1
                played.readings += read
                self.tell(run, done, played.spent)

        async with asyncio.TaskGroup() as group:
            for run in runs:
                group.create_task(one(run))
        return played

    async def _one(
        self, run: PlannedDebate, debate: Debate | None, played: Played
    ) -> list[ArmResult]:
        """Plays a missing run, whose ``debate`` may have begun."""
        spent = 0.0
        if debate is not None and not debate.final:
            spent = debate.spent
        try:
            finished = await self._finish(run, debate, played)
        except DebateError as error:
            return _failed(run, clean(str(error)))
        if finished is None:
            played.unpaid += 1
            return _failed(run, "the budget did not pay for it")
        played.spent += finished.spent - spent
        return _readings(run, finished)

    async def _finish(
        self, run: PlannedDebate, begun: Debate | None, played: Played
    ) -> Debate | None:
        """Plays a run's debate to its end, resumed or new; returns None if the budget does not pay
        for it.
        """
        if begun is not None and not begun.final:
            return await self.parts.player.play(begun.id)
        prepared = await self._prepared(run)
        most = prepared.cost.most or 0.0
        left = await self._reserve(most, played)
        if left is not None and most > left:
            return None
        try:
            request = replace(prepared.request, budget=left)
            terms = replace(prepared.opened.terms, budget=left)
            opened = replace(prepared.opened, terms=terms)
            prepared = replace(prepared, request=request, opened=opened)
            id = await self.parts.service.open(prepared, await self._next_origin(run))
            return await self.parts.player.play(id)
        finally:
            async with self._freed:
                self._reserved -= most
                self._freed.notify_all()

    async def _reserve(self, most: float, played: Played) -> float | None:
        """Returns the USD that the budget leaves to a run (None: no limit), and reserves its price.
        It waits for other runs to return the part of their reservation that they did not spend.
        """
        async with self._freed:
            if self.budget is None:
                left = None
            else:
                budget = self.budget
                await self._freed.wait_for(
                    lambda: most <= budget - played.spent - self._reserved or not self._reserved
                )
                left = budget - played.spent - self._reserved
            if left is None or most <= left:
                self._reserved += most
            return left

    async def _price(self, run: PlannedDebate) -> Estimate:
        """Returns the price of a run, without reading the code around its change."""
        material = await self._material(run.case)
        async with self._reading:
            priced = await self.parts.service.preparer.price(
                self._request(run), material=material, template=run.template, seed=run.seed
            )
        return self._for_arm(run, priced).cost

    async def _prepared(self, run: PlannedDebate) -> Prepared:
        """Prepares the opening of a run, with its own price."""
        material = await self._material(run.case)
        async with self._reading:  # repositories are large, and wait for each other only so long
            prepared = await self.parts.service.preparer.prepare(
                self._request(run), material=material, template=run.template, seed=run.seed
            )
        return self._for_arm(run, prepared)

    def _request(self, run: PlannedDebate) -> DebateRequest:
        target = self.links.get(run.case.id) or run.case.id
        who, models = self.asker, tuple(self.models)
        return DebateRequest("code_review", target, who, who, models=models, fresh=True)

    def _for_arm(self, run: PlannedDebate, prepared: Prepared) -> Prepared:
        """Returns the opening with the script of the run's arm and its price."""
        opened = prepared.opened
        script = script_of(opened.script, run.arm)
        unsaid = {t.id for t in script.turns if t.when == "debated"}
        cost = estimate_price(
            script,
            opened.cast,
            material_chars(opened.material, prepared.read.around),
            self.parts.models.price,
            lookups=opened.terms.lookups,
            settled=unsaid,
            ahead=foreseen(opened.template, script, prove=opened.terms.prove),
        )
        kept = 0.0 if unsaid else opened.terms.reserve  # for a closing that does not take place
        opened = replace(opened, script=script, terms=replace(opened.terms, reserve=kept))
        return replace(prepared, opened=opened, cost=cost)

    async def _material(self, case: Case) -> Material | None:
        """Reads the material of a case, once for all of its arms; None if it is read from a
        forge.
        """
        if case.id in self.links:
            return None
        if case.id not in self._materials:
            windows = [self.parts.models.get(name).window for name in self.models]
            budget = min(_WINDOW, *(int(window * 0.6) for window in windows))
            try:
                read = await self.parts.library.read_attachment(
                    f"{case.id}.diff", case.diff, kind="pull_request", budget=budget
                )
            except BadInput as error:
                raise BadInput(f"{case.id}: {error}") from error
            _require_places(case, read)
            self._materials[case.id] = replace(
                read, title=clean(case.title or case.id), body=clean(case.body)
            )
        return self._materials[case.id]

    async def _latest(self, run: PlannedDebate) -> Debate | None:
        """Returns the last debate that was started for a run, or a wider one that serves as
        well.
        """
        if started := await self._started(run.name):
            return await self.parts.service.load(started[-1])
        if run.wider and (started := await self._started(run.wider)):
            wider = await self.parts.service.load(started[-1])
            if _is_read(run, wider):
                return wider
        return None

    async def _started(self, name: str) -> list[str]:
        """Returns the ids of the debates that were started for the run of that name, the oldest
        first.
        """
        started: list[str] = []
        while len(started) < _TRIES:
            origin = str(_origin(name, len(started) + 1))
            id = await self.parts.stores.debates.find_started(origin)
            if id is None:
                break
            started.append(id)
        return started

    async def _next_origin(self, run: PlannedDebate) -> Origin:
        started = await self._started(run.name)
        if len(started) == _TRIES:
            raise CouldNotFinish(f"{run.case.id} failed {_TRIES} times and is left at that.")
        return _origin(run.name, len(started) + 1)


def _require_places(case: Case, change: Material) -> None:
    """Raises ``BadInput`` for a defect that is in no file of the change: no finding could name
    it.
    """
    paths = [file.path for file in change.coverage]
    for spots in (defect.spots for defect in case.defects if defect.spots):
        if not any(spot.path in paths for spot in spots):
            near = did_you_mean(spots[0].path, paths)
            raise BadInput(f"{case.id}: the change has no file {spots[0].path[:120]!r}.{near}")


_TRIES = 9
"""The most times that a failed run is begun anew, once for each call of the command."""


def _origin(name: str, number: int) -> Origin:
    return Origin(Maker.EVALUATION, f"{name}:{number}")


def _is_read(run: PlannedDebate, debate: Debate | None) -> bool:
    return debate is not None and not any(one.failed for one in _readings(run, debate))


def _readings(run: PlannedDebate, debate: Debate) -> list[ArmResult]:
    return [one for arm in run.arms for one in readings(run.case, arm, run.repeat, debate)]


def _failed(run: PlannedDebate, why: str) -> list[ArmResult]:
    return [ArmResult(run.case.id, arm, run.repeat, failed=why) for arm in run.arms]
