"""JSON of strangers is read in one place, and whatever it holds it is refused, never a crash: what
servers list of their models, what forges and providers answer, what they tell.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adapters.forges import refusals
from adapters.forges.events import Forged, reading
from adapters.models.catalogue.lists import read_list
from adapters.models.catalogue.models_file import read_models_file
from adapters.models.exchange import ToolCall
from adapters.models.protocols.anthropic import _input
from adapters.models.search import _query
from adapters.text.documents import NoDocument, read_json
from core.debate.errors import BadInput
from tests.project import ROOT
from tests.trust.conftest import Command

DEEP = (b"[" * 100_000, b'{"a":' * 100_000, b'{"message":' + b"[" * 5_000 + b"]" * 5_000 + b"}")
OURS = {
    "adapters/evaluation/folder.py": "a shell's own files",
    "adapters/discord/incoming/offers.py": "a file that we attached ourselves",
    "adapters/slack/incoming/offers.py": "a button that we made ourselves",
    "adapters/slack/incoming/forms/bindings.py": "a form that we made ourselves",
    "adapters/slack/incoming/buttons.py": "a form that we made ourselves",
    "adapters/slack/incoming/forms/views.py": "a form that we made ourselves",
    "adapters/room/incoming/signing_in.py": "a cookie that we signed ourselves",
    "adapters/room/outgoing/reply.py": "a cookie that we set ourselves",
    "adapters/room/setup/slack.py": "a token that Slack signed",
    "adapters/room/incoming/reports.py": "a receipt, with every error of its parser",
    "adapters/models/prose.py": "one string, which has no depth",
    "adapters/models/faults.py": "an error's words, with every error of its parser",
    "adapters/models/embedded/__init__.py": "our own process",
    "adapters/models/embedded/child.py": "our own process",
    "adapters/models/embedded/reply.py": "made by a grammar of ours",
    "adapters/models/embedded/shape.py": "a schema of ours",
    "adapters/models/catalogue/tables.py": "a library's own file",
    "adapters/redaction/__init__.py": "our own rules",
    "adapters/api/calls.py": "a list that the desk wrote",
    "adapters/api/document.py": "a document of our own making",
    "adapters/text/documents.py": "here",
}
"""Where else JSON is parsed, and whose it is."""
_MAY_PARSE = re.compile(r"json\.(?:loads?|decode)\s*\(")


def _parsers(tree: ast.AST) -> Iterator[str]:
    """Calls of ``json.loads`` and ``msgspec.json.decode``, under whatever name of the module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            called = ast.unparse(node.func)
            if called.endswith(("json.loads", "json.decode", "json.load")):
                yield called


def test_nobody_else_parses_what_strangers_wrote() -> None:
    modules = {
        path.relative_to(ROOT).as_posix()
        for path in (Path(ROOT) / "adapters").rglob("*.py")
        if _MAY_PARSE.search(source := path.read_text("utf-8")) and any(_parsers(ast.parse(source)))
    }
    assert modules <= set(OURS)
    assert list(_parsers(ast.parse("import msgspec\nmsgspec.json.decode(b'')"))) == [
        "msgspec.json.decode"
    ]


@given(st.binary() | st.text() | st.text().map(lambda text: f'{{"{text}": [{text}]}}'))
@example(DEEP[0])
@example(DEEP[1])
@example("\ud800")
@example('"\\ud800"')
@example(b"\xe4")
@example(b"9" * 10_000)
def test_a_document_is_read_or_refused(data: bytes | str) -> None:
    for kind in (object, dict[str, Any], list[int]):
        try:
            read_json(data, kind)
        except NoDocument:
            continue


def _told(body: bytes) -> None:
    with reading(body) as payload:
        assert payload["number"]


READERS: dict[str, Callable[[bytes], object]] = {
    "a list of models": read_list,
    "a forge's refusal": refusals._message,
    "a webhook": _told,
    "arguments of a tool": lambda body: _input(ToolCall("1", "x", body.decode())),
    "a search": lambda body: _query(body.decode()),
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("body", DEEP, ids=["lists", "objects", "a message"])
def test_what_is_nested_beyond_all_use_is_refused(name: str, body: bytes) -> None:
    try:
        READERS[name](body)
    except Forged:
        assert name == "a webhook"


def test_a_list_of_models_names_no_price_that_is_none() -> None:
    cases: list[object] = ["nan", "inf", "-1", "1e400", 1e12, "9" * 400, 10**400, [], {}, "x", None]
    for price in cases:
        row: dict[str, object] = {"id": "x", "pricing": {"prompt": price, "completion": "0.000001"}}
        body = str([row]).replace("'", '"').replace("None", "null").encode()
        assert read_list(body)["x"].tariff is None


def test_a_list_of_models_names_no_window_that_is_none() -> None:
    cases: list[object] = [-5, 0, 1e300, "9" * 9, 10**30, [], True]
    for window in cases:
        rendered = '"' + window + '"' if isinstance(window, str) else str(window).lower()
        body = f'{{"data": [{{"id": "x", "context_length": {rendered}}}, 7, {{"id": 7}}]}}'.encode()
        (model,) = read_list(body).values()
        assert model.window is None


BROKEN = (
    "models = " + "[" * 50_000,
    "[[models]]\nname = 'a/b'\naddress = 'http://[::1'\n",
    "[[models]]\nname = 'a/b'\naddress = 'https://:80'\n",
    "[[models]]\nname = 'a/b'\naddress = 'file:///etc/passwd'\n",
    "[[models]]\nname = 'a/b'\naddress = 'https://h:99999/v1'\n",
    "[[models]]\nname = 'a/b'\nprice = { prompt = nan, completion = 1 }\n",
    "[[models]]\nname = 'a/b'\nprice = { prompt = inf, completion = 1 }\n",
    "[[models]]\nname = 'a/b'\nprice = { prompt = -1, completion = 1 }\n",
    "[[models]]\nname = 'a/b'\nprice = { prompt = 1e300, completion = 1 }\n",
    "[[models]]\nname = 'a/b'\nwindow = -1\n",
    f"[[models]]\nname = 'a/b'\nwindow = {'9' * 5_000}\n",
    "[[models]]\nname = 7\n",
    "[models]\n",
    "\xff",
    "\x1b[31m",
)


def test_a_broken_file_of_models_is_refused_in_one_sentence(tmp_path: Path) -> None:
    for text in BROKEN:
        file = tmp_path / "models.toml"
        file.write_bytes(text.encode("latin-1"))
        with pytest.raises(BadInput, match=r"models\.toml"):
            read_models_file({"DEBATE_MODELS_FILE": str(file)})


def test_a_shell_says_what_is_wrong_with_a_scanner_s_file_or_a_file_of_models(
    debate: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.diff").write_text("--- a/x.py\n+++ b/x.py\n@@ -0,0 +1 @@\n+x = 1\n")
    (tmp_path / "s\x1b[2J.sarif").write_bytes(b'{"runs": [{"results": "\xe4"}]}')
    ran = debate("code_review", "x.diff", "--evidence", "s\x1b[2J.sarif")
    assert (ran.code, "That is no SARIF file" in ran.err) == (2, True)
    (tmp_path / "models.toml").write_text(BROKEN[0])
    monkeypatch.setenv("DEBATE_MODELS_FILE", str(tmp_path / "models.toml"))
    monkeypatch.setenv("DEBATE_MODELS", "a/b")
    monkeypatch.delenv("DEBATE_SCRIPTED")
    ran = debate("code_review", "x.diff")
    assert (ran.code, "is no TOML" in ran.err) == (2, True)
    assert "Unexpected" not in ran.err
    (tmp_path / "models.toml").unlink()
    os.mkfifo(tmp_path / "models.toml")
    ran = debate("code_review", "x.diff")
    assert (ran.code, "it is no regular file" in ran.err) == (2, True)
    monkeypatch.delenv("DEBATE_MODELS_FILE")
    monkeypatch.setenv("DEBATE_MODELS", "openai/gpt-5")
    monkeypatch.setenv("OPENAI_API_KEY", "k" * 20)
    monkeypatch.setenv("OPENAI_API_BASE", "http://user:SECRET@127.0.0.1:9/v1")
    ran = debate("code_review", "x.diff")
    assert (ran.code, "OPENAI_API_BASE holds a password" in ran.err) == (2, True)
    assert "SECRET" not in ran.out + ran.err
