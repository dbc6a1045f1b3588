"""From a request to an opening: everything that can go wrong before a debate goes wrong here, with
nothing stored.

The template is found, the material read (redacted, numbered, accounted for), the models are looked
up and their keys checked, a panel's size is chosen, the script is compiled with a fresh draw, seats
are cast and the whole is priced. What comes out is one fact, ``DebateOpened``, and the lines that
tell a person what is going to happen and why.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import ceil
from pathlib import Path
from random import Random

from adapters.ports.place import SHELL, platform_of
from adapters.templates.catalogue import find, in_format
from bot.debates.size import Sized, Sizer, size_lines
from core.budget import Estimate, closing_reserve, dollars, estimate_price
from core.casting import Candidate, cast, one_family
from core.errors import BadInput
from core.events import DebateOpened, DebateRequest, Fork, Terms
from core.formats import FORMATS, Plan
from core.log import Call
from core.material import Coverage, Material, Read
from core.ports import Clock, MaterialLibrary, Model, Models
from core.prompting import material_chars
from core.script import Duty, Script, SeatId
from core.template import Evidence, Mode, Template

SHARE_FOR_MATERIAL = 0.6
"""Of the smallest window in the cast; the rest is for the transcript, the instruction and the
answer.
"""
MOST_MATERIAL = 60_000
"""Tokens of material in any case: more context made reviewers worse, not better (arXiv 2603.26130).
"""
SMALL_WINDOW = 4000
"""Tokens below which a model is a small one, like the embedded model and local servers that do not
say how much they read.
"""
SMALL_TURN = 30.0
"""Seconds for one turn of the embedded model, measured on two cores."""
CHAT_WINDOW = 600.0
"""Seconds in which people's votes still count after the last round, where they read along in a
chat.
"""


@dataclass(frozen=True, slots=True)
class Prepared:
    """An opening that has not been stored. ``lines`` say what will happen and why; ``estimate``
    what it will cost.

    ``calls`` were made and paid for already; they are stored with the opening.
    """

    request: DebateRequest
    opened: DebateOpened
    estimate: Estimate
    lines: tuple[str, ...]
    fork: Fork | None = None
    free: bool = False
    """No call of it can cost money: a local or scripted cast."""
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Preparer:
    """``budget`` is the default limit of one debate in USD; ``searching`` says whether this house
    lets seats search the web at all.
    """

    library: MaterialLibrary
    models: Models
    clock: Clock
    templates_dir: Path | None = None
    budget: float | None = None
    default_models: Sequence[str] = ()
    searching: bool = True

    async def prepare(
        self,
        request: DebateRequest,
        *,
        fork: Fork | None = None,
        material: Material | None = None,
        left_today: float | None = None,
        ask: bool = True,
    ) -> Prepared:
        """Raises ``BadInput`` or ``CouldNotFinish`` with one line for the person. ``material`` is
        given when it was read before.

        ``ask`` allows the one short model call that a panel's size is chosen with; nothing else is
        ever asked here.
        """
        template = self.template(request)
        cast_from, idle = self._voices(request)
        template = apply_options(request, template)
        if material is None:
            material = await self._material(request, template, cast_from)
        seed = secrets.randbits(48)
        sized = None
        if template.format == "panel":
            sized = await Sizer(self.models).size(
                request, template, material, cast_from, left_today=left_today, ask=ask
            )
        brief = brief_rounds(request, template, cast_from)
        script = _script(
            request, template, seed, fork, sized.rounds if sized is not None else brief, sized
        )
        seats = cast(script, [Candidate(m.name, m.family) for m in cast_from], Random(seed))
        search = self._searches(request, template)
        size = material_chars(material)
        cost = estimate_price(script, seats, size, self.models.price, search=search)
        terms = self._terms(request, template, script, seats, material, cost, fork)
        terms = replace(terms, search=search, demo=any(m.demo for m in cast_from))
        if sized is not None:
            terms = replace(terms, sizing=sized.sizing, assessed=sized.usage)
        opened = DebateOpened(template, script, seats, material, terms, self.clock.now(), seed)
        lines = (
            *self._lines(opened, cost, cast_from, idle, sized),
            *self._search_lines(request, template),
            *brief_lines(brief, script),
        )
        calls = (sized.call,) if sized is not None and sized.call is not None else ()
        return Prepared(request, opened, cost, lines, fork, free=cost.most == 0, calls=calls)

    def template(self, request: DebateRequest) -> Template:
        template = find(request.template, self.templates_dir)
        return in_format(template, request.format) if request.format else template

    def _voices(self, request: DebateRequest) -> tuple[list[Model], list[Model]]:
        """The models that speak, and those that were named and do not: a demonstration model among
        real ones.
        """
        names = request.models or self.default_models or self.models.default()
        found = [self.models.get(name) for name in names]
        if not found:
            raise BadInput(
                "No model is there to speak. Set a provider's key or DEBATE_MODELS, or run "
                "`debate doctor`."
            )
        real = [m for m in found if not m.demo]
        return (real, [m for m in found if m.demo]) if real else (found, [])

    async def _material(
        self, request: DebateRequest, template: Template, cast_from: Sequence[Model]
    ) -> Material:
        budget = min(MOST_MATERIAL, *(int(m.window * SHARE_FOR_MATERIAL) for m in cast_from))
        kind = template.material
        target = request.text or request.target
        if not target.strip():
            raise BadInput(f"What is to be debated? `debate {template.id} {hint(template)}`")
        if not request.text:
            return await self.library.read(
                target, kind=kind, budget=budget, place=request.place, files=request.files
            )
        name = request.extras.get("attachment") or request.target or "attached text"
        return await self.library.read_attachment(
            name, request.text.encode(), kind=kind, budget=budget
        )

    def _searches(self, request: DebateRequest, template: Template) -> bool:
        return (
            request.search
            and self.searching
            and template.evidence_policy is not Evidence.DISALLOW_EXTERNAL
        )

    def _search_lines(self, request: DebateRequest, template: Template) -> list[str]:
        """What came of the wish to search the web, where it was wished."""
        if not request.search:
            return []
        if template.evidence_policy is Evidence.DISALLOW_EXTERNAL:
            return [f"no web search: {template.id} allows no evidence from outside the material"]
        if not self.searching:
            return ["no web search: it is not enabled here (DEBATE_SEARCH=1 enables it)"]
        return ["seats may search the web; what they find is kept with what they say"]

    def _terms(
        self,
        request: DebateRequest,
        template: Template,
        script: Script,
        seats: Mapping[SeatId, tuple[str, ...]],
        material: Material,
        cost: Estimate,
        fork: Fork | None,
    ) -> Terms:
        budget = request.budget if request.budget is not None else self.budget
        kept = closing_reserve(script, seats, material_chars(material), self.models.price)
        if budget is not None and kept > budget:
            short = (
                f"A budget of {dollars(budget)} does not even pay for the report ({dollars(kept)})."
            )
            raise BadInput(f"{short} Raise it or choose cheaper models.")
        shell = platform_of(request.place) == SHELL
        window = (
            request.vote_window
            if request.vote_window is not None
            else 0.0
            if shell
            else CHAT_WINDOW
        )
        return Terms(
            consensus=template.consensus.value,
            threshold=template.consensus_threshold,
            quorum=max(1, ceil(template.quorum * len(script.voters))),
            budget=budget,
            reserve=kept,
            vote_window=window,
            quiet=request.quiet,
            estimate=cost.likely,
            assume=fork.assume if fork is not None else "",
            anyway=request.extras.get("debate-anyway", "") == "yes",
        )

    def _lines(
        self,
        opened: DebateOpened,
        cost: Estimate,
        cast_from: Sequence[Model],
        idle: Sequence[Model],
        sized: Sized | None,
    ) -> list[str]:
        script, material = opened.script, opened.material
        out = [
            f"{opened.template.name}: {material.title}"
            + (f" @ {material.revision[:12]}" if material.revision else "")
        ]
        out += [*material.notes, *coverage_lines(material.coverage)]
        if material.redacted:
            out.append(f"{material.redacted} secret(s) replaced before anything was stored or sent")
        roles = [s.role.replace("_", " ") for s in script.seats if s.duty is not Duty.AUDIENCE]
        out.append(
            f"{len(roles)} seats ({', '.join(roles)}), {len(script.rounds)} rounds, "
            f"{len(script.turns)} turns"
        )
        out.append(f"models: {', '.join(m.name for m in cast_from)}")
        if idle:
            out.append(
                f"left out: {', '.join(m.name for m in idle)}: a demonstration model's word "
                "counts for nothing beside a real one's"
            )
        families = {m.name: m.family for m in cast_from}
        if one_family(script, opened.cast, families):
            out.append(
                "warning: all seats speak with one model family, which tends to agree with itself"
            )
        if sized is not None:
            out += size_lines(sized)
        unknown = f" (no known price: {', '.join(cost.unknown)})" if cost.unknown else ""
        most = f", at most {dollars(cost.most)}" if cost.most else ""
        limit = f", limit {dollars(opened.terms.budget)}" if opened.terms.budget is not None else ""
        out.append(f"price: {dollars(cost.likely)}{most}{limit}{unknown}, {cost.calls} calls")
        if opened.terms.demo:
            out.append(
                "demonstration only: nobody should rely on these models' judgement; set a "
                "provider's key for a debate you can"
            )
        return out


def brief_rounds(
    request: DebateRequest, template: Template, cast_from: Sequence[Model]
) -> int | None:
    """One round for each phase where a model reads little: a second exchange would not fit beside
    the first, and repeats it.
    """
    if (
        request.rounds is None
        and template.format == "phased"
        and min(m.window for m in cast_from) < SMALL_WINDOW
    ):
        return len(template.phases)
    return None


def brief_lines(brief: int | None, script: Script) -> list[str]:
    if brief is None:
        return []
    minutes = max(1, round(len(script.turns) * SMALL_TURN / 60))
    return [
        (
            "one round for each phase, for small models repeat themselves after that (--rounds N "
            "asks for more)"
        ),
        (
            f"it takes about {minutes} minutes on two free cores; Ctrl-C pauses, and nothing that "
            "was said is lost"
        ),
    ]


def _script(
    request: DebateRequest,
    template: Template,
    seed: int,
    fork: Fork | None,
    rounds: int | None,
    sized: Sized | None,
) -> Script:
    plan = Plan(
        rounds=request.rounds or rounds,
        mode=template.consensus,
        without=fork.without if fork is not None else Plan().without,
        form=sized.form if sized is not None else None,
    )
    return FORMATS[template.format].compile(template, plan, Random(seed))


def apply_options(request: DebateRequest, template: Template) -> Template:
    """The template under the request's overrides."""
    if request.consensus:
        template = replace(template, consensus=Mode(request.consensus))
    if request.threshold is not None:
        template = replace(template, consensus_threshold=request.threshold)
    return template


def hint(template: Template) -> str:
    """What a target of this template looks like."""
    return {"pull_request": "<PR link or FILE.diff>", "question": "<question>"}.get(
        template.material, "<link, file or text>"
    )


def coverage_lines(coverage: Sequence[Coverage]) -> list[str]:
    """What was read, and by name what was not."""
    if not coverage:
        return []
    full = sum(c.state is Read.FULL for c in coverage)
    lines = (
        [f"{full} of {len(coverage)} files read whole"] if full == len(coverage) else []
    )  # else a note of the material counts them
    lines += [
        f"  {c.path}: {c.state.value.replace('_', ' ')} ({c.reason})"
        for c in coverage
        if c.state is not Read.FULL
    ]
    return (
        lines
        if len(lines) <= 12
        else [*lines[:11], f"  ... and {len(lines) - 11} more: the report lists every file"]
    )


def today(now: datetime) -> datetime:
    """The start of the day (UTC) over which the daily budget counts."""
    return now.replace(hour=0, minute=0, second=0, microsecond=0)
