"""Seats look up lines of a file or the places of a text in a repository; they never get more than
the limit, and never a secret.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.material.library import MaterialLibrary
from adapters.material.settings import LibrarySettings
from adapters.repository.lookups import LookupRequest, look_up
from adapters.repository.tree import Tree
from core.debate.lookups import SHOWN, render_source
from core.debate.material.library import ReadRequest
from core.debate.ports import Source
from tests.adapters.material.conftest import Shelf
from tests.adapters.material.test_surroundings import AROUND, offered, repository, set_traps
from tests.drawn import drawn
from tests.standins.github import HEAD

KEY = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
TREE = Tree(
    {
        "a/total.py": "def total(rows):\n    return add(rows)\n",
        "b/add.py": f'def add(rows):\n    token = "{KEY}"\n    return sum(rows)\n',
        "b/long.py": "\n".join(f"value_{n} = {n}  # {'x' * 300}" for n in range(500)),
    }
)


def test_lines_and_places() -> None:
    assert look_up(TREE, LookupRequest("a/total.py", 2)) == Source(
        "a/total.py:2-3", "", "    return add(rows)\n", 2, repository=True
    )
    assert look_up(TREE, LookupRequest(text="add(rows)")) == Source(
        "“add(rows)”",
        "",
        "a/total.py:2: return add(rows)\nb/add.py:1: def add(rows):",
        repository=True,
    )


def source_of(wanted: LookupRequest, tree: Tree = TREE) -> Source:
    source = look_up(tree, wanted)
    assert isinstance(source, Source)
    return source


def test_the_title_of_a_cut_reading_names_the_lines_that_are_shown() -> None:
    source = source_of(LookupRequest("b/long.py", 11, 400))
    *lines, rest = source.text.split("\n")
    last = 10 + len(lines)
    assert source.title == f"b/long.py:11-{last}"
    assert rest == f"(lines {last + 1} to 500 are not shown: ask for them)"


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        (LookupRequest("a/totals.py"), "No file of that path was read here. Like it: a/total.py."),
        (LookupRequest("../../etc/passwd"), "No file of that path was read here."),
        (LookupRequest("a/total.py", 9), "a/total.py has 3 lines."),
        (LookupRequest(text="zzz"), "Nothing found: no file that was read here holds that text."),
        (LookupRequest(text=KEY), "Nothing found: no file that was read here holds that text."),
    ],
)
def test_what_is_not_there_is_said(wanted: LookupRequest, problem: str) -> None:
    assert look_up(TREE, wanted) == problem


class Counted(dict[str, str]):
    """Files that count how often one of them is read."""

    reads = 0

    def __getitem__(self, path: str) -> str:
        self.reads += 1
        return super().__getitem__(path)


def test_a_search_reads_no_further_than_what_it_shows() -> None:
    """A text of three letters stands in every file, and cleaning each file takes time."""
    files = Counted({f"f{n:03}.py": "import a\n" * 30 for n in range(300)})
    lines = source_of(LookupRequest(text="imp"), Tree(files)).text.split("\n")
    assert (len(lines), lines[-1]) == (
        41,
        "(more places hold it; ask for a longer text or read a file)",
    )
    assert files.reads < 10


def test_a_secret_is_not_shown() -> None:
    for wanted in (
        LookupRequest("b/add.py"),
        LookupRequest("b/add.py", 2, 2),
        LookupRequest(text="token = "),
    ):
        assert KEY not in source_of(wanted).text


@drawn(20)
@given(st.integers(1, 600), st.integers(0, 600), st.sampled_from(["value", "x = ", "_1"]))
def test_a_look_up_shows_no_more_than_promised(first: int, last: int, text: str) -> None:
    for wanted in (LookupRequest("b/long.py", first, last), LookupRequest(text=text)):
        result = look_up(TREE, wanted)
        assert len(result if isinstance(result, str) else render_source(result)) <= SHOWN


@pytest.mark.parametrize("tool", ["read", "search"])
async def test_what_a_model_asks_for_is_refused_and_never_raises(tool: str, shelf: Shelf) -> None:
    material = await offered(shelf)
    for arguments in (
        "[" * 50_000, '{"a": ' * 50_000, "\ud800", '{"path": "\ud800"}', "null", "[]", '"x"', "{",
        '{"path": "a.py", "lines": "' + "9" * 6_000 + '"}', '{"path": 1}', '{"path": ["a"]}',
        '{"path": "../../../etc/passwd"}', '{"path": "/proc/self/environ"}', '{"path": "\\u0000"}',
        '{"text": "(a+)+$(a+)+$(a+)+$"}', '{"text": "a\\nb"}', '{"text": "' + "x" * 500_000 + '"}',
    ):  # fmt: skip
        reason = await shelf.look_up(material, "", False, tool, arguments)
        assert isinstance(reason, str), ascii(arguments[:24])


async def test_a_forges_archive_is_kept_and_asked_for_again_where_it_is_missing(
    shelf: Shelf,
) -> None:
    material = await offered(shelf)
    assert shelf.holds_repository(material, files=False)
    arguments = json.dumps({"path": "a/adding.py", "lines": "4-5"})
    packed = [one for one in shelf.github.seen if "/tarball/" in one.path]
    source = await shelf.look_up(material, "", False, "read", arguments)
    assert source == Source(
        "a/adding.py:4-5",
        f"https://github.com/o/r/blob/{HEAD}/a/adding.py#L4",
        "def add(rows):\n    return sum(rows)",
        4,
        repository=True,
    )
    assert [one for one in shelf.github.seen if "/tarball/" in one.path] == packed, (
        "nothing is asked"
    )
    another = MaterialLibrary(shelf.settings)
    assert not another.holds_repository(material, files=False)
    assert await another.look_up(material, "", False, "read", arguments) == source
    shelf.github.pulls.clear()
    gone = await MaterialLibrary(shelf.settings).look_up(material, "", False, "read", arguments)
    assert isinstance(gone, str)
    assert gone.startswith("Not looked up: ")


async def test_a_wrong_call_is_told_the_right_form(shelf: Shelf) -> None:
    material = await offered(shelf)
    for tool, arguments, form in (
        ("read", "{}", 'read wants {"path": "src/file.py", "lines": "10-60"}.'),
        ("read", '{"path": "a.py", "lines": "all"}', "read wants"),
        ("read", '{"path": 7}', "the arguments are not the tool's."),
        ("search", '{"text": "a"}', "search wants one line of 3 to 160 characters."),
        ("search", "no json", "the arguments are not the tool's."),
    ):
        reply = await shelf.look_up(material, "", False, tool, arguments)
        assert isinstance(reply, str)
        assert form in reply


async def test_what_belongs_to_the_other_tool_is_not_read(shelf: Shelf) -> None:
    material = await offered(shelf)
    for tool, arguments in (
        ("search", '{"text": "def add", "path": null, "lines": [1, 9]}'),
        ("read", '{"path": "a/adding.py", "text": null}'),
    ):
        assert isinstance(await shelf.look_up(material, "", False, tool, arguments), Source), tool


async def test_a_repository_of_this_machine_is_for_the_shell_alone(
    shelf: Shelf, tmp_path: Path
) -> None:
    material = replace(await offered(shelf), source="git:HEAD~1..HEAD")
    assert not shelf.holds_repository(material, files=False)
    reply = await shelf.look_up(material, "slack:T1/C1", False, "search", '{"text": "total"}')
    assert reply == "Not looked up: the repository is on another machine."


@pytest.mark.parametrize(("commit", "target"), [(True, "git:HEAD~1..HEAD"), (False, "git:HEAD")])
async def test_in_a_repository_here_git_shows_the_commit_and_runs_nothing(
    tmp_path: Path, commit: bool, target: str
) -> None:
    repository(tmp_path, commit=commit)
    set_traps(tmp_path, f"touch {tmp_path / 'ran'}")
    library = MaterialLibrary(LibrarySettings(allow_files=True, cwd=tmp_path / "a"))
    material = await library.read(ReadRequest(target, kind="diff", budget=20_000, files=True))
    assert material.around == AROUND[1:], "git's diff shows all of the function"
    assert library.holds_repository(material, files=True)
    if commit:
        (tmp_path / "a/total.py").write_text("written later\n")
    source = await library.look_up(material, "shell:ann", True, "search", '{"text": "add("}')
    assert isinstance(source, Source)
    assert source.text.splitlines() == [
        "a/adding.py:4: def add(rows):",
        "a/total.py:4: return add(kept)",
    ]
    read_here = json.dumps({"path": "a/total.py", "lines": "4-4"})
    source = await library.look_up(material, "shell:ann", True, "read", read_here)
    assert source == Source("a/total.py:4-4", "", "    return add(kept)", 4, repository=True)
    assert not (tmp_path / "ran").exists()
