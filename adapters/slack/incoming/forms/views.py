"""The forms and the Home tab as Slack views.

Pure: a view depends only on its arguments.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from adapters.slack import places
from adapters.slack.outgoing.layout import plain_text
from adapters.slack.outgoing.markup import block, run, section
from core.application.commands import Setup, Start
from core.application.commands.kinds import Dollars, Whole, WordKind
from core.application.commands.options import CommandOption, OptionSurface, options_of, written
from core.application.desk import Glance, Home, TemplateChoice
from core.application.place import Place
from core.debate.material.plaintext import cut
from core.languages import msgid, say

Json = dict[str, Any]

START_FORM = "debate_start"
LINE_FORM = "debate_line"
SETUP_FORM = "debate_setup"
NEW = "debate.new"
TEMPLATE, TARGET, CHANNEL, OPTIONS, LINE = "template", "target", "channel", "options", "line"
REPOSITORY = "repository"
OPTION_FIELDS = [each for each in options_of(Start) if OptionSurface.FORM in each.surfaces]
"""Options with a separate field in the start form."""
SETUP_FIELDS = [each for each in options_of(Setup) if OptionSurface.CHAT in each.surfaces]
_SCHEDULE = '/debate schedule add "0 9 * * mon-fri" code_review github:OWNER/REPO'
_WHOLE = {
    "message": msgid("The message you chose is the material."),
    "thread": msgid("The thread you chose is the material."),
}
_MOST = 12  # lines of one list on the Home tab
_TEXT = 3_000  # characters of a text input


@dataclass(frozen=True, slots=True)
class Memo:
    """The start form's memory between its editions.

    ``whole`` is "", "message" or "thread": material that is fetched at the start.
    """

    channel: str = ""
    message: str = ""
    thread: str = ""
    whole: str = ""
    priced: str = ""  # digest of the request whose price is shown
    language: str = ""

    @classmethod
    def read(cls, view: Mapping[str, Any]) -> Memo:
        return cls(**json.loads(view.get("private_metadata") or "{}"))


def start_form(
    templates: Sequence[TemplateChoice],
    memo: Memo,
    *,
    chosen: str = "",
    target: str = "",
    note: str = "",
    ready: bool = False,
) -> Json:
    """Template, target, models, rounds, budget, options, and the price.

    ``ready`` offers to start, else to show the price first.
    """
    blocks = [
        *_template_blocks(templates, chosen),
        _material(memo, target),
        _where(memo),
        *(_option_input(option) for option in OPTION_FIELDS),
        _input(
            OPTIONS,
            say("More options"),
            {"type": "plain_text_input"},
            hint=say("For example --consensus judge --quiet"),
            optional=True,
        ),
    ]
    if note:
        blocks.append({"type": "section", "block_id": "note", "text": plain_text(note, 3000)})
    title, submit = say("Start a debate"), say("Start") if ready else say("Show the price")
    return _modal(START_FORM, title, submit, json.dumps(asdict(memo)), blocks)


def line_form(label: str, memo: Mapping[str, str]) -> Json:
    """Returns a form with one text, for a button that needs it."""
    field = {
        "type": "plain_text_input",
        "multiline": True,
        "max_length": _TEXT,
        "focus_on_load": True,
    }
    return _modal(
        LINE_FORM, label, say("Send"), json.dumps(dict(memo)), [_input(LINE, label, field)]
    )


def setup_form(setup: Setup, channel: str, language: str) -> Json:
    """Returns the form of a repository's present binding."""
    name: Json = {"type": "plain_text_input", "placeholder": plain_text("OWNER/REPO", 150)}
    if setup.repository:
        name["initial_value"] = setup.repository
    stands = written(setup)
    fields = [_option_input(each, stands.get(each.field, "")) for each in SETUP_FIELDS]
    title = say("Bind a repository")
    if setup.repository:
        title = say("Change a binding")
    memo = json.dumps({"forge": setup.forge, "channel": channel, "language": language})
    blocks = [_input(REPOSITORY, say("Repository"), name), *fields]
    return _modal(SETUP_FORM, title, say("Save"), memo, blocks)


def home(content: Home, team: str) -> Json:
    """Running debates, schedules with their next run, recent verdicts."""
    start = {
        "type": "button",
        "action_id": NEW,
        "text": plain_text(say("Start a debate"), 75),
        "style": "primary",
    }
    blocks: list[Json] = [{"type": "actions", "elements": [start]}]
    parts = (
        (say("Running"), content.running, say("Nothing runs at the moment.")),
        (
            say("Schedules"),
            content.schedules,
            say("No schedules yet. In a channel: {command}", command=_SCHEDULE),
        ),
        (say("Recent verdicts"), content.recent, say("No verdicts yet.")),
    )
    for title, glances, empty in parts:
        blocks.append({"type": "header", "text": plain_text(title, 150)})
        blocks += [_glance(glance, team) for glance in glances[:_MOST]] or [_context(None, empty)]
        if len(glances) > _MOST:
            more = say("and {rest} more: /debate list", rest=len(glances) - _MOST)
            blocks.append(_context(None, more))
    return {"type": "home", "blocks": blocks}


def state(view: Mapping[str, Any], name: str) -> str:
    """Returns the value entered in the block ``name``; "" if it was left empty or does
    not exist.
    """
    field = ((view.get("state") or {}).get("values") or {}).get(name, {}).get(name) or {}
    option = field.get("selected_option") or {}
    return str(
        field.get("value") or field.get("selected_conversation") or option.get("value") or ""
    )


def _modal(callback: str, title: str, submit: str, memo: str, blocks: list[Json]) -> Json:
    """Returns a form; ``memo`` comes back with it."""
    return {
        "type": "modal",
        "callback_id": callback,
        "private_metadata": memo,
        "title": plain_text(title, 24),
        "submit": plain_text(submit, 24),
        "close": plain_text(say("Cancel"), 24),
        "blocks": blocks,
    }


def _template_blocks(templates: Sequence[TemplateChoice], chosen: str) -> list[Json]:
    """Returns the choice of a template, and the description of the chosen one."""
    known = list(templates)[:100]
    current = next((each for each in known if each.id == chosen), known[0])
    select: Json = {"type": "static_select"}
    select["options"] = [_template_option(each) for each in known]
    select["initial_option"] = _template_option(current)
    return [
        _input(TEMPLATE, say("Template"), select, dispatch=True),
        _context(f"{TEMPLATE}_about_{current.id}"[:255], say(current.description or current.name)),
    ]


def _material(memo: Memo, target: str) -> Json:
    if memo.whole:
        return _context("material", say(_WHOLE[memo.whole]))
    what: Json = {"type": "plain_text_input", "multiline": True, "max_length": _TEXT}
    what["placeholder"] = plain_text(say("A pull request's link, a document, a question"), 150)
    if target:
        what["initial_value"] = target[:_TEXT]
    return _input(TARGET, say("What is to be debated"), what)


def _where(memo: Memo) -> Json:
    where: Json = {"type": "conversations_select", "default_to_current_conversation": True}
    where["filter"] = {"include": ["public", "private", "mpim", "im"], "exclude_bot_users": False}
    if memo.channel:
        where["initial_conversation"] = memo.channel
    return _input(CHANNEL, say("Where"), where)


def _glance(glance: Glance, team: str) -> Json:
    elements = [
        run(cut(glance.title or glance.id, 150), bold=True),
        run(f"\n{glance.id} · {glance.status}"),
    ]
    if glance.detail:
        elements.append(run(f" · {cut(glance.detail, 300)}"))
    where = Place.parse(glance.place)
    if where.workspace_key == places.workspace(team) and where.channel.startswith("C"):
        elements += [run(" · "), {"type": "channel", "channel_id": where.channel}]
    return block(section(*elements))


def _option_input(option: CommandOption, value: str = "") -> Json:
    """Returns the field of an option, empty if it is left as it is."""
    element: Json
    match option.kind:
        case WordKind(values):
            element = {"type": "static_select", "options": [_choice(each) for each in values]}
            if value:
                element["initial_option"] = _choice(value)
            return _input(option.field, option.title, element, hint=option.hint, optional=True)
        case Whole(least, most):
            element = {"type": "number_input", "is_decimal_allowed": False}
            element |= {"min_value": str(least), "max_value": str(most)}
        case Dollars():
            element = {"type": "number_input", "is_decimal_allowed": True, "min_value": "0"}
        case _:
            element = {"type": "plain_text_input"}
    if value:
        element["initial_value"] = value
    return _input(option.field, option.title, element, hint=option.hint, optional=True)


def _choice(value: str) -> Json:
    return {"text": plain_text(value, 75), "value": value}


def _template_option(template: TemplateChoice) -> Json:
    name = say(template.name) or template.id
    out: Json = {"text": plain_text(name, 75), "value": template.id}
    if template.description:
        out["description"] = plain_text(say(template.description), 75)
    return out


def _context(block_id: str | None, text: str) -> Json:
    out: Json = {"type": "context", "elements": [plain_text(text, 2000)]}
    if block_id:
        out["block_id"] = block_id
    return out


def _input(
    name: str,
    label: str,
    element: Json,
    *,
    hint: str = "",
    optional: bool = False,
    dispatch: bool = False,
) -> Json:
    out: Json = {
        "type": "input",
        "block_id": name,
        "label": plain_text(label, 2000),
        "element": {**element, "action_id": name},
    }
    if hint:
        out["hint"] = plain_text(hint, 2000)
    if optional:
        out["optional"] = True
    if dispatch:
        out["dispatch_action"] = True
    return out
