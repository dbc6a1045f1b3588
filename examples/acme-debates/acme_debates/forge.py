import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
from debatebot.plugins import (
    BadInput,
    Change,
    ChangeLink,
    Forge,
    ForgeClient,
    ForgeLinks,
    ForgeReader,
    Reading,
    Work,
)


class Acme(ForgeReader):
    """Reads one forge; ``ForgeReader`` has what it need not tell."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def change(self, link: ChangeLink) -> Change:
        async with self._session.get(f"/api/{link.repo}/{link.number}") as answer:
            if answer.status == 404:
                raise BadInput(f"I can't see {link.short}.")
            facts = await answer.json()
        title, body, author = facts["title"], facts["body"], facts["author"]
        head, base, private = facts["head"], facts["base"], facts["private"]
        return Change(link, title, body, author, head, base, "main", private=private)

    async def read(self, change: Change, work: Work) -> Reading:
        path = f"/api/{change.link.repo}/{change.link.number}.diff"
        async with self._session.get(path) as answer:
            return Reading(change, await answer.read())


@asynccontextmanager
async def read(bound: bool) -> AsyncIterator[ForgeClient]:
    """``bound``: who asks may see what is not for everybody, so our credential is sent."""
    headers = {"authorization": os.environ["ACME_FORGE_TOKEN"]} if bound else {}
    async with aiohttp.ClientSession(os.environ["ACME_FORGE_API"], headers=headers) as session:
        yield Acme(session)


LINKS = ForgeLinks("acme-forge", "Acme Forge", "/{repo}/changes/{number}")
FORGE = Forge(LINKS, "forge.acme.example", read)
