"""Requests that only read: lists, one debate in all its forms, ratings, help."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from core.application.commands.actions import Action
from core.application.commands.arguments import Arguments
from core.application.commands.kinds import Duration, Flag, TextKind
from core.application.commands.options import option
from core.application.commands.requests import shared
from core.application.commands.row import Group, Request, word
from core.debate.errors import BadInput
from core.languages import say

command, local = Group.LOOK.command, Group.LOOK.local

_ONE = "no further words (one debate: show ID)"
FORMS = ("md", "json", "html", "play", "sarif", "adr")
"""The forms of an exported debate."""
RECORD = "adr"
"""The form of a decision record."""


@command("status", "what is running now", "status [--json]", examples=("status",), in_thread=True)
@dataclass(frozen=True, slots=True)
class Status(Request):
    action = Action.ASK
    wants = _ONE
    json: bool = shared.as_json()
    plain: bool = shared.plain()


@command(
    "list",
    "debates, the newest first",
    "list [--json]",
    "list {options}",
    examples=("list", "list --department payments --target-date 2027-01-31"),
    more=("A target date finds what is to be decided by that day.",),
    in_thread=True,
)
@dataclass(frozen=True, slots=True)
class Listing(Request):
    """Asks for a list of debates, narrowed by options; a day means debates due by then."""

    action = Action.ASK
    wants = _ONE
    department: str = shared.department("of this department")
    priority: str = shared.priority("of this priority")
    target_date: str = shared.target_date("due by this day")
    json: bool = shared.as_json()
    plain: bool = shared.plain()


@command(
    "search",
    "find debates by their words",
    "search WORDS {options}",
    examples=("search retry payments", "search queue --decision accept --since 90d"),
    more=("All words must be there. What was debated itself is not searched.",),
    in_thread=True,
)
@dataclass(frozen=True, slots=True)
class SearchRequest(Request):
    """Asks for the debates that hold all ``words``, among those that the asker may see."""

    action = Action.ASK
    words: str = word("What was said", most=200)
    _: KW_ONLY
    template: str = option(
        TextKind("a template's name"), "of this kind", sign="NAME", of_debate=False
    )
    repository: str = option(
        TextKind("OWNER/REPO"), "about this repository", sign="OWNER/REPO", of_debate=False
    )
    decision: str = option(TextKind("an option"), "that ended so", sign="OPTION", of_debate=False)
    by: str = option(TextKind("a name"), "asked for by whose name has this", sign="NAME")
    mine: bool = option(Flag(), "asked for by you", of_debate=False)
    since: float | None = option(
        Duration(3660 * shared.DAY, stops=False), "asked for since", sign="30d", of_debate=False
    )  # seconds
    json: bool = shared.as_json()
    plain: bool = shared.plain()

    @classmethod
    def read(cls, given: Arguments) -> SearchRequest:
        if not given.words:
            raise BadInput("It needs the words to look for.")
        return given.fill(cls(given.text()))


@command(
    "show",
    "one debate: its state, or its report",
    "show ID [--json|--plain]",
    examples=("show d4k7q2xy",),
    in_thread=True,
)
@dataclass(frozen=True, slots=True)
class Show(Request):
    action = Action.SEE
    stored = "who read it"
    debate: str = shared.a_debate()
    json: bool = shared.as_json()
    plain: bool = shared.plain()


def _form(text: str) -> str:
    if text.lower() not in FORMS:
        raise BadInput("{text} is no form: {forms}.", text=repr(text[:40]), forms=say(_EVERY_FORM))
    return text.lower()


_EVERY_FORM = f"{', '.join(FORMS[:-1])} or {FORMS[-1]}"


@command(
    "export",
    "the whole debate as a file; adr is its decision record, for the repository",
    "export ID [md|json|html|play|sarif|adr] [--approve HASH]",
    examples=("export d4k7q2xy html", "export d4k7q2xy adr"),
    in_thread=True,
)
@dataclass(frozen=True, slots=True)
class Export(Request):
    action = Action.SEE
    stored = "who read it"
    debate: str = shared.a_debate()
    form: str = word("The file's form", read=_form, wants=_EVERY_FORM, values=FORMS, default="md")
    _: KW_ONLY
    approve: str = option(
        TextKind("the hash that was shown"),
        "propose the decision record that has this hash as a pull request",
        sign="HASH",
        of_debate=False,
    )

    def asks_for(self) -> Action:
        return Action.APPROVE if self.approve else self.action


@command("receipt", "the signed record of an outcome", "receipt ID", examples=("receipt d4k7q2xy",))
@dataclass(frozen=True, slots=True)
class ReceiptRequest(Request):
    action = Action.SEE
    stored = "who read it"
    debate: str = shared.a_debate()


local(
    "verify",
    "check a receipt; --message also checks that it names a webhook's verdict; --stored compares "
    "it with the events in the database",
    "verify FILE [--key PUBLIC] [--message BODY] [--stored]",
    examples=("verify receipt.json",),
)


@command(
    "replay",
    "the stored debate once more, on its stored answers: is it the same?",
    "replay ID",
    examples=("replay d4k7q2xy",),
)
@dataclass(frozen=True, slots=True)
class ReplayRequest(Request):
    action = Action.SEE
    stored = "who read it"
    debate: str = shared.a_debate()


@command(
    "leaderboard",
    "which models argued well, with how sure that is",
    "leaderboard [--json|--plain]",
    examples=("leaderboard",),
)
@dataclass(frozen=True, slots=True)
class Leaderboard(Request):
    action = Action.ASK
    json: bool = shared.as_json()
    plain: bool = shared.plain()


@command(
    "help",
    "this, or more about one command",
    "help [COMMAND]",
    examples=("help", "help schedule"),
    raw=True,
    in_thread=True,
)
@dataclass(frozen=True, slots=True)
class Help(Request):
    action = Action.ASK
    topic: str = word("A command's name", default="")

    @classmethod
    def read(cls, given: Arguments) -> Help:
        return cls(given.text())
