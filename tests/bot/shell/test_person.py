"""A person at a real (pseudo) terminal: they watch, type, press Ctrl-C once or twice, and come back
later.
"""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.bot.shell.conftest import DIFF
from tests.end_to_end import nursery
from tests.patience import PATIENCE
from tests.project import ROOT
from tests.standins.openai import OpenAI

CHILD = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from bot.shell.playing import live
live.GRACE = float(os.environ["TEST_GRACE"])
from bot.__main__ import main
from tests.patience import PATIENCE
sys.exit(main(sys.argv[1:]))
"""


def variables(folder: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PYTHONPATH": str(ROOT),
        "DEBATE_SCRIPTED": "1",
        "DEBATE_MODELS": "scripted:slow",
        "DEBATE_DATABASE_URL": "debate.db",
    }


class Person:
    """Sits at a terminal in which ``debate`` runs; a second Ctrl-C is waited for ``TEST_GRACE``
    seconds.

    ``screen`` is everything that appeared, as plain text.
    """

    def __init__(self, folder: Path, *typed: str, **settings: str) -> None:
        self.fd, slave = pty.openpty()
        settings = {"TEST_GRACE": "0.3"} | settings
        screen = {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30", "LANG": "C.UTF-8"}
        self.process = nursery.Popen(
            [sys.executable, "-c", CHILD, *typed], cwd=folder, stdin=slave, stdout=slave,
            stderr=slave, env=variables(folder) | screen | settings, close_fds=True,
        )  # fmt: skip
        os.close(slave)
        self._raw = b""
        self._seen = 0

    @property
    def screen(self) -> str:
        text = self._raw.decode("utf-8", "replace").replace("\r", "")
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)

    def types(self, keys: str) -> None:
        os.write(self.fd, keys.encode())

    def sees(self, text: str) -> str:
        """Waits until ``text`` appears behind what was seen before, and returns the line it stands
        on.
        """
        until = time.monotonic() + PATIENCE
        while (at := self.screen.find(text, self._seen)) < 0:
            if not self._read(until - time.monotonic()):
                raise AssertionError(f"{text!r} never appeared. The screen:\n{self.screen}")
        self._seen = at + len(text)
        return self.screen[self.screen.rfind("\n", 0, at) + 1 :].partition("\n")[0]

    def leaves(self) -> int:
        """Reads on until the program is over and returns its exit code."""
        until = time.monotonic() + PATIENCE
        while self._read(until - time.monotonic()):
            pass
        return self.process.wait(PATIENCE)

    def _read(self, seconds: float) -> bool:
        if seconds <= 0 or not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            more = os.read(self.fd, 65536)
        except OSError:  # the other side is closed
            return False
        self._raw += more
        return bool(more)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.fd)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.diff").write_text(DIFF, encoding="utf-8")
    return tmp_path


@pytest.fixture
def person(folder: Path) -> Iterator[Person]:
    with closing(Person(folder, "code_review", "a.diff", "--debate-anyway")) as sitting:
        yield sitting


def test_typing_challenges_and_votes_while_it_runs(person: Person) -> None:
    person.sees("Type a challenge or a vote")
    person.sees("● ")
    person.sees("finding 1 · ")
    person.types("vote 1 real\rvote 99 real\r")
    person.sees("No finding 99 was shown yet.")
    person.sees("Your vote: real. The last one counts.")
    person.types("the path is checked by the caller")
    person.sees("> the path is checked by the caller_")
    person.types("\r")
    person.sees(" challenges the ")
    person.types("puase\r")
    person.sees("Did you mean pause?")
    person.types("vote request_changes\rvote nonsense\r")
    person.sees("Your vote: request_changes. The last one counts.")
    person.sees("'nonsense' is not on the ballot.")
    person.sees("■ ")
    person.sees("all of it: debate show")
    assert person.leaves() == 0
    assert "Answer to “the path is checked by the caller”" in person.screen
    assert "Traceback" not in person.screen


def test_ctrl_c_pauses_and_says_how_to_go_on(person: Person, folder: Path) -> None:
    person.sees("is thinking")
    person.types("\x03")
    person.sees("Paused. Press Ctrl-C again to stop it for good.")
    line = person.sees("is paused. Go on with: debate resume")
    assert person.leaves() == 3
    id = line.split()[-1]
    command = [sys.executable, "-m", "bot", "resume", id, "--json"]
    ran = nursery.run(command, cwd=folder, env=variables(folder), text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    document = json.loads(ran.stdout)
    assert (document["id"], document["status"]) == (id, "finished")


def test_a_debate_is_shown_through_the_pager(folder: Path) -> None:
    with closing(Person(folder, "code_review", "a.diff", DEBATE_MODELS="scripted")) as person:
        id = person.sees("all of it: debate show").rpartition(" ")[2]
        assert person.leaves() == 0
    with closing(Person(folder, "show", id, PAGER="sed s/^/paged:/")) as reader:
        assert reader.sees("Changes requested").startswith("paged:")
        assert reader.leaves() == 0


def test_ctrl_c_twice_stops_with_the_verdict_so_far(folder: Path) -> None:
    words = ("code_review", "a.diff", "--debate-anyway")
    with closing(Person(folder, *words, TEST_GRACE=str(PATIENCE))) as person:
        person.sees("Author response")
        person.types("\x03")
        person.sees("Paused.")
        person.types("\x03")
        person.sees("Stopping: the closing report still comes.")
        person.sees("■ ")
        assert person.leaves() == 0


def test_the_terminal_is_left_as_it_was(person: Person) -> None:
    import termios

    before = termios.tcgetattr(person.fd)
    person.sees("Type a challenge or a vote")
    assert not termios.tcgetattr(person.fd)[3] & termios.ECHO
    person.types("\x03\x03\x03\x03")
    after_all = person.leaves()
    assert after_all in (0, 3)
    assert termios.tcgetattr(person.fd)[3] == before[3]
    assert "Traceback" not in person.screen


@pytest.mark.parametrize("keys", ["no\r", "\x03", "\x04"])
def test_a_person_is_asked_before_it_costs(folder: Path, keys: str, provider: OpenAI) -> None:
    given = {"OPENAI_API_KEY": "sk-none", "OPENAI_API_BASE": provider.base}
    words = ("code_review", "a.diff", "--models", "openai/gpt-5")
    with closing(Person(folder, *words, DEBATE_ASK_ABOVE="0.001", **given)) as sitting:
        assert sitting.sees("This will cost about $").endswith("Go ahead? [y/N] ")
        sitting.types(keys)
        sitting.sees("debate: Nothing was started and nothing was spent.")
        assert sitting.leaves() == 2


def test_a_program_that_is_told_to_end_pauses_first(folder: Path) -> None:
    process = nursery.Popen(
        [sys.executable, "-m", "bot", "code_review", "a.diff"], cwd=folder, env=variables(folder),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    with process:
        for line in process.stdout:
            if "is thinking" in line:
                process.send_signal(signal.SIGTERM)
                break
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 3
    assert "Paused by" in out
    assert "Go on with: debate resume" in err
