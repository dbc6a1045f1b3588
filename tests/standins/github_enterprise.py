"""GitHub Enterprise Server as an address of its own: the same API below ``/api/v3``, GraphQL at
``/api/graphql``, and the website beside them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import ClientSession, web

from tests.standins.github import GitHubStandIn
from tests.standins.serving import serving

_SENT = ("Authorization", "Accept", "Content-Type", "If-None-Match")
_GIVEN = ("Content-Type", "ETag", "Retry-After")


@asynccontextmanager
async def enterprise(github: GitHubStandIn) -> AsyncIterator[str]:
    """Returns the address of a server that answers as ``github`` does."""
    async with ClientSession() as session:

        async def relay(request: web.Request) -> web.Response:
            path = request.match_info.get("path", "graphql")
            path = f"login/{path}" if request.path.startswith("/login/") else path
            url = f"{github.url}/{path}{'?' if request.query_string else ''}{request.query_string}"
            headers = {k: request.headers[k] for k in _SENT if k in request.headers}
            body = await request.read() or None
            async with session.request(request.method, url, headers=headers, data=body) as response:
                kept = {k: response.headers[k] for k in _GIVEN if k in response.headers}
                return web.Response(
                    body=await response.read(), status=response.status, headers=kept
                )

        app = web.Application()
        app.router.add_route("*", "/api/v3/{path:.*}", relay)
        app.router.add_post("/api/graphql", relay)
        app.router.add_post("/login/{path:.*}", relay)
        async with serving(app) as origin:
            yield origin
