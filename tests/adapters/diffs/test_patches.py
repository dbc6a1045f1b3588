"""Every line of every odd diff has the number that the forge gives it."""

from __future__ import annotations

import base64
import gzip
import json
import quopri
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from adapters.diffs.patches import Parsed, begins_diff, parse, parse_patches
from adapters.diffs.reading_order import candidates
from core.debate.errors import BadInput
from core.debate.material import Read
from core.debate.material.coverage import FileCandidate, fit
from core.debate.material.diffs import FileDiff, FileStatus
from core.debate.material.escaping import show_hidden
from tests.drawn import drawn
from tests.end_to_end.diffs import changing
from tests.standins.github import CASES

UNUSUAL = (Path(__file__).parent / "unusual.txt").read_text("utf-8").removesuffix("\n")


def printed(parsed: Parsed) -> str:
    return fit([FileCandidate(file) for file in parsed.files], 1_000_000).text


@pytest.mark.parametrize("case", ["unusual", "unusual-binary"])
def test_unusual_files_are_numbered_and_named_right(case: str) -> None:
    parsed = parse((CASES / f"{case}.diff").read_bytes())
    assert printed(parsed) == UNUSUAL
    assert [file.path for file in parsed.files if file.problem] == []


@pytest.mark.parametrize("case", sorted(path.stem for path in CASES.glob("*-*-*.diff")))
def test_every_known_defect_is_where_its_case_says(case: str) -> None:
    facts = json.loads((CASES / f"{case}.json").read_text("utf-8"))
    files = parse((CASES / f"{case}.diff").read_bytes()).files
    assert [(file.path, file.added, file.removed, len(file.hunks)) for file in files] == [
        (one["path"], one["added"], one["removed"], one["hunks"]) for one in facts["files"]
    ]
    for place in facts["locations"]:
        (file,) = (one for one in files if one.path == place["file"])
        lines = {
            line.new: line for hunk in file.hunks for line in hunk.lines if line.new is not None
        }
        assert place["text"] in lines[place["line"]].text
        assert (lines[place["line"]].mark == "+") is place["added_line"]


WEIRD = st.text(
    st.sampled_from("ab \t\r\x0b\x0c\x1c\x85\u2028\u2029\u202e\u200bé+-@\\"), max_size=6
)


@drawn(12, HealthCheck.function_scoped_fixture)
@given(
    st.lists(WEIRD, min_size=1, max_size=12),
    st.lists(WEIRD, min_size=1, max_size=12),
    st.booleans(),
)
def test_numbers_and_texts_are_those_of_the_files_that_git_compared(
    tmp_path: Path, old: list[str], new: list[str], ended: bool
) -> None:
    (tmp_path / "a").write_bytes(("\n".join(old) + "\n" * ended).encode())
    (tmp_path / "b").write_bytes(("\n".join(new)).encode())
    done = subprocess.run(
        ["git", "diff", "--no-index", "-U1", "a", "b"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    files = parse(done.stdout).files if done.stdout else ()
    for hunk in (hunk for file in files for hunk in file.hunks):
        crlf = "CRLF line ends" in files[0].remarks
        for line in hunk.lines:
            if line.new is not None:
                assert line.text + "\\r" * crlf == show_hidden(new[line.new - 1])
            if line.old is not None:
                assert line.text + "\\r" * crlf == show_hidden(old[line.old - 1])
    if files:
        kept = sum(line.mark == " " for hunk in files[0].hunks for line in hunk.lines)
        assert files[0].added + kept <= len(new)
        assert not files[0].problem


def one_file(text: str) -> FileDiff:
    (file,) = parse(text.encode()).files
    return file


def test_blank_context_lines_at_the_end_of_a_hunk_count() -> None:
    file = one_file("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@\n a\n+b\n \n \n")
    lines = [(line.mark, line.new) for line in file.hunks[0].lines]
    assert lines == [(" ", 1), ("+", 2), (" ", 3), (" ", 4)]


def test_a_mailed_patch_is_read_without_its_heading_and_signature() -> None:
    head = "From 8ff173b Mon Sep 17 00:00:00 2001\nSubject: [PATCH] x\n\n---\n x | 2 +-\n\n"
    file = one_file(
        f"{head}diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n-- "
        "\n2.39.2\n\n"
    )
    assert [(line.mark, line.text) for line in file.hunks[0].lines] == [("-", "a"), ("+", "b")]


def test_a_diff_from_windows_is_read() -> None:
    text = (
        "diff --git a/x b/x\nnew file mode 100755\nindex 0..2\n--- /dev/null\n+++ b/x\n@@ "
        "-0,0 +1 @@\n+b\n"
    )
    file = one_file(text.replace("\n", "\r\n"))
    assert (file.path, file.status, file.remarks) == ("x", FileStatus.ADDED, ())
    assert file.hunks[0].lines[0].text == "b"


PLAIN = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,4 @@\n a\n+b\n+\n c\n"
COLOURED = (
    "\x1b[1mdiff --git a/x b/x\x1b[m\n\x1b[1m--- a/x\x1b[m\n\x1b[1m+++ b/x\x1b[m\n\x1b[36m@@ -1,2 "
    "+1,4 @@\x1b[m\n a\x1b[m\n\x1b[32m+\x1b[m\x1b[32mb\x1b[m\n\x1b[32m+\x1b[m\n c\x1b[m\n"
)
PACKED = base64.encodebytes(PLAIN.encode())
BASE64 = b"Content-Transfer-Encoding: base64\n\n"


def mail(headers: bytes, body: bytes) -> bytes:
    return b"From: a@example.org\nSubject: x\n" + headers + body


WAYS = {
    "a mark": b"\xef\xbb\xbf" + PLAIN.encode(),
    "utf-16": PLAIN.encode("utf-16"),
    "utf-16, big": b"\xfe\xff" + PLAIN.encode("utf-16-be"),
    "utf-16 without a mark": PLAIN.encode("utf-16-le"),
    "utf-32": PLAIN.encode("utf-32"),
    "ends of the old Macintosh": PLAIN.replace("\n", "\r").encode(),
    "ends of the old Macintosh but the last": PLAIN[:-1].replace("\n", "\r").encode() + b"\n",
    "a form": PLAIN.replace("\n", "\r\n").encode(),
    "a form, ends cut": PLAIN.rstrip().replace("\n", "\r\n").encode(),
    "colours": COLOURED.encode(),
    "colours of Windows": COLOURED.replace("\n", "\r\n").encode(),
    "quoted-printable": mail(
        b"Content-Transfer-Encoding: quoted-printable\n\nWhy=20\n\n",
        quopri.encodestring(PLAIN.encode()),
    ),
    "base64": b"From 8ff173b Mon Sep 17 00:00:00 2001\n"
    + mail(b"Content-Type: text/plain; charset=UTF-8\n" + BASE64, PACKED),
    "base64 after a blank line, headers in capitals and folded": (
        b"\nFROM: a@example.org\nCONTENT-TRANSFER-ENCODING:\n base64\n\n" + PACKED
    ),
    "base64, saved on Windows": mail(BASE64, PACKED).replace(b"\n", b"\r\n"),
    "an attachment in UTF-16": mail(
        b"Content-Type: multipart/mixed; boundary=B\n\n--B\n"
        b"Content-Type: text/x-patch; charset=utf-16\n" + BASE64,
        base64.encodebytes(PLAIN.encode("utf-16")) + b"\n--B--\n",
    ),
    "an attachment": mail(
        b"Content-Type: multipart/mixed; boundary=B\n\nThis is a multi-part message.\n"
        b"--B\nContent-Type: text/plain\n\nWhy.\n--B\nContent-Type: application/octet-stream\n"
        + BASE64,
        PACKED + b"\n--B--\n",
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_way_in_which_a_diff_came_does_not_change_it(way: str) -> None:
    (file,) = parse(WAYS[way]).files
    assert file == one_file(PLAIN)
    assert begins_diff(WAYS[way])


def test_the_carriage_returns_of_a_file_are_its_own() -> None:
    file = one_file("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\n")
    assert [line.text for line in file.hunks[0].lines] == ["a\\r", "b\\r", "c"]


def test_marks_between_files_that_were_joined_are_no_part_of_them() -> None:
    joined = WAYS["a mark"] + WAYS["a mark"].replace(b"/x", b"/y")
    assert [file.path for file in parse(joined).files] == ["x", "y"]


def test_a_word_diff_in_colours_is_named() -> None:
    text = (
        "\x1b[1mdiff --git a/x b/x\x1b[m\n--- a/x\n+++ b/x\n\x1b[36m@@ -1,2 +1,2 @@\x1b[m\n"
        "  a\n  \x1b[31mrun(1)\x1b[m\x1b[32mos.system(input())\x1b[m\n"
    )
    assert "a word diff" in one_file(text).problem


REFUSED = {
    "a graph": (
        b"* commit 8ff173b\n| diff --git a/x b/x\n| --- a/x\n| +++ b/x\n",
        "without one: git log -p",
    ),
    "a quotation": (PLAIN.replace("\n", "\n> ").encode()[15:], "as in a quotation"),
    "an indented diff": (b"    " + PLAIN.replace("\n", "\n    ").encode(), "as in a quotation"),
    "a range-diff": (b"1:  8ff173b ! 1:  9ff173b x\n    @@ a.py\n", "a range-diff"),
    "hunks only": (PLAIN.partition("+++ b/x\n")[2].encode(), "name no file"),
    "gzip": (gzip.compress(PLAIN.encode()), "packed with gzip"),
    "zip": (b"PK\x03\x04" + PLAIN.encode(), "packed with zip"),
    "words": (b"hello\nworld\n", "This is not a diff"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_diff_is_refused_with_its_reason(what: str) -> None:
    data, reason = REFUSED[what]
    with pytest.raises(BadInput, match=reason):
        parse(data)


def test_lines_that_belong_to_no_file_are_an_entry_with_their_first_number() -> None:
    parsed = parse((PLAIN + "\nNur in neu: x.py.\n" + PLAIN).encode())
    assert [(file.path, file.problem) for file in parsed.files] == [
        ("x", ""),
        ("other lines", "1 line that could not be read, from line 10"),
    ]


def test_lines_that_no_hunk_announces_are_named_with_their_file() -> None:
    file = one_file(PLAIN + "+eval(input())\n-x\n")
    assert file.lost == "2 lines that no hunk announces not read, from line 9"
    fitted = fit([FileCandidate(file)], 1_000)
    assert (fitted.coverage[0].state, fitted.coverage[0].unread) == (Read.PARTIAL, True)
    assert "no hunk announces" in fitted.text


def test_one_damaged_file_does_not_hide_the_others() -> None:
    bad = changing("bad").replace(b"-1 +1", b"-1,9 +1,9")
    parsed = parse(bad + changing("good"))
    assert [(file.path, bool(file.problem), file.added) for file in parsed.files] == [
        ("bad", True, 0),
        ("good", False, 1),
    ]
    assert "damaged (Hunk is shorter than expected)" in parsed.files[0].problem


def test_a_name_that_imitates_the_heading_is_still_one_file() -> None:
    file = one_file("diff --git a/x b/y b/x b/y\n--- a/x b/y\n+++ b/x b/y\n@@ -1 +1 @@\n-a\n+b\n")
    assert (file.path, file.problem, file.added) == ("x b/y", "", 1)


def test_a_merge_with_two_parents_is_named_and_left_out() -> None:
    file = one_file(
        "diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n"
    )
    assert (file.path, file.hunks) == ("x", ())
    assert "several parents" in file.problem


def test_an_empty_text_has_no_files() -> None:
    assert parse(b"") == Parsed(())


@pytest.mark.parametrize("digits", [13, 30, 5_000])
def test_a_line_that_no_file_has_is_damage(digits: int) -> None:
    number = "9" * digits
    for heading in (f"@@ -{number} +1 @@", f"@@ -1 +{number} @@"):
        file = one_file(f"--- a/x.py\n+++ b/x.py\n{heading}\n-a\n+b\n")
        assert file.problem.startswith("its part of the diff is damaged")
        assert len(file.problem) < 150


MISSING = {
    "-a\n\\ No newline at end of file\n+b\n": "of the old file",
    "-a\n+b\n\\ No newline at end of file\n": "of the new file",
    "-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n": (
        "of the old and the new file"
    ),
}


@pytest.mark.parametrize("body", MISSING)
def test_the_side_without_a_last_line_end_is_named(body: str) -> None:
    file = one_file(f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n{body}")
    assert file.remarks == (f"no newline at the end {MISSING[body]}",)


def test_characters_that_nobody_sees_are_listed_where_they_are_added() -> None:
    body = "-gone\u202e\n old\u200b\n+plain é\n+bidi\u202e\n+\ufeffzero\n+both\u2066\u200b\n"
    for first, marked in ((0, [5, 6, 7]), (1, [4, 5, 6])):
        heading = f"@@ -1,2 +{3 - first},5 @@"
        parsed = parse(f"--- a/x\n+++ b/x\n{heading}\n{body}".encode())
        assert [one.line for one in parsed.unseen] == marked
        assert [(one.severity, one.title.split()[0], one.title[-8:]) for one in parsed.unseen] == [
            ("high", "Bidirectional", r"(\u202e)"),
            ("medium", "Invisible", r"(\ufeff)"),
            ("high", "Bidirectional", r"(\u2066)"),
        ]
        assert {(one.path, one.side) for one in parsed.unseen} == {("x", "RIGHT")}


@pytest.mark.parametrize(("first", "listed"), [(1, []), (2, [2])])
def test_a_byte_order_mark_is_hidden_anywhere_but_at_the_start(
    first: int, listed: list[int]
) -> None:
    parsed = parse(f"--- a/x\n+++ b/x\n@@ -{first} +{first} @@\n-a\n+\ufeffa\n".encode())
    assert [one.line for one in parsed.unseen] == listed


def test_only_very_long_lines_and_headings_are_shortened() -> None:
    longest, longer = "x y " * 250, "x y " * 250 + "z"
    file = one_file(f"--- a/x\n+++ b/x\n@@ -1 +1 @@ {'f' * 300}\n-{longest}\n+{longer}\n")
    assert [line.text for line in file.hunks[0].lines] == [
        longest,
        f"{longest} …[1 more characters]",
    ]
    assert file.cut == 1
    assert len(file.hunks[0].header) == 200


def test_a_file_may_have_as_many_lines_as_no_file_has() -> None:
    last = 1 << 40
    file = one_file(f"--- a/x\n+++ b/x\n@@ -{last} +{last} @@\n-a\n+b\n")
    assert (file.problem, file.hunks[0].lines[1].new) == ("", last)
    file = one_file(f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n@@ -{last + 1} +9 @@\n-a\n+b\n")
    assert file.problem.endswith("damaged (no file has that many lines)")


def test_secrets_are_counted_in_lines_and_names_on_their_side() -> None:
    token = "ghp_q8Zr2VbK7nXw4TjLm9Yc3Hs6DfPg1AeRuNoI"
    text = (
        f"diff --git a/old-{token} b/new-{token}\nrename from old-{token}\nrename to new-{token}\n"
        f"--- a/old-{token}\n+++ b/new-{token}\n@@ -1 +1 @@\n-{token}\n+{token}\n"
    )
    parsed = parse(text.encode())
    assert [(secret.side, secret.line) for secret in parsed.secrets] == [("RIGHT", 1)]
    assert parsed.redacted == 4
    assert token not in repr(parsed)


def test_patches_of_a_forge_need_no_heading_and_no_last_line_end() -> None:
    blank = FileDiff("x", status=FileStatus.ADDED)
    binary = FileDiff("y", binary=True)
    patch = "@@ -0,0 +1,2 @@\n+a\n+b"
    read = parse_patches([(blank, patch), (blank, patch + "\n"), (blank, None)]).files
    assert [[line.text for hunk in file.hunks for line in hunk.lines] for file in read] == [
        ["a", "b"],
        ["a", "b"],
        [],
    ]
    assert parse_patches([(binary, patch), (blank, "")]).files == (binary, blank)


@pytest.mark.parametrize("heading", ["diff --git  ", "diff --git   ", "diff --git a/  b/ "])
def test_a_heading_without_a_name_is_none_of_an_empty_path(heading: str) -> None:
    (file,) = parse(f"{heading}\n".encode()).files
    assert (file.path, file.problem) == ("other lines", "its text is not in the diff")


CUT = "1 line that no hunk announces not read, from line 4"
SHORT = "its part of the diff is damaged (Hunk is shorter than expected)"
LIBRARY = "@@ -1 +1 @@\n-Subproject commit 1111111\n+Subproject commit 2222222"
ODD_PATCHES = {
    "Binary files a/x and b/x differ": ("left_out", "binary"),
    "(diff too large)": ("left_out", "its text is not in the diff"),
    "@@ -1,9 +1,9 @@\n a\n-b\n+c": ("left_out", SHORT),
    "@@ -1 +1 @@\n-a\n+b\n+eval()": ("partial", CUT),
    "@@ -1 +1 @@\n-a\n+b\n... (cut)": ("partial", CUT),
    LIBRARY: ("full", "submodule, only the commit it names"),
}


@pytest.mark.parametrize("patch", ODD_PATCHES)
def test_a_forges_patch_that_is_not_read_whole_is_named(patch: str) -> None:
    files = parse_patches([(FileDiff("x"), patch)]).files
    (one,) = fit(candidates(files), 1_000).coverage
    assert (one.state.value, one.reason) == ODD_PATCHES[patch]
    assert one.unread


def test_a_forges_patch_may_have_the_names_of_its_file() -> None:
    plain, named = (
        parse_patches([(FileDiff("x"), patch)])
        for patch in ("@@ -1 +1 @@\n-a\n+b", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")
    )
    assert plain == named
