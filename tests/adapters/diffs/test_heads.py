"""The lines above the first hunk say what a file is called and what happened to it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adapters.diffs.cutting import Kind, Section
from adapters.diffs.heads import Head, mode_remarks, read_head
from adapters.diffs.patches import parse
from core.debate.material.diffs import FileStatus

NAMES = {
    "diff --git a/x.py b/x.py": ("", "x.py"),
    "diff --git a/one two b/one two": ("", "one two"),
    "diff --git x.py x.py": ("", "x.py"),
    "diff --git i/x.py w/x.py": ("", "x.py"),
    "diff --git z/x.py z/x.py": ("", "z/x.py"),
    r'diff --git "a/\303\274.py" "b/\303\274.py"': ("", "ü.py"),
    r'diff --git "a/\377.py" "b/\377.py"': ("", r"\xff.py"),
    r'diff --git "a/q\"q.py" "b/q\\ \"n.py"': ('q"q.py', r'q\ "n.py'),
    r'diff --git "a/\a\b\t\n\v\f\r" b/plain': (r"\u0007\u0008\t\n\u000b\u000c\r", "plain"),
    r'diff --git a/plain "b/tab\t"': ("plain", r"tab\t"),
    'diff --git a/end" b/end"': ("", 'end"'),
    "diff --git a/x.py b/y.py": ("x.py", "y.py"),
    "diff --cc a/x.py": ("", "a/x.py"),
    "diff --combined x.py": ("", "x.py"),
    "diff --git a/a b b/a b\nrename from a b\nrename to b/a b": ("a b", "b/a b"),
    "diff --git x y\nrename from a/x from y\nrename to b/x to y": ("a/x from y", "b/x to y"),
    'diff --git x y\ncopy from "t\\tab"\ncopy to plain': (r"t\tab", "plain"),
    "diff --git a/b c b/b d\n--- a/b c\t\n+++ b/b d\t": ("b c", "b d"),
    "diff --git a/b c b/b c\n--- /dev/null\n+++ b/b c\t": ("", "b c"),
    "diff --git a/b c b/b c\n--- a/b c\t\n+++ /dev/null": ("", "b c"),
    "--- a/with space\t\n+++ b/with space\t": ("", "with space"),
    "--- 1/old.py\t2026-01-01\n+++ 2/new.py\t2026-01-02": ("", "new.py"),
    "--- old.py\n+++ new.py": ("", "new.py"),
    "--- a/index.py\n+++ a/index.py": ("", "a/index.py"),
    "--- a/old.py\n+++ /dev/null": ("", "old.py"),
    "--- src/old.py\n+++ /dev/null": ("", "src/old.py"),
}


@pytest.mark.parametrize("text", NAMES)
def test_names_are_read_out_of_their_quoting(text: str) -> None:
    (file,) = parse(f"{text}\n@@ -1 +1 @@\n-a\n+b\n".encode()).files[:1]
    assert (file.old_path, file.path) == NAMES[text]


@pytest.mark.parametrize("text", ['diff --git "a/never closed', 'diff --git "a/never closed\\'])
def test_a_name_that_never_ends_is_still_a_name(text: str) -> None:
    (file,) = parse(text.encode()).files
    assert file.problem
    assert "never closed" in file.path


def head_of(text: str) -> Head:
    return read_head(Section(Kind.GIT, 1, 0, head=text.split("\n")))


FACTS = {
    "deleted file mode 120000": Head(status=FileStatus.DELETED, modes={"then": "120000"}),
    "index 12ab..34cd 100755": Head(modes={"now": "100755"}, blobs=("12ab", "34cd")),
    "Binary files a/x and b/x differ": Head(old="a/x", new="b/x", binary=True),
    "copy from x": Head(old="x", exact=True, status=FileStatus.COPIED),
    "similarity index 90%": Head(),
}


@pytest.mark.parametrize("text", FACTS)
def test_what_happened_is_read(text: str) -> None:
    assert replace(head_of(text), problem="") == FACTS[text]


REMARKS = {
    ("old 100644", "new 100755"): ["mode 100644 -> 100755"],
    ("old 100644", "new 120000"): ["mode 100644 -> 120000", "symbolic link"],
    ("old 120000", "new 100644"): ["mode 120000 -> 100644"],
    ("old 100644",): [],
    ("new 100755",): [],
    ("now 120000",): ["symbolic link"],
    ("then 120000",): ["symbolic link"],
    ("now 100644", "then 120000"): [],
    ("now 160000",): [],
    (): [],
}


@pytest.mark.parametrize("modes", REMARKS)
def test_modes_are_said_where_they_matter(modes: tuple[str, ...]) -> None:
    assert [*mode_remarks(dict(mode.split() for mode in modes))] == REMARKS[modes]


PATCH = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
MAIL = (
    b"From 8ff173b Mon Sep 17 00:00:00 2001\nFrom: A <a@example.com>\nSubject: %s\n\nWhy it is "
    b"done.\n\nMore.\n---\n x | 2 +-\n\n" + PATCH
)


def messages(data: bytes) -> list[tuple[str, str]]:
    return list(parse(data).messages)


@pytest.mark.parametrize(
    ("subject", "read"),
    [
        ("Mend it", "Mend it"),
        ("[PATCH] Mend it", "Mend it"),
        ("[PATCH v2 1/3] [api] Mend [it]", "Mend [it]"),
        ("[PATCH] Mend what takes\n two lines", "Mend what takes two lines"),
    ],
)
def test_a_mailed_patch_says_what_it_is_for(subject: str, read: str) -> None:
    assert messages(MAIL % subject.encode()) == [(read, "Why it is done.\n\nMore.")]


def test_each_mail_of_a_series_is_read() -> None:
    assert [subject for subject, _ in messages(MAIL % b"one" + MAIL % b"two")] == ["one", "two"]
    assert messages(b"diff --git a/x b/x\nSubject: x\n\nFrom here\n") == []
    nameless = b"From 8ff173b Mon Sep 17 00:00:00 2001\nDate: now\n\nNo subject.\n"
    assert messages(nameless + PATCH) == [("", "No subject.")]


def test_an_attachment_that_is_no_text_is_left_out_by_name() -> None:
    mail = (
        b"From: a@example.org\nSubject: x\nContent-Type: multipart/mixed; boundary=B\n\n--B\n\n"
        b"%s\n--B\nContent-Type: application/gzip\nContent-Transfer-Encoding: base64\n"
        b'Content-Disposition: attachment; filename="x.diff.gz"\n\nH4sIAAAAAAAA\n\n--B--\n'
    )
    files = parse(mail % PATCH).files
    assert [(file.path, file.binary) for file in files][1:] == [("x.diff.gz", True)]
