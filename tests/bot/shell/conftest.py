"""One command in a clean folder, a review that is stored already, and a provider that answers
before a price is shown.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.__main__ import main
from storage.database.files import default_file, make_folder
from tests.end_to_end.shell import aside
from tests.standins.openai import OpenAI, openai

DIFF = """\
diff --git a/app.py b/app.py
--- a/app.py
+++ b/app.py
@@ -1,2 +1,3 @@
 def load(name):
-    return open("data/" + name).read()
+    path = "data/" + name
+    return open(path).read()
"""


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture
def debate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs one command in a folder of its own with a scripted model."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DEBATE_SCRIPTED", "1")
    monkeypatch.setenv("DEBATE_MODELS", "scripted")
    (tmp_path / "a.diff").write_text(DIFF, encoding="utf-8")

    def run(*typed: str) -> Ran:
        code = main(typed)
        output = capsys.readouterr()
        return Ran(code, output.out, output.err)

    return run


@pytest.fixture(scope="session")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, bytes]:
    """Returns the id of a finished review of ``a.diff``, and the database that holds it."""
    folder, printed = tmp_path_factory.mktemp("stored"), io.StringIO()
    (folder / "a.diff").write_text(DIFF, encoding="utf-8")
    given = {"SCRIPTED": "1", "MODELS": "scripted", "DATABASE_URL": f"{folder}/debate.db"}
    with pytest.MonkeyPatch.context() as patch, chdir(folder), redirect_stdout(printed):
        for name, value in given.items():
            patch.setenv(f"DEBATE_{name}", value)
        assert main(("code_review", "a.diff")) == 0
    return printed.getvalue().split()[-1], (folder / "debate.db").read_bytes()


@pytest.fixture
def reviewed(debate: Run, stored: tuple[str, bytes]) -> str:
    """Stores a review of ``a.diff`` that was played once for all tests, and returns its id."""
    id, database = stored
    make_folder(default_file())
    default_file().touch(0o600)
    default_file().write_bytes(database)
    return id


@pytest.fixture(scope="session")
def provider() -> Iterator[OpenAI]:
    with aside(openai()) as running:
        yield running


@pytest.fixture(autouse=True)
def openai_is_here(provider: OpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", provider.base)
