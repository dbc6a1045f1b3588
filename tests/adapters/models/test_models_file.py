"""The file of models: what an entry may hold, to the edge, and what it makes of a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.models.catalogue.models_file import FileEntry, entry_of, read_models_file
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


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("thinking = -1", "numbers of tokens"),
        ("window = true", "window is not understood"),
        ('window = "1"', "window is not understood"),
        ("can = []", "can is not understood"),
        ('family = ""', "family is not understood"),
        ("price = { prompt = 1000000, completion = 1 }", "price is"),
        ("price = { prompt = -1, completion = 1 }", "price is"),
        ('price = { prompt = "1", completion = 1 }', "price is"),
        ("price = { prompt = 1, completion = 1, output = 1 }", "price is"),
        ("price = { completion = 1 }", "price is"),
        ('address = "http://llm.example:0/v1"', "address is"),
        ('address = "http://llm.example:65536/v1"', "address is"),
        ('address = "http:///v1"', "address is"),
        ('address = "http://[::1/v1"', "address is"),
        ('key = "9KEY"', "name of a variable"),
        ('can = ["tools", "fly", "dig"]', "not dig"),
    ],
)
def test_what_it_may_not(tmp_path: Path, line: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        entry(tmp_path, line)


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
