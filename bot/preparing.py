"""From a request to an opening: everything that can go wrong before a debate goes wrong here, with nothing stored and no model asked.

The template is found, the material read (redacted, numbered, accounted for), the models are looked up and their keys checked, the script is
compiled with a fresh draw, seats are cast and the whole is priced. What comes out is one fact, ``DebateOpened``, and the lines that tell a
person what is going to happen and why.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import ceil
from pathlib import Path
from random import Random

from core.budget import Estimate, dollars, estimate, reserve
from core.casting import Candidate, cast, one_family
from core.complexity import Choice, assess, choose
from core.errors import BadInput
from core.events import DebateOpened, Fork, Request, Terms
from core.formats import FORMATS, Form, Plan
from core.material import Coverage, Material, Read
from core.ports import Clock, Library, Model, Models
from core.script import Duty, Script, SeatId
from core.shelf import find, in_format
from core.template import Mode, Template

SHARE_FOR_MATERIAL = 0.6
"""Of the smallest window in the cast; the rest is for the transcript, the instruction and the answer."""
MOST_MATERIAL = 60_000
"""Tokens of material in any case: more context made reviewers worse, not better (arXiv 2603.26130)."""
CHAT_WINDOW = 600.0
"""Seconds in which people's votes still count after the last round, where they read along in a chat."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """An opening that has not been stored. ``lines`` say what will happen and why; ``estimate`` what it will cost."""

    request: Request
    opened: DebateOpened
    estimate: Estimate
    lines: tuple[str, ...]
    fork: Fork | None = None
    free: bool = False
    """No call of it can cost money: a local or scripted cast."""


@dataclass(frozen=True, slots=True)
class Preparer:
    """``budget`` is the default limit of one debate in USD, ``why`` says how the default models were chosen."""

    library: Library
    models: Models
    clock: Clock
    templates_dir: Path | None = None
    budget: float | None = None
    default_models: Sequence[str] = ()

    async def prepare(
        self, request: Request, *, fork: Fork | None = None, material: Material | None = None, left_today: float | None = None
    ) -> Prepared:
        """Raises ``BadInput`` or ``CouldNotFinish`` with one line for the person. ``material`` is given when it was read before."""
        template = self.template(request)
        cast_from = [self.models.get(name) for name in self._names(request)]
        if not cast_from:
            raise BadInput("No model is there to speak. Set a provider's key or DEBATE_MODELS, or run `debate doctor`.")
        template = check_options(request, template)
        if material is None:
            material = await self._material(request, template, cast_from)
        seed = secrets.randbits(48)
        script, choice = self._script(request, template, material, seed, fork, cast_from, left_today)
        seats = cast(script, [Candidate(m.name, m.family) for m in cast_from], Random(seed))
        cost = estimate(script, seats, len(material.text), self.models.price)
        terms = self._terms(request, template, script, seats, material, cost, cast_from, fork)
        opened = DebateOpened(template, script, seats, material, terms, self.clock.now(), seed)
        lines = tuple(self._lines(opened, cost, cast_from, choice))
        return Prepared(request, opened, cost, lines, fork, free=cost.most == 0)

    def template(self, request: Request) -> Template:
        template = find(request.template, self.templates_dir)
        return in_format(template, request.format) if request.format else template

    def _names(self, request: Request) -> Sequence[str]:
        return request.models or self.default_models or self.models.default()

    async def _material(self, request: Request, template: Template, cast_from: Sequence[Model]) -> Material:
        budget = min(MOST_MATERIAL, *(int(m.window * SHARE_FOR_MATERIAL) for m in cast_from))
        kind = template.material
        target = request.text or request.target
        if not target.strip():
            raise BadInput(f"What is to be debated? `debate {template.id} {hint(template)}`")
        material = await self.library.read(target, kind=kind, budget=budget, place=request.place)
        if request.text and request.target:
            material = replace(material, title=request.target, source=material.source or request.target)
        return material

    def _script(
        self,
        request: Request,
        template: Template,
        material: Material,
        seed: int,
        fork: Fork | None,
        cast_from: Sequence[Model],
        left_today: float | None,
    ) -> tuple[Script, Choice | None]:
        form, choice = self._form(request, template, material, cast_from, left_today)
        plan = Plan(
            rounds=request.rounds or (choice.rounds if choice is not None else None),
            mode=template.consensus,
            without=fork.without if fork is not None else Plan().without,
            form=form,
        )
        return FORMATS[template.format].compile(template, plan, Random(seed)), choice

    def _form(
        self, request: Request, template: Template, material: Material, cast_from: Sequence[Model], left_today: float | None
    ) -> tuple[Form | None, Choice | None]:
        """The size of a panel: as asked for, else as the complexity of the question, its importance and the day's budget say."""
        if template.format != "panel":
            return None, None
        if wanted := request.extras.get("form"):
            if wanted not in list(Form):
                raise BadInput(f"A panel is {' or '.join(Form)}, not {wanted}.")
            return Form(wanted), None
        prices = {form: self._panel_price(template, form, material, cast_from) for form in Form}
        complexity = assess(f"{material.title}\n{material.text}", request.extras, None)
        importance = request.extras.get("importance", "")
        choice = choose(complexity, importance, left_today, prices[Form.EXTENDED], prices[Form.STANDARD])
        return choice.form, choice

    def _panel_price(self, template: Template, form: Form, material: Material, cast_from: Sequence[Model]) -> float | None:
        script = FORMATS["panel"].compile(template, Plan(form=form), Random(0))
        seats = cast(script, [Candidate(m.name, m.family) for m in cast_from], Random(0))
        return estimate(script, seats, len(material.text), self.models.price).most

    def _terms(
        self,
        request: Request,
        template: Template,
        script: Script,
        seats: Mapping[SeatId, tuple[str, ...]],
        material: Material,
        cost: Estimate,
        cast_from: Sequence[Model],
        fork: Fork | None,
    ) -> Terms:
        budget = request.budget if request.budget is not None else self.budget
        kept = reserve(script, seats, len(material.text), self.models.price)
        if budget is not None and kept > budget:
            short = f"A budget of {dollars(budget)} does not even pay for the report ({dollars(kept)})."
            raise BadInput(f"{short} Raise it or choose cheaper models.")
        shell = request.place.startswith("shell:")
        window = request.vote_window if request.vote_window is not None else 0.0 if shell else CHAT_WINDOW
        return Terms(
            consensus=template.consensus.value,
            threshold=template.consensus_threshold,
            quorum=max(1, ceil(template.quorum * len(script.voters))),
            budget=budget,
            reserve=kept,
            vote_window=window,
            quiet=request.quiet,
            search=request.search,
            demo=any(m.demo for m in cast_from),
            estimate=cost.likely,
            assume=fork.assume if fork is not None else "",
        )

    def _lines(self, opened: DebateOpened, cost: Estimate, cast_from: Sequence[Model], choice: Choice | None) -> list[str]:
        script, material = opened.script, opened.material
        out = [f"{opened.template.name}: {material.title}" + (f" @ {material.revision[:12]}" if material.revision else "")]
        out += [*material.notes, *coverage_lines(material.coverage)]
        if material.redacted:
            out.append(f"{material.redacted} secret(s) replaced before anything was stored or sent")
        roles = [s.role.replace("_", " ") for s in script.seats if s.duty is not Duty.AUDIENCE]
        out.append(f"{len(roles)} seats ({', '.join(roles)}), {len(script.rounds)} rounds, {len(script.turns)} turns")
        out.append(f"models: {', '.join(m.name for m in cast_from)}")
        families = {m.name: m.family for m in cast_from}
        if one_family(script, opened.cast, families):
            out.append("warning: all seats speak with one model family, which tends to agree with itself")
        if choice is not None:
            out.append(f"panel: {choice.form}, {choice.why}")
        unknown = f" (no known price: {', '.join(cost.unknown)})" if cost.unknown else ""
        most = f", at most {dollars(cost.most)}" if cost.most else ""
        limit = f", limit {dollars(opened.terms.budget)}" if opened.terms.budget is not None else ""
        out.append(f"price: {dollars(cost.likely)}{most}{limit}{unknown}, {cost.calls} calls")
        if opened.terms.demo:
            out.append("demonstration only: an embedded model speaks; set a provider's key for a debate you can rely on")
        return out


def check_options(request: Request, template: Template) -> Template:
    """The template under the request's overrides. Raises ``BadInput`` for one that cannot be."""
    if request.consensus:
        if request.consensus not in list(Mode):
            raise BadInput(f"--consensus is one of {', '.join(Mode)}, not {request.consensus}.")
        template = replace(template, consensus=Mode(request.consensus))
    if request.threshold is not None:
        if not 0 < request.threshold <= 1:
            raise BadInput(f"--threshold is a share above 0 and up to 1, not {request.threshold}.")
        template = replace(template, consensus_threshold=request.threshold)
    if request.rounds is not None and not 1 <= request.rounds <= 9:
        raise BadInput(f"--rounds is from 1 to 9, not {request.rounds}.")
    if request.budget is not None and request.budget <= 0:
        raise BadInput(f"--budget is an amount of USD above 0, not {request.budget}.")
    return template


def hint(template: Template) -> str:
    """What a target of this template looks like."""
    return {"pull_request": "<PR link or FILE.diff>", "question": "<question>"}.get(template.material, "<link, file or text>")


def coverage_lines(coverage: Sequence[Coverage]) -> list[str]:
    """What was read, and by name what was not."""
    if not coverage:
        return []
    full = sum(c.state is Read.FULL for c in coverage)
    lines = [f"{full} of {len(coverage)} files read whole"]
    lines += [f"  {c.path}: {c.state.value.replace('_', ' ')} ({c.reason})" for c in coverage if c.state is not Read.FULL]
    return lines if len(lines) <= 12 else [*lines[:11], f"  ... and {len(lines) - 11} more: the report lists every file"]


def today(now: datetime) -> datetime:
    """The start of the day (UTC) over which the daily budget counts."""
    return now.replace(hour=0, minute=0, second=0, microsecond=0)
