"""The operations of the interface, one row each: its address, its scope, its input and its output.
The routes are made from these rows, and so is the document that describes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adapters.routes import RouteField
from core.application.commands.actions import SHORT, TYPED
from core.application.commands.kinds import (
    Dollars,
    Each,
    Flag,
    Kind,
    Names,
    ShareKind,
    Whole,
    WordKind,
)
from core.application.commands.requests.reading import FORMS
from core.application.commands.requests.starting import DEBATE_OPTIONS
from core.debate.status import DebateStatus

BASE = "/api/v1"
LARGEST = 1_000_000
"""Most bytes of a body that starts a debate."""
_SMALL = 100_000
"""Most bytes of a body about an existing debate."""
_MOST_KEY = 100
JSON = "application/json"

Schema = Mapping[str, Any]
_TEXT: Schema = {"type": "string"}
_DAY: Schema = {"type": "string", "format": "date"}
_MOMENT: Schema = {"type": "string", "format": "date-time"}
_CURSOR: Schema = {"type": ["string", "null"], "description": "`null` after the last page."}
_DONE: Schema = {
    "type": "object",
    "required": ["id", "text"],
    "properties": {"id": _TEXT, "text": {"type": "string", "description": "What was done."}},
}


def _of(**members: Schema) -> Schema:
    return {"type": "object", "required": list(members), "properties": members}


def _list_of(item: Schema) -> Schema:
    return {"type": "array", "items": item}


_TURN = _of(
    debate=_TEXT,
    turn=_TEXT,
    seat=_TEXT,
    role=_TEXT,
    task=_TEXT,
    until={**_MOMENT, "description": "When the seat counts as silent."},
    messages={
        "type": "array",
        "description": "What a model in this seat would read.",
        "items": _of(role=_TEXT, text=_TEXT),
    },
    schema={"type": "object", "description": "The JSON Schema of `reply`."},
)
_LINE = _of(
    id=_TEXT,
    title=_TEXT,
    template=_TEXT,
    status=_TEXT,
    decision={"type": "string", "description": "An option of the ballot; `none` while under way."},
    reached={"type": "boolean", "description": "Whether it decides anything; a what-if does not."},
    asker=_TEXT,
    repository=_TEXT,
    excerpt={"type": "string", "description": "The text around the words of `q`."},
    created_at=_MOMENT,
    cost_usd={"type": ["number", "null"]},
)
_SCHEDULE = _of(
    id=_TEXT,
    cron=_TEXT,
    tz=_TEXT,
    template=_TEXT,
    target=_TEXT,
    filters={"type": "object"},
    place=_TEXT,
    owner=_TEXT,
    enabled={"type": "boolean"},
    next_at={"type": ["string", "null"], "format": "date-time"},
    outcome=_TEXT,
)
_WAITED = _of(
    id=_TEXT,
    status=_TEXT,
    final={"type": "boolean", "description": "Whether nothing more is to come."},
    after={"type": "integer", "description": "The number to wait after next time."},
    events={
        "type": "array",
        "items": _of(
            number={"type": "integer"},
            kind=_TEXT,
            lines={
                "type": "array",
                "description": "The lines that people see about it; empty for most events.",
                "items": _of(
                    text=_TEXT,
                    quoted={"type": "string", "description": "What a model or a person said."},
                ),
            },
        ),
    },
)


@dataclass(frozen=True, slots=True)
class ApiField:
    """One member of a JSON body, or one field behind the question mark."""

    name: str
    help: str
    schema: Schema
    required: bool = False

    @property
    def field(self) -> RouteField:
        usual = _SMALL if self.schema.get("type") == "object" else SHORT
        return RouteField(self.name, self.schema.get("maxLength", usual))


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation. ``name`` is its method in ``adapters.api.calls``; ``says`` describes its body.
    A ``keyed`` one counts an ``Idempotency-Key``. ``other`` are its answers that are not JSON, by
    media type.
    """

    name: str
    method: str
    path: str
    scope: str
    does: str
    answers: Schema
    asks: tuple[ApiField, ...] = ()
    says: tuple[ApiField, ...] = ()
    status: int = 200
    body: int = 0
    keyed: bool = False
    stored: str = ""
    other: tuple[str, ...] = ()

    @property
    def address(self) -> str:
        return BASE + self.path


def _text(name: str, help: str, most: int = SHORT, *, required: bool = False) -> ApiField:
    return ApiField(name, help, {"type": "string", "maxLength": most}, required)


def _schema_of(kind: Kind) -> Schema:
    """Returns the JSON Schema of an option: its own JSON type if it has one, else a string as it is
    typed on a line.
    """
    match kind:
        case Flag():
            return {"type": "boolean"}
        case Whole(least, most):
            return {"type": "integer", "minimum": least, "maximum": most}
        case Dollars(most):
            return {"type": "number", "exclusiveMinimum": 0, "maximum": most}
        case ShareKind(nothing):
            return {"type": "number", "minimum" if nothing else "exclusiveMinimum": 0, "maximum": 1}
        case WordKind(values):
            return {"type": "string", "enum": list(values)}
        case Names() | Each():
            return {"type": "string", "maxLength": 1_000, "description": kind.wants}
        case _:
            like = f", like {kind.like}" if kind.like else ""
            return {"type": "string", "maxLength": SHORT, "description": f"{kind.wants}{like}"}


YES = ApiField("yes", "agree to the price, also to one that nobody knows", {"type": "boolean"})
_START = (
    _text("template", "which kind of debate, like `code_review` or `panel`", required=True),
    _text("target", "the question, or the link of what is debated", TYPED),
    _text("text", "the material itself, in place of a link", LARGEST),
    *(
        ApiField(each.field, each.help, _schema_of(each.kind), each.field == "budget")
        for each in DEBATE_OPTIONS
    ),
    YES,
)
_FINDING = _text("finding", "the finding that is meant, by its id in the outcome document")
_BEFORE = _text("before", "`next` of the page before")
PAGE = 50
"""Items of one page."""
WAIT = 40
"""The longest time in seconds that a long poll is kept open."""
_LIMIT = ApiField(
    "limit",
    "items of one page",
    {"type": "integer", "minimum": 1, "maximum": PAGE, "default": PAGE},
)

OPERATIONS = (
    Operation(
        "list_debates",
        *("GET", "/debates", "read"),
        "The debates that the token's person may see, the newest first; narrowed by what is "
        "asked for.",
        _of(debates=_list_of(_LINE), next=_CURSOR),
        (
            _text("q", "words of its text: it must contain all of them", 200),
            ApiField("status", "in this state", {"type": "string", "enum": list(DebateStatus)}),
            _text("template", "of this kind"),
            _text("repository", "about this repository: `OWNER/REPO`"),
            _text("decision", "that ended so: an option of the ballot"),
            _text("person", "asked for by whose name has this"),
            ApiField(
                "mine", "asked for by the token's person", {"type": "string", "enum": ["yes"]}
            ),
            ApiField("since", "asked for on or after this day (UTC)", _DAY),
            ApiField("until", "asked for on or before this day (UTC)", _DAY),
            _BEFORE,
            _LIMIT,
        ),
    ),
    Operation(
        "start_debate",
        *("POST", "/debates", "start"),
        "Starts a debate, within the token's budget.",
        _DONE,
        says=_START,
        status=201,
        body=LARGEST,
        keyed=True,
        stored="a debate",
    ),
    Operation(
        "get_debate",
        *("GET", "/debates/{id}", "read"),
        "The outcome document, at any moment of the debate.",
        {"$ref": "#/components/schemas/Outcome"},
    ),
    Operation(
        "wait_debate",
        *("GET", "/debates/{id}/wait", "read"),
        "What happened after an event's number: as soon as there is any, nothing is to come, or "
        "the seconds are over.",
        _WAITED,
        (
            ApiField("after", "an event's number", {"type": "integer", "minimum": 0, "default": 0}),
            ApiField(
                "seconds",
                "how long to wait at most",
                {"type": "integer", "minimum": 0, "maximum": WAIT, "default": WAIT},
            ),
        ),
    ),
    Operation(
        "challenge_debate",
        *("POST", "/debates/{id}/challenges", "act"),
        "Objects to a statement or to the verdict; the seats that are meant owe an answer, and "
        "after the verdict they decide again.",
        _DONE,
        says=(_text("text", "the objection", TYPED, required=True), _FINDING, YES),
        body=_SMALL,
        keyed=True,
        stored="the objection",
    ),
    Operation(
        "vote_debate",
        *("POST", "/debates/{id}/votes", "act"),
        "Votes as the token's person, whose last vote counts. A service does not vote.",
        _DONE,
        says=(_text("option", "an option of the ballot", required=True), _FINDING),
        body=_SMALL,
        keyed=True,
        stored="the vote",
    ),
    Operation(
        "list_turns",
        *("GET", "/turns", "read"),
        "The turns of running debates for which this token's seats are waited for: it holds one "
        "by `seats` (`token:NAME`) of the debate's start.",
        _of(turns=_list_of(_TURN)),
    ),
    Operation(
        "answer_turn",
        *("POST", "/debates/{id}/turns", "act"),
        "Speaks for a seat that the token holds: a `reply` in the turn's schema, or a `text` in "
        "plain words. One that cannot be read is refused with the reason, and may be sent again.",
        _DONE,
        says=(
            _text("turn", "which turn; without it the first that is due"),
            ApiField("reply", "the reply, as the turn's schema asks for it", {"type": "object"}),
            _text("text", "the statement in words", TYPED),
        ),
        body=_SMALL,
        keyed=True,
        stored="the statement",
    ),
    Operation(
        "stop_debate",
        *("POST", "/debates/{id}/stop", "act"),
        "Stops a debate that the token's person started; the report still comes.",
        _DONE,
        body=_SMALL,
        keyed=True,
        stored="who did it",
    ),
    Operation(
        "export_debate",
        *("GET", "/debates/{id}/export", "read"),
        "The whole debate: as Markdown, outcome document, page, page that plays, or SARIF.",
        {"$ref": "#/components/schemas/Outcome"},
        (ApiField("form", "which", {"type": "string", "enum": list(FORMS), "default": "md"}),),
        other=("text/markdown", "text/html", "application/sarif+json"),
    ),
    Operation(
        "get_receipt",
        *("GET", "/debates/{id}/receipt", "read"),
        "The signed receipt of what came out, which `debate verify` checks.",
        {"type": "object"},
    ),
    Operation(
        "list_templates",
        *("GET", "/templates", "read"),
        "Every kind of debate that can be started here.",
        _of(templates=_list_of({"type": "object"})),
    ),
    Operation(
        "get_template",
        *("GET", "/templates/{name}", "read"),
        "One kind of debate: its roles, phases, rubric and ballot.",
        {"type": "object"},
    ),
    Operation(
        "list_schedules",
        *("GET", "/schedules", "read"),
        "Recurring debates that the token's person may see, the next to fire first.",
        _of(schedules=_list_of(_SCHEDULE), next=_CURSOR),
        (_text("after", "`next` of the page before"), _LIMIT),
    ),
    Operation(
        "get_leaderboard",
        *("GET", "/leaderboard", "read"),
        "How models, seats and kinds of debate fared where people said later what became of it.",
        {"type": "object"},
    ),
)
KEY = ApiField(
    "Idempotency-Key",
    "the same request under the same key is done once",
    {"type": "string", "maxLength": _MOST_KEY},
)
