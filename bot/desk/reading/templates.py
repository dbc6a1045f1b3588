"""The desk's part for templates: it lists them, shows one, and checks a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adapters.processes.files import FileTooLarge, read_regular
from adapters.processes.unread import unread
from adapters.templates.catalogue import about, broken_files, describe, find, read_catalogue
from adapters.templates.loading import LARGEST, TemplateError, check
from adapters.templates.sources import SHIPPED, TemplateSources
from bot.desk.handlers import handles
from core.application.commands import Help, Start, Templates, usage
from core.application.commands.help import TYPED
from core.application.commands.options import options_of
from core.application.desk import Caller, DeskAnswer, TemplateChoice, json_file
from core.debate.errors import BadInput
from core.debate.formats.draft import heading
from core.debate.template import Template
from core.languages import decimal, msgid, percent, say
from core.words.views.course.drawn import course, decided_by
from core.words.views.language.grammar import plural, uncapital

if TYPE_CHECKING:  # the shell prints its help without the other parts
    from bot.desk.parts import DeskParts

_FILE = "templates.json"
BROKEN = "- broken: "
"""The beginning of a line about a template that can't be used."""


def choices(sources: TemplateSources) -> Sequence[TemplateChoice]:
    """Returns the templates that can start a debate here."""
    return [
        TemplateChoice(t.id, t.name, t.description, tuple(o.option for o in t.ballot))
        for t in read_catalogue(sources)
    ]


@handles(Help)
async def answer_help(desk: DeskParts, request: Help, caller: Caller) -> DeskAnswer:
    return DeskAnswer(help_on(request.topic, caller.prefix, desk.sources))


def help_on(topic: str, prefix: str, sources: TemplateSources) -> str:
    """Returns the help on one command or one template, or on all commands. Raises ``BadInput``
    for an unknown name.
    """
    try:
        return usage(topic, prefix=prefix)
    except BadInput as unknown:
        try:
            template = find(topic, sources)
        except TemplateError:
            raise
        except BadInput:
            raise unknown from None
    return _helped(template, describe(template, sources), prefix)


@handles(Templates)
async def answer_templates(desk: DeskParts, request: Templates, caller: Caller) -> DeskAnswer:
    return show_templates(request, caller, desk.sources)


def show_templates(
    templates: Templates, caller: Caller, sources: TemplateSources = SHIPPED
) -> DeskAnswer:
    """Shows a template. Raises ``BadInput`` for an unknown name, and for a file anywhere but in
    a shell.
    """
    if templates.check and not caller.shell:
        raise BadInput("Check a file in a shell: debate templates check FILE, in a shell.")
    if templates.check:
        return _checked(Path(templates.check), sources)
    if templates.name:
        return _named(templates.name, sources)
    known = read_catalogue(sources)
    lines = [f"- `{t.id}`: {say(t.description)}" for t in known]
    lines += [f"{BROKEN}{problem}" for problem in broken_files(sources)]
    folder = sources.folder
    if caller.shell and folder is not None and not folder.is_dir():
        wrong = say("{folder} is no folder. Correct DEBATE_TEMPLATES_DIR.", folder=folder)
        lines.append(f"{BROKEN}{wrong}")
    file = json_file(_FILE, [describe(t, sources) for t in known])
    return DeskAnswer("\n".join(lines), files=(file,))


def _named(name: str, sources: TemplateSources) -> DeskAnswer:
    """Returns the template of that name, or those that match it as search words. Raises
    ``BadInput`` if there are none.
    """
    try:
        template = find(name, sources)
    except TemplateError:
        raise  # it is there, and broken
    except BadInput:
        known = read_catalogue(sources)
        fitting = [t for t in known if about(t, name)]
        if not fitting:
            raise
        lines = (f"- `{t.id}`: {say(t.description)}" for t in fitting)
        file = json_file(_FILE, [describe(t, sources) for t in fitting])
        return DeskAnswer("\n".join(lines), files=(file,))
    description = describe(template, sources)
    return DeskAnswer(_page(template, description), files=(json_file(_FILE, description),))


def _helped(template: Template, described: Mapping[str, Any], prefix: str) -> str:
    page = _page(template, described)
    if prefix == TYPED:
        page = page.replace("**", "")
    about = _ABOUT_CODE if template.findings else _ABOUT_TEXT
    typed = "\n".join(f"  {prefix} {template.id} {rest}" for rest in about)
    often = [name for name in _OFTEN if not (template.findings and name == "threshold")]
    options = ", ".join(each.typed for each in options_of(Start) if each.field in often)
    more = say("Options: {options}", options=options)
    every = say("All of them: {command}", command=f"{prefix} help start")
    return f"{page}\n\n{say('For example:')}\n{typed}\n\n{more}\n{every}"


_OFTEN = ("rounds", "models", "budget", "threshold", "vote_window", "quiet")
"""The options that people use most."""


_ABOUT_CODE = (
    "https://github.com/OWNER/REPO/pull/7",
    "https://github.com/OWNER/REPO/pull/7 --rounds 2 --budget 0.50",
)
_ABOUT_TEXT = (
    '"Should we move the queue to PostgreSQL?"',
    "https://example.org/design.md --budget 0.50",
)


def _checked(path: Path, sources: TemplateSources) -> DeskAnswer:
    try:
        read_regular(path, LARGEST)
    except FileTooLarge:
        pass  # named below
    except OSError as error:
        raise unread(path, error, "template") from error
    result = check(path, sources.formats)
    lines = [say("error: {what}", what=error) for error in result.errors]
    lines += [say("warning: {what}", what=warning) for warning in result.warnings]
    text = "\n".join(lines) or say("{path} is a good template.", path=path)
    return DeskAnswer(text, ok=result.template is not None)


def _page(template: Template, described: Mapping[str, Any]) -> str:
    t = described
    kind = f"{_words(t['format'])}, {_words(t['domain'])}"
    head = f"**{say(t['name'])}** ({kind}): {say(t['description'])}"
    rubric = ", ".join(f"{_words(name)} {percent(weight)}" for name, weight in t["rubric"].items())
    options = ", ".join(map(_words, t["ballot"]))
    places = len(f"{t['difficulty']:g}".partition(".")[2])
    tail = [
        say("Judged by: {rubric}", rubric=rubric),
        say("Verdict: {options}; {rule}", options=options, rule=decided_by(template)),
        say("Difficulty: {value}, from 0 to 1", value=decimal(t["difficulty"], places)),
    ]
    if t["tags"]:
        tail.append(say("Tags: {tags}", tags=", ".join(t["tags"])))
    if t["follow_up_days"] is not None:
        days = t["follow_up_days"]
        tail.append(say("Asks after {days} days whether the verdict held", days=days))
    roles = say("Seats: {seats}", seats=", ".join(map(_words, t["roles"])))
    phases = (*map(_phase, t["phases"]), *filter(None, (course(template),)))
    return "\n".join((head, roles, say("How it goes:"), *phases, *tail))


def _phase(phase: Mapping[str, Any]) -> str:
    rounds = plural(phase["rounds"], "round")
    text = "; ".join(goal.rstrip(".") for goal in phase["objectives"])
    text = _LABEL.sub(r"participant \1", text)
    goals, order = "", ""
    if text:
        goals = f" {say('Objectives: {text}.', text=text)}"
    if len(phase["roles"]) > 1:
        order = say(_ORDER.get(phase["turns"], ""))
    if phase["rotate"]:
        order += say(", in later rounds from each other's roles")
    seats = ", ".join(map(_words, phase["roles"]))
    return f"- {uncapital(say(heading(phase['name'])))}: {rounds}, {seats}{order}.{goals}"


_LABEL = re.compile(r"\bP(\d+)\b")
"""How models call a hidden participant."""
_ORDER = {
    "round_robin": msgid(", one after another"),
    "ring": msgid(", each hears two neighbours"),
}


def _words(name: str) -> str:
    return say(name.replace("_", " "))
