"""Text that was written to stall, fill or break its readers: it is read by processes that are
ended, the readers take time in proportion to it, and an opening that fails fails once.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tarfile
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from pathlib import Path
from types import FrameType
from typing import cast

import pytest

from adapters.diffs.patches import parse as parse_diff
from adapters.material.documents import from_documents
from adapters.material.library import MaterialLibrary
from adapters.material.prose.html_text import text_of
from adapters.material.web import WebPage, page_text
from adapters.processes.memory import MOST, ByteBudget
from adapters.processes.workers import Workers, in_thread
from adapters.redaction import redact, redact_lines
from adapters.repository.around import pack_of_archive
from adapters.text.markdown import pieces
from adapters.text.splitting import split
from bot.debates.opening.request import request_of
from bot.wire.workers import open_form_workers, open_workers
from core.application.commands import Start, parse
from core.application.commands.tokens import tokenize
from core.debate.errors import BadInput, CouldNotFinish
from core.debate.material import Hunk, Line, Material, MaterialKind
from core.debate.material.library import ReadRequest
from core.debate.material.plaintext import neutral
from tests.counting import steps
from tests.end_to_end.played import opened
from tests.origins import origin
from tests.patience import PATIENCE
from tests.trust import strangers
from tools.fuzz.growing import GROWING
from tools.fuzz.search import search
from tools.fuzz.targets import TARGETS

LONG = "x" * 5_000  # goes to a process


@pytest.fixture
def forked_readers() -> None:
    """Leaves the readers as they are: they are what is tested."""


@pytest.fixture
async def workers() -> AsyncIterator[Workers]:
    pool = Workers()
    yield pool
    await pool.aclose()


@pytest.mark.parametrize("small", [0, 1 << 20], ids=["in a process", "in a thread"])
async def test_work_is_done_wherever_it_is_done(small: int) -> None:
    pool = Workers(small=small)
    for work in (pool, in_thread):
        assert await work(strangers.echo, "ä\n", 3) == ["ä\n"] * 3
        with pytest.raises(BadInput, match="not ä"):
            await work(strangers.refusing, "ä")
        with pytest.raises(CouldNotFinish, match="later"):
            await work(strangers.unable, "")
    assert pool.started == (not small), "one process for all of it"
    await pool.aclose()


async def test_a_process_that_was_started_ahead_does_the_first_work() -> None:
    pool = Workers(loads=("tests.trust.strangers",))
    await pool.start()
    assert pool.started == 1
    assert await pool(strangers.echo, LONG, 1) == [LONG]
    assert pool.started == 1
    await pool.aclose()


async def test_a_process_loads_what_it_was_told_before_it_is_asked() -> None:
    pool = Workers(loads=("tests.trust.nothing_of_that_name",))
    with pytest.raises(CouldNotFinish, match="its reader ended unexpectedly"):
        await pool(strangers.echo, LONG, 1)
    await pool.aclose()


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (strangers.asleep, "takes longer than 0.1 s to read"),
        (strangers.hungry, "takes too much memory"),
    ],
)
async def test_what_takes_too_much_is_ended_and_the_next_is_read(
    function: Callable[[str], int], reason: str
) -> None:
    """What takes too much processor time is ended too, as ``test_hostile_forms`` shows."""
    longest = 0.1 if function is strangers.asleep else 300.0
    pool = Workers(size=1, seconds=30.0, longest=longest, memory=150 << 20)
    with pytest.raises(BadInput, match=reason):
        await pool(function, LONG)
    pool.longest = 300.0
    assert await pool(strangers.echo, LONG, 1) == [LONG]
    assert pool.started == (3 if "memory" in reason else 2), "and read once more with all there is"
    await pool.aclose()


async def test_a_file_whose_parser_runs_out_of_memory_takes_no_other_s_code_along() -> None:
    """How small an archive is says nothing of what its files take; a parser that gets no memory
    ends its process.
    """
    files = {"a.py": "(" * 200_000, "b.py": "def held(x):\n    y = x\n    return y\n"}
    packed = BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(f"r/{name}")
            member.size = len(text)
            archive.addfile(member, BytesIO(text.encode()))
    places = {"a.py": (1, files["a.py"]), "b.py": (2, "    y = x")}
    hunks = tuple(
        Hunk(path, "", (Line("+", text, None, at),)) for path, (at, text) in places.items()
    )
    pool = Workers(size=1, memory=300 << 20)
    pack = await pool(pack_of_archive, packed.getvalue(), hunks, 50_000)
    assert {piece.path for piece in pack.pieces} == {"b.py"}
    await pool.aclose()


async def test_a_reader_that_breaks_is_one_sentence(workers: Workers) -> None:
    broken: dict[Callable[[str], int], str] = {
        strangers.gone: "its reader ended unexpectedly",
        strangers.mistaken: r"could not be read \(ZeroDivisionError\)",
        strangers.lying: "is not what was asked for",
    }
    for function, reason in broken.items():
        with pytest.raises(CouldNotFinish, match=reason):
            await workers(function, LONG)
        assert await workers(strangers.echo, LONG, 1) == [LONG]


@dataclass
class WatchedBudget(ByteBudget):
    """Records how much was held when some of it was given back."""

    seen: list[int] = field(default_factory=list)

    def give_back(self, size: int) -> None:
        self.seen.append(self.held)
        super().give_back(size)


async def test_archives_and_readers_of_a_bot_share_one_budget() -> None:
    async with open_workers() as workers, open_form_workers() as forms:
        assert ByteBudget().most + workers.memory + forms.memory == MOST == 300_000_000


async def test_readers_together_take_no_more_than_is_said() -> None:
    pool = Workers(size=4, memory=100 << 20, loads=("tests.trust.strangers",))
    small, large = 1 << 20, 90 << 20
    free = await pool(strangers.holding, small, LONG)
    assert free < 33 << 20, "a short text is given little"
    watched = WatchedBudget(pool.memory, patience=None)
    pool._budget = watched
    wanted = [large, small, large, small, small]
    works = [pool(strangers.holding, size, LONG) for size in wanted]
    assert len(await asyncio.gather(*works)) == 5, "what takes more is read with all there is"
    assert (max(watched.seen), watched.held) == (pool.memory, 0)
    with pytest.raises(BadInput, match="too much memory"):
        await pool(strangers.holding, 110 << 20, LONG)
    await pool.aclose()


async def test_a_reader_that_stays_large_is_not_kept(workers: Workers) -> None:
    first = await workers(strangers.grown, 1 << 20, LONG)
    assert await workers(strangers.grown, 28 << 20, LONG) == first
    assert await workers(strangers.grown, 1 << 20, LONG) != first
    assert workers.started == 2


async def test_a_reader_knows_no_secret_writes_no_file_and_goes_after_who_reads_a_page(
    workers: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await workers(strangers.stepped_back, LONG) > os.getpriority(os.PRIO_PROCESS, 0)
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_" + "a" * 36)
    assert "GITHUB_TOKEN" not in await workers(strangers.environment, LONG)
    file = tmp_path / "made"
    with pytest.raises(CouldNotFinish, match="OSError"):
        await workers(strangers.writing, str(file) + " " * 5_000)
    assert not file.exists() or file.stat().st_size == 0


async def test_who_no_longer_waits_leaves_no_process_behind(workers: Workers) -> None:
    waiting = asyncio.create_task(workers(strangers.for_ever, LONG))
    async with asyncio.timeout(PATIENCE):
        while not workers.started:  # noqa: ASYNC110  nothing tells that a process has started
            await asyncio.sleep(0.01)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await workers(strangers.echo, LONG, 1) == [LONG]
    assert workers.started == 2


async def test_an_opening_that_fails_in_any_way_fails_once_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[str] = []

    async def broken(_: MaterialLibrary, request: ReadRequest) -> Material:
        reads.append(request.target)
        raise LookupError("'zlib' is not a text encoding")

    monkeypatch.setattr(MaterialLibrary, "read", broken)
    async with opened(tmp_path) as parts:
        start = parse(
            ["design_doc", "https://x.example/"], templates=["design_doc"], prefix="debate"
        )
        assert isinstance(start, Start)
        id = await parts.service.take(
            request_of(start, asker="a", place="slack:T1/C1"), origin("one")
        )
        for _ in range(3):
            await parts.advancer.advance(id)
        debate = await parts.service.load(id)
        assert debate.failure == (
            "It could not be opened: an unexpected LookupError. Nothing was debated; the bot's "
            "log says more."
        )
        assert (debate.status, reads) == ("failed", ["https://x.example/"])
        assert await parts.stores.debates.find_runnable() == []


@pytest.mark.parametrize(
    "charset", ["zlib", "bz2", "hex", "base64", "rot13", "punycode", "idna", "unicode_escape", "x"]
)
def test_a_page_is_read_in_a_charset_that_pages_have(charset: str) -> None:
    page = WebPage("https://x.example", "text/html", charset, "<p>größe</p>".encode())
    assert page_text(page) == ("", "größe")


def test_numbers_of_no_character_are_none() -> None:
    assert text_of(f"<p>a &#{'9' * 5000}; &#x{'f' * 5000}; &#65; b") == ("", "a \ufffd \ufffd A b")


CHANGE = "diff --git a/b.py b/b.py\n--- a/b.py\n+++ b/b.py\n"


def document(text: str) -> Material:
    return from_documents([("x.md", text)], MaterialKind.DOCUMENT, "", "attachment:x.md", 20_000)


LINEAR: dict[str, tuple[Callable[[str], object], str, int]] = {
    "labels in links": (pieces, "[a](", 3_000),
    "code spans": (neutral, "`a``b", 8_000),
    "fences": (lambda text: split(text, 2_000), "```\n", 12_000),
    "empty lines": (lambda text: split(text, 2_000), "\n x", 12_000),
    "quotations that end": (lambda text: split(text, 2_000), "> ---\n|\n", 8_000),
    "passwords": (redact, 'password="abcdefg12345" ', 20_000),
    "passwords that do not end": (redact, 'password="', 60_000),
    "passwords on lines": (
        lambda text: redact_lines(text.split("\n")),
        'password="abcdefg12345"\n',
        20_000,
    ),
    "words of a command": (tokenize, "--x ", 20_000),
    "letters of a command": (tokenize, "a", 20_000),
    "hunks": (
        lambda text: parse_diff(f"{CHANGE}{text}".encode()),
        "@@ -1,0 +1,1 @@\n+x\n",
        30_000,
    ),
    "long documents": (document, 'token: "0f0f0f0f0f0f0f0f1"\n', 60_000),
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[pytest.mark.faults] * (n in LINEAR), id=n) for n in GROWING],
)
def test_a_repeated_mark_is_read_to_its_end(name: str) -> None:
    """The texts are of sizes for which the earlier, quadratic readers took minutes; `python -m
    tools.bench.readers` prints the cost of twice the text now.
    """
    read, part, size = GROWING[name]
    read((part * (size // len(part) + 1))[:size])


@pytest.mark.parametrize("name", LINEAR)
def test_twice_the_text_takes_about_twice_the_steps(name: str) -> None:
    """Counted in Python: `python -m tools.bench.readers` measures what engines in C do."""
    read, part, size = LINEAR[name]
    size //= 4
    read(part)
    half, whole = (
        steps(partial(read, part * (length // len(part)))) for length in (size // 2, size)
    )
    assert half > 200, "nothing was read"
    assert whole < 2.4 * half


def test_secrets_are_looked_for_in_as_much_as_there_is() -> None:
    """Only the part of a long line near a match is read, for each of the few rules that match."""
    text = 'password="abcdefg12345" ' * 300
    seen = 0

    def counted(frame: FrameType, event: str, result: object) -> None:
        nonlocal seen
        if event == "return" and frame.f_code.co_name == "_line_around":
            seen += len(cast("bytes", result))

    sys.setprofile(counted)
    try:
        _, count = redact(text)
    finally:
        sys.setprofile(None)
    assert count == 300
    assert 0 < seen < 5 * 1_100 * count


@pytest.mark.parametrize("name", [target.name for target in TARGETS])
def test_made_up_text_breaks_no_reader(name: str) -> None:
    """A small share of what `python -m tools.fuzz` tries."""
    match = search(name, "gate", 150)
    assert (match.inputs, match.failed) == (150, 0), match.bad
