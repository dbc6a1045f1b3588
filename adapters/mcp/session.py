"""The callers of the tools, and the debates of one caller as the tools need them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from adapters.material.ranges import branch_title
from core.application.commands import Challenge, Control, Start
from core.application.commands.named import change_url
from core.application.debates import Debates
from core.application.desk import Caller, DeskAnswer
from core.application.listing import Filter, Hit
from core.debate.errors import BadInput, Refused
from core.debate.events import Event
from core.debate.state import Debate

_CHANGE = re.compile(r"https://\S+?/(?:pull|merge_requests)/\d+")
_LOOKED_AT = 100
"""The newest debates among which those about a target are searched."""
_LOOK = 1.0
"""Seconds between two checks that a debate of this process is still played."""
_AGREE = "Ask your person; if they agree to it, call it again with --yes before the text."


@dataclass(frozen=True, slots=True)
class Offer:
    """The price of a debate: ``price`` in words, ``asks`` whether a person must agree first, and
    ``known`` whether a budget can be kept. ``earlier`` is the debate on the same change that was
    started within the hour, "" for none.
    """

    template: str
    price: str
    asks: bool = False
    known: bool = True
    earlier: str = ""


@dataclass(frozen=True, slots=True)
class Begun:
    """A debate that was started now, or (``before``) within the hour. ``estimate`` is USD, None if
    it is unknown.
    """

    debate: str
    status: str
    estimate: float | None
    before: bool = False


class Host(Protocol):
    """Starts and plays debates for one caller: a bot within a token's budget, or the process of a
    shell. Only tools repeat a call that was cut off, so only they need it. Every call raises
    ``DebateError`` with the next step.
    """

    async def offer(self, wanted: Start, *, again: bool) -> Offer:
        """Reads the material as it is now and prices it. With ``again`` the person answers to an
        earlier price, which differs with every draw of seats.
        """
        ...

    async def start(self, wanted: Start) -> Begun:
        """Starts it, with the person's consent to its price, unless the same was started within the
        hour.
        """
        ...

    async def take(self, request: Challenge | Control) -> DeskAnswer:
        """Passes a request to the desk; returns once it is applied if this process plays the
        debate.
        """
        ...

    async def play_on(self, debate: Debate) -> None:
        """Plays a debate that these tools started and whose process has ended."""
        ...

    def require_playing(self, id: str) -> None:
        """Raises ``CouldNotFinish`` if this process played the debate and ended with an error."""
        ...


@dataclass(frozen=True, slots=True)
class CallerDebates:
    """``public_url`` is the address of the bot's pages, "" if people reach none; ``folder`` is None
    if no files are read.
    """

    debates: Debates
    host: Host
    caller: Caller
    public_url: str = ""
    folder: Path | None = None

    async def find(self, id: str) -> Debate:
        """Returns the debate. Raises ``Refused``, and ``BadInput`` with the next tool to call."""
        try:
            debate = await self.debates.find(id, self.caller)
        except Refused:
            raise
        except BadInput:
            raise BadInput(
                f"There is no debate {id[:40]!r} here: list_debates shows those there are."
            ) from None
        await self.host.play_on(debate)
        return debate

    async def events(self, id: str) -> Sequence[Event]:
        return await self.debates.events(id)

    async def follow(self, id: str, after: int, seconds: float) -> None:
        """Waits until the debate has more events than ``after``, for at most ``seconds``. Raises
        ``CouldNotFinish`` if nobody plays it any more.
        """
        now = asyncio.get_running_loop().time
        end = now() + seconds
        while (left := end - now()) > 0:
            self.host.require_playing(id)
            if await self.debates.follow(id, after, min(left, _LOOK)):
                return

    async def document(self, id: str, form: str) -> str:
        return await self.debates.document(await self.find(id), form, self.caller)

    async def challenge(self, id: str, text: str, finding: str) -> str:
        debate = await self.find(id)
        return _text_of(await self.host.take(Challenge(text, debate.id, finding=finding)))

    async def stop(self, id: str) -> str:
        debate = await self.find(id)
        return _text_of(await self.host.take(Control("stop", debate.id)))

    async def listed(self, target: str, most: int) -> Sequence[Hit]:
        """Returns debates, the newest first; only those about ``target`` if it is given. Raises
        ``BadInput`` for a folder that is not read or is no repository.
        """
        if target == ".":
            if self.folder is None:
                raise BadInput("No files are read here: name a part of a title or of a link.")
            target = await branch_title(self.folder)
        hits = await self.debates.listed(Filter(), self.caller, _LOOKED_AT if target else most)
        return [one for one in hits if _is_about(one, target)][:most]

    def page(self, id: str) -> str:
        """Returns the address of its page, "" if there is none."""
        if not self.public_url:
            return ""
        return f"{self.public_url.rstrip('/')}/d/{id}"


@dataclass(frozen=True, slots=True)
class Holder:
    """The person behind a valid token or signature; ``id`` is the token's, or the person's.
    ``debates`` is None for a signature that names nobody.
    """

    id: str
    scopes: Sequence[str]
    debates: CallerDebates | None

    def allowed(self, scope: str) -> CallerDebates:
        """Returns the holder's debates. Raises ``Refused`` if they lack that scope (read, start,
        act).
        """
        if self.debates is None:
            raise Refused("Slack did not say for whom it asks.")
        if scope not in self.scopes:
            raise Refused(f"This token may not {scope}: make one with that scope.")
        return self.debates


class Access(Protocol):
    """Identifies the callers of the tools over HTTP."""

    async def holder(self, secret: str) -> Holder | None:
        """Returns the holder of a token of this server, None if it is no good one here. Raises
        ``CouldNotFinish`` while it can't be known whether they still belong to the workspace.
        """
        ...

    async def signer(self, body: bytes, headers: Mapping[str, str]) -> Holder | None:
        """Returns the person for whom a platform signed this request, None if none that is known
        here did. Raises ``CouldNotFinish`` as ``holder`` does.
        """
        ...


def _is_about(hit: Hit, target: str) -> bool:
    """True if a debate is about a change, named as for a start, or its title has these words."""
    if change := _CHANGE.match(change_url(target) or target):
        return hit.source.lower() == change[0].lower()
    return target in hit.source or target in hit.line.title


def _text_of(answer: DeskAnswer) -> str:
    """Returns the answer's text. Raises ``BadInput`` if the desk refused."""
    if answer.priced is not None:
        raise BadInput(f"{answer.text} {_AGREE}")
    if not answer.ok:
        raise BadInput(answer.text)
    return answer.text
