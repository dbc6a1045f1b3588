"""The brief: what a person reads before a debate begins, as values with a kind and the sentences
for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

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
from core.words.views.language.grammar import amount, at_most, dollars, minutes, plural
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


class NoteKind(StrEnum):
    """The kinds of note, in the order in which people read them; notes of the first three kinds
    come first.
    """

    MATERIAL = "material"  # what is debated, how much of it was read, what was replaced in it
    SEATS = "seats"  # who debates, how long
    MODELS = "models"  # who speaks, and who was named and does not
    SIZE = "size"  # how large a panel is, and why
    DEMO = "demo"  # nobody should rely on these models
    SEARCH = "search"  # whether the web is searched, if a search was requested
    PACE = "pace"  # what small models can do
    CHOICE = "choice"  # why these models, if nobody named any


_BESIDES = (
    NoteKind.SIZE,
    NoteKind.DEMO,
    NoteKind.SEARCH,
    NoteKind.PACE,
    NoteKind.CHOICE,
)


@dataclass(frozen=True, slots=True)
class Note:
    kind: NoteKind
    text: str


def brief(notes: Sequence[Note], price: str) -> list[str]:
    """Returns all lines that a person reads: the material, the seats and the cost on a line each,
    then the notes.
    """
    material = [note.text for note in notes if note.kind is NoteKind.MATERIAL]
    seats = [note.text for note in notes if note.kind is NoteKind.SEATS]
    models = [note.text for note in notes if note.kind is NoteKind.MODELS]
    besides = [note.text for note in notes if note.kind in _BESIDES]
    table = " · ".join((*seats[:1], *models[:1]))
    first = [*material[:1], *filter(None, [table]), say("Price: {price}", price=price)]
    return [*first, *material[1:], *seats[1:], *models[1:], *besides]


def opening_notes(
    lineup: Lineup,
    opened: DebateOpened,
    sized: Sized | None,
    *,
    searchers: Sequence[str],
    search_enabled: bool,
    chosen_because: str,
) -> Iterator[Note]:
    """Returns all notes about an opening. ``searchers`` are the models that can search the web,
    ``chosen_because`` the reason why these models speak if nobody named any.
    """
    yield from material_notes(opened.template.name, opened.material)
    yield seats_note(opened)
    yield from turns_notes(opened)
    yield from model_notes(opened, lineup.voices, lineup.idle)
    if sized is not None:
        yield from size_notes(sized)
    if opened.terms.demo:
        yield demo_note()
    if opened.terms.lookups:
        yield lookups_note()
    if opened.terms.prove:
        yield proofs_note()
    if lineup.request.search:
        every = len(searchers) == len(lineup.voices)
        yield search_note(opened.template, searchers, enabled=search_enabled, every=every)
    if lineup.has_short_rounds:
        yield from pace_notes(opened.script, embedded=opened.terms.demo)
    if chosen_because:
        yield Note(NoteKind.CHOICE, say("models chosen: {why}", why=chosen_because))


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


def material_notes(name: str, material: Material) -> Iterator[Note]:
    """Returns the notes about the material; ``name`` is the template's."""
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
    for line in lines:
        yield Note(NoteKind.MATERIAL, line)


def seats_note(opened: DebateOpened) -> Note:
    """Notes the seats, who holds some of them, and how much each says; of a review, who speaks in
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
    return Note(NoteKind.SEATS, ", ".join(filter(None, (seats, held_line(opened), counts))))


def model_notes(
    opened: DebateOpened, voices: Sequence[Model], idle: Sequence[Model]
) -> Iterator[Note]:
    """Notes the models; ``idle`` ones were named by someone and do not speak."""
    spare = left_out(opened.cast)
    speaking = [m.name for m in voices if m.name not in spare]
    text = say_many(len(speaking), "model {names}", "models {names}", names=", ".join(speaking))
    yield Note(NoteKind.MODELS, text)
    if spare:
        text = say(
            "left out: {models}: every seat is taken; they speak only where another model fails",
            models=", ".join(spare),
        )
        yield Note(NoteKind.MODELS, text)
    if idle:
        text = say(
            "left out: {models}: a demonstration model does not count next to a real one",
            models=", ".join(m.name for m in idle),
        )
        yield Note(NoteKind.MODELS, text)
    for line in drawn_lines(opened.terms):
        yield Note(NoteKind.MODELS, line)
    families = {m.name: m.family for m in voices}
    if one_family(opened.script, opened.cast, families) and not opened.terms.demo:
        text = say(
            "warning: all seats speak with one model family, which tends to agree with itself"
        )
        yield Note(NoteKind.MODELS, text)


def turns_notes(opened: DebateOpened) -> Iterator[Note]:
    """Notes about seats that speak one after the other or from another's role, and about an early
    end of the debate.
    """
    for line in _orders(opened.script):
        yield Note(NoteKind.SEATS, line)
    if opened.terms.convergence:
        text = say(
            "the first round of which less than {share} is new is the last",
            share=percent(opened.terms.convergence),
        )
        yield Note(NoteKind.SEATS, text)


def _orders(script: Script) -> Iterator[str]:
    """Describes each phase in which seats speak one after another in a round, or from each other's
    roles: a reader of the thread should know of its order.
    """
    for phase in dict.fromkeys(at.phase for at in script.rounds if at.phase):
        mine = [t for t in script if script.rounds[t.round].phase == phase]
        together = {t.round: {o.id for o in mine if o.round == t.round} for t in mine}
        name = say_stored(heading(phase))
        if any(together[t.round] & set(t.reads) for t in mine if t.task in ("debate", "stand_in")):
            yield say("{phase}: seats speak one after another", phase=name)
        if any(t.task == "stand_in" for t in mine):
            yield say("{phase}: in later rounds seats speak from each other's roles", phase=name)


def lookups_note() -> Note:
    text = say(
        "seats whose models can look into the repository, {most} times a turn at most",
        most=LOOKUPS,
    )
    return Note(NoteKind.SEATS, text)


def proofs_note() -> Note:
    text = say(
        "at most {most} findings that block and are contested are proven by a test, each for at "
        "most {price} and in {minutes}",
        most=MOST_PROOFS,
        price=dollars(USD),
        minutes=minutes(SECONDS),
    )
    return Note(NoteKind.SEATS, text)


_PANELS = {
    PanelSize.STANDARD.value: msgid("a standard panel"),
    PanelSize.EXTENDED.value: msgid("an extended panel"),
}


def size_notes(sized: Sized) -> Iterator[Note]:
    """Notes the panel's size, the factors it follows from, the price of both sizes, and how to
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
    yield Note(NoteKind.SIZE, f"{say(_PANELS[sizing.form])}: {say_stored(sizing.why)}; {guess}")
    yield Note(NoteKind.SIZE, f"  {prices}")
    if sized.warning:
        yield Note(NoteKind.SIZE, f"  {sized.warning}")


def demo_note() -> Note:
    return Note(
        NoteKind.DEMO,
        say(
            "demonstration only: nobody should rely on these models' judgement; set a provider's "
            "key for a debate that you can rely on"
        ),
    )


def search_note(template: Template, can: Sequence[str], *, enabled: bool, every: bool) -> Note:
    """Notes whether the requested web search takes place. ``can`` are the models that can search;
    with ``every`` all of them can.
    """
    if template.evidence_policy is Evidence.DISALLOW_EXTERNAL:
        text = say(
            "no web search: {template} allows no evidence from outside the material",
            template=template.id,
        )
    elif not enabled:
        text = say("no web search: it is not enabled here (DEBATE_SEARCH=1 enables it)")
    elif not can:
        text = say("no web search: no model here is known to use tools")
    elif every:
        text = say("seats may search the web; what they find is kept with what they say")
    else:
        text = say(
            "seats whose model is {models} may search the web; what they find is kept with what "
            "they say",
            models=say(" or ").join(can),
        )
    return Note(NoteKind.SEARCH, text)


def pace_notes(script: Script, *, embedded: bool) -> Iterator[Note]:
    """Notes that small models are given one round for each phase."""
    short = say(
        "one round for each phase, for small models repeat themselves after that (--rounds N asks "
        "for more)"
    )
    yield Note(NoteKind.PACE, short)
    if not embedded:
        return
    slow = say_many(
        max(1, round(len(script.turns) * _SMALL_TURN / 60)),
        "it takes about {n} minute on two free cores; Ctrl-C pauses, and nothing is lost",
        "it takes about {n} minutes on two free cores; Ctrl-C pauses, and nothing is lost",
    )
    yield Note(NoteKind.PACE, slow)


def _coverage_lines(coverage: Sequence[Coverage]) -> list[str]:
    partly = [c for c in coverage if c.state is not Read.FULL]
    lines = [f"  {c.path}: {say(_READ[c.state])} ({say_stored(c.reason)})" for c in partly]
    if len(lines) <= _LONGEST:
        return lines
    hidden = len(lines) - (_LONGEST - 1)
    more = say("... and {count} more: the report lists every file", count=number(hidden))
    return [*lines[: _LONGEST - 1], f"  {more}"]
