"""The desk, to which every surface brings people's requests: slash commands, mentions, buttons,
forms, reactions and replies.

A surface translates its platform's payload into these calls and shows the answer; it decides
nothing. ``bot`` implements the desk. Every call is quick (it stores and returns; only a price has
the material read first), takes a ``source`` key that is unique per platform event, and is
idempotent under it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.application.commands import PricedRequest, Request, Setup
from core.application.commands.help import COMMAND, MENTION, TYPED
from core.application.place import SHELL, platform_of

_PREFIXES = {SHELL: TYPED, "discord": MENTION}
_CLOCKS = ("slack", "discord")


@dataclass(frozen=True, slots=True)
class Caller:
    """The asker and their place. ``person`` and ``place`` are opaque to the core: "slack:T1/U1",
    "slack:T1/C1".

    ``thread`` is the platform's thread id when the call came from inside one. ``admin``,
    ``moderates`` (may manage threads, no more), ``guest`` (no full member of the workspace) and
    ``bot`` are what the platform says of the person; ``source`` is the unique id of the platform
    event (Slack trigger or event id, Discord interaction id).
    """

    person: str
    place: str
    source: str
    name: str = ""
    thread: str = ""
    admin: bool = False
    moderates: bool = False
    guest: bool = False
    bot: bool = False
    private: bool = False  # a direct message
    confirms_price: bool = False  # the surface shows this person a price and lets them agree to it
    program: bool = False  # a program that has a token asks for the person
    token: str = ""  # the id of that token
    language: str = ""  # the code of the platform's language of the person, as far as it says

    @property
    def prefix(self) -> str:
        """The beginning of a line that the caller types.

        Discord's own commands have options instead of words, so there the bot is mentioned.
        """
        return _PREFIXES.get(platform_of(self.place), COMMAND)

    @property
    def sees_own_time(self) -> bool:
        """True if the surface shows a moment by each reader's own clock."""
        return platform_of(self.place) in _CLOCKS and not self.program

    @property
    def shell(self) -> bool:
        """True if the person sits at this machine, where everything is allowed; a program that asks
        for them does not.
        """
        return platform_of(self.place) == SHELL and not self.program


@dataclass(frozen=True, slots=True)
class Button:
    """``action`` and ``value`` come back to ``Desk.press``; a ``form`` asks for a line of text
    first. ``more``: in a menu behind the buttons.
    """

    # stop | pause | resume | challenge | vote | export | rerun | fork | transcript | repost | held
    action: str
    label: str
    value: str = ""
    danger: bool = False
    form: bool = False
    confirm: str = ""
    more: bool = False


@dataclass(frozen=True, slots=True)
class ChatFile:
    name: str
    text: str


def json_file(name: str, document: object) -> ChatFile:
    """Returns a document for programs as a file."""
    return ChatFile(name, json.dumps(document, ensure_ascii=False, indent=2))


@dataclass(frozen=True, slots=True)
class DeskAnswer:
    """The answer to a person, in our Markdown with foreign text already escaped. ``private``
    answers only the caller.

    ``changes`` are requests with their present values: surfaces with forms offer each to be changed
    and sent again. ``priced`` is a request that waits for consent to its price, which the text
    names; it is carried out when it is sent again with ``yes``.
    """

    text: str
    private: bool = True
    files: tuple[ChatFile, ...] = ()
    buttons: tuple[Button, ...] = ()
    ok: bool = True
    code: int = 0  # what a shell returns: 2 for what can't be asked, 3 for what could not be done
    refused: bool = False  # it was understood, and is not allowed now
    debate: str = ""
    changes: tuple[Setup, ...] = ()
    priced: PricedRequest | None = None


@dataclass(frozen=True, slots=True)
class TemplateChoice:
    id: str
    name: str
    description: str
    ballot: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Glance:
    """One line of the home tab and of ``status``; ``title`` is already withheld if the person may
    not see it.
    """

    id: str
    title: str
    status: str
    detail: str
    place: str
    template: str = ""


@dataclass(frozen=True, slots=True)
class Home:
    running: tuple[Glance, ...]
    schedules: tuple[Glance, ...]
    recent: tuple[Glance, ...]


class Desk(Protocol):
    async def take(self, request: Request, caller: Caller) -> DeskAnswer:
        """Does what a request asks.

        A start answers at once; the debate then posts into its own thread.
        """
        ...

    async def press(self, action: str, value: str, caller: Caller, text: str = "") -> DeskAnswer:
        """Takes a press of a post's button (``Button.action``/``value``), with the text of its form
        if it has one.
        """
        ...

    async def take_reaction(
        self, place: str, message: str, caller: Caller, emoji: str, added: bool
    ) -> None:
        """Takes a reaction on any message; the desk ignores those on foreign ones.

        ``emoji`` is the bare short name (tones stripped, aliases merged).
        """
        ...

    async def take_message(
        self, caller: Caller, text: str, mentioned: bool, message: str
    ) -> DeskAnswer | None:
        """Takes a reply in a thread or a direct message; None if it is not for the bot.

        A challenge is acknowledged on the message.
        """
        ...

    async def recount(self, platform: str) -> None:
        """Reads the reactions of all live posts again, after a connection was away."""
        ...

    async def price(self, request: Request, caller: Caller) -> str:
        """Returns the price line of a debate that has not started yet, for forms."""
        ...

    async def language(self, caller: Caller) -> str:
        """Returns the language of forms for a person and of private answers to them."""
        ...

    async def home(self, caller: Caller) -> Home:
        """Returns the debates and schedules that a person may see of their workspace, for their
        home page and for suggestions.
        """
        ...

    async def card(self, id: str, caller: Caller) -> Glance | None:
        """Returns a debate to be shown in the caller's place, in its language; None if the caller
        or anybody who reads that place may not read it.
        """
        ...

    async def forget_workspace(self, workspace: str) -> None:
        """Deletes the tokens, schedules and bindings of a workspace that removed the bot."""
        ...

    def templates(self) -> Sequence[TemplateChoice]: ...

    def template_names(self) -> Sequence[str]:
        """Returns the ids of the templates, without what they say of themselves."""
        ...
