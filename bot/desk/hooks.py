"""The desk's part for webhooks: who may add one here, its deliveries, and a test of whether its
address answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from adapters.hooks import CHOICES, USUAL, ping
from adapters.hooks.receiver import checked_address
from bot.desk.channels import channel_named, shown_channel
from bot.desk.handlers import handles
from bot.desk.lookup import find
from bot.desk.parts import DeskParts
from bot.hooks.keys import newest_secret, require_key, valid_secrets
from bot.platforms import CHATS, workspace_of
from core.application.commands import HookRequest
from core.application.commands.actions import Action
from core.application.desk import Caller, DeskAnswer
from core.application.place import platform_of
from core.application.webhooks import Hook, Sent
from core.debate.errors import BadInput, Refused
from core.debate.material.plaintext import neutral
from core.languages import msgid, say, say_many
from core.words.views.language.grammar import ago, listed, plural

_SHOWN = 20
_MOST = 20
"""Webhooks of one place: each message of a debate is stored once for each of them."""
_ALL = "all"


@handles(HookRequest)
async def answer_hooks(desk: DeskParts, request: HookRequest, caller: Caller) -> DeskAnswer:
    """Answers one request. Raises ``BadInput`` or ``Refused``."""
    if request.verb == "add":
        return await _add(desk, request, caller, await _place(desk, request.channel, caller))
    hooks = await load_hooks(desk, caller, request.channel)
    if request.verb == "list":
        return _list(hooks, caller.prefix)
    hook = _named(request.target, hooks, caller.prefix)
    match request.verb:
        case "test":
            return await _test(desk, hook, caller.prefix)
        case "deliveries":
            return await _deliveries(desk, hook)
        case "replay":
            return await _replay(desk, request, hook, caller)
        case "rotate":
            rotated = await desk.stores.hooks.rotate(hook.id)
            also = say("The old one also signs for a day.")
            return DeskAnswer(f"{_secret(desk, rotated or hook)} {also}")
        case _:
            await desk.stores.hooks.end(hook.id, msgid("It was disabled."))
            return DeskAnswer(
                say(
                    "Nothing more is sent to {address}. A {again} that is answered begins again.",
                    address=neutral(hook.address),
                    again=f"`{caller.prefix} hooks test {hook.id}`",
                )
            )


async def load_hooks(desk: DeskParts, caller: Caller, channel: str = "") -> Sequence[Hook]:
    """Returns the webhooks that the caller looks after, the oldest first.

    In a chat these are the channel's, in a room those of all channels of its workspace that they
    may decide for, in a shell all; or those of one ``channel``. Raises ``BadInput`` or ``Refused``.
    """
    if not channel and caller.shell:
        return await desk.stores.hooks.load()
    if channel or _in_chat(caller):
        return await desk.stores.hooks.load(await _place(desk, channel, caller))
    home = workspace_of(caller.place)
    there = [hook for hook in await desk.stores.hooks.load() if workspace_of(hook.place) == home]
    may_write = desk.permissions.may_write
    return [hook for hook in there if await may_write(caller.person, hook.place)]


@dataclass(frozen=True, slots=True)
class StoredHooks:
    """Implements ``core.application.webhooks.Webhooks``."""

    desk: DeskParts

    async def listed(self, caller: Caller) -> Sequence[tuple[Hook, str]]:
        await self.desk.permissions.require(caller, Action.HOOKS)
        chats = self.desk.chats
        return [
            (one, await shown_channel(one.place, chats) if one.place else say("every place"))
            for one in await load_hooks(self.desk, caller)
        ]

    async def deliveries(self, id: str, caller: Caller) -> Sequence[Sent]:
        await self.desk.permissions.require(caller, Action.HOOKS)
        hook = _named(id, await load_hooks(self.desk, caller), caller.prefix)
        return await self.desk.stores.hooks.deliveries(hook, _SHOWN)


async def _place(desk: DeskParts, channel: str, caller: Caller) -> str:
    """Returns the place of whose debates the caller speaks: the channel, or in a shell all.
    Raises ``Refused``.
    """
    if not channel:
        if caller.shell:
            return ""
        if not _in_chat(caller):
            raise BadInput("Name the channel, like slack:CHANNEL.")
        return caller.place
    where = channel_named(channel, caller, desk.chats)
    if not caller.shell and workspace_of(str(where)) != workspace_of(caller.place):
        raise Refused("Only an admin of that channel's own workspace can do that.")
    await desk.permissions.require_post(caller, where)
    return str(where)


async def _add(desk: DeskParts, request: HookRequest, caller: Caller, place: str) -> DeskAnswer:
    address = checked_address(request.target, desk.settings.hook_hosts)
    kinds = tuple(request.kinds) or USUAL
    if kinds == (_ALL,):
        kinds = CHOICES
    if odd := [kind for kind in kinds if kind not in CHOICES]:
        raise BadInput(
            "{kind} is no kind: {kinds}.",
            kind=repr(odd[0][:40]),
            kinds=listed([*CHOICES, _ALL]),
        )
    require_key(desk.settings.signing_key)
    if sum(not hook.ended for hook in await desk.stores.hooks.load(place)) >= _MOST:
        raise Refused("{most} webhooks hear of it already: disable one first.", most=_MOST)
    hook = await desk.stores.hooks.add(place, address, kinds, caller.person, full=request.full)
    whose = await shown_channel(place, desk.chats) if place else say("every place")
    hears = say(
        "{address} hears of {kinds} of {place}.",
        address=neutral(address), kinds=listed(hook.kinds), place=whose,
    )  # fmt: skip
    test = say("Try it: {command}", command=f"`{caller.prefix} hooks test {hook.id}`")
    return DeskAnswer(f"{hears} {_secret(desk, hook)}\n{test}")


def _list(hooks: Sequence[Hook], prefix: str) -> DeskAnswer:
    if not hooks:
        add = f"`{prefix} hooks add https://HOST/PATH`"
        return DeskAnswer(say("No webhook is here. Add one: {command}", command=add))
    apart = len({hook.place for hook in hooks}) > 1 or "" in {hook.place for hook in hooks}
    return DeskAnswer("\n".join(_line(hook, apart=apart) for hook in hooks))


def _line(hook: Hook, *, apart: bool) -> str:
    line = f"{hook.id} · {neutral(hook.address)}"
    if apart:
        line += f", {hook.place or say('every place')}"
    line += f": {listed(hook.kinds)}"
    if hook.full:
        line += f" {say('in full')}"
    if hook.ended:
        line += f" · {say('ended: {why}', why=say(hook.ended))}"
    return line


async def _test(desk: DeskParts, hook: Hook, prefix: str) -> DeskAnswer:
    from adapters.hooks.sending import (  # a command that asks nobody needs none
        make_session,
        send,
    )

    now = desk.clock.now()
    async with make_session(desk.settings.hook_hosts) as web:
        id = f"msg_ping_{hook.id}_{int(now.timestamp())}"
        secrets = valid_secrets(desk.settings.signing_key, hook, now)
        answer = await send(web, hook.address, id, ping(now), secrets, now)
    text = f"{neutral(hook.address)}: {answer.words}."
    if not answer.arrived:
        return DeskAnswer(f"{text} {say('Any 2xx would be an arrival.')}", ok=False, code=3)
    if await desk.stores.hooks.begin_again(hook.id):
        missed = f"`{prefix} hooks replay {hook.id} --since 3d`"
        text += f" {say('It hears of what comes again; what it missed: {command}', command=missed)}"
    return DeskAnswer(text)


async def _deliveries(desk: DeskParts, hook: Hook) -> DeskAnswer:
    deliveries = await desk.stores.hooks.deliveries(hook, _SHOWN)
    if not deliveries:
        return DeskAnswer(say("Nothing was sent yet."))
    now = desk.clock.now()
    return DeskAnswer("\n".join(_delivery_line(one, now) for one in deliveries))


async def _replay(desk: DeskParts, request: HookRequest, hook: Hook, caller: Caller) -> DeskAnswer:
    if hook.ended:
        raise BadInput(
            "It has ended ({ended}) {command} begins again.",
            ended=say(hook.ended),
            command=f"`{caller.prefix} hooks test {hook.id}`",
        )
    debate, since = request.debate, None
    if debate:
        debate = (await find(desk, debate, caller)).id
    if request.since is not None:
        since = desk.clock.now() - timedelta(seconds=request.since)
    count = await desk.stores.hooks.replay(hook, debate=debate, since=since)
    return DeskAnswer(
        say_many(
            count,
            "{n} message will be sent once more, with the same ids.",
            "{n} messages will be sent once more, with the same ids.",
        )
    )


def _secret(desk: DeskParts, hook: Hook) -> str:
    secret = newest_secret(desk.settings.signing_key, hook)
    return say("Its secret, shown this once: {secret}.", secret=f"`{secret}`")


def _delivery_line(sent: Sent, now: datetime) -> str:
    kind = sent.kind or say("forgotten")
    line = say("{kind} of {debate}", kind=kind, debate=sent.debate)
    line += f" {sent.words}, {ago(sent.at, now)}"
    if sent.attempts:
        line += f", {plural(sent.attempts, 'attempt')}"
    if sent.reason:
        line += f": {sent.reason}"
    return line


def _in_chat(caller: Caller) -> bool:
    return platform_of(caller.place) in CHATS


def _named(id: str, hooks: Sequence[Hook], prefix: str) -> Hook:
    for hook in hooks:
        if hook.id == id:
            return hook
    raise BadInput(
        "There is no webhook {id} here: `{prefix} hooks list` shows those there are.",
        id=repr(id[:40]),
        prefix=prefix,
    )
