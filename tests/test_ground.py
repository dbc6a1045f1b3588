"""The other tests stand on this ground: the guards can fail, the locks agree, the environment runs
nobody else's code.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import sysconfig
import textwrap
import tomllib
from itertools import chain
from pathlib import Path

import aiohttp
import pytest

from tests.conftest import is_setting
from tests.end_to_end import nursery
from tests.network_guard import GUARD, ReachedOutside, is_this_machine
from tests.project import ROOT
from tools.hygiene import (
    LONGEST,
    MOST_FILES,
    OUR_PTH,
    declared_again,
    foreign_names,
    large_folders,
    long_functions,
    lost_hops,
    lost_names,
    participles,
    startup_code,
)


def test_what_counts_as_this_machine() -> None:
    here = (
        "127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1", "localhost", "slack.localhost.",
        b"localhost", None, "",
        "0.0.0.0",  # noqa: S104  nothing is bound: a server that listens everywhere asks for it
    )  # fmt: skip
    elsewhere = (
        "192.0.2.1", "10.0.0.1", "169.254.169.254", "::ffff:192.0.2.1", "2001:db8::1",
        "example.invalid", "localhost.example.invalid",
    )  # fmt: skip
    assert [host for host in here if not is_this_machine(host)] == []
    assert [host for host in elsewhere if is_this_machine(host)] == []


def test_a_connection_outside_is_refused_and_written_down() -> None:
    with socket.socket() as client, pytest.raises(ReachedOutside, match=r"192\.0\.2\.1"):
        client.connect(("192.0.2.1", 443))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client, pytest.raises(ReachedOutside):
        client.sendto(b"?", ("192.0.2.1", 53))
    with pytest.raises(ReachedOutside):
        socket.getaddrinfo("example.invalid", 443)
    assert GUARD.take() == [
        "socket.connect 192.0.2.1",
        "socket.sendto 192.0.2.1",
        "socket.getaddrinfo example.invalid",
    ]


async def test_asynchronous_clients_are_refused_too() -> None:
    async with aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.ClientConnectorError):
            await session.get("https://192.0.2.1/")
        with pytest.raises(aiohttp.ClientConnectorError):
            await session.get("https://example.invalid/")
    assert GUARD.take() == ["socket.connect 192.0.2.1", "socket.getaddrinfo example.invalid"]


def test_loopback_stays_open() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname(), timeout=5) as client,
    ):
        accepted, _ = server.accept()
        with accepted:
            client.sendall(b"here")
            assert accepted.recv(4) == b"here"


def test_a_swallowed_refusal_and_a_leaked_key_still_fail_the_test(tmp_path: Path) -> None:
    """A whole run of the real conftest over a test that behaves badly and one that looks for
    keys.
    """
    (tmp_path / "conftest.py").write_text(
        (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")
    )
    behaves_badly = """
        import contextlib, os, socket

        def test_swallows():
            with contextlib.suppress(OSError):
                socket.create_connection(("example.invalid", 80))

        def test_sees_no_key():
            assert "ANTHROPIC_API_KEY" not in os.environ and "DEBATE_MODELS" not in os.environ
    """
    (tmp_path / "test_badly.py").write_text(textwrap.dedent(behaves_badly))
    given = {"ANTHROPIC_API_KEY": "sk-made-up", "DEBATE_MODELS": "a,b", "PYTHONPATH": str(ROOT)}
    words = ("-q", "-p", "no:cacheprovider", "-c", ROOT / "pyproject.toml")
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "pytest",
        *words,
        f"--rootdir={tmp_path}",
        tmp_path,
    ]
    run = nursery.run(command, cwd=tmp_path, env=os.environ | given, text=True)
    assert "reached outside this machine: socket.getaddrinfo example.invalid" in run.stdout
    assert "2 passed, 1 error" in run.stdout


def test_settings_are_known_by_name() -> None:
    for name in (
        "SLACK_BOT_TOKEN", "DEBATE_DATABASE_URL", "OPENAI_API_BASE", "SOME_NEW_API_KEY",
        "HTTPS_PROXY", "http_proxy",
    ):  # fmt: skip
        assert is_setting(name), name
    for name in ("PATH", "HOME", "LANG", "PYTEST_XDIST_WORKER", "CI", "XDG_CACHE_HOME"):
        assert not is_setting(name), name


def test_this_environment_runs_nobody_elses_code_at_start() -> None:
    assert list(startup_code(Path(sysconfig.get_path("purelib")))) == []


def test_startup_code_is_found(tmp_path: Path) -> None:
    (tmp_path / OUR_PTH).write_text(f"{tmp_path}\nimport os; os.system('true')\n")
    (tmp_path / "litellm_init.pth").write_text("import base64\n")
    (tmp_path / "sitecustomize.py").write_text("")
    assert list(startup_code(tmp_path)) == [
        "_debatebot.pth: a line that is not a folder: \"import os; os.system('true')\"",
        "litellm_init.pth: a .pth file that this project did not put there",
        "sitecustomize.py: runs at every start of Python",
    ]


def test_foreign_names_are_found() -> None:
    page, lock, index = "docs/a.md", "requirements.lock", "--index-url https://example.org/simple"
    for path, text, complaints in (
        (page, "one\nsee https://example.org/" + "work/x", []),
        (page, "one\nin /" + "work/main it lies", ["docs/a.md:2: names '/" + "work/'"]),
        (page, "files." + "pythonhosted" + ".org", ["docs/a.md:1: names 'pythonhosted" + ".org'"]),
        (lock, index, ["requirements.lock:1: names 'https://'"]),
        ("core/workflow.py", "a = b/" + "work/c  # ./" + "work/d", []),
    ):
        assert list(foreign_names(path, text)) == complaints


def test_long_functions_are_found() -> None:
    for path, lines, complaints in (
        ("core/vote.py", LONGEST, []),
        ("core/vote.py", LONGEST + 1, ["core/vote.py:1: count has 61 lines, above 60"]),
        ("tests/vote.py", LONGEST + 1, []),
    ):
        text = "def count():\n" + "    pass\n" * (lines - 1)
        assert list(long_functions(path, text)) == complaints


def test_a_folder_of_too_many_files_is_found() -> None:
    full = [f"bot/desk/part{number}.py" for number in range(MOST_FILES)]
    beside = ["bot/desk/__init__.py", "bot/desk/parts/one.py", "bot/desk/page.html"]
    assert list(large_folders([*full, *beside])) == []
    one_more = [*full, *beside, "bot/desk/more.py"]
    assert list(large_folders(one_more)) == [
        f"bot/desk: {MOST_FILES + 1} files, above {MOST_FILES}"
    ]


def test_a_surface_that_declares_the_application_again_is_named() -> None:
    tokens = "class Tokens(Protocol):\n    def end(self, id): ...\n    def make(self, terms): ...\n"
    sources = {"core/application/tokens.py": tokens, "adapters/room/port.py": tokens}
    sources["adapters/api/port.py"] = "class Ends(Protocol):\n    def end(self, id): ...\n"
    sources["adapters/mcp/port.py"] = "class Visits(Protocol):\n    def end(self, visitor): ...\n"
    sources["adapters/slack/settings.py"] = "class Terms:\n    def end(self, id): ...\n"
    assert list(declared_again(sources)) == [
        "adapters/room/port.py:1: Tokens declares the application again",
        "adapters/api/port.py:1: Ends declares the application again",
    ]


def locked(name: str) -> dict[str, str]:
    """Returns package and marker with the version that a lock file pins, each with at least one
    hash.
    """
    text = (ROOT / name).read_text(encoding="utf-8")
    entry = (
        r"^([a-z0-9-]+)==(\S+)(?: ; ([^\\]+?))? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)"
    )
    pinned = {
        f"{package} ; {marker}": version
        for package, version, marker, _ in re.findall(entry, text, re.MULTILINE)
    }
    assert len(pinned) == len(re.findall(r"^[a-z0-9]", text, re.MULTILINE)), "a line without a hash"
    return pinned


def test_the_locks_are_hashed_and_agree() -> None:
    run, develop = locked("requirements.lock"), locked("requirements-dev.lock")
    pinned, versions = (
        {entry.partition(" ;")[0]: version for entry, version in lock.items()}
        for lock in (run, develop)
    )
    assert pinned.items() <= versions.items()
    assert not pinned.keys() & {"pytest", "hypothesis", "mypy", "ruff"}


def test_the_locks_carry_every_declared_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = {
        re.split(r"[^A-Za-z0-9-.]", line)[0].lower().replace(".", "-")
        for line in [
            *project["project"]["dependencies"],
            *chain.from_iterable(project["project"]["optional-dependencies"].values()),
        ]
    } - {"debatebot"}
    develop = {
        re.split(r"[^A-Za-z0-9-.]", line)[0].lower() for line in project["dependency-groups"]["dev"]
    }
    run = {entry.partition(" ;")[0] for entry in locked("requirements.lock")}
    assert wanted - run == set()
    assert wanted | develop <= {
        entry.partition(" ;")[0] for entry in locked("requirements-dev.lock")
    }


def test_make_names_the_python_it_needs(tmp_path: Path) -> None:
    """An older Python is refused in one line that says what to do, before anything is made."""
    (tmp_path / "Makefile").write_text((ROOT / "Makefile").read_text())
    (tmp_path / "requirements-dev.lock").write_text("")
    old = tmp_path / "python-of-old"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    run = subprocess.run(
        ["make", "-s", "setup", f"PYTHON={old}"], cwd=tmp_path, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert run.returncode != 0
    assert run.stderr.splitlines()[0] == (
        f'Python 3.11 or newer is needed and "{old}" is not: try `make setup PYTHON=python3.12`.'
    )
    assert not (tmp_path / ".venv").exists()


def test_the_picture_of_the_architecture_names_every_folder_and_nothing_that_is_gone() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    floors = [ROOT / floor for floor in ("core", "adapters", "bot", "storage")]
    rooms = {p.name for floor in floors for p in floor.iterdir() if p.is_dir()} - {"__pycache__"}
    named = set(re.findall(r"`([a-z_]+)/`", page))
    assert rooms - named == set()
    there = {
        p.name for top in ROOT.iterdir() if top.name[0] != "." for p in (top, *top.rglob("*/"))
    }
    assert named - there == set()
    written = re.findall(r"\b((?:core|adapters|bot|storage)/[a-z_/]+(?:\.py)?)", page)
    assert [path for path in written if not _stands(path)] == []


def _stands(path: str) -> bool:
    """Says whether a path names a file, a folder, or a function, as ``engine.play`` does."""
    place = ROOT / path.rstrip("/")
    return place.exists() or place.with_suffix(".py").exists()


def test_bare_participles_are_counted() -> None:
    for source, count in (
        ("finding = 1\nfind_all(finding)", 0),
        ("found = 1", 1),
        ("a.told(shown=asked)", 3),
        ("def said(found): return 'asked'", 2),
        ("class told: pass", 1),
    ):
        assert participles(source) == count


def test_a_name_in_a_docstring_that_is_gone_is_named() -> None:
    sources = {
        "core/votes.py": '"""For ``Tally.count`` and ``verdict``."""\nOWN = "verdict"\n',
        "core/tally.py": 'class Tally:\n    """``counted``, ``Tally.count()``, ``NAME_KEY``."""\n'
        "    def count(self, votes): ...\n",
    }
    assert list(lost_names(sources)) == ["core/tally.py:2: counted is not there"]


def test_a_hop_that_is_gone_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("class Desk:\n    def take(self) -> None: ...\n")
    page = "1. `a.py` `take` of `a.py` `Desk`\n2. `a.py`\n`gone`, `b.py` `take`, `a.py` and more"
    assert list(lost_hops(page, tmp_path)) == [
        "docs/architecture.md: there is no gone in a.py",
        "docs/architecture.md: there is no take in b.py",
    ]
