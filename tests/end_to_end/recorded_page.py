"""``python -m tests.end_to_end.recorded_page``: writes ``examples/recorded-review.md``, which
``debate demo`` shows where no model here can judge, and its events, of which pictures are made.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path

from adapters.posts.export import export
from storage.codec import EVENTS
from storage.events.log import DebateLog
from tests.adapters.posts.threads import SHOWN
from tests.bot.room.serving import served
from tests.end_to_end.played import LINK
from tests.end_to_end.recorded import Speakers, draw_as_in_tests
from tests.project import EXAMPLES
from tests.standins.github import GitHubStandIn

PAGE = EXAMPLES / "recorded-review.md"


async def page(folder: Path) -> str:
    """Returns the review as it is exported."""
    return (await recorded(folder))[0]


async def recorded(folder: Path) -> tuple[str, str]:
    """Returns the review as it is exported, and its events, a line of JSON each."""
    async with GitHubStandIn().running() as github:
        github.load_case("py-static-prefix")
        async with served(folder, make_models=Speakers, GITHUB_API_URL=github.url) as room:
            debate = await room.debate("code_review", target=LINK)
            log = DebateLog(room.parts.stores.database, debate.id, 0)
            stored = [EVENTS.encode(event) for event in await log.load()]
            rows = (
                json.dumps({"kind": kind, "version": version, "payload": payload})
                for kind, version, payload in stored
            )
            return export(debate, "md").rstrip() + "\n", "".join(f"{row}\n" for row in rows)


def main() -> None:
    draw_as_in_tests()
    with tempfile.TemporaryDirectory() as folder:
        exported, events = asyncio.run(recorded(Path(folder)))
    PAGE.write_text(exported, "utf-8")
    SHOWN.write_text(events, "utf-8")


if __name__ == "__main__":
    main()
