"""Attacks on the sandbox in which tests run, each really played."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from adapters.proofs.sandbox import Box, Limits, Ran, Sandbox, find_sandbox, in_bubblewrap
from core.debate.errors import CouldNotFinish
from tests.patience import PATIENCE
from tests.samples import samples
from tests.standins.engine import IMAGE, install

AT = Path("/project")
ATTACKS = samples(Path(__file__).parent / "attacks.txt")
"""Programs that a change may bring."""
SYSTEMS: tuple[Path, tuple[Path, ...]] = (Path("/usr/bin/python3"), ())
OURS = (Path(sys.base_prefix) / "bin/python3", (Path(sys.base_prefix),))
SMALL = Limits(
    seconds=20, memory=300_000_000, processes=40, disk=4_000_000, output=20_000, report=10_000
)


def sandbox_or_skip() -> Sandbox:
    try:
        return find_sandbox()
    except CouldNotFinish as reason:
        pytest.skip(f"no sandbox on this machine: {reason}")


@pytest.fixture(name="tree")
def _tree(tmp_path: Path) -> Iterator[Path]:
    tree = tmp_path / "tree"
    tree.mkdir()
    tree.chmod(0o755)
    yield tree
    assert sorted(p.name for p in tree.iterdir()) in ([], ["attack.py", "code.py"])


async def attack(tree: Path, script: str, limits: Limits = SMALL) -> Ran:
    """Runs a hostile script as the framework of a change that holds ``code.py``."""
    sandbox = sandbox_or_skip()
    for name, text in (("attack.py", script), ("code.py", "X = 1\n")):
        (tree / name).write_text(text, "utf-8")
        (tree / name).chmod(0o644)
    python, reads = SYSTEMS if SYSTEMS[0].exists() else OURS
    ran = await sandbox(Box(tree, AT, reads), [str(python), "-B", "attack.py"], limits)
    assert (tree / "code.py").read_text("utf-8") == "X = 1\n"
    return ran


async def test_a_program_reports_apart_from_what_it_prints_and_finds_itself_and_this_host(
    tree: Path,
) -> None:
    ran = await attack(tree, ATTACKS["it reports and prints"])
    assert (ran.code, ran.report, ran.limit) == (3, b"<r/>", "")
    words = b"test test 127.0.0.1 <forged/> and more"
    assert sorted(ran.output.split()) == sorted(words.split())


async def test_a_test_that_runs_for_ever_is_ended(tree: Path) -> None:
    short = Limits(seconds=0.1, memory=SMALL.memory)
    ran = await attack(tree, "while True: pass", short)
    assert ran.limit == "0.1 seconds"
    long = Limits(seconds=int(PATIENCE), memory=SMALL.memory)
    ran = await attack(tree, ATTACKS["it outlives its parent"], long)
    assert ran.limit == "", "a process in the background outlived the one that was started"


async def test_the_disk_is_not_filled(tree: Path) -> None:
    ran = await attack(tree, ATTACKS["it fills the disk"])
    lines = ran.output.decode().splitlines()
    assert lines[0] == "/tmp ENOSPC True"
    assert lines[1].startswith("/dev/shm ENOSPC")
    assert {line.split()[1] for line in lines[3:]} <= {"EROFS", "EACCES", "EPERM", "ENOENT"}
    assert len(lines) == 10


async def test_processes_without_end_are_refused(tree: Path) -> None:
    ran = await attack(tree, ATTACKS["it starts processes without end"])
    made = int(ran.output.split()[-1])
    assert 10 < made <= SMALL.processes
    assert ran.limit == "", "the children outlived their parent"


async def test_memory_is_limited_for_one_process_and_for_all(tree: Path) -> None:
    ran = await attack(tree, "kept = []\nwhile True: kept.append(bytearray(10_000_000))")
    assert b"MemoryError" in ran.output or "memory" in ran.limit
    ran = await attack(tree, ATTACKS["its processes fill the memory"])
    assert ran.limit == "300 MB of memory"


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
async def test_output_without_end_is_cut(tree: Path, stream: str) -> None:
    ran = await attack(tree, f"import sys\nwhile True: sys.{stream}.write('x' * 1000)")
    assert ran.limit == "20 kB of output"
    assert len(ran.output) == SMALL.output


async def test_a_report_without_end_is_cut(tree: Path) -> None:
    ran = await attack(tree, "open('/tmp/report/report', 'w').write('x' * 2_000_000)")
    assert ran.limit == "10 kB of report"


async def test_nothing_of_this_machine_is_seen(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-bot")
    monkeypatch.setenv("GITHUB_TOKEN", "ghp-of-the-bot")
    (tmp_path / "other").write_text("of another folder", "utf-8")
    me = os.getpid()
    folders = f"ME, TEMPORARY, HOME = {me}, {str(tmp_path)!r}, {str(Path.home())!r}\n"
    ran = await attack(tree, folders + ATTACKS["it looks around"])
    lines = ran.output.decode().splitlines()
    assert ran.code == 0, lines
    assert "'HOME'" in lines[0]
    assert "KEY" not in lines[0]
    assert "TOKEN" not in lines[0]
    assert lines[1] == "keys False me False"
    assert lines[2].startswith("/project ["), lines
    assert lines[3] == ""


async def test_there_is_no_network(tree: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        here = server.getsockname()[:2]
        ran = await attack(tree, f"HERE = {here}\n" + ATTACKS["it reads the network"])
    assert ran.output.decode().split("\n")[:5] == ["closed"] * 5
    assert b"eth" not in ran.output


async def test_it_has_no_rights(tree: Path) -> None:
    ran = await attack(tree, ATTACKS["it uses its rights"])
    lines = ran.output.decode().splitlines()
    assert set(lines[0]) <= set("[]', 01")
    assert "1" in lines[0].split(",")[-1]
    assert lines[1:3] == ["-1 -1 -1", "-1"]
    assert lines[4] == "refused"
    assert lines[-2] == "X = 1"


async def test_without_a_sandbox_nothing_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(CouldNotFinish, match=r"apt install bubblewrap.*Nothing was run"):
        find_sandbox()
    with pytest.raises(CouldNotFinish, match=r"docker or podman.*Nothing was run"):
        find_sandbox("python:3.11")


@pytest.fixture(name="calls")
def _calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[list[str]]]:
    """The calls of an engine that stands for docker."""
    sandbox_or_skip()
    folder = tmp_path / "programs"
    folder.mkdir()
    noted = install(folder)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return lambda: [json.loads(line) for line in noted.read_text("utf-8").splitlines()]


async def test_a_container_has_the_same_walls(
    tree: Path, calls: Callable[[], list[list[str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-bot")
    script = (
        "import os, sys\nopen('/tmp/report/report', 'w').write('<r/>')\n"
        "print(sorted(os.environ), os.getcwd(), os.listdir('.'))\n"
        "try: open('code.py', 'w')\nexcept OSError as error: print(error.strerror)\nsys.exit(3)"
    )
    for name, text in (("attack.py", script), ("code.py", "X = 1\n")):
        (tree / name).write_text(text, "utf-8")
    ran = await find_sandbox(IMAGE)(Box(tree, AT), ["python3", "-B", "attack.py"], SMALL)
    assert (ran.code, ran.report, ran.limit) == (3, b"<r/>", ""), ran.output
    assert b"Read-only file system" in ran.output
    assert b"KEY" not in ran.output
    assert "of-the-bot" not in repr(calls())
    assert [call[0] for call in calls()] == ["run", "rm"]


async def test_a_container_that_reaches_a_limit_is_removed(
    tree: Path, calls: Callable[[], list[list[str]]]
) -> None:
    (tree / "attack.py").write_text("while True: print('x' * 1000)", "utf-8")
    (tree / "code.py").write_text("", "utf-8")
    ran = await find_sandbox(IMAGE)(Box(tree, AT), ["python3", "-B", "attack.py"], SMALL)
    assert ran.limit == "20 kB of output"
    run, removed = calls()
    assert removed == ["rm", "--force", run[run.index("--name") + 1]]


async def test_an_image_that_is_not_here_is_not_downloaded(
    tree: Path, calls: Callable[[], list[list[str]]]
) -> None:
    with pytest.raises(CouldNotFinish, match=r"No such image: other:2.*Nothing was run"):
        await find_sandbox("other:2")(Box(tree, AT), ["true"], SMALL)


async def test_a_sandbox_that_cannot_be_built_is_refused(tree: Path, tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions' >&2\nexit 1\n", "utf-8")
    broken.chmod(0o755)
    with pytest.raises(CouldNotFinish, match=r"could not build a sandbox here .No permissions"):
        await in_bubblewrap(str(broken), "prlimit", "setpriv", Box(tree, AT), ["true"], SMALL)
