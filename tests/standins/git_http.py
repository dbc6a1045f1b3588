"""A host that gives repositories by git's own HTTP programs, on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web

from tests.standins.serving import serving


class GitHost:
    """Serves ``root``; ``url`` is its address, ``asked`` are its requests."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.url = ""
        self.requests: list[str] = []

    @asynccontextmanager
    async def running(self) -> AsyncIterator[GitHost]:
        app = web.Application(client_max_size=1 << 24)
        app.router.add_route("*", "/{path:.*}", self._answer)
        async with serving(app) as self.url:
            yield self

    async def _answer(self, request: web.Request) -> web.Response:
        self.requests.append(f"{request.method} {request.path}")
        body = await request.read()
        process = await asyncio.create_subprocess_exec(
            "git",
            "http-backend",
            env={
                "GIT_PROJECT_ROOT": str(self.root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "REQUEST_METHOD": request.method,
                "PATH_INFO": request.path,
                "QUERY_STRING": request.query_string,
                "CONTENT_TYPE": request.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
                "PATH": "/usr/bin:/bin",
                "HOME": str(self.root),
            },
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        output, _ = await process.communicate(body)
        head, _, content = output.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        status = int(fields.pop("Status", "200").split()[0])
        return web.Response(status=status, body=content, headers=fields)
