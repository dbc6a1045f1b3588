"""The gateway half of the stand-in: real web sockets, sessions with sequence numbers, replay on
RESUME, and ways to break them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSCloseCode, WSMsgType, web

from tests.standins.discord_world import CONTENT_INTENT, DM, JSON, World

DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT, INVALID, HELLO, ACK = 0, 1, 2, 6, 7, 9, 10, 11

GUILDS, GUILD_MESSAGES, GUILD_REACTIONS, DM_MESSAGES, DM_REACTIONS = (
    1 << 0,
    1 << 9,
    1 << 10,
    1 << 12,
    1 << 13,
)
NEEDED = {
    "MESSAGE_CREATE": (GUILD_MESSAGES, DM_MESSAGES),
    "MESSAGE_UPDATE": (GUILD_MESSAGES, DM_MESSAGES),
}
NEEDED |= {
    "MESSAGE_REACTION_ADD": (GUILD_REACTIONS, DM_REACTIONS),
    "MESSAGE_REACTION_REMOVE": (GUILD_REACTIONS, DM_REACTIONS),
}


@dataclass
class Session:
    id: str
    intents: int
    shard: tuple[int, int]
    sent: list[JSON] = field(default_factory=list)
    socket: web.WebSocketResponse | None = None

    async def push(self, event: str, data: object) -> None:
        """Numbers an event, keeps it for a later RESUME, and sends it if anybody listens."""
        self.sent.append({"op": DISPATCH, "t": event, "s": len(self.sent) + 1, "d": data})
        await self.say(self.sent[-1])

    async def say(self, frame: JSON) -> None:
        if self.socket is not None and not self.socket.closed:
            await self.socket.send_str(json.dumps(frame))


class Gateway:
    """Sessions by id. ``identifies`` and ``resumes`` are what arrived, for tests that count
    them.
    """

    def __init__(self, world: World, token: str) -> None:
        self.world, self.token = world, token
        self.url = ""
        self.content_allowed = True
        self.sessions: dict[str, Session] = {}
        self.identifies: list[JSON] = []
        self.resumes: list[JSON] = []
        self.heartbeats = 0
        self._serial = 0

    @property
    def connected(self) -> list[Session]:
        return [
            session
            for session in self.sessions.values()
            if session.socket is not None and not session.socket.closed
        ]

    async def handle(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(autoping=True)
        await socket.prepare(request)
        await socket.send_str(json.dumps({"op": HELLO, "d": {"heartbeat_interval": 41250}}))
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                continue
            frame = json.loads(message.data)
            if frame["op"] == HEARTBEAT:
                self.heartbeats += 1
                await socket.send_str(json.dumps({"op": ACK}))
            elif frame["op"] == IDENTIFY:
                await self._identify(socket, frame["d"])
            elif frame["op"] == RESUME:
                await self._resume(socket, frame["d"])
        return socket

    async def _identify(self, socket: web.WebSocketResponse, payload: JSON) -> None:
        self.identifies.append(payload)
        if payload["token"] != self.token:
            await socket.close(code=4004, message=b"Authentication failed.")
            return
        if payload["intents"] & CONTENT_INTENT and not self.content_allowed:
            await socket.close(code=4014, message=b"Disallowed intent(s).")
            return
        self._serial += 1
        shard = tuple(payload.get("shard", (0, 1)))
        session = Session(
            f"session{self._serial}", payload["intents"], (shard[0], shard[1]), socket=socket
        )
        self.sessions[session.id] = session
        guilds = [
            guild
            for guild in self.world.guilds
            if self._shard_of(guild, session) == session.shard[0]
        ]
        await session.push(
            "READY",
            {
                "v": 10,
                "user": self.world.bot,
                "guilds": [{"id": guild, "unavailable": True} for guild in guilds],
                "session_id": session.id,
                "resume_gateway_url": self.url,
                "shard": list(session.shard),
                "application": {
                    "id": self.world.application["id"],
                    "flags": self.world.application["flags"],
                },
            },
        )
        for guild in guilds:
            await session.push("GUILD_CREATE", self.world.guild_create(guild))

    async def _resume(self, socket: web.WebSocketResponse, payload: JSON) -> None:
        self.resumes.append(payload)
        session = self.sessions.get(payload["session_id"])
        if session is None or payload["token"] != self.token:
            await socket.send_str(json.dumps({"op": INVALID, "d": False}))
            return
        session.socket = socket
        for frame in session.sent[payload["seq"] :]:
            await session.say(frame)
        await session.push("RESUMED", {"_trace": []})

    @staticmethod
    def _shard_of(guild_id: str | None, session: Session) -> int:
        return (int(guild_id) >> 22) % session.shard[1] if guild_id else 0

    async def dispatch(self, event: str, data: JSON, *, guild: str | None) -> None:
        """Sends an event to the sessions whose shard and intents cover it, without the text that
        they may not read.
        """
        for session in list(self.sessions.values()):
            if self._shard_of(guild, session) != session.shard[0]:
                continue
            needed = NEEDED.get(event)
            if needed and not session.intents & needed[0 if guild else 1]:
                continue
            await session.push(event, self._readable(event, data, session))

    def _readable(self, event: str, data: JSON, session: Session) -> JSON:
        if event not in ("MESSAGE_CREATE", "MESSAGE_UPDATE") or session.intents & CONTENT_INTENT:
            return data
        mine = data["author"]["id"] == self.world.bot["id"]
        mentioned = any(user["id"] == self.world.bot["id"] for user in data["mentions"])
        if mine or mentioned or self.world.channels[data["channel_id"]]["type"] == DM:
            return data
        return data | {"content": "", "embeds": [], "attachments": [], "components": []}

    async def drop(self, code: int = 4000) -> None:
        """Closes every socket; sessions stay and collect what happens meanwhile."""
        for session in self.connected:
            assert session.socket is not None
            await session.socket.close(code=code)

    async def invalidate(self, *, resumable: bool = False) -> None:
        """Op 9: the session is over; everything it had not delivered is lost."""
        for session in self.connected:
            await session.say({"op": INVALID, "d": resumable})
            if not resumable:
                del self.sessions[session.id]

    async def ask_reconnect(self) -> None:
        """Op 7: Discord wants the client to connect again and resume."""
        for session in self.connected:
            await session.say({"op": RECONNECT, "d": None})

    async def close(self) -> None:
        for session in self.sessions.values():
            if session.socket is not None and not session.socket.closed:
                await session.socket.close(code=WSCloseCode.GOING_AWAY)


def seen(session: Session, event: str) -> list[Any]:
    """Returns the data of every event of one kind that a session was sent."""
    return [frame["d"] for frame in session.sent if frame["t"] == event]
