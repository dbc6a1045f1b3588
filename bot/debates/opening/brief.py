"""The brief: the lines that a person reads before a debate begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.debates.opening.lineup import Lineup
from bot.debates.opening.size import Sized
from core.debate.budget.pricing import Estimate
from core.debate.casting import left_out, one_family
from core.debate.events import DebateOpened
from core.debate.formats import PanelSize
from core.debate.formats.draft import heading
from core.debate.lookups import LOOKUPS
from core.debate.material import Coverage, Material, Read
from core.debate.ports import Model
from core.debate.proof import MOST_PROOFS, SECONDS, USD
from core.debate.script import CONTESTED, Duty, Script
from core.debate.template import Evidence, Template
from core.debate.verdict.findings.contested import MOST_ARGUING
from core.languages import decimal, msgid, number, percent, say, say_many
from core.languages.stored import say_stored
from core.words.views.course.drawn import drawn_lines
from core.words.views.language.grammar import amount, at_most, dollars, length_of_time, plural
from core.words.views.language.people import held_line
from core.words.views.language.seats import role_words
from core.words.views.verdict.coverage import files_read

_SMALL_TURN = 20.0
"""Seconds for one turn of the embedded model on two cores, as ``tools.bench.demonstration``
measures them.
"""
_READ = {Read.PARTIAL: msgid("partial"), Read.LEFT_OUT: msgid("left out")}
_LONGEST = 12
"""The most lines about how much of the material was read."""


@dataclass(frozen=True, slots=True)
class Brief:
    """The lines of a brief: about the material, the seats and the models, with the most important
    one first, and others.
    """

    material: tuple[str, ...]
    seats: tuple[str, ...]
    models: tuple[str, ...]
    others: tuple[str, ...]

    def lines(self, price: str) -> list[str]:
        """Returns all lines that a person reads: the material, the seats and the cost on a line
        each, then the rest.
        """
        table = " · ".join((*self.seats[:1], *self.models[:1]))
        first = [*self.material[:1], *filter(None, [table]), say("Price: {price}", price=price)]
        return [*first, *self.material[1:], *self.seats[1:], *self.models[1:], *self.others]


def brief_of(
    lineup: Lineup,
    opened: DebateOpened,
    sized: Sized | None,
    *,
    searchers: Sequence[str],
    search_enabled: bool,
    chosen_because: str,
) -> Brief:
    """Returns the brief of an opening. ``searchers`` are the models that can search the web,
    ``chosen_because`` the reason why these models speak if nobody named any.
    """
    seats = [_seats_line(opened), *_turns_lines(opened)]
    if opened.terms.lookups:
        seats.append(_lookups_line())
    if opened.terms.prove:
        seats.append(_proofs_line())
    others: list[str] = []
    if sized is not None:
        others += _size_lines(sized)
    if opened.terms.demo:
        others.append(_demo_line())
    if lineup.request.search:
        every = len(searchers) == len(lineup.voices)
        others.append(_search_line(opened.template, searchers, enabled=search_enabled, every=every))
    if lineup.has_short_rounds:
        others += _pace_lines(opened.script, embedded=opened.terms.demo)
    if chosen_because:
        others.append(say("models chosen: {why}", why=chosen_because))
    return Brief(
        tuple(material_lines(opened.template.name, opened.material)),
        tuple(seats),
        tuple(model_lines(opened, lineup.voices, lineup.idle)),
        tuple(others),
    )


def price_words(cost: Estimate, limit: float | None) -> str:
    """Puts a price into words; ``limit`` is the most that the debate may cost, in USD."""
    unknown = ""
    if cost.unknown:
        unknown = f" ({say('no known price: {models}', models=', '.join(cost.unknown))})"
    most = ""
    if cost.most:
        most = f", {say('at most {usd}', usd=dollars(cost.most))}"
    allowed = ""
    if limit is not None:
        allowed = f", {say('limit {usd}', usd=amount(limit))}"
    calls = plural(cost.calls, "call")
    if cost.most_calls > cost.calls:
        calls = say("about {calls}, at most {most}", calls=calls, most=cost.most_calls)
    return f"{dollars(cost.likely)}{most}{allowed}{unknown}, {calls}"


def material_lines(name: str, material: Material) -> list[str]:
    """Returns the lines about the material; ``name`` is the template's."""
    read = ""
    if material.coverage and all(c.state is Read.FULL for c in material.coverage):
        read = f", {files_read(material.coverage)}"
    lines = [f"{say(name)}: {material.title}{read}", *map(say_stored, material.notes)]
    lines += _coverage_lines(material.coverage)
    if material.redacted:
        lines.append(
            say_many(
                material.redacted,
                "{n} secret was taken out before anything was stored or sent",
                "{n} secrets were taken out before anything was stored or sent",
            )
        )
    return lines


def _seats_line(opened: DebateOpened) -> str:
    """Names the seats, who holds some of them, and how much each says; of a review, who speaks in
    any case and who only if the openings contest something.
    """
    script = opened.script
    roles = [role_words(s.role) for s in script.seats if s.duty is not Duty.AUDIENCE]
    counts = f"{plural(len(script.rounds), 'round')}, {plural(len(script.turns), 'turn')}"
    if script.format == CONTESTED:
        opening = sum(t.independent and t.task == "open" for t in script)
        counts = say(
            "{openings}; only if they contest something, the author and at most {most} of them "
            "argue over it",
            openings=plural(opening, "opening"),
            most=MOST_ARGUING,
        )
    seats = f"{plural(len(roles), 'seat')} ({', '.join(roles)})"
    return ", ".join(filter(None, (seats, held_line(opened), counts)))


def model_lines(
    opened: DebateOpened, voices: Sequence[Model], idle: Sequence[Model]
) -> Iterator[str]:
    """Names the models; ``idle`` ones were named by someone and do not speak."""
    spare = left_out(opened.cast)
    speaking = [m.name for m in voices if m.name not in spare]
    yield say_many(len(speaking), "model {names}", "models {names}", names=", ".join(speaking))
    if spare:
        yield say(
            "left out: {models}: every seat is taken; they speak only where another model fails",
            models=", ".join(spare),
        )
    if idle:
        yield say(
            "left out: {models}: a demonstration model does not count next to a real one",
            models=", ".join(m.name for m in idle),
        )
    yield from drawn_lines(opened.terms)
    families = {m.name: m.family for m in voices}
    if one_family(opened.script, opened.cast, families) and not opened.terms.demo:
        yield say(
            "warning: all seats speak with one model family, which tends to agree with itself"
        )


def _turns_lines(opened: DebateOpened) -> Iterator[str]:
    """Describes each phase in which seats speak one after another in a round, or from each other's
    roles, since a reader of the thread should know of its order; and an early end of the debate.
    """
    script = opened.script
    for phase in dict.fromkeys(at.phase for at in script.rounds if at.phase):
        mine = [t for t in script if script.rounds[t.round].phase == phase]
        together = {t.round: {o.id for o in mine if o.round == t.round} for t in mine}
        name = say_stored(heading(phase))
        if any(together[t.round] & set(t.reads) for t in mine if t.task in ("debate", "stand_in")):
            yield say("{phase}: seats speak one after another", phase=name)
        if any(t.task == "stand_in" for t in mine):
            yield say("{phase}: in later rounds seats speak from each other's roles", phase=name)
    if opened.terms.convergence:
        yield say(
            "the first round of which less than {share} is new is the last",
            share=percent(opened.terms.convergence),
        )


def _lookups_line() -> str:
    return say(
        "seats whose models can look into the repository, {most} times a turn at most",
        most=LOOKUPS,
    )


def _proofs_line() -> str:
    return say(
        "at most {most} findings that block and are contested are proven by a test, each for at "
        "most {price} and in {minutes}",
        most=MOST_PROOFS,
        price=dollars(USD),
        minutes=length_of_time(SECONDS),
    )


_PANELS = {
    PanelSize.STANDARD.value: msgid("a standard panel"),
    PanelSize.EXTENDED.value: msgid("an extended panel"),
}


def _size_lines(sized: Sized) -> Iterator[str]:
    """Describes the panel's size, the factors it follows from, the price of both sizes, and how to
    overrule it.
    """
    sizing = sized.sizing
    guess = say("no estimate ({reason})", reason=say_stored(sizing.why_not))
    if sizing.estimate is not None:
        guess = say(
            "{model} estimates {figure}",
            model=sizing.estimated_by,
            figure=decimal(sizing.estimate),
        )
    other = next(form for form in PanelSize if form != sizing.form)
    prices = say(
        "standard {standard}, extended {extended}; the other size: --form {other}",
        standard=at_most(sizing.standard),
        extended=at_most(sizing.extended),
        other=other,
    )
    yield f"{say(_PANELS[sizing.form])}: {say_stored(sizing.why)}; {guess}"
    yield f"  {prices}"
    if sized.warning:
        yield f"  {sized.warning}"


def _demo_line() -> str:
    return say(
        "demonstration only: nobody should rely on these models' judgement; set a provider's "
        "key for a debate that you can rely on"
    )


def _search_line(template: Template, can: Sequence[str], *, enabled: bool, every: bool) -> str:
    """Explains whether the requested web search takes place. ``can`` are the models that can
    search; with ``every`` all of them can.
    """
    if template.evidence_policy is Evidence.DISALLOW_EXTERNAL:
        return say(
            "no web search: {template} allows no evidence from outside the material",
            template=template.id,
        )
    if not enabled:
        return say("no web search: it is not enabled here (DEBATE_SEARCH=1 enables it)")
    if not can:
        return say("no web search: no model here is known to use tools")
    if every:
        return say("seats may search the web; what they find is kept with what they say")
    return say(
        "seats whose model is {models} may search the web; what they find is kept with what "
        "they say",
        models=say(" or ").join(can),
    )


def _pace_lines(script: Script, *, embedded: bool) -> Iterator[str]:
    """Explains that small models are given one round for each phase."""
    yield say(
        "one round for each phase, for small models repeat themselves after that (--rounds N asks "
        "for more)"
    )
    if not embedded:
        return
    yield say_many(
        max(1, round(len(script.turns) * _SMALL_TURN / 60)),
        "it takes about {n} minute on two free cores; Ctrl-C pauses, and nothing is lost",
        "it takes about {n} minutes on two free cores; Ctrl-C pauses, and nothing is lost",
    )


def _coverage_lines(coverage: Sequence[Coverage]) -> list[str]:
    partly = [c for c in coverage if c.state is not Read.FULL]
    lines = [f"  {c.path}: {say(_READ[c.state])} ({say_stored(c.reason)})" for c in partly]
    if len(lines) <= _LONGEST:
        return lines
    hidden = len(lines) - (_LONGEST - 1)
    more = say("... and {count} more: the report lists every file", count=number(hidden))
    return [*lines[: _LONGEST - 1], f"  {more}"]
