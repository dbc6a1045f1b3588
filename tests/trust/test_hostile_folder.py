"""Every command of the shell in a folder that somebody packed: nothing outside changes, nothing of
the folder is believed or run, and nothing is sent.
"""

from __future__ import annotations

import json
import shlex
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from itertools import product
from pathlib import Path

import aiohttp
import pytest

from core.application.commands.help import TOPICS
from storage.database import database_url
from storage.people.invitations import Invitations
from storage.people.tokens import Tokens
from storage.schema import open_database, upgrade
from tests.bot.serve.test_serving import address_in
from tests.end_to_end import nursery
from tests.end_to_end.diffs import adding
from tests.end_to_end.shell import aside
from tests.patience import PATIENCE
from tests.standins.github import GitHubStandIn, Pull
from tests.standins.history import project
from tests.trust.hostile_folder import (
    SECRET,
    HostileFolder,
    git,
    lay_out,
    repository,
)

LINES: dict[str, list[tuple[str, ...]]] = {
    "start": [
        (".",), ("code_review", "git:HEAD", "--json"), ("x.diff", "--check", "--json"),
        ("design_doc", "docs", "--rounds", "1", "--json"),
        ("panel", "Should we?", "--rounds", "1", "--json"),
    ],
    "templates": [("templates",), ("templates", "check", "code_review.toml")],
    "list": [("list", "--json")], "schedule": [("schedule", "list")],
    "setup": [("setup", "github", "o/r")], "help": [("help",), ("help", "panel")],
    "init": [("init", "--yes")], "tokens": [("tokens", "list")],
    "doctor": [("doctor",), ("doctor", "--json")],
    "eval": [
        ("eval", "cases", "--yes"), ("eval", "--mine", "."),
        ("eval", "--mine", ".", "--out", "out"), ("eval", "--mine", ".", "--out", "eval-packed"),
    ],
    "hooks": [("hooks", "list")], "docs": [("docs", "ci")],
    "prove": [("prove",), ("prove", "d4k7q2xy", "1")], "audit": [("audit",)],
    "forget": [("forget", "d4k7q2xy", "--yes")],
    "db": [("db", "upgrade"), ("db", "backup", "copy.db"), ("db", "restore", "debate.db")],
    "serve": [],  # below, because it runs until it is stopped
}  # fmt: skip
"""What is typed for some commands; for others it is the first example of their row."""
COMMANDS = {
    name: LINES.get(name, [tuple(shlex.split(row.examples[0].replace("'", "")))])
    for name, row in TOPICS.items()
}
OBEY = ("init", "open", "tokens", "serve")
"""The commands that obey the ``.env`` of the folder, as the security page says."""


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Returns the file of a database with all tables."""
    file = tmp_path_factory.mktemp("store") / "debate.db"
    upgrade(database_url(str(file)))
    return file.read_bytes()


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    """A server of the packer's: nobody may connect to it."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        server.setblocking(False)
        yield server


@pytest.fixture
def packed(tmp_path: Path, store: bytes, listening: socket.socket) -> HostileFolder:
    host, port = listening.getsockname()
    return lay_out(tmp_path, f"{host}:{port}", store)


def typed(
    packed: HostileFolder, *words: str, folder: Path | None = None, **env: str
) -> subprocess.CompletedProcess[bytes]:
    """Runs a command in the packed folder, or in another one."""
    return nursery.run(
        [sys.executable, "-m", "bot", *words],
        cwd=folder or packed.folder,
        env=packed.environment(**env),
        stdin=subprocess.DEVNULL,
        timeout=4 * PATIENCE,
    )


TYPED = [(name in OBEY, name, words) for name, lines in COMMANDS.items() for words in lines]
GROUPS = [
    [row for row in TYPED if row[0]],
    *([row for row in TYPED if not row[0]][first::3] for first in range(3)),
]


@pytest.mark.parametrize("group", range(len(GROUPS)))
def test_a_command_changes_believes_and_sends_nothing(
    packed: HostileFolder, listening: socket.socket, group: int
) -> None:
    if group == 0:
        (packed.folder / ".env").unlink()
    before = packed.outside()
    for _, name, words in GROUPS[group]:
        ran = typed(packed, *words)
        assert b"Traceback" not in ran.stderr, words
        assert SECRET.encode() not in ran.stdout, "nothing of another folder was read"
        assert ran.returncode in (0, 1, 2, 3), words
        assert packed.outside() == before, name
    assert packed.sprung == []
    with pytest.raises(BlockingIOError):
        listening.accept()


def test_a_fresh_interpreter_imports_nothing_of_the_folder(packed: HostileFolder) -> None:
    """The command as it is installed; what it starts itself (readers) included."""
    program = Path(sys.executable).parent / "debate"
    ran = subprocess.run(
        [program, "code_review", "x.diff", "--rounds", "1", "--json"], cwd=packed.folder,
        env=packed.environment(), check=False, capture_output=True, stdin=subprocess.DEVNULL,
        timeout=8 * PATIENCE,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert packed.sprung == []


def test_a_database_of_the_folder_is_mentioned_and_not_opened(packed: HostileFolder) -> None:
    (packed.folder / ".env").unlink()
    file = packed.folder / "debate.db"
    before = file.read_bytes()
    ran = typed(packed, "list")
    used = packed.home / ".local" / "share" / "debatebot" / "debate.db"
    line = f"{file} is not used: debates are kept in {used}. If it is yours: export DEBATE_DATA"
    assert line in ran.stderr.decode()
    assert file.read_bytes() == before
    assert used.stat().st_mode & 0o777 == 0o600
    assert used.parent.stat().st_mode & 0o777 == 0o700
    assert str(used) in typed(packed, "doctor").stdout.decode()
    named = typed(packed, "list", DEBATE_DATABASE_URL="debate.db")
    assert (named.returncode, b"is a link, which debatebot never makes" in named.stderr) == (
        2,
        True,
    )
    for beside in packed.folder.glob("debate.db?*"):
        beside.unlink()
    named = typed(packed, "list", DEBATE_DATABASE_URL="debate.db")
    assert (named.returncode, named.stdout) == (2, b"")
    assert b"'the trigger forged', which is not of debatebot's making" in named.stderr


def test_a_link_to_a_folder_is_no_place_for_reports(packed: HostileFolder) -> None:
    (packed.folder / "cases" / "a.diff").unlink()
    (packed.folder / "cases" / "a.diff").write_bytes((packed.folder / "x.diff").read_bytes())
    before = packed.outside()
    for out in ("out", "out/below"):
        ran = typed(packed, "eval", "cases", "--yes", "--out", out)
        assert ran.returncode == 2, ran.stderr
        assert b"nothing is written through one" in ran.stderr
    assert packed.outside() == before


def _core_worktree(packed: HostileFolder, folder: Path) -> None:
    config = folder / ".git" / "config"
    config.write_text(f"{config.read_text()}[core]\nworktree = {packed.private}\n")


def _git_file(packed: HostileFolder, folder: Path) -> None:
    (folder / ".git").rename(folder / "git")
    (folder / ".git").write_text(f"gitdir: {packed.private / '.git'}\n")


def _git_link(packed: HostileFolder, folder: Path) -> None:
    (folder / ".git").rename(folder / "git")
    (folder / ".git").symlink_to(packed.private / ".git")


def _common_directory(packed: HostileFolder, folder: Path) -> None:
    (folder / ".git" / "commondir").write_text(f"{packed.private / '.git'}\n")


def _worktree_of_its_own(packed: HostileFolder, folder: Path) -> None:
    """The git directory names the folder, but its common directory is another's."""
    admin = folder / "main" / "worktrees" / "x"
    admin.mkdir(parents=True)
    (admin / "HEAD").write_text("ref: refs/heads/main\n")
    (admin / "gitdir").write_text(f"{folder / '.git'}\n")
    (admin / "commondir").write_text(f"{packed.private / '.git'}\n")
    (folder / ".git").rename(folder / "git")
    (folder / ".git").write_text(f"gitdir: {admin}\n")


def _alternates(packed: HostileFolder, folder: Path) -> None:
    (folder / ".git" / "objects" / "info").mkdir(exist_ok=True)
    (folder / ".git" / "objects" / "info" / "alternates").write_text(
        f"{packed.private / '.git' / 'objects'}\n"
    )


def _objects_link(packed: HostileFolder, folder: Path) -> None:
    (folder / ".git" / "objects").rename(folder / "objects")
    (folder / ".git" / "objects").symlink_to(packed.private / ".git" / "objects")


def _index(packed: HostileFolder, folder: Path) -> None:
    """The index names a file outside, which git shows as the new side of a change."""
    from hashlib import sha1

    path = b"../home/notes.md"
    (folder / ("x" * len(path))).write_text("x\n")
    subprocess.run(["git", "add", "x" * len(path)], cwd=folder, check=True)
    index = folder / ".git" / "index"
    data = index.read_bytes()[:-20].replace(b"x" * len(path), path)
    index.write_bytes(data + sha1(data, usedforsecurity=False).digest())


TRICKS = (
    _core_worktree, _git_file, _git_link, _common_directory, _worktree_of_its_own, _alternates,
    _objects_link, _index,
)  # fmt: skip


def test_a_repository_shows_nothing_of_another_folder(
    packed: HostileFolder, tmp_path: Path
) -> None:
    made = {trick: repository(tmp_path / trick.__name__) for trick in TRICKS}
    for trick, folder in made.items():
        trick(packed, folder)
    for (trick, folder), target in product(made.items(), (".", "git:HEAD")):
        ran = typed(packed, "code_review", target, "--json", folder=folder)
        assert SECRET.encode() not in ran.stdout + ran.stderr
        if ran.returncode == 0:  # the folder's own change is shown in spite of it
            assert trick is _core_worktree, ran.stdout
            assert "a.py" in json.dumps(json.loads(ran.stdout)["material"]["coverage"])
        else:
            assert b"leads to another folder" in ran.stderr or b"outside of it" in ran.stderr


def test_worktrees_and_submodules_are_read_as_ever(packed: HostileFolder, tmp_path: Path) -> None:
    main = repository(tmp_path / "main")
    for words in (
        ("commit", "-qam", "second"), ("worktree", "add", "-q", "../beside"),
        ("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(packed.private), "sub"),
    ):  # fmt: skip
        git(main, *words)
    for folder in (tmp_path / "beside", main / "sub"):
        (folder / "a.py").write_text("changed\n")
        ran = typed(packed, "code_review", "git:HEAD", "--json", folder=folder)
        assert ran.returncode == 0, ran.stderr


LINK = "https://github.com/o/r/pull/7"


def test_an_earlier_run_that_somebody_packed_is_not_believed(
    packed: HostileFolder, tmp_path: Path
) -> None:
    """In a database of the packer's, the change was read already, so nothing would be new."""
    (packed.folder / ".env").unlink()
    for beside in packed.folder.glob("debate.db*"):
        beside.unlink()
    with aside(GitHubStandIn().running()) as forge:
        forge.pulls["o/r", 7] = Pull(diff=adding("a.py", "x = 1", "x = 2"))
        store = str(tmp_path / "debate.db")
        words = (LINK, "--recheck", "--check")
        theirs = typed(packed, *words, DEBATE_DATABASE_URL=store, GITHUB_API_URL=forge.url)
        assert theirs.returncode == 1
        shutil.copy(tmp_path / "debate.db", packed.folder / "debate.db")
        ran = typed(packed, *words, GITHUB_API_URL=forge.url)
    assert ran.returncode == 1, ran.stderr
    assert b"No review of this change is stored here yet" in ran.stdout + ran.stderr


async def test_a_session_and_a_token_that_somebody_packed_let_nobody_in(
    packed: HostileFolder,
) -> None:
    (packed.folder / ".env").unlink()
    for beside in packed.folder.glob("debate.db?*"):
        beside.unlink()
    with closing(sqlite3.connect(packed.folder / "debate.db")) as base, base:
        base.execute("DROP TRIGGER forged")
    base.close()
    database = await open_database(str(packed.folder / "debate.db"))
    until = database.now() + timedelta(days=1)
    _, secret = await Tokens(database).make("shell:x", "shell:x", "x", ("read",), 0.0, until)
    invitation = await Invitations(database).make("shell:x", until, "")
    await database.close()
    env = packed.environment(DEBATE_PORT="0", OPENAI_API_KEY="", GITHUB_TOKEN="")
    with nursery.Popen(
        [sys.executable, "-m", "bot", "serve"], cwd=packed.folder, env=env,
        stderr=subprocess.PIPE, text=True,
    ) as bot:  # fmt: skip
        try:
            assert bot.stderr is not None
            assert "is not used" in bot.stderr.readline()
            address = address_in(bot.stderr)
            headers = {"Authorization": f"Bearer {secret}"}
            async with aiohttp.ClientSession() as web:
                async with web.get(f"{address}/api/v1/debates", headers=headers) as answer:
                    assert answer.status == 401
                async with web.get(f"{address}/open/{invitation}") as answer:
                    assert answer.status == 403
        finally:
            bot.kill()


def test_what_was_mined_is_written_through_no_link(packed: HostileFolder, tmp_path: Path) -> None:
    made, _ = project(tmp_path / "repo", 3)
    for folder in ("eval-repo", "out-repo"):
        (made.folder / folder).mkdir()
        for name in ("mined.new", "mined.jsonl"):
            (made.folder / folder / name).symlink_to(packed.home / "mined.jsonl")
    (made.folder / "linked").symlink_to(packed.home)
    (packed.home / "mined.jsonl").write_text("")
    before = packed.outside()
    for more in ((), ("--out", "out-repo"), ("--out", "linked"), ("--out", "linked/new")):
        ran = typed(packed, "eval", "--mine", ".", "--cases", "4", *more, folder=made.folder)
        assert b"Traceback" not in ran.stderr
        assert (ran.returncode == 0) is ("linked" not in "".join(more)), ran.stderr
    assert packed.outside() == before
    kept = packed.home / ".local" / "share" / "debatebot" / "eval"
    assert [path.name for path in kept.glob("repo-*/*")] == ["mined.jsonl"]
