"""The desk's part for webhooks: who may add one here, what it was sent, whether it answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta

from adapters.commands import HookRequest
from adapters.hooks import CHOICES, USUAL, ping
from adapters.hooks.addresses import checked_address
from adapters.ports.chat import Chat
from adapters.ports.desk import Answer, Caller
from bot.desk.channels import channel_named, shown_channel
from bot.hooks.keys import HookKeys
from bot.permissions import Action, Permissions
from bot.platforms import CHATS, workspace_of
from core.errors import BadInput, Refused
from core.material.plaintext import neutral
from core.ports import Clock
from core.views.language.grammar import listed, plural
from core.views.language.times import ago
from storage.hooks import Hook, Hooks

_SHOWN = 20
_ALL = "all"
_STATES = {
    "pending": "waits",
    "sending": "is on its way",
    "sent": "arrived",
    "dead": "was given up",
}


@dataclass(frozen=True, slots=True)
class HookDesk:
    """``inside`` are hosts that the operator named."""

    hooks: Hooks
    keys: HookKeys
    permissions: Permissions
    chats: Mapping[str, Chat]
    clock: Clock
    inside: Collection[str]

    async def answer(self, request: HookRequest, caller: Caller) -> Answer:
        """Raises ``BadInput`` or ``Refused``."""
        place = await self._place(request, caller)
        if request.verb == "list":
            return await self._list(place)
        if request.verb == "add":
            return await self._add(request, caller, place)
        hook = await self._find(request.target, place)
        match request.verb:
            case "test":
                return await self._test(hook)
            case "deliveries":
                return await self._deliveries(hook)
            case "replay":
                return await self._replay(request, hook)
            case "rotate":
                rotated = await self.hooks.rotate(hook.id)
                return Answer(
                    f"{self._secret(rotated or hook)} The one before signs beside it for a day."
                )
            case _:
                await self.hooks.end(hook.id, "It was disabled.")
                return Answer(
                    f"Nothing more is sent to {neutral(hook.address)}. A `hooks test {hook.id}` "
                    "that is answered begins again."
                )

    async def _place(self, request: HookRequest, caller: Caller) -> str:
        """Whose debates are meant: the channel's own, or in a shell all. Raises ``Refused``."""
        if not request.channel:
            if caller.shell:
                return ""
            if caller.place.partition(":")[0] not in CHATS:
                raise BadInput("Name the channel: --channel slack:CHANNEL.")
            return caller.place
        where = channel_named(request.channel, caller, self.chats)
        if not caller.shell and workspace_of(str(where)) != workspace_of(caller.place):
            raise Refused("Only an admin of that channel's own workspace can do that.")
        await self.permissions.require(caller, Action.POST, where)
        return str(where)

    async def _find(self, id: str, place: str) -> Hook:
        """A webhook of this place, in a shell any. Raises ``BadInput``."""
        hook = await self.hooks.find(id)
        if hook is None or place not in ("", hook.place):
            raise BadInput(f"There is no webhook {id[:40]!r} here: `hooks list`.")
        return hook

    async def _add(self, request: HookRequest, caller: Caller, place: str) -> Answer:
        address = checked_address(request.target, self.inside)
        kinds = tuple(request.kinds) or USUAL
        if kinds == (_ALL,):
            kinds = CHOICES
        if odd := [kind for kind in kinds if kind not in CHOICES]:
            raise BadInput(f"{odd[0][:40]!r} is no kind: {listed([*CHOICES, _ALL])}.")
        if not self.keys.key:
            raise BadInput(
                "What is sent is signed: set DEBATE_SIGNING_KEY to 32 random bytes in hex "
                "(openssl rand -hex 32)."
            )
        hook = await self.hooks.add(place, address, kinds, caller.person, full=request.full)
        whose = f"of {await shown_channel(place, self.chats)}" if place else "of every place"
        return Answer(
            f"{neutral(address)} hears of {listed(hook.kinds)} {whose}. {self._secret(hook)}\n"
            f"Try it: `hooks test {hook.id}`"
        )

    async def _list(self, place: str) -> Answer:
        found = await self.hooks.load(place or None)
        if not found:
            return Answer("No webhook is here. One is added with: hooks add https://HOST/PATH")
        return Answer("\n".join([await self._line(hook, place) for hook in found]))

    async def _line(self, hook: Hook, place: str) -> str:
        where = ""
        if not place:
            where = f", {hook.place or 'every place'}"
        how = " in full" if hook.full else ""
        state = f" · ended: {hook.ended}" if hook.ended else ""
        return f"{hook.id} · {neutral(hook.address)}{where}: {listed(hook.kinds)}{how}{state}"

    async def _test(self, hook: Hook) -> Answer:
        from adapters.hooks.sending import (  # a command that asks nobody needs none
            make_session,
            send,
        )

        now = self.clock.now()
        async with make_session(self.inside) as web:
            id = f"msg_ping_{hook.id}_{int(now.timestamp())}"
            secrets = self.keys.valid(hook, now)
            answer = await send(web, hook.address, id, ping(now), secrets, now)
        told = f"{neutral(hook.address)}: {answer.words}."
        if not answer.arrived:
            return Answer(f"{told} Any 2xx would be an arrival.", ok=False, code=3)
        if await self.hooks.begin_again(hook.id):
            missed = f"`hooks replay {hook.id} --since 3d`"
            told += f" It hears of what comes again; what it missed: {missed}"
        return Answer(told)

    async def _deliveries(self, hook: Hook) -> Answer:
        found = await self.hooks.deliveries(hook, _SHOWN)
        if not found:
            return Answer("Nothing was sent yet.")
        now = self.clock.now()
        return Answer(
            "\n".join(
                f"{one.kind or 'forgotten'} of {one.debate} {_STATES.get(one.state, one.state)}, "
                f"{ago(one.at, now)}"
                + (f", {plural(one.attempts, 'attempt')}" if one.attempts else "")
                + (f": {one.reason}" if one.reason else "")
                for one in found
            )
        )

    async def _replay(self, request: HookRequest, hook: Hook) -> Answer:
        if hook.ended:
            raise BadInput(f"It has ended ({hook.ended}) `hooks test {hook.id}` begins again.")
        since = None
        if request.since is not None:
            since = self.clock.now() - timedelta(seconds=request.since)
        count = await self.hooks.replay(hook, debate=request.debate, since=since)
        return Answer(f"{plural(count, 'message')} will be sent once more, with the same ids.")

    def _secret(self, hook: Hook) -> str:
        return f"Its secret, shown this once: `{self.keys.newest(hook)}`."
