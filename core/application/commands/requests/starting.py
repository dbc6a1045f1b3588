"""Requests that begin a debate: a start, a fork, a comparison, a mirror; and what can be started.

Ids are as typed (a unique prefix will do); an empty one means the debate of the thread in which the
request was made.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace

from core.application.commands.actions import TYPED, Action, RouteWork
from core.application.commands.arguments import Arguments, WrongUsage, split_options
from core.application.commands.kinds import (
    Dollars,
    Duration,
    Each,
    Flag,
    Names,
    ShareKind,
    TextKind,
    Whole,
    WordKind,
)
from core.application.commands.named import debate_id, find_template, may_be_id, place_name
from core.application.commands.options import OptionSurface, WrongOption, option, options_of
from core.application.commands.requests import shared
from core.application.commands.row import Group, Request, bounded, word
from core.application.commands.tokens import TypedLine, TypedToken, tokenize
from core.debate.errors import BadInput
from core.debate.formats import FORMATS, ROTATING, PanelSize
from core.debate.formats.complexity import Importance
from core.debate.formats.plan import LEAST_OPENINGS, MOST_OPENINGS
from core.debate.script import CONTESTED
from core.debate.template import Mode, Turns
from core.languages import LANGUAGES, msgid, say, say_error
from core.words.views.language.grammar import did_you_mean, nearest

command, local = Group.START.command, Group.START.local

TARGET = msgid("A link or a question, then any --seats or other option")
_LONGEST_ANSWER = 3600.0  # seconds
_MATERIAL = 2_000_000
"""The most characters of a file, or a thread, that is debated."""
_STAKES = (Importance.LOW, Importance.MEDIUM, Importance.HIGH, Importance.CRITICAL)
_SHOWN = 200
"""The most characters of a target that an error repeats."""
_QUESTION = 3
"""The fewest words of a question."""
_BARE = re.compile(r"[\w./:@%+=,~-]+")
"""What a shell takes as one word without quotes."""
PULL = "https://github.com/OWNER/REPO/pull/7"

local(
    "demo",
    "review a sample change that ships with it, by the models that can speak here",
    "demo",
    examples=("demo",),
    more=("Without any model, and after the embedded one, it shows a recorded review.",),
)


@command(
    "start",
    "start a debate about a link, a file or a question",
    "<template> <link or text> [options]",
    "<link, .diff, git:A...B, . or -> [options]",
    "<question of three words or more>",
    examples=(
        f"code_review {PULL}",
        f"code_review {PULL} --rounds 2 --budget 0.50",
        'panel "Should we move the queue to PostgreSQL?"',
    ),
    more=(
        "In a shell piped text is read only without a target; its first line may be the question.",
    ),
    explained=True,
)
@dataclass(frozen=True, slots=True)
class Start(Request):
    """``<template> <target> [options]``.

    A question without a template is ``panel`` on that question. ``text`` is an attachment's or a
    thread's own text as the material.
    """

    action = Action.START
    work = RouteWork.PROCESS
    stored = "a debate"
    template: str = word("What kind of debate")
    target: str = word(
        "A link or a question, then any --seats or other option; leave it out to write a long text",
        default="",
        most=TYPED,
    )
    _: KW_ONLY
    rounds: int | None = option(
        Whole(1, 9), "the most rounds, 1 to 9", sign="N", surfaces=OptionSurface.everywhere()
    )
    models: tuple[str, ...] = shared.models()
    seats: tuple[str, ...] = option(
        Names(),
        "who holds a seat: person:me, person:ACCOUNT, ROLE=token:NAME",
        sign="WHO",
        label="Seats held by people or programs",
        surfaces=OptionSurface.SHELL | OptionSurface.ROOM,
    )
    consensus: str = option(
        WordKind(tuple(Mode)), "how votes become a result", sign="MODE", letter="c"
    )
    threshold: float | None = option(
        ShareKind(), "share of all seats that decides, like 70%", sign="X", letter="t"
    )
    budget: float | None = option(
        Dollars(10_000),
        "never spend more than this",
        sign="USD",
        label="Budget in USD",
        surfaces=OptionSurface.everywhere(),
    )
    format: str = option(WordKind(tuple(FORMATS)), "how turns are taken", sign="F", letter="f")
    turns: str = option(
        WordKind((*Turns, ROTATING)),
        "who speaks when in its phases",
        sign="T",
        letter="u",
        formats=("phased",),
        scheduled=False,
    )
    convergence: float | None = option(
        ShareKind(nothing=True),
        "a round with less than this share new is the last",
        sign="X",
        letter="v",
        surfaces=OptionSurface.SHELL | OptionSurface.ROOM,
        scheduled=False,
    )
    form: str = option(
        WordKind(tuple(PanelSize)), "a panel's size", sign="F", letter="p", formats=("panel",)
    )
    importance: str = option(
        WordKind(_STAKES), "how large a panel it is worth", sign="I", letter="i", formats=("panel",)
    )
    openings: int | None = option(
        Whole(LEAST_OPENINGS, MOST_OPENINGS),
        "how many read a change on their own, 3 to 9",
        sign="N",
        surfaces=OptionSurface.SHELL | OptionSurface.ROOM,
        formats=(CONTESTED,),
    )
    debate_anyway: bool = option(Flag(), "even with nothing open", letter="a")
    prove: bool = option(
        Flag(),
        "prove what blocks and is contested by a test",
        letter="e",
        formats=(CONTESTED,),
        scheduled=False,
    )
    vote_window: float | None = option(
        Duration(7 * shared.DAY), "how long votes count", sign="10m", letter="w"
    )  # seconds
    timeout: float | None = option(
        Duration(_LONGEST_ANSWER, stops=False),
        "time limit of one answer",
        sign="3m",
        letter="o",
    )  # seconds
    search: bool = option(Flag(), "let seats search the web", letter="s")
    fresh: bool = option(Flag(), "no precedents", letter="n")
    evidence: str = option(
        TextKind("a SARIF file"),
        "a scanner's results, debated for whether they are real here",
        sign="FILE.sarif",
        most=1_000,
        surfaces=OptionSurface.SHELL,
    )
    with_remarks: bool = option(
        Flag(),
        "examine what others wrote on the pull request",
        letter="m",
        formats=(CONTESTED,),
        scheduled=False,
    )
    department: str = shared.department("label: whose question it is", letter="d")
    priority: str = shared.priority("label: how soon it matters", letter="r", scheduled=False)
    target_date: str = shared.target_date(
        "label: when it is to be decided", letter="g", scheduled=False
    )
    quiet: bool = option(Flag(), "only the verdict", letter="q")
    language: str = option(
        WordKind(tuple(LANGUAGES)),
        "the language of the debate",
        sign="CODE",
        letter="l",
        scheduled=False,
    )
    json: bool = shared.as_json()
    plain: bool = shared.plain()
    check: bool = option(
        Flag(),
        "exit with 1 unless the verdict is reached and passes",
        surfaces=OptionSurface.SHELL,
        of_debate=False,
    )
    recheck: bool = option(
        Flag(),
        "only what is new since the last review of this change here",
        surfaces=OptionSurface.SHELL,
        of_debate=False,
    )
    only_blocking: bool = option(
        Flag(),
        "exit with 1 only when the verdict blocks, is not clear or left code unread",
        surfaces=OptionSurface.SHELL,
        of_debate=False,
    )
    yes: bool = shared.yes()
    text: str = bounded(_MATERIAL)

    def on_file(self, name: str, text: str) -> Start:
        """Returns the start on the text of a file, whose name is the target if there is none."""
        return replace(self, target=self.target or name, text=text)


DEBATE_OPTIONS = tuple(
    each
    for each in options_of(Start)
    if each.of_debate and each.surfaces & (OptionSurface.CHAT | OptionSurface.ROOM)
)
"""The options of a start that concern the debate itself, as people outside a shell choose them."""


def read_start(typed: TypedLine, template: str, tokens: Sequence[TypedToken]) -> Start:
    """Reads a start of ``template`` from the words of ``tokens``. Raises ``WrongUsage``."""
    target = ""
    try:
        given = split_options(typed, tokens, options_of(Start))
        target = given.text()
        return given.fill(Start(template, target))
    except WrongOption as wrong:
        raise WrongUsage(
            "start", say_error(wrong), _line(typed, template, target), wrong.form
        ) from None
    except BadInput as wrong:
        raise WrongUsage("start", say_error(wrong)) from None


def start_on(template: str, target: str) -> Start:
    """Returns a start on ``target``; options that end the text are read as on a typed line, for a
    surface whose form lacks room for all. Raises ``WrongUsage``.
    """
    line, options = tokenize(target), options_of(Start)
    names = {each.name for each in options}
    first = next((n for n, token in enumerate(line.tokens) if token.option in names), None)
    if first is None or split_options(line, line.tokens[first:], options).words:
        return Start(template, target)  # a text that only mentions an option
    return read_start(line, template, line.tokens)


def _line(typed: TypedLine, template: str, target: str) -> str:
    if not target:
        return template * typed.attached
    short = template == "panel" and len(target.split()) < _QUESTION
    if short or len(target) > _SHOWN or not target.isprintable() or set(target) & set('"\\$`!'):
        return ""
    if _BARE.fullmatch(target):
        return f"{template} {target}"
    return f'{template} "{target}"'


@command(
    "templates",
    "what kinds of debate there are",
    "templates [NAME|WORD] [--json]",
    "templates check FILE",
    examples=("templates code_review", "templates check our-review.toml"),
    in_thread=True,
)
@dataclass(frozen=True, slots=True)
class Templates(Request):
    action = Action.ASK
    name: str = word("One template in detail", default="")
    check: str = bounded(4_000)
    json: bool = shared.as_json()
    plain: bool = shared.plain()

    @classmethod
    def read(cls, given: Arguments) -> Templates:
        if given.words and given.words[0].text.lower() == "check":
            if len(given.words) != 2:
                raise BadInput("check needs the file of one template.")
            return given.fill(cls(check=given.words[1].text))
        (name, *_) = (*given.exactly(0, 1, "at most the name of a template"), "")
        template = find_template(name, given.line.templates)
        if name and not template:
            meant = did_you_mean(name, given.line.templates, 0.8)
            if meant:
                form = f"templates {nearest(name, given.line.templates, 0.8)}"
                unknown = say("There is no template {name}.", name=repr(name[:40]))
                raise WrongUsage("templates", f"{unknown}{meant}", form)
        return given.fill(cls(template or name))  # a word to find some by, if it is no name

    def asks_for(self) -> Action:
        if self.check:
            return Action.CHECK_FILE
        return self.action


@command(
    "fork",
    "what if? the same debate again under one changed condition",
    "fork ID {options}",
    "fork ID --branch CHANGE --branch CHANGE",
    examples=(
        "fork d4k7q2xy --without security",
        'fork d4k7q2xy --at 12 --assume "the table has ten million rows"',
        'fork d4k7q2xy --branch "without security" --branch strict',
    ),
)
@dataclass(frozen=True, slots=True)
class ForkRequest(Request):
    """Asks for the same debate again under one changed condition; with ``branch``, for several of
    them.
    """

    action = Action.FORK
    stored = "a debate"
    debate: str = shared.a_debate()
    _: KW_ONLY
    at: int | None = option(Whole(1, 99_999), "how many events to keep", sign="N")
    without: str = option(TextKind("a seat"), "leave this seat out", sign="SEAT")
    assume: str = option(
        TextKind("a changed condition in words"), "take this as given", sign="TEXT", most=TYPED
    )
    models: tuple[str, ...] = shared.models()
    branch: tuple[str, ...] = option(
        Each("a branch"), "one of several branches, side by side: without SEAT, models a,b, "
        "assume TEXT or strict", sign="CHANGE", surfaces=OptionSurface.SHELL | OptionSurface.ROOM,
        of_debate=False, most=2_000,
    )  # fmt: skip
    json: bool = shared.as_json()
    plain: bool = shared.plain()
    yes: bool = shared.yes()


@command(
    "compare",
    "two debates side by side, or one question in both panel sizes",
    "compare ID ID [--json|--plain]",
    "compare QUESTION [options]",
    examples=("compare d4k7q2xy d9m3x1ab", "compare Should we rewrite the parser in Rust?"),
    inner=(Start,),
)
@dataclass(frozen=True, slots=True)
class Compare(Request):
    """``compare A B`` reads two debates; ``compare QUESTION`` runs the panel that ``start`` says in
    both forms and compares them.
    """

    action = Action.SEE
    stored = "two debates"
    first: str = word("A debate, or a question to debate both ways", default="", required=True)
    second: str = word("The other debate", default="")
    start: Start | None = None
    json: bool = shared.as_json()
    plain: bool = shared.plain()

    @classmethod
    def read(cls, given: Arguments) -> Compare:
        words = [t.text for t in given.words]
        if len(words) == 2 and all(map(may_be_id, words)):
            return given.fill(cls(words[0], words[1]).checked())
        return given.fill(cls.of_forms(given.fill(Start("panel", given.text()))))

    @classmethod
    def of_forms(cls, start: Start) -> Compare:
        """Returns the request that debates a question in both forms and compares them. Raises
        ``BadInput``.
        """
        if len(start.target.split()) < _QUESTION:
            raise BadInput("It needs the ids of two debates, or a question of three words or more.")
        return cls(start=start)

    def checked(self) -> Compare:
        if not self.second:
            return self.of_forms(Start("panel", self.first))
        return replace(self, first=debate_id(self.first), second=debate_id(self.second))

    def asks_for(self) -> Action:
        if self.start is not None:
            return Action.START
        return self.action


@command(
    "mirror",
    "the same debate in a second thread",
    "mirror ID PLACE",
    examples=("mirror d4k7q2xy slack:C0123ABC",),
)
@dataclass(frozen=True, slots=True)
class Mirror(Request):
    action = Action.MIRROR
    stored = "the place"
    debate: str = shared.a_debate()
    place: str = word(
        "#channel, discord:CHANNEL or slack:CHANNEL",
        read=place_name,
        wants="a place like slack:CHANNEL or discord:CHANNEL",
    )
