"""The file of models: what an entry may hold, to the edge, and what it makes of a model."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from adapters.models import Vendors
from adapters.models.catalogue.models_file import (
    LONGEST,
    FileEntry,
    entry_of,
    line_for,
    read_models_file,
)
from adapters.models.catalogue.prices import Facts, Tariff, window_for
from adapters.models.catalogue.providers import PROVIDERS
from core.debate.errors import BadInput
from core.debate.ports import Price

NAMED = '[[models]]\nname = "a/b"\n'


def entry(folder: Path, line: str) -> FileEntry:
    file = folder / "models.toml"
    file.write_text(NAMED + line)
    (read,) = read_models_file({"DEBATE_MODELS_FILE": str(file)}).values()
    return read


@pytest.mark.parametrize(
    "line",
    [
        "window = 1",
        "thinking = 0",
        "price = { prompt = 0, completion = 0 }",
        "price = { prompt = 999999, completion = 1.5, cached = 0, written = 2 }",
        'address = "http://llm.example:65535/v1"',
        'address = "https://[::1]/v1"',
        'key = "_key_9"',
        'can = ["schema", "tools"]',
    ],
)
def test_what_an_entry_may_hold(tmp_path: Path, line: str) -> None:
    entry(tmp_path, line)


ADDRESS = (
    "address is one like https://llm.example.org/v1, without a password, ? or #; key names the "
    "variable that holds a key."
)
PRICE = "price is { prompt = USD, completion = USD, cached = USD } for a million."
WRONG_LINES = {
    "colour = 3": "colour is not understood; it may hold name, address, model, key, speaks, "
    "family, window, thinking, price, can.",
    'key = "sk-SECRET of mine"': "key is the name of a variable, like ACME_API_KEY.",
    'key = "9KEY"': "key is the name of a variable, like ACME_API_KEY.",
    'speaks = "latin"': "speaks is openai, anthropic or another provider's name.",
    'can = ["fly"]': "can holds schema and tools, not fly.",
    'can = ["tools", "fly", "dig"]': "can holds schema and tools, not dig",
    "can = []": "can is not understood",
    'family = ""': "family is not understood",
    "window = 0": "window and thinking are numbers of tokens.",
    "thinking = -1": "window and thinking are numbers of tokens.",
    "window = true": "window is not understood",
    'window = "1"': "window is not understood",
    **{
        f"price = {{ {price} }}": PRICE
        for price in (
            "prompt = 1", "completion = 1", "prompt = 1000000, completion = 1",
            "prompt = -1, completion = 1", 'prompt = "1", completion = 1',
            "prompt = 1, completion = 1, output = 1",
        )
    },
    **{
        f'address = "{address}"': ADDRESS
        for address in (
            "ftp://x", "http://user:SECRET@127.0.0.1/v1", "http://SECRET@127.0.0.1/v1",
            "http://127.0.0.1/v1?key=SECRET", "http://127.0.0.1/v1#SECRET", "http:///v1",
            "http://llm.example:0/v1", "http://llm.example:65536/v1", "http://[::1/v1",
        )
    },
}  # fmt: skip
WRONG_FILES = {
    "models = 3": " may hold only [[models]] entries.",
    "[[models]]\nwindow = 3": ": every [[models]] entry has a name.",
    '[[models]]\nname = "a/*"': ", a/*: all models of an address need the address.",
    NAMED + NAMED: ", a/b: there are two entries of this name.",
    "[[models": " is no TOML: Expected ']]' at the end of an array declaration",
    **{NAMED + line: f", a/b: {problem}" for line, problem in WRONG_LINES.items()},
}


@pytest.mark.parametrize("text", WRONG_FILES)
def test_a_wrong_file_is_refused_by_the_line_that_is_wrong(tmp_path: Path, text: str) -> None:
    file = tmp_path / "models.toml"
    file.write_text(text)
    with pytest.raises(BadInput) as caught:
        read_models_file({"DEBATE_MODELS_FILE": str(file)})
    assert str(caught.value).startswith(f"{file}{WRONG_FILES[text]}")
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "link to a device", "large", "none"])
def test_what_is_no_file_of_models_is_refused_and_not_waited_for(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "models.toml"
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "device":
            path = Path("/dev/zero")
        case "folder":
            path.mkdir()
        case "link to a device":
            path.symlink_to("/dev/zero")
        case "large":
            with path.open("wb") as file:
                file.truncate(LONGEST + 1)
        case _:
            assert not path.exists()
    env = {"DEBATE_MODELS_FILE": str(path), "OPENAI_API_KEY": "k" * 20}
    vendors = Vendors(env)
    with pytest.raises(BadInput, match=r"which cannot be read \((it is|Is a directory|No such)"):
        vendors.get("openai/gpt-5")


def test_a_password_in_an_address_beside_a_key_is_refused_and_not_repeated() -> None:
    env = {"OPENAI_API_BASE": "http://user:SECRET@127.0.0.1:9/v1", "OPENAI_API_KEY": "k" * 20}
    with pytest.raises(BadInput, match="OPENAI_API_BASE holds a password") as caught:
        Vendors(env).get("openai/gpt-5")
    assert "SECRET" not in str(caught.value)
    Vendors({"OLLAMA_HOST": "http://user:SECRET@127.0.0.1:9"}).get("ollama/qwen3")


def test_the_line_to_add_is_one_that_can_be_read(tmp_path: Path) -> None:
    line = line_for("a/b", address=True).replace("HOST", "llm.example")
    read = entry(tmp_path, line.replace(NAMED.strip(), ""))
    assert (read.name, read.address, read.window) == ("a/b", "https://llm.example/v1", 128000)


def test_an_entry_is_read_whole(tmp_path: Path) -> None:
    assert entry(tmp_path, "") == FileEntry("a/b")
    line = (
        'address = "https://llm.example/v1/"\nmodel = "m"\nkey = "KEY"\nspeaks = "anthropic"\n'
        'family = "f"\nwindow = 9\nthinking = 8\ncan = ["tools"]\n'
        "price = { prompt = 1, completion = 2, cached = 0.5, written = 1.5 }"
    )
    assert entry(tmp_path, line) == FileEntry(
        "a/b", "https://llm.example/v1", "m", "KEY", "anthropic", "f", 9, 8,
        Tariff(1e-6, 2e-6, 0.5e-6, 1.5e-6), frozenset({"tools"}),
    )  # fmt: skip


def test_a_name_finds_its_own_entry_or_that_of_its_address() -> None:
    entries = {one.name: one for one in (FileEntry("a/b"), FileEntry("a/*", "x"), FileEntry("c"))}
    for name, model in (("a/b", "b"), ("a/d/e", "d/e"), ("c", "c")):
        read = entry_of(entries, name)
        assert read is not None
        assert read.model == model
    assert entry_of(entries, "b/b") is None
    own = entry_of({"a/b": FileEntry("a/b", model="other")}, "a/b")
    assert own is not None
    assert own.model == "other"
    assert (FileEntry("a/b/c").provider, FileEntry("a").provider) == ("a", "a")


def test_an_entry_speaks_as_the_provider_that_it_names() -> None:
    like = PROVIDERS["openai"]
    assert like.shapes
    for can, shapes in (
        (None, like.shapes),
        (frozenset({"schema"}), like.shapes),
        (frozenset({"tools"}), ()),
    ):
        row = FileEntry("a/b", "https://x", key="K", can=can).row
        assert (row.shapes, row.keys, row.base, row.bases) == (shapes, ("K",), "https://x", ())
    assert FileEntry("a/b", "https://x").row.keys == ()


def test_an_entry_s_facts_stand_in_place_of_those_known() -> None:
    tariff = Tariff(1.0, 2.0, 0.5)
    known = Facts("a", known=True, tariff=Tariff(7.0, 8.0), thinking=5, window=9, schema=True)
    assert FileEntry("a/b").describe(known) == known
    made = FileEntry("a/b", window=64_000, tariff=tariff, can=frozenset({"tools"})).describe(known)
    assert (made.window, made.schema, made.tools) == (window_for(64_000), False, True)
    assert (made.price, made.tariff) == (Price(1.0, 2.0, 0.5, thinking=5, tools=True), tariff)
    assert FileEntry("a/b", thinking=0).describe(known).price == Price(7.0, 8.0, thinking=0)
    dearer = FileEntry("a/b", tariff=Tariff(1.0, 2.0, 0.5, 1.25)).describe(known)
    assert dearer.price.written == 1.25, "a budget counts what goes into the cache, too"
