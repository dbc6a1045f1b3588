"""Every line of a diff belongs to a file that is listed, to a message, or is named as not read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.diffs.cutting import cut
from adapters.diffs.patches import begins_diff, parse
from adapters.diffs.reading_order import candidates
from core.debate.material import Coverage, Read
from core.debate.material.coverage import fit
from core.debate.material.diffs import UNPLACED
from tests.drawn import drawn
from tests.end_to_end.diffs import changing
from tests.samples import samples

HUNK = "@@ -1,3 +1,3 @@\n import os\n-run(1)\n+os.system(input())\n done()\n"
FULL, LEFT, HERE = Read.FULL, Read.LEFT_OUT, Path(__file__).parent


FILES = {
    name: (text, path, Read(state))
    for heading, text in samples(HERE / "files.txt").items()
    for name, path, state in (heading.split(" | "),)
}
"""What programs write about one file: its text, its path, and how much of it is read."""
MESSAGES = samples(HERE / "messages.txt")


def coverage(text: str) -> dict[str, Coverage]:
    files = parse(text.encode()).files
    return {one.path: one for one in fit(candidates(files), 1_000_000).coverage}


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_named_and_read_or_said_to_be_left_out(name: str) -> None:
    text, path, state = FILES[name]
    (one,) = coverage(text).values()
    assert (one.path, one.state) == (path, state)
    assert one.unread is (state is not FULL or "submodule" in one.reason)
    assert begins_diff(text.encode()) is (text.split(" ")[0] not in _LINES)


_LINES = ("Submodule", "*", "Binary", "Files", "Only", "File", "Symbolic", "Common")
"""How lines begin that name a file in one line, as a sentence may."""


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_is_the_title_of_what_follows(name: str) -> None:
    parsed = parse((MESSAGES[name] + FILES["git"][0]).encode())
    assert [subject for subject, _ in parsed.messages] == ["Mend it"]
    assert [file.path for file in parsed.files] == ["src/app.py"]
    for _, text in parsed.messages:
        assert "Ann" not in text
        assert "cart.py |" not in text
    assert parsed.messages[0][1] != "---"
    if "Why." in MESSAGES[name]:
        assert "Why." in parsed.messages[0][1]


def test_a_property_that_is_too_long_to_show_counts_as_unread() -> None:
    text = FILES["subversion, a property"][0].replace("lib@200", "lib@200 " * 200)
    one = coverage(text)["conf"]
    assert (one.state, one.reason, one.unread) == (Read.PARTIAL, "a long property shortened", True)


def test_words_before_the_first_file_are_a_description_unless_they_look_like_a_change() -> None:
    parsed = parse(("Two fixes:\n- one\n\n" + FILES["git"][0]).encode())
    assert parsed.messages == (("", "Two fixes:\n- one"),)
    hidden = ["+++ b/x\n+evil()\n", "> diff --git a/x b/x\n", "x\n@@ -1 +1 @@\n-a\n+b\n"]
    hidden += [f"So:\n{mark}diff --git a/x b/x\n{mark}+evil()\n" for mark in ("  ", "\t", ">> ")]
    hidden.append("[10:00] diff --git a/x b/x\n[10:00] +evil()\n")
    for text in hidden:
        assert UNPLACED in coverage(text + FILES["git"][0])


@pytest.mark.parametrize(
    "part",
    [
        *("@@ -1 +1 @@\n-a\n+b\n", "--- a/x\n+++ b/x\n+evil()\n", "*** a/x\n--- b/x\n! evil()\n"),
        *("Index: x\n--- x\n+evil()\n", "==== x#1 ====\n+evil()\n", "diff --gi a/x\n+evil()\n"),
    ],
)
def test_a_damaged_part_of_a_diff_is_no_message(part: str) -> None:
    for message in (text for text in MESSAGES.values() if not text.startswith("commit ")):
        assert UNPLACED in coverage(message + part + FILES["git"][0])


def test_a_fence_around_a_diff_says_nothing() -> None:
    text = f"```diff\n{FILES['git'][0]}```\n"
    assert list(coverage(text)) == ["src/app.py"]


def test_the_footer_of_a_mailing_list_says_nothing() -> None:
    footer = (
        "-- \n2.43.0\n\n\n"
        f"{'_' * 47}\nqemu mailing list -- qemu@example.org\n"
        "To unsubscribe send an email to qemu-leave@example.org\n"
    )
    old = f"{'_' * 47}\nqemu mailing list\nqemu@example.org\nhttps://example.org/qemu\n"
    for end in (footer, old, footer + MESSAGES["mail"] + FILES["git"][0]):
        assert list(coverage(FILES["git"][0] + end)) == ["src/app.py"]
    assert UNPLACED in coverage(FILES["git"][0] + old + "+evil()\n")
    assert UNPLACED in coverage(FILES["git"][0] + f"{'_' * 47}\nevil()\n")


def test_a_statistic_names_the_files_that_were_cut_off() -> None:
    mail = "From 1234567890 Mon Sep 17 00:00:00 2001\nFrom: Ann <a@example.org>\nSubject: x\n\nWhy."
    counted = f"{mail}\n---\n src/app.py | 2 +-\n x.py | 9 +++\n {{}} changed, 5 insertions(+)\n\n"
    letter = f"{mail}\n\n x.py | 9 +++\n 7 files changed, 9 insertions(+)\n\n"
    git = FILES["git"][0]
    whole = letter + counted.format("1 file") + git
    for text in (counted.format("2 files") + git, whole + counted.format("1 file")):
        assert "1 file of its statistic" in coverage(text)[UNPLACED].reason
    assert list(coverage(whole)) == ["src/app.py"]


@pytest.mark.parametrize(
    "fact",
    ["--- x.py\n+++ x.py\n", "RCS file: /x.py,v\nretrieving revision 1.1\ndiff -u -r1.1 -r1.2\n"],
)
def test_an_index_that_was_cut_is_no_empty_file(fact: str) -> None:
    one = coverage(f"Index: x.py\n{'=' * 67}\n{fact}")["x.py"]
    assert (one.state, one.reason) == (LEFT, "its text is not in the diff")


def test_a_file_that_perforce_lists_without_its_text_is_left_out() -> None:
    listed = MESSAGES["a change of perforce"].replace(
        "//depot/x.py#2 edit", "//depot/main/x.py#3 edit\n... //depot/new.py#1 add"
    )
    left = coverage(listed + FILES["perforce"][0])["//depot/new.py"]
    assert (left.reason, left.unread) == ("its text is not in the diff", True)


ODD = st.sampled_from(
    [
        "", " ", "x = 1", "Nur in neu: x.py.", "Binärdateien a und b sind verschieden.", "\\ odd",
        "index 1111111..2222222 100644", "--- a/alone.py", "+++ b/alone.py", "+evil()", "@@ odd @@",
        "> +quoted", "-- ", "2.39.5", "rename from x", "====", "GIT binary patch", "\ufeff", "-x",
    ]
)  # fmt: skip
PARTS = st.one_of(
    st.sampled_from([text for text, _, _ in FILES.values()]),
    st.sampled_from(list(MESSAGES.values())),
    ODD.map(lambda line: line + "\n"),
)


@given(st.lists(PARTS, max_size=8))
def test_every_line_is_accounted_for(parts: list[str]) -> None:
    lines = "".join(parts).split("\n")[:-1]
    pieces = cut(lines)
    sections = sum(
        len(one.head) + len(one.hunks) + len(one.properties) + len(one.surplus)
        for one in pieces.sections
    )
    messages = sum(len(one.lines) for one in pieces.messages)
    assert sections + messages + len(pieces.unread) + pieces.blank == len(lines)
    assert all(lines[number - 1].strip() for number in pieces.unread)


@drawn(40)
@given(st.lists(st.sampled_from(sorted(FILES)), min_size=1, max_size=6), st.lists(ODD, max_size=3))
def test_no_file_of_a_mixture_vanishes(names: list[str], odd: list[str]) -> None:
    text = "".join(FILES[name][0] for name in names)
    covered = coverage(text)
    for name in names:
        _, path, state = FILES[name]
        listed = [one for one in covered.values() if one.path.endswith(path.split("/")[-1])]
        assert listed, name
        if state is LEFT:
            assert any(one.unread for one in covered.values()), name
    strange = "".join(f"strange {n} {line}\n" for n, line in enumerate(odd))
    if strange:
        left = coverage(FILES["git"][0] + "\n" + strange + text)[UNPLACED]
        assert left.unread
        assert f"{len(odd)} line" in left.reason


@pytest.mark.parametrize("index", ["index 0", "index 0000000", "index 0000000.."])
def test_an_added_file_that_was_cut_in_its_index_is_no_empty_file(index: str) -> None:
    text = f"diff --git a/x.py b/x.py\nnew file mode 100644\n{index}"
    assert coverage(text)["x.py"].state is LEFT


INDEXED = FILES["git"][0].replace("--- a/", "index 1111111..2222222 100644\n--- a/")
CUTS = [
    "new file mode 100644",
    "deleted file mode 100644",
    "old mode 100644",
    "old mode 100644\nnew mode 100755\nindex 1111111..2222222",
    "similarity index 90%",
    "similarity index 100%\nrename from x.py",
    "similarity index 90%\nrename from o.py\nrename to x.py",
    "similarity index 90%\ncopy from o.py\ncopy to x.py",
    "rename from x.py",
]
"""Heads of git's files that end before a text which follows, or may."""


@pytest.mark.parametrize("head", CUTS)
@pytest.mark.parametrize("after", ["", INDEXED])
def test_a_file_that_was_cut_before_its_text_is_not_read(head: str, after: str) -> None:
    by_path = coverage(f"{INDEXED}diff --git a/x.py b/x.py\n{head}\n{after}")
    assert [one.unread for path, one in by_path.items() if path.endswith("x.py")] == [True]


def test_an_empty_file_of_mercurial_has_no_index_and_is_read() -> None:
    empty = "diff --git a/x/__init__.py b/x/__init__.py\nnew file mode 100644\n"
    hashes = f"{'1' * 40}..{'2' * 40}"
    binary = f"diff --git a/l.so b/l.so\nindex {hashes}\nGIT binary patch\nliteral 1\nIcmZ\n\n"
    after = changing("y.py").decode()
    for others in (binary + FILES["git"][0], after):
        assert coverage(empty + others)["x/__init__.py"].state is FULL
    assert coverage(after + empty)["x/__init__.py"].unread


def test_a_link_of_bazaar_shows_its_target() -> None:
    (file,) = parse(b"=== added symlink 'x'\n=== target is '/etc/passwd'\n").files
    assert file.remarks == ("target is '/etc/passwd'",)


@pytest.mark.parametrize("names", ["/dev/null and b/{}", "a/{} and b/{}", "{} and {}"])
def test_a_binary_file_whose_name_has_an_and_is_one_file(names: str) -> None:
    name = "Terms and Conditions.pdf"
    line = f"Binary files {names.format(name, name)} differ\n"
    prefixes = ("a/", "b/") if "b/" in names else ("", "")
    heading = f"diff --git {prefixes[0]}{name} {prefixes[1]}{name}\nindex 0..1\n"
    covered = coverage(heading + line + FILES["git"][0])
    assert (covered.pop(name).reason, list(covered)) == ("binary", ["src/app.py"])


@pytest.mark.parametrize("option", ["", " (100%)"])
def test_a_quoted_name_in_a_list_is_that_of_its_file(option: str) -> None:
    line = (
        f' rename old.py => "\\303\\274.py"{option}\n'
        if option
        else '1\t0\told.py => "\\303\\274.py"\n'
    )
    text = (
        'diff --git a/old.py "b/\\303\\274.py"\nsimilarity index 100%\nrename from old.py\n'
        'rename to "\\303\\274.py"\n'
    )
    assert list(coverage(line + text)) == ["ü.py"]


@pytest.mark.parametrize(
    "line",
    [
        "1\t1\tlib/{old.py => a => b.py}",
        "1\t1\tlib/old.py => lib/a => b.py",
        " rename lib/{old.py => a => b.py} (90%)",
    ],
)
def test_an_arrow_in_a_name_of_a_list_names_no_other_file(line: str) -> None:
    moved = (
        "diff --git a/lib/old.py b/lib/a => b.py\nsimilarity index 90%\n"
        f"rename from lib/old.py\nrename to lib/a => b.py\n{HUNK}"
    ).replace("@@", "--- a/lib/old.py\n+++ b/lib/a => b.py\n@@", 1)
    assert list(coverage(f"{line}\n{moved}")) == ["lib/a => b.py"]
    there = "diff --git a/a => b.py b/a => b.py\n--- a/a => b.py\n+++ b/a => b.py\n" + HUNK
    assert list(coverage(f"1\t1\ta => b.py\n{there}")) == ["a => b.py"]
    assert coverage("1\t1\tevil => b.py\n" + there)["evil"].unread
    assert "" not in coverage(f"1\t1\t{' => ' * 20_000}\n{there}"), "and in no time"


LISTS = {
    "--name-status": "M\tsrc/app.py\nA\tevil.py\n",
    "--raw": ":100644 100644 1111111 2222222 M\tsrc/app.py\n"
    ":000000 100644 0000000 2222222 A\tevil.py\n",
    "--numstat": "1\t1\tsrc/app.py\n9\t0\tevil.py\n",
    "--numstat, moved": "1\t1\t{old => src}/app.py\n9\t0\tevil.py\n",
    "--summary": " create mode 100644 evil.py\n",
    "--summary, moved": " rename {old => src}/app.py (90%)\n delete mode 100644 evil.py\n",
    "fossil": "CHANGED  src/app.py\nADDED    evil.py\n",
    "--stat": " src/app.py | 2 +-\n evil.py    | 9 +++++++++\n",
}


@pytest.mark.parametrize("option", LISTS)
def test_a_list_around_a_diff_names_the_files_that_it_does_not_show(option: str) -> None:
    listed, log = LISTS[option], "commit 1111111\nAuthor: Ann\n\n    Mend it\n\n"
    git = FILES["git"][0]
    for text in (listed + git, git + listed, log + listed + git):
        by_path = coverage(text)
        assert not by_path["src/app.py"].unread
        missing = {path: one.reason for path, one in by_path.items() if one.unread}
        if option == "--stat":
            assert missing == {UNPLACED: "1 file of its statistic that the diff does not show"}
        else:
            assert missing["evil.py"] == "its text is not in the diff"
            assert set(missing) <= {"evil.py", "old/app.py"}


def test_the_prose_around_fences_says_what_they_are_for() -> None:
    first, second = FILES["git"][0], FILES["a new file"][0]
    text = f"Look:\n\n```diff\n{first}```\n\nand at\n\n~~~\n{second}~~~\n\nThanks.\n"
    parsed = parse(text.encode())
    assert [words for _, words in parsed.messages] == ["Look:", "and at", "Thanks."]
    assert parsed.changes == 1
    assert not any(one.unread for one in coverage(text).values())


@pytest.mark.parametrize(
    "hidden", ["```diff\n+ evil()\n```\n", "+evil()\n", "1:  abcdef1 ! 1:  abcdef2 x\n"]
)
def test_a_change_in_the_prose_around_fences_is_not_read(hidden: str) -> None:
    fenced = f"```diff\n{FILES['git'][0]}```\n"
    for text in (hidden + fenced, fenced + hidden, fenced + hidden + fenced):
        assert coverage(text)[UNPLACED].unread


def test_lines_of_diff_r_in_the_users_language_are_no_description() -> None:
    heading = "diff -ru o/a n/a\n--- o/a\t2026-01-01\n+++ n/a\t2026-01-01\n@@ -1 +1 @@\n-a\n+b\n"
    assert coverage("Seulement dans n: evil.py\n" + heading)[UNPLACED].unread
    assert UNPLACED not in coverage("Two fixes:\n\n" + heading)


def test_an_empty_file_of_subversion_before_a_file_of_git_is_listed() -> None:
    text = f"Index: empty.py\n{'=' * 67}\n{FILES['git'][0]}"
    assert list(coverage(text)) == ["empty.py", "src/app.py"]


@pytest.mark.parametrize("end", ["", "\n", "HcmV?d00001\n\n"])
def test_a_binary_file_ends_with_its_last_line_of_base85(end: str) -> None:
    picture = "diff --git a/x.png b/x.png\nGIT binary patch\nliteral 4\nLcmZQzWMT#Y01f~L\n"
    assert list(coverage(picture + end + FILES["git"][0])) == ["x.png", "src/app.py"]
    assert coverage(f"{picture}+evil()\n")[UNPLACED].unread


@pytest.mark.parametrize("line", ["\\evil()\n", "\\ Kein Ende.\n\\ evil()\n"])
def test_only_one_line_says_that_a_file_has_no_last_line_end(line: str) -> None:
    (one,) = coverage(FILES["git"][0] + line).values()
    assert (one.reason[:7], one.unread) == ("1 line ", True)
