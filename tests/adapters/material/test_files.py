"""A shell may name files of this machine; a chat may not."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from adapters.material.file import folder_texts
from adapters.material.library import MaterialLibrary
from adapters.material.settings import LibrarySettings
from adapters.templates.catalogue import builtin
from core.debate.errors import BadInput
from core.debate.material import NAMELESS, Material, MaterialKind, Read
from core.debate.material.library import ReadRequest
from tests.quoting import stands_there
from tests.standins.github import CASES
from tests.standins.repository import Repository

DIFF = (CASES / "py-proxy-auth-leak.diff").read_bytes()
MAIL = b"From 8ff1 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] Mend it\n\nWhy.\n---\n"


async def read(
    cwd: Path,
    target: str,
    kind: str = "pull_request",
    stdin: bytes | None = None,
    budget: int = 5_000,
) -> Material:
    given = None if stdin is None else io.BytesIO(stdin)
    library = MaterialLibrary(LibrarySettings(allow_files=True, cwd=cwd, stdin=given))
    return await library.read(ReadRequest(target, kind=kind, budget=budget, files=True))


async def test_a_diff_is_the_same_from_a_file_a_pipe_and_an_attachment(tmp_path: Path) -> None:
    (tmp_path / "x.diff").write_bytes(DIFF)
    from_file = await read(tmp_path, "x.diff")
    piped = await read(tmp_path, "-", stdin=DIFF)
    attached = await MaterialLibrary().read_attachment(
        "x.patch", DIFF, kind="pull_request", budget=5_000
    )
    assert from_file.text == piped.text == attached.text
    assert from_file.revision == piped.revision == "sha256:7651f8d976a85" + from_file.revision[20:]
    assert (from_file.kind, from_file.title, piped.title, attached.source) == (
        MaterialKind.DIFF,
        "x.diff",
        "requests/sessions.py",
        "attachment:x.patch",
    )
    assert stands_there(
        from_file, "requests/sessions.py", 327, "RIGHT", "if username and password:"
    )


async def test_a_nameless_diff_is_titled_by_the_file_that_is_read_first(tmp_path: Path) -> None:
    guide = b"diff --git a/A.md b/A.md\n--- a/A.md\n+++ b/A.md\n@@ -1 +1 @@\n-old\n+new\n"
    piped = await read(tmp_path, "-", stdin=guide + DIFF)
    assert piped.title == "requests/sessions.py and 1 more file"
    pasted = await MaterialLibrary().read_attachment(
        NAMELESS, DIFF, kind="pull_request", budget=5_000
    )
    assert pasted.title == "requests/sessions.py"
    mailed = await read(tmp_path, "-", stdin=MAIL + DIFF)
    assert mailed.title == "Mend it"


async def test_what_powershell_redirects_is_read_as_it_was_meant(tmp_path: Path) -> None:
    (tmp_path / "x.diff").write_bytes(DIFF.decode().encode("utf-16"))
    plain = await read(tmp_path, "-", stdin=DIFF)
    assert (await read(tmp_path, "x.diff")).revision == plain.revision
    assert (await read(tmp_path, "-", stdin=DIFF.decode().encode("utf-16"))).text == plain.text


NOTHING = (
    "Nothing came in on standard input, so there is no change to debate. What your branch changes: "
    "debate ."
)


BAD: dict[tuple[str, bytes | None], str] = {
    ("word.diff", None): "There is no file 'word.diff'. Did you mean words.diff?",
    ("-", b""): NOTHING,
    ("-", b"  \n\n"): NOTHING,
    ("-", None): "There is no standard input to read.",
    ("empty.diff", None): (
        "empty.diff changes no text (it is empty). Nothing to debate; no model was called."
    ),
    ("words.diff", None): (
        "This is not a diff: it holds neither “diff --git” nor “---”/“+++” lines. Make one with: "
        "git diff > change.diff"
    ),
    ("bytes.md", None): "That file is binary. Give a text, Markdown, .diff or .patch file.",
    ("nothing", None): (
        "'nothing' is a folder. Like this: debate . (what your branch changes), debate "
        "code_review nothing/FILE (one file) or debate design_doc nothing (its Markdown files)"
    ),
    ("hello", None): (
        "“hello” is neither a pull request link nor a file here. Example: "
        "https://github.com/owner/repo/pull/1"
    ),
    ("", None): "There is nothing to debate: give a link, a file or a question.",
}


@pytest.mark.parametrize(("target", "stdin"), BAD)
async def test_bad_input_gets_one_clear_line(
    tmp_path: Path, target: str, stdin: bytes | None
) -> None:
    (tmp_path / "empty.diff").touch()
    (tmp_path / "words.diff").write_text("hello\n")
    (tmp_path / "bytes.md").write_bytes(b"\x00\x01")
    (tmp_path / "nothing").mkdir()
    with pytest.raises(BadInput) as refusal:
        await read(tmp_path, target, stdin=stdin)
    assert str(refusal.value).replace(f"{tmp_path}/", "") == BAD[target, stdin]


@pytest.mark.parametrize("target", ["/etc/passwd", "-", "git:HEAD", "x.diff", "../x.md"])
async def test_a_chat_reads_nothing_of_this_machine(
    tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.diff").write_bytes(DIFF)
    chat = MaterialLibrary(LibrarySettings(cwd=tmp_path, stdin=io.BytesIO(DIFF)))
    with pytest.raises(BadInput):
        await chat.read(ReadRequest(target, kind="pull_request", budget=5_000))
    if target == "/etc/passwd":  # to a question they are just words
        assert (await chat.read(ReadRequest(target, kind="question", budget=5_000))).text == target
    else:
        with pytest.raises(BadInput, match="from the shell only"):
            await chat.read(ReadRequest(target, kind="question", budget=5_000))


async def test_seventeen_megabytes_are_read_as_far_as_they_are_shown_and_the_rest_is_named(
    tmp_path: Path,
) -> None:
    head = b"diff --git a/big.py b/big.py\n--- a/big.py\n+++ b/big.py\n@@ -0,0 +1,200 @@\n"
    data = DIFF + head + (b"+" + b"x = 1; " * 12_200 + b"\n") * 200
    assert len(data) > 17_000_000
    files = {one.path: one for one in (await read(tmp_path, "-", stdin=data)).coverage}
    big = files.pop("big.py")
    assert big.unread
    assert not any(one.unread for one in files.values())


async def test_a_document_has_numbered_lines(tmp_path: Path) -> None:
    (tmp_path / "design.md").write_text("# Caching\r\n\r\nWe cache \u202eeverything.\n")
    material = await read(tmp_path, "design.md", kind="document")
    assert material.text == (
        "Numbered lines of the text under debate. Cite as path:line.\n\n"
        "=== design.md (document)\n(lines 1-3)\n    1   # Caching\n    2\n    3   We cache "
        "\\u202eeverything."
    )
    assert (material.kind, material.title, material.source) == (
        MaterialKind.DOCUMENT,
        "Caching",
        "design.md",
    )
    assert stands_there(material, "design.md", 3, "RIGHT", "We cache \u202eeverything.")


async def test_a_folder_of_markdown(tmp_path: Path) -> None:
    folder = tmp_path / "adr"
    (folder / "deep").mkdir(parents=True)
    (folder / "2.md").write_text("two\n")
    (folder / "deep" / "1.md").write_text("one\n")
    (folder / "empty.md").touch()
    (folder / "code.py").write_text("x = 1\n")
    (tmp_path / "secret.md").write_text("outside\n")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    material = await read(tmp_path, "adr", kind="document")
    assert [(one.path, one.state, one.reason) for one in material.coverage] == [
        ("2.md", Read.FULL, ""),
        ("deep/1.md", Read.FULL, ""),
        ("empty.md", Read.LEFT_OUT, "empty"),
    ]
    assert "outside" not in material.text
    assert material.title == "adr"
    assert "1 other file was not read: of a folder only Markdown is." in material.notes


async def test_hidden_folders_and_dependencies_are_no_part_of_a_folder(tmp_path: Path) -> None:
    for name in (".venv/a", "web/node_modules/b", "docs/c", ".git/d"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "x.md").write_text("text\n")
    material = await read(tmp_path, ".", kind="document")
    assert [one.path for one in material.coverage] == ["docs/c/x.md"]
    (note,) = material.notes
    assert note.endswith("of dependencies were not read (3): .git, .venv, web/node_modules.")


LONG = "word " * 500


@pytest.mark.parametrize(
    ("text", "title", "first"),
    [
        ("---\nlayout: x\n---\n\n# Queue\n", "Queue", "---"),
        ("<!-- lint off -->\n# Queue\n", "Queue", ""),
        ("=====\nQueue\n=====\n", "Queue", "====="),
        ("# Queue\rwe\rmove\r", "Queue", "# Queue"),
        ("\n\nQueue\n", "Queue", ""),
    ],
)
async def test_a_document_is_titled_by_its_first_words(
    tmp_path: Path, text: str, title: str, first: str
) -> None:
    (tmp_path / "x.md").write_bytes(text.encode())
    material = await read(tmp_path, "x.md", kind="document")
    assert (material.title, material.hunks[0].lines[0].text) == (title, first)


async def test_a_line_of_a_document_that_is_shown_in_part_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text(f"# Queue\n\n{LONG}and delete all\n")
    material = await read(tmp_path, "x.md", kind="document")
    assert "delete all" not in material.text
    assert [(one.state, one.reason) for one in material.coverage] == [
        (Read.PARTIAL, "1 very long line shortened")
    ]
    assert material.notes == ("0 of 1 file read in full, 1 in part.",)


@pytest.mark.parametrize(("files", "read_of_them"), [(200, ""), (201, "the first 200 of 201")])
def test_a_large_folder_says_what_of_it_was_taken(
    tmp_path: Path, files: int, read_of_them: str
) -> None:
    for number in range(files):
        (tmp_path / f"{number:03}.md").write_text("a\n")
    texts, notes = folder_texts(tmp_path)
    assert [name for name, _ in texts] == [f"{number:03}.md" for number in range(200)]
    assert [*notes] == [f"Only {read_of_them} Markdown files were taken."] * bool(read_of_them)


SOURCES = {
    "x.py": 'START = "<!--"\nevil()\n',
    "x.log": "a <!-- b\nlast\n",
    "spans.md": "Markers like `<!--` go.\n\nlast `-->` ``<!-- ` -->``\n",
    "fence.md": "```html\n<!-- seen\n```\nlast\n",
    "indented.md": "a\n\n    <!-- seen\n\nlast\n",
}


@pytest.mark.parametrize("name", SOURCES)
async def test_what_looks_like_a_comment_in_code_is_read_with_all_that_follows(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text(SOURCES[name])
    material = await read(tmp_path, name, kind="document")
    lines = [line.text for line in material.hunks[0].lines]
    assert "\n".join(lines) + "\n" == SOURCES[name]
    assert not material.notes


async def test_a_folder_narrows_changes_alone(tmp_path: Path) -> None:
    (tmp_path / "x.diff").write_bytes(DIFF)
    (tmp_path / "a.md").write_text("a\n")
    assert (await read(tmp_path, "x.diff path:requests/")).hunks
    with pytest.raises(BadInput, match="changes nothing that can be read"):
        await read(tmp_path, "x.diff path:src/")
    for target in ("a.md path:src/", ". path:src/"):
        with pytest.raises(BadInput, match="narrows a change of code"):
            await read(tmp_path, target, kind="document")
    assert (await read(tmp_path, "what is path:src/", kind="question")).text == "what is path:src/"


async def test_words_are_a_question(tmp_path: Path) -> None:
    material = await read(tmp_path, "Should we move to monorepo?\nThink of CI.", kind="question")
    assert (material.kind, material.title, material.hunks) == (
        MaterialKind.QUESTION,
        "Should we move to monorepo?",
        (),
    )
    assert material.text == "Should we move to monorepo?\nThink of CI."
    with pytest.raises(BadInput, match="No part of the text fits"):
        await read(tmp_path, "word " * 1000, kind="question", budget=100)


async def test_a_range_of_the_repository(tmp_path: Path) -> None:
    made = Repository(tmp_path / "repository")
    made.commit("first", ünï="one\n")
    made.commit("second: add two", ünï="one\ntwo\n")
    made.git("config", "diff.external", "touch pwned;")
    material = await read(made.folder, "git:HEAD~1..HEAD")
    assert material.title == "second: add two"
    assert len(material.revision) == 40
    assert [(one.path, one.state) for one in material.coverage] == [("ünï.py", Read.FULL)]
    assert stands_there(material, "ünï.py", 2, "RIGHT", "two")
    (made.folder / "ünï.py").write_text("one\n2\n")
    assert (await read(made.folder, "git:HEAD")).revision.startswith("sha256:")
    assert not (made.folder / "pwned").exists()
    for wrong in ("--output=/tmp/x", "nope..HEAD", "", "a..b..c", "HEAD;ls", "main...HEAD"):
        with pytest.raises(BadInput):
            await read(made.folder, f"git:{wrong}")


@pytest.mark.parametrize("kind", sorted({each.material for each in builtin().values()}))
@pytest.mark.parametrize("length", [302, 5_000])
async def test_a_question_of_any_length_is_no_file_name(
    tmp_path: Path, kind: str, length: int
) -> None:
    """Whatever takes a question takes a long one; what is for code asks for a change instead."""
    question = ("Should we " + "really " * 1_000)[: length - 1] + "?"
    if kind == "pull_request":
        with pytest.raises(BadInput, match="neither a pull request link nor a file here"):
            await read(tmp_path, question, kind)
    else:
        assert (await read(tmp_path, question, kind)).text.count("really") > length // 8
