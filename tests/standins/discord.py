"""A stand-in for Discord: its REST interface and its gateway over real sockets, for an unmodified
discord.py.

What is here and not in other doubles: nonces, 429 with its headers, errors after the request took
effect, cut connections, RESUME with replay, invalid sessions, archived and locked threads, full
reaction lists, the interaction's deadlines, and the check of every request by Discord's own schema
and the limits it misses (``violations``). People act through its methods: ``command``, ``press``,
``react``, ...

Run as ``python -m tests.standins.discord`` it prints its addresses as one line of JSON and lives
until its input closes.
"""

from __future__ import annotations

import asyncio
import json
import sys
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.standins.discord_gateway import Gateway
from tests.standins.discord_rest import Call, Fault, Rest
from tests.standins.discord_rules import walk
from tests.standins.discord_world import (
    DM,
    JSON,
    PUBLIC_THREAD,
    Interaction,
    World,
    render,
    until,
)

TOKEN = "bot-token.for.tests"


class DiscordStandIn:
    """One Discord with one guild ("guild"), one text channel ("general") and two people ("ada",
    "bob") to begin with.
    """

    def __init__(self, *, token: str = TOKEN, shards: int = 1) -> None:
        self.token = token
        self.world = World()
        self.gateway = Gateway(self.world, token)
        self.rest = Rest(self.world, self.gateway, token)
        self.rest.shards = shards
        self.guild = self.world.guild("guild")["id"]
        self.general = self.world.channel(self.guild, "general")["id"]
        self.ada = self.person("ada")
        self.bob = self.person("bob")
        self.api_url = self.gateway_url = ""
        self.moved: dict[str, str] = {}
        self.locales: dict[str, str] = {}  # by person
        self._runner: web.AppRunner | None = None

    # -- running

    async def __aenter__(self) -> Self:
        application = web.Application(client_max_size=32 * 1024 * 1024)
        application.router.add_get("/gw/", self.gateway.handle)
        application.router.add_get("/cdn/{upload}/{name}", self._download)
        application.router.add_route("*", "/api/v10/{path:.*}", self.rest.handle)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.5)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        port = self._runner.addresses[0][1]
        self.origin = f"http://127.0.0.1:{port}"
        self.api_url = f"{self.origin}/api/v10"
        self.gateway_url = self.gateway.url = f"ws://127.0.0.1:{port}/gw/"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.gateway.close()
        if self._runner is not None:
            await self._runner.cleanup()

    async def _download(self, request: web.Request) -> web.Response:
        upload = self.world.uploads.get(request.match_info["upload"])
        if moved := self.moved.get(request.match_info["name"]):
            return web.Response(status=302, headers={"Location": moved})
        return web.Response(body=upload[1]) if upload is not None else web.Response(status=404)

    # -- what arrived

    @property
    def calls(self) -> list[Call]:
        return self.rest.calls

    @property
    def faults(self) -> list[Fault]:
        return self.rest.faults

    @property
    def violations(self) -> list[str]:
        return self.rest.violations

    def messages(self, channel: str) -> list[JSON]:
        """Returns a channel's or thread's messages, oldest first."""
        return sorted(
            self.world.messages.get(channel, {}).values(), key=lambda message: int(message["id"])
        )

    def texts(self, channel: str) -> list[str]:
        return [render(message) for message in self.messages(channel)]

    def threads(self, channel: str) -> list[JSON]:
        return [
            each
            for each in self.world.channels.values()
            if each["type"] == PUBLIC_THREAD and each["parent_id"] == channel
        ]

    def posts(self, channel: str) -> list[Call]:
        """Returns the requests that tried to write into a channel."""
        return [
            call
            for call in self.calls
            if call.method == "POST" and call.path == f"/channels/{channel}/messages"
        ]

    def buttons(self, message: JSON) -> dict[str, str]:
        """Labels of a message's buttons and of its menus' choices, and what they send."""
        components = list(walk(message["components"]))
        chosen = {o["label"]: o["value"] for each in components for o in each.get("options") or ()}
        return chosen | {
            each["label"]: each["custom_id"] for each in components if each["type"] == 2
        }

    def advance(self, seconds: float) -> None:
        self.world.offset += seconds

    async def connected(self, count: int = 1) -> None:
        """Waits until the bot has ``count`` live gateway sessions."""
        await until(
            lambda: len(self.gateway.connected) >= count, what="the bot connects to the gateway"
        )

    # -- people

    def person(self, name: str, *, permissions: int = 0, roles: tuple[str, ...] = ()) -> str:
        """Adds a member of the guild; ``permissions`` come with a role of their own, ``roles`` are
        names of roles.
        """
        user = self.world.person(name)["id"]
        held = [self._role(role, 0) for role in roles]
        if permissions:
            held.append(self._role(f"{name}'s role", permissions))
        self.world.member(self.guild, user, tuple(held))
        return str(user)

    def own_role(self, name: str) -> str:
        """Returns the role that Discord makes for an invited bot, named as the bot."""
        role = self._role(name, 0)
        self.world.guilds[self.guild]["roles"][-1]["tags"] = {"bot_id": self.world.bot["id"]}
        return role

    def _role(self, name: str, permissions: int) -> str:
        role = {
            "id": self.world.snowflake(),
            "name": name,
            "permissions": str(permissions),
            "position": 1,
            "color": 0,
            "hoist": False,
        }
        role |= {"managed": False, "mentionable": False, "flags": 0, "colors": {"primary_color": 0}}
        self.world.guilds[self.guild]["roles"].append(role)
        return str(role["id"])

    async def reply(
        self,
        channel: str,
        text: str,
        user: str = "",
        *,
        to: str = "",
        files: dict[str, bytes] | None = None,
        kind: int = 0,
    ) -> JSON:
        """Writes as a person in a channel, thread or direct message; ``to`` is the message
        answered.
        """
        body: JSON = {"content": text}
        if to:
            body["message_reference"] = {"message_id": to, "channel_id": channel}
        message = self._reachable(
            self.world.write(
                channel, self.world.users[user or self.ada], body, kind=kind, files=files
            )
        )
        await self.rest.announce("MESSAGE_CREATE", message)
        return message

    def _reachable(self, message: JSON) -> JSON:
        """Returns the message with addresses from which its files can be read."""
        for attachment in message["attachments"]:
            attachment["url"] = attachment["proxy_url"] = self.origin + attachment[
                "url"
            ].removeprefix(self.origin)
        return message

    async def react(self, channel: str, message: str, emoji: str, user: str = "") -> None:
        if self.world.react(channel, message, user or self.ada, emoji):
            await self.rest.announce_reaction("ADD", channel, message, user or self.ada, emoji)

    async def unreact(self, channel: str, message: str, emoji: str, user: str = "") -> None:
        self.world.reactions[channel, message].remove((emoji, user or self.ada))
        await self.rest.announce_reaction("REMOVE", channel, message, user or self.ada, emoji)

    def poll_vote(self, message: str, answer: int, user: str = "") -> None:
        self.world.poll_votes.setdefault((message, answer), []).append(user or self.ada)

    async def end_poll(self, channel: str, message: str) -> None:
        """Time runs out: Discord closes the poll and posts its result."""
        matches = self.world.message(channel, message)
        matches["poll"]["results"]["is_finalized"] = True
        body = {"message_reference": {"message_id": message, "channel_id": channel}}
        await self.rest.announce(
            "MESSAGE_CREATE", self.world.write(channel, self.world.bot, body, kind=46)
        )

    # -- interactions

    async def command(
        self,
        name: str,
        options: dict[str, Any] | None = None,
        *,
        user: str = "",
        channel: str = "",
        files: dict[str, tuple[str, bytes]] | None = None,
    ) -> Interaction:
        """Types ``/debate NAME`` (words of a subcommand separated by spaces) with options;
        ``files``: option -> (name, content).
        """
        root, resolved = self._registered(name), dict[str, JSON]()
        leaf = self._given(root, name, options or {})
        for option, (filename, content) in (files or {}).items():
            (attachment,) = self.world.attached({filename: content})
            attachment["url"] = attachment["proxy_url"] = self.origin + attachment["url"]
            resolved[attachment["id"]] = attachment
            leaf.append({"name": option, "type": 11, "value": attachment["id"]})
        data = self._typed(root, name, leaf) | {"resolved": {"attachments": resolved}}
        return await self._interact(2, data, user, channel)

    async def autocomplete(
        self,
        name: str,
        option: str,
        value: str,
        *,
        user: str = "",
        channel: str = "",
        beside: dict[str, Any] | None = None,
    ) -> list[JSON]:
        """Returns the choices that are offered while a person types ``value`` into an option;
        ``beside`` are the options that are filled in already.
        """
        root = self._registered(name)
        leaf = self._given(root, name, {**(beside or {}), option: value})
        leaf[-1]["focused"] = True
        data = self._typed(root, name, leaf)
        interaction = await self._interact(4, data, user, channel)
        await until(lambda: interaction.acknowledged, what=f"choices for {option}")
        return interaction.choices

    async def context_menu(
        self, name: str, channel: str, message: str, *, user: str = ""
    ) -> Interaction:
        """Picks an entry of a message's menu."""
        root = next(
            command
            for command in self.world.commands
            if command["name"] == name and command["type"] == 3
        )
        target = self.world.message(channel, message)
        data = {
            "id": root["id"],
            "name": name,
            "type": 3,
            "target_id": message,
            "resolved": {"messages": {message: target}},
        }
        return await self._interact(2, data, user, channel)

    async def press(
        self, channel: str, message: JSON, label: str, *, user: str = ""
    ) -> Interaction:
        """Presses the button with a label (or, where no label fits, the one with that custom
        id).
        """
        custom = self.buttons(message).get(label, label)
        data: JSON = {"component_type": 2, "custom_id": custom}
        for menu in walk(message["components"]):
            if custom in [option["value"] for option in menu.get("options") or ()]:
                data = {"component_type": 3, "custom_id": menu["custom_id"], "values": [custom]}
        return await self._interact(3, data, user, channel, message=self._reachable(message))

    async def submit_modal(
        self, form: Interaction, values: dict[str, Any], *, user: str = ""
    ) -> Interaction:
        """Fills in the form an interaction was answered with; fields by their label, the others
        keep what they showed.
        """
        await until(lambda: form.form, what="a form")
        assert form.form is not None
        filled = []
        for label in form.form["components"]:
            if label["type"] != 18:
                continue
            inner = label["component"]
            value = values.get(label["label"])
            answer: JSON = {"type": inner["type"], "custom_id": inner["custom_id"], "id": 1}
            if inner["type"] == 3:
                preset = [each["value"] for each in inner["options"] if each.get("default")]
                answer["values"] = [value] if value is not None else preset
            else:
                answer["value"] = value if value is not None else inner.get("value", "")
            filled.append({"type": 18, "id": 1, "component": answer})
        data = {"custom_id": form.form["custom_id"], "components": filled}
        message = form.payload.get("message")
        return await self._interact(5, data, user, form.payload["channel"]["id"], message=message)

    async def answer(self, interaction: Interaction) -> str:
        """Waits for the final answer to an interaction and returns its text."""
        await until(
            lambda: (
                interaction.followups
                or (interaction.original and not interaction.original["flags"] & 128)
                or interaction.form
            ),
            what=f"an answer to {interaction.payload['data']}",
        )
        return interaction.text()

    async def _interact(
        self, kind: int, data: JSON, user: str, channel: str, *, message: JSON | None = None
    ) -> Interaction:
        person, place = (
            self.world.users[user or self.ada],
            self.world.channels[channel or self.general],
        )
        born = self.world.offset
        identity = self.world.snowflake()
        payload: JSON = {
            "id": identity,
            "application_id": self.world.application["id"],
            "type": kind,
            "data": data,
            "version": 1,
        }
        payload |= {
            "token": f"token-{identity}",
            "channel": place,
            "channel_id": place["id"],
            "locale": self.locales.get(person["id"], "en-US"),
            "entitlements": [],
        }
        payload |= {
            "attachment_size_limit": 10 * 1024 * 1024,
            "authorizing_integration_owners": {},
            "app_permissions": "0",
        }
        if place["type"] == DM:
            payload |= {"user": person, "context": 1}
        else:
            held = str(self.world.permissions(place["guild_id"], person["id"]))
            member = self.world.member(place["guild_id"], person["id"]) | {"permissions": held}
            payload |= {
                "guild_id": place["guild_id"],
                "member": member,
                "context": 0,
                "guild": {"id": place["guild_id"], "features": []},
            }
        if message is not None:
            payload["message"] = message
        interaction = Interaction(identity, payload["token"], born, payload)
        self.world.interactions[identity] = interaction
        await self.gateway.dispatch("INTERACTION_CREATE", payload, guild=place.get("guild_id"))
        return interaction

    def _registered(self, name: str) -> JSON:
        match = next(
            (command for command in self.world.commands if command["name"] == "debate"), None
        )
        assert match is not None, "no /debate command has been registered"
        assert self._leaf(match, name), name
        return match

    @staticmethod
    def _leaf(root: JSON, name: str) -> JSON:
        node = root
        for word in name.split():
            node = next(option for option in node["options"] if option["name"] == word)
        return node

    def _option(self, root: JSON, name: str, option: str) -> JSON:
        return next(each for each in self._leaf(root, name)["options"] if each["name"] == option)

    def _given(self, root: JSON, name: str, options: dict[str, Any]) -> list[JSON]:
        return [
            {"name": option, "type": self._option(root, name, option)["type"], "value": value}
            for option, value in options.items()
        ]

    def _typed(self, root: JSON, name: str, leaf: list[JSON]) -> JSON:
        options = self._nested(name, leaf)
        return {"id": root["id"], "name": root["name"], "type": 1, "options": options}

    @staticmethod
    def _nested(name: str, leaf: list[JSON]) -> list[JSON]:
        words = name.split()
        inner: JSON = {"name": words[-1], "type": 1, "options": leaf}
        return [inner] if len(words) == 1 else [{"name": words[0], "type": 2, "options": [inner]}]


async def _serve() -> None:
    async with DiscordStandIn() as discord:
        where = {
            "api_url": discord.api_url,
            "gateway_url": discord.gateway_url,
            "token": discord.token,
        }
        print(json.dumps(where | {"guild": discord.guild, "channel": discord.general}), flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_serve())
