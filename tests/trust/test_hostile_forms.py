"""Forms that were made to stop the bot, over real sockets."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from bot.wire import workers
from tests.bot.room.serving import Served, served
from tests.bot.schedules.test_cron import HOSTILE
from tests.counting import calls_counted
from tests.patience import PATIENCE
from tests.trust.test_loop_reads_little import parts
from tools.fuzz.http import hostile

KEY = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVoxMjM0NTY="
_DEEP = 100_000

TEMPLATES = {
    "unknown fields": ("".join(f"field_{n} = {n}\n" for n in range(5_000)), "50 faults"),
    "brackets": (f"a = {'[' * _DEEP}", "nests too deep"),
    "tables": ("a = " + "{a = " * 20_000, "fault"),
    "a long name": (f"{'consensus' * 6_000} = 1\n", "is no field of a template"),
    "digits": (f"max_rounds = {'9' * 5_000}\n", "is not TOML"),
    "dotted names": (f"rubric{'.a' * 3_000} = 1\n", "fault"),
    "lists in a known field": (f"[[ballot]]\noption = {'[' * 400}{']' * 400}\n", "fault"),
    "lines": ("#\n" * 100_000 + "id = 1", "more lines"),
    "roles": ('[[roles]]\nname = "A B"\n' * 9_000, "fault"),
}
"""What is sent, and what stands in the answer."""

RECEIPTS = {
    "brackets": "[" * _DEEP,
    "objects": '{"a":' * _DEEP,
    "a deep receipt": '{"odr_version":"0.2","claim":' + "[" * 500 + "]" * 500 + "}",
    "a number": "9" * 900_000,
    "no object": "[1]",
    "zero": "\0",
}
_PARTS = {
    **{name: {} for name in ("subject", "claim", "reasoning", "confidence", "cruxes", "routing")},
    "odr_version": "0.2",
    "profile": "x",
    "receipt_id": "x",
    "issued_at": "x",
    "signatures": [],
}
WRONG_KINDS = (
    _PARTS | {"claim": {"verdict": "x"}, "quorum": {"participants": 5}, "attestation": {}},
    _PARTS | {"claim": {"verdict": "x"}, "quorum": {"supporting_agents": [[]]}, "attestation": {}},
    _PARTS | {"quorum": {"dissent": 7}, "attestation": {"attestor": 7}},
)


@pytest.fixture
def forked_readers() -> None:
    """Leaves the readers as they are: they are what is tested."""


async def test_a_template_that_was_made_to_stall_is_answered(room: Served) -> None:
    for name, (text, reason) in TEMPLATES.items():
        status, page = await parts(room, "/templates/check", text=text)
        ended = status == 400 and "That text takes longer" in page  # on a busy machine
        assert ended or status == 200, name
        assert ended or reason in page, name
        assert len(page) < 1_500_000, name


async def test_what_takes_too_long_to_check_is_ended_and_others_are_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "_FORM_SECONDS", 1.0)
    monkeypatch.setattr(workers, "_FORM_LONGEST", 5 * PATIENCE)  # on a busy machine
    async with served(tmp_path) as room:
        stalling = asyncio.create_task(
            parts(room, "/templates/check", text=f"{'a.' * 100_000}a = 1\n")
        )
        answered = 0
        while not stalling.done():
            assert (await room.get("/"))[0] == 200
            answered += 1
            await asyncio.wait([stalling], timeout=0.5)
        assert answered
        status, page = stalling.result()
        assert (status, "That text takes longer than 1 s" in page) == (400, True)
        assert (await parts(room, "/templates/check", text="id = 1"))[0] == 200


async def test_a_receipt_that_was_made_to_break_is_answered(tmp_path: Path) -> None:
    async with served(tmp_path, DEBATE_SIGNING_KEY=KEY) as room:
        for name, text in RECEIPTS.items():
            status, page = await parts(room, "/receipts", text=text)
            assert (status, "That is no receipt" in page or "Do not rely" in page) in (
                (400, True),
                (200, True),
            ), name
        for document in WRONG_KINDS:
            status, page = await parts(room, "/receipts", text=json.dumps(document))
            assert (status, "Do not rely on this receipt" in page) == (200, True), document


NEVER = ("0 0 30 2 *", "0 0 29 2 */7")
"""The rules whose next moment takes the longest to find."""

TOO_MUCH: tuple[tuple[str, dict[str, str], int], ...] = (
    ("/press", {"action": "rerun", "value": "x" * 301}, 413),
    ("/press", {"action": "challenge", "value": "abc", "text": "x" * 4_001}, 413),
    ("/press", {"action": "pause", "value": "abc", "what": "x"}, 400),
    ("/new", {"target": "x" * 20_001}, 413),
    ("/new", {"target": "x" * 500_000}, 413),
    ("/new", {"rounds": "9" * 301}, 413),
    ("/schedules", {"when": "x" * 301, "target": "y"}, 413),
    ("/templates/check", {"text": "x" * 300_000}, 413),
    ("/fork", {"debate": "abc", "assume": "x" * 2_001}, 413),
)


async def test_what_is_not_in_the_row_is_refused_by_its_status(room: Served) -> None:
    for path, fields, status in TOO_MUCH:
        received, page = await parts(room, path, **fields)
        assert received == status, (path, fields.keys())
        assert "<h1>Not possible</h1>" in page
        form = {"token": await room.token()} | fields
        received, page, _ = await room.post(path, {}, **form)
        assert received == status, (path, fields.keys())
        assert len(page) < 20_000


FILES = {
    "nothing": (b"", "f.diff is empty: there is nothing in it to debate"),
    "blanks": (b" \r\n\t\n", "f.diff is empty"),
    "zeros": (b"a\0b", "f.diff is no text, whatever its name says"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "f.diff is not UTF-8 text"),
    "Windows' old letters": ("größe".encode("cp1252"), "f.diff is not UTF-8 text"),
    "zeros in two bytes a character": ("a\0b".encode("utf-16"), "f.diff is no text"),
    "a packed file": (b"\x1f\x8b\x08\x00", "f.diff is not UTF-8 text"),
}
"""What is uploaded under the name of a diff, and what stands in the answer."""


async def test_a_file_that_is_no_text_starts_and_prices_nothing(room: Served) -> None:
    for name, (data, reason) in FILES.items():
        for do in (b"", b"price", b"agree"):
            fields = [
                ("token", (await room.token()).encode(), False),
                ("template", b"code_review", False),
                ("do", do, False),
                ("file", data, True),
            ]
            kind, body = hostile.parts(fields)
            url, head = room.bot.address + "/new", {"Content-Type": kind}
            async with room.web.post(url, data=body, headers=head) as answer:
                page = await answer.text()
                assert (answer.status, reason in page) == (400, True), (name, do, page[-3_000:])
    assert await room.parts.stores.debates.find_recent() == []


async def test_a_rule_of_a_schedule_costs_little_whatever_it_says(room: Served) -> None:
    """Counted are the moments that are looked at, in all that comes of the form; of each kind of
    rule one is sent, for ``test_cron`` counts what every one costs.
    """
    token = await room.token()
    for when in (*HOSTILE[::3], *NEVER):
        form = {"when": when[:300], "template": "panel", "target": "Tabs?", "token": token}
        with calls_counted() as counted:
            status, page, _ = await room.post("/schedules", {}, **form)
        assert status in (303, 400), (when, page[-2_000:])
        assert counted["advance_day"] < 5_000, (when, counted["advance_day"])
        for made in await room.parts.stores.schedules.find_all():
            form = {"schedule": made.id, "verb": "remove", "token": token}
            assert (await room.post("/schedules/do", {}, **form))[0] == 303


async def test_a_body_of_another_kind_is_not_read(tmp_path: Path) -> None:
    async with served(tmp_path, GITHUB_WEBHOOK_SECRET="s3cret-s3cret") as room:
        for path, kind, status in (
            ("/press", "application/json", 415),
            ("/press", "text/plain", 415),
            ("/press", "multipart/form-data", 400),
            ("/press", "multipart/form-data; boundary=" + "b" * 71, 400),
            ("/github/events", "application/x-www-form-urlencoded", 415),
            ("/github/events", "application/json", 401),
        ):
            headers = {"Content-Type": kind, "X-Token": await room.token()}
            url = room.bot.address + path
            async with room.web.post(url, data=b"{}", headers=headers) as answer:
                assert answer.status == status, (path, kind, await answer.text())
