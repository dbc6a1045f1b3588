"""However much comes in, the loop's own thread reads a few thousand characters at a time: the rest
is read in threads and processes, and every other visitor is answered meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from inspect import unwrap
from io import BytesIO
from typing import Any
from urllib.parse import quote_plus

from core.application.commands.actions import TYPED
from core.application.desk import Caller
from core.debate.material.locating import Lines
from core.debate.prompting import prompt
from core.debate.prompting.frame import fence
from core.debate.verdict.findings.evidence import change_words, shown_numbers
from tests.bot.room.serving import SHELL, Served
from tests.patience import PATIENCE
from tests.trust.loop_watch import watched_loop
from tools.fuzz.http import hostile

LONGEST = TYPED + 500
"""The most characters that one reader may get on the loop: a typed text, and a little more."""
COPIED = 300_000
"""The most characters that may be escaped for a page on the loop, which is little more than copying
them.
"""
WHOLE: tuple[Callable[..., Any], ...] = (change_words, shown_numbers, fence, prompt)
"""What reads all of a change."""
PASSWORDS = 'password="' * (5 * LONGEST // 10)
TEXTS = {
    ("design_doc", "passwords"): PASSWORDS,
    ("panel", "quotation marks"): '"' * (COPIED + LONGEST),
    ("panel", "words"): "stakeholders customers budget " * (5 * LONGEST // 30),
}
"""So much that whoever reads all of it on the loop reads more than is allowed: of passwords, of
anything, of words.
"""


async def test_an_attached_text_is_priced_beside_the_loop(room: Served) -> None:
    for (template, name), text in TEXTS.items():
        with watched_loop() as longest:
            status, page = await parts(room, "/new", do="price", template=template, attached=text)
        assert (status, "is attached" in page) == (200, True), (template, name, page[:500])
        assert longest, "nothing was seen at all"
        assert_little(longest)


async def test_an_attached_text_is_opened_and_debated_beside_the_loop(room: Served) -> None:
    form = {"template": "design_doc", "rounds": "1", "attached": PASSWORDS}
    with watched_loop() as longest:
        status, page = await parts(room, "/new", **form)
        assert status == 303, page[:500]
        (line,) = await room.parts.stores.debates.find_recent()
        await over(room, line.id)
    assert_little(longest)
    assert "[redacted: " in (await room.load(line.id)).request.text


async def test_a_change_that_no_seat_is_shown_is_searched_beside_the_loop(room: Served) -> None:
    head = "diff --git a/b.py b/b.py\n--- a/b.py\n+++ b/b.py\n@@ -0,0 +1,8000 @@\n"
    change = head + "+word word word word\n" * 8_000
    form = {"template": "code_review", "rounds": "1", "attached": change}
    with watched_loop([Lines.__init__, *(unwrap(each) for each in WHOLE)]) as longest:
        status, page = await parts(room, "/new", **form)
        assert status == 303, page[:500]
        (line,) = await room.parts.stores.debates.find_recent()
        await over(room, line.id)
    assert len((await room.load(line.id)).open.material.text) < 100_000
    assert longest == {}


async def test_forms_and_what_people_type_in_them_are_read_beside_the_loop(room: Served) -> None:
    form = f"token={await room.token()}&text={quote_plus('%' * 60_000)}".encode()
    assert len(form) > 180_000
    for path in ("/receipts", "/templates/check"):
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        with watched_loop() as longest:
            async with room.web.post(
                room.bot.address + path, data=BytesIO(form), headers=kind
            ) as answer:
                assert answer.status in (200, 400), path
        assert_little(longest)
    debate = await room.debate(wait=False)
    with watched_loop() as longest:
        typed = "/debate challenge " + debate.id + " " + ('token="a1b2c3d4e5f6" ' * 900)
        status, page = await parts(room, "/new", target=typed[:TYPED])
    assert status in (303, 400), page[:500]
    assert longest.get("_find", 0) <= 4_000, longest


async def test_a_command_of_thousands_of_words_is_read_beside_the_loop(room: Served) -> None:
    """The size of an equally long question is assessed there too."""
    typed = ("/debate panel " + "x " * TYPED)[:TYPED]
    caller = Caller(SHELL, SHELL, "one", confirms_price=True)
    with watched_loop() as longest:
        status, page = await parts(room, "/new", do="price", target=typed)
        answer = await room.parts.desk.take_message(caller, typed, True, "1")
    assert (status, answer is not None) == (200, True), page[:500]
    assert longest.get("tokenize", 0) <= 2_000, longest
    with watched_loop() as longest:
        status, _ = await parts(room, "/new", do="price", template="panel", target="oo " * 6_000)
    assert status == 200
    assert longest.get("assess", 0) <= 2_000, longest


async def parts(room: Served, path: str, **fields: str) -> tuple[int, str]:
    """Returns a form as a browser sends one that has files, of any size."""
    token = await room.token()
    pairs = [(n, v.encode(), False) for n, v in (fields | {"token": token}).items()]
    kind, body = hostile.parts(pairs)
    url, head = room.bot.address + path, {"Content-Type": kind}
    async with room.web.post(
        url, data=BytesIO(body), headers=head, allow_redirects=False
    ) as answer:
        return answer.status, await answer.text()


def assert_little(longest: dict[str, int]) -> None:
    most = {name: COPIED if name == "escape" else LONGEST for name in longest}
    assert all(longest[name] <= most[name] for name in longest), longest


async def over(room: Served, id: str) -> None:
    async with asyncio.timeout(PATIENCE):
        while not (await room.load(id)).final:  # noqa: ASYNC110 (a database has no event)
            await asyncio.sleep(0.05)
