"""One neutral message to a thread, and the port through which chats deliver it.

Posting is a projection of events: nothing here decides anything. A post is made of fields, never of
platform markup; each chat lays the fields out and escapes them, so text of a model or a stranger
has no way to become a mention, a link or a button.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from adapters.text.emoji import character
from adapters.text.pieces import TextSpan
from core.application.desk import Button, ChatFile
from core.application.place import Person
from core.application.presence import Ref
from core.languages import msgid, say
from core.words.views.language.people import with_names
from core.words.views.verdict.objection import EXCHANGE

_REFERENCE = re.compile(r"[\w./-]+[#!][0-9]+", re.ASCII)
"""A change as people write it: owner/name#412."""


class Shape(StrEnum):
    """The kind of a post, which decides how a chat lays it out."""

    ROOT = "root"  # the debate's own message, edited in place as its status
    ROUND = "round"  # a whole round, in threads with a post for each round
    STATEMENT = "statement"
    FINDING = "finding"
    CHALLENGE = "challenge"
    NOTICE = "notice"  # one line: paused, a seat is gone, the verdict changed
    VERDICT = "verdict"


PAGE_LINK = msgid("The whole debate in the browser")
"""The label of the link to ``facts["page"]``."""


@dataclass(frozen=True, slots=True)
class ReactionOption:
    """One emoji of a vote's legend, in order.

    ``emoji`` is a Slack-style short name; ``option`` is what a reaction with it means.
    """

    emoji: str
    option: str
    label: str = ""


class TaskState(StrEnum):
    """The states of a seat's part in a round."""

    WAITING = "waiting"
    THINKING = "thinking"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Task:
    """A seat's part in a round: its number there, and its name as readers know it. The seat's id
    would reveal the seat in a blind debate.
    """

    number: int
    name: str
    state: TaskState


@dataclass(frozen=True, slots=True)
class Plan:
    """The seats of the round that runs, for chats that can show who is thinking. ``at`` orders the
    plans of a debate by their events; ``asker`` is the person who asked for the debate.
    """

    at: int
    round: int
    title: str
    asker: str
    tasks: tuple[Task, ...]

    @property
    def over(self) -> bool:
        """True if every seat has answered or failed."""
        return all(task.state in (TaskState.DONE, TaskState.FAILED) for task in self.tasks)


@dataclass(frozen=True, slots=True)
class Post:
    """``key`` is unique for ever: (debate, position, part). It is read from top to bottom: ``who``
    or ``title`` (a link if there is a ``url``), the ``subtitle``, ``quote``, ``body`` (untrusted
    Markdown), ``lines`` of typed text, ``fields`` (label -> untrusted short text), a ``patch`` in
    untrusted lines of code, the ``small`` print.

    ``edits`` is the key of an earlier post that this one replaces in place (the root). ``subject``
    is what reactions on it vote on: "" the verdict, a finding's id, or None if reactions mean
    nothing. ``fallback`` is one plain sentence for notifications and screen readers. ``broadcast``
    shows the post in the channel too. ``facts["person"]`` is whom the title names by their id
    (``with_name``), ``facts["people"]`` are more of them and of those who hold a seat, with spaces
    between, ``facts["page"]``
    the address of the debate's page in the room (``with_page``), ``facts["exchange"]`` the key of
    the post that it links to (``with_exchange``), ``facts["language"]`` the language of its words
    unless it is English. ``face`` is the emoji of the seat ``who``, if only one speaks. ``to`` is
    the only person who sees its ``body``, "" for the whole thread; ``direct``: in their direct
    messages, because they may not be there now. ``plan`` is the round that runs when the post is
    made, None while no seat has a turn.
    """

    key: str
    debate: str
    shape: Shape
    title: str = ""
    body: str = ""
    who: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    quote: str = ""
    buttons: tuple[Button, ...] = ()
    reaction_options: tuple[ReactionOption, ...] = ()
    subject: str | None = None
    files: tuple[ChatFile, ...] = ()
    edits: str = ""
    broadcast: bool = False
    fallback: str = ""
    poll: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    subtitle: tuple[TextSpan, ...] = ()
    lines: tuple[tuple[TextSpan, ...], ...] = ()
    small: str = ""
    to: str = ""
    direct: bool = False
    face: str = ""
    patch: str = ""
    plan: Plan | None = None


def title_spans(post: Post) -> tuple[TextSpan, ...]:
    """Returns the title, linked to ``url``. In ``o/r#412 What it does`` only the reference is
    linked: a stranger wrote the rest, and the text of a link should name its target.
    """
    title = " ".join(post.title.split())
    if not post.url:
        return (TextSpan(title, bold=True),)
    reference, space, rest = title.partition(" ")
    if not _REFERENCE.fullmatch(reference):
        return (TextSpan(title, bold=True), TextSpan(" "), TextSpan("(open)", url=post.url))
    return (TextSpan(reference, bold=True, url=post.url), TextSpan(space + rest, bold=True))


def signature(post: Post) -> str:
    """Returns the speaker's name and picture as text, for messages that are signed in it."""
    return " ".join(filter(None, (character(post.face), post.who)))


def with_signature(post: Post) -> Post:
    """Returns ``post`` with its speaker signed in the text, for a chat that shows no name and
    picture next to it.
    """
    prefix = f"{post.who}: "
    return replace(post, who="", face="", fallback=post.fallback.removeprefix(prefix))


def people_of(post: Post) -> list[str]:
    """Returns the people whom the post calls by their platform's ids."""
    people = (post.facts.get("person", ""), *post.facts.get("people", "").split())
    return list(dict.fromkeys(people))


def with_name(post: Post, person: str, name: str, *, title: bool = True) -> Post:
    """Returns ``post`` with the display name of a person, whom it calls by their platform's id:
    in its files and fields, as the holder of a seat and, unless a chat mentions people by itself,
    in its ``title`` and fallback.
    """
    id = Person.parse(person).account
    if not id or not name:
        return post

    def put(text: str) -> str:
        return re.sub(rf"(?<!\w){re.escape(id)}(?!\w)", lambda _: name, text, count=1)

    def put_in(line: tuple[TextSpan, ...]) -> tuple[TextSpan, ...]:
        return tuple(replace(span, text=put(span.text)) if span.bold else span for span in line)

    post = replace(
        post,
        who=put(post.who),
        fields=tuple((label, put(text)) for label, text in post.fields),
        lines=tuple(map(put_in, post.lines)),
        small=put(post.small),
        files=tuple(replace(f, text=with_names(f.text, {person: name})) for f in post.files),
    )
    if post.plan is not None:
        tasks = tuple(replace(task, name=put(task.name)) for task in post.plan.tasks)
        post = replace(post, plan=replace(post.plan, tasks=tasks))
    if not title:
        return post
    return replace(post, title=put(post.title), fallback=put(post.fallback))


def with_exchange(post: Post, url: str) -> Post:
    """Returns ``post`` with a link to the message in ``facts["exchange"]``, with which an objection
    and its answers begin; ``url`` is "" if the message has no address.
    """
    if not url:
        return post
    return replace(post, lines=(*post.lines, (TextSpan(say(EXCHANGE), url=url),)))


def with_page(post: Post, public_url: str) -> Post:
    """Returns ``post`` with the address of the debate's page, if it is a debate's root or verdict
    and people reach a room; ``public_url`` is "" if none do.
    """
    if not public_url or post.shape not in (Shape.ROOT, Shape.VERDICT):
        return post
    return replace(post, facts={**post.facts, "page": f"{public_url}/d/{post.debate}"})


@dataclass(frozen=True, slots=True)
class Reaction:
    """All people (never bots) who hold one emoji on one message now.

    ``names`` are theirs, in the same order, if the chat knows them.
    """

    emoji: str
    people: tuple[str, ...]
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, emoji: str, people: Mapping[str, str]) -> Reaction:
        """Makes a reaction from ``people``, who are persons with their names."""
        return cls(emoji, tuple(people), tuple(people.values()))


PartialDelivery = Callable[[str, Sequence[str]], Awaitable[None]]
"""Called with the thread and the ids of the parts sent so far, while the rest of a post is still on
its way: people can answer these already.
"""


class Chat(Protocol):
    """One platform. Every method raises only ``DeliveryError`` and never retries.

    Places are strings: ``slack:TEAM/CHANNEL``, ``discord:GUILD/CHANNEL``, ``shell:USER``.
    ``thread`` is None for a root. A post that must be split is sent in parts; ``done`` names the
    parts that are known to be there already, so that a resumed delivery continues after them.
    """

    platform: str

    async def send(
        self,
        place: str,
        thread: str | None,
        post: Post,
        done: Sequence[str] = (),
        on_partial: PartialDelivery | None = None,
    ) -> Ref:
        """Posts the parts after ``done`` and attaches the files.

        ``on_partial`` is called with the parts sent so far before more is sent.
        """
        ...

    async def edit(self, ref: Ref, post: Post) -> Ref: ...

    async def add_reactions(self, ref: Ref, post: Post, done: Sequence[str] = ()) -> None:
        """Puts the reaction options of ``post`` on its message, in order.

        Repeating is harmless; a failure's ``done`` are the emoji that are there.
        """
        ...

    async def find(
        self, place: str, thread: str | None, post: Post, since: datetime
    ) -> Sequence[str]:
        """Returns ids of the parts of ``post`` that are there already (looked up by key or nonce);
        raises ``DeliveryError`` when it can't be known.
        """
        ...

    async def remove(self, place: str, message: str) -> None:
        """Deletes one of our messages, and removes the name of the thread that it opened; a message
        that is gone counts as deleted.
        """
        ...

    async def remove_files(self, place: str, thread: str, debate: str) -> None:
        """Deletes the files of a debate that are no messages by themselves."""
        ...

    async def read_reactions(self, place: str, message: str) -> Sequence[Reaction]: ...

    async def send_private(self, place: str, person: str, text: str) -> None:
        """Sends a private line to one person: errors, refusals, receipts."""
        ...

    async def send_direct(self, person: str, text: str) -> None:
        """Sends a line to a person's direct messages, to be read later."""
        ...

    async def acknowledge(self, place: str, message: str, emoji: str) -> None:
        """Marks a person's message as taken (a challenge)."""
        ...
