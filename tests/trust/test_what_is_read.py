"""The place in which a request was made decides what it may read; that is kept with it and never
widened: a chat names links and words, whoever opens its debate later.
"""

from __future__ import annotations

import json
import os
from itertools import product
from pathlib import Path

import pytest

from adapters.processes.files import FileTooLarge, NotRegular, read_regular
from bot.debates.opening.request import request_of
from core.application.commands import Start, parse
from core.application.desk import Caller
from core.debate.events import DebateRequested, PlaceAdded
from core.debate.log import Append
from storage.codec import EVENTS
from tests.end_to_end.diffs import adding
from tests.end_to_end.played import opened
from tests.end_to_end.shell import Command
from tests.end_to_end.slack_office import office
from tests.origins import origin
from tests.project import ROOT
from tests.standins.github import GitHubStandIn

SECRET = "the words of a file of the host"


async def test_a_chat_checks_no_file_of_the_host(tmp_path: Path, github: GitHubStandIn) -> None:
    """One answer for every path, so that it does not tell which files there are; none is opened."""
    async with office(tmp_path, github) as place:
        for path in ("/dev/ptmx", "/etc/passwd", "no-such-file.toml", "/proc/kmsg"):
            assert await place.typed(f"templates check {path}") == (
                "Only in a shell on my machine can somebody check a file: "
                "debate templates check FILE."
            )


@pytest.mark.parametrize("target", ["{file}", "git:HEAD", "-"])
async def test_what_was_asked_in_a_chat_stays_so_when_a_shell_opens_it(
    tmp_path: Path, github: GitHubStandIn, target: str, debate: Command
) -> None:
    """No bot took the request up, so the admin's shell opens it."""
    file = tmp_path / "secret.md"
    file.write_text(f"{SECRET}\n")
    typed = ["design_doc", target.format(file=file)]
    async with opened(tmp_path, github, shell=False) as parts:
        start = parse(typed, templates=["design_doc"], prefix="/debate")
        assert isinstance(start, Start)
        request = request_of(start, asker="slack:T1/U1", place="slack:T1/C1")
        id = await parts.service.take(request, origin("event-1"))
    async with opened(tmp_path, github) as parts:
        played = await parts.advancer.advance(id)
        assert "read from the shell only" in played.failure
        events = str([EVENTS.encode(x) for x in await parts.stores.debates.load(played.id)])
    assert SECRET not in events


async def test_what_a_chat_never_reads_is_refused_before_it_is_stored(tmp_path: Path) -> None:
    templates = ("design_doc", "panel", "code_review")
    targets = ("git:HEAD", "-", "git:HEAD path:src/", "github:o/r")
    async with opened(tmp_path, shell=False) as parts:
        for template, target, confirms in product(templates, targets, (False, True)):
            start = parse([template, target], templates=[template], prefix="/debate")
            source = f"{template} {target}"
            caller = Caller("slack:T1/U1", "slack:T1/C1", source, confirms_price=confirms)
            answer = await parts.desk.take(start, caller)
            assert not answer.ok, answer.text
            assert "read from the shell only" in answer.text or (
                "names many pull requests" in answer.text or "no pull request link" in answer.text
            )
        assert await parts.stores.debates.find_recent() == []


async def test_a_chat_that_runs_a_shell_s_debate_again_reads_no_file(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    """The debate was mirrored into the chat, where a button runs it again."""
    (tmp_path / "x.md").write_text(f"{SECRET}\n")
    async with opened(tmp_path, github) as parts:
        start = parse(
            ["design_doc", str(tmp_path / "x.md")], templates=["design_doc"], prefix="debate"
        )
        assert isinstance(start, Start)
        request = request_of(start, asker="shell:ann", place="shell:ann", files=True)
        first = await parts.service.open(await parts.service.prepare(request))
        debate = await parts.service.load(first)
        assert SECRET in debate.open.material.text
        mirrored = PlaceAdded("slack:T1/C1", "shell:ann")
        log = await parts.stores.debates.claim(first, parts.advancer.owner)
        await log.append(Append(first, debate.count, (mirrored,)))
        await log.release()
        chat = Caller("slack:T1/U1", "slack:T1/C1", "press-1")
        answer = await parts.desk.press("rerun", first, chat)
        assert answer.ok, answer.text
        again = await parts.advancer.advance(answer.debate)
        assert "read from the shell only" in again.failure
        assert again.opened is None


def test_a_shell_reads_regular_files_alone_and_looks_at_their_size_first(
    tmp_path: Path, debate: Command
) -> None:
    os.mkfifo(tmp_path / "pipe.diff")
    with (tmp_path / "huge.diff").open("wb") as huge:
        huge.truncate(50_000_000_000)
    (tmp_path / "x.diff").write_bytes(adding("a.py", "x = 1", "x = 2"))
    piped = debate("code_review", "pipe.diff").err
    assert "pipe.diff is not a regular file. Pipe what it gives: COMMAND | debate" in piped
    assert "huge.diff is larger than 20 MB." in debate("code_review", "huge.diff").err
    assert "is not a regular file" in debate("design_doc", "/dev/ptmx").err
    for typed in (("templates", "check"), ("verify",)):
        assert "can't be read: it is no regular file" in debate(*typed, "/dev/ptmx").err
    assert debate("code_review", "x.diff").code == 0


def test_a_file_of_proc_says_that_it_is_empty_and_is_bounded_all_the_same(tmp_path: Path) -> None:
    with pytest.raises(FileTooLarge):
        read_regular(Path("/proc/self/maps"), 100)
    with pytest.raises(NotRegular):
        read_regular(tmp_path, 100)


def test_requests_stored_before_the_word_was_there_name_no_files() -> None:
    lines = (ROOT / "tests" / "storage" / "golden_events.jsonl").read_text("utf-8").splitlines()
    requested = [x for x in map(json.loads, lines) if x["kind"] == "debate_requested"]
    assert requested
    for stored in requested:
        assert "files" not in stored["payload"]["request"]
        event = EVENTS.decode(**stored)
        assert isinstance(event, DebateRequested)
        assert not event.request.files
