"""The lines above the first hunk say what a file is called and what happened to it."""

from __future__ import annotations

import pytest

from adapters.diffs.heads import Head, mode_remarks, read_head
from adapters.diffs.mail import message_of
from core.material.diffs import FileStatus

NAMES = {
    "diff --git a/x.py b/x.py": ("x.py", "x.py"),
    "diff --git a/one two b/one two": ("one two", "one two"),
    "diff --git x.py x.py": ("x.py", "x.py"),
    "diff --git i/x.py w/x.py": ("x.py", "x.py"),
    "diff --git z/x.py z/x.py": ("z/x.py", "z/x.py"),
    r'diff --git "a/\303\274.py" "b/\303\274.py"': ("ü.py", "ü.py"),
    r'diff --git "a/\377.py" "b/\377.py"': (r"\xff.py", r"\xff.py"),
    r'diff --git "a/q\"q.py" "b/q\\ \"n.py"': ('q"q.py', 'q\\ "n.py'),
    r'diff --git "a/\a\b\t\n\v\f\r" b/plain': ("\a\b\t\n\v\f\r", "plain"),
    r'diff --git a/plain "b/tab\t"': ("plain", "tab\t"),
    'diff --git a/end" b/end"': ('end"', 'end"'),
    'diff --git "a/never closed': ("never closed", ""),
    'diff --git "a/never closed\\': ("never closed\\", ""),
    "diff --git a/x.py b/y.py": ("a/x.py b/y.py", "a/x.py b/y.py"),
    "diff --cc a/x.py": ("a/x.py", "a/x.py"),
    "diff --combined x.py": ("x.py", "x.py"),
    "--- a/old.py\n+++ b/new.py": ("old.py", "new.py"),
    "--- a/with space\t\n+++ b/with space\t": ("with space", "with space"),
    "--- 1/old.py\t2026-01-01\n+++ 2/new.py\t2026-01-02": ("old.py", "new.py"),
    "--- old.py\n+++ new.py": ("old.py", "new.py"),
    "rename from a/x from y\nrename to b/x to y": ("a/x from y", "b/x to y"),
    'copy from "t\\tab"\ncopy to plain': ("t\tab", "plain"),
}


@pytest.mark.parametrize("text", NAMES)
def test_names_are_read_out_of_their_quoting(text: str) -> None:
    head = read_head(text.splitlines(keepends=True))
    assert (head.old, head.new) == NAMES[text]


FACTS = {
    "": Head(),
    "new file mode 100644": Head(status=FileStatus.ADDED, modes={"now": "100644"}),
    "deleted file mode 120000": Head(status=FileStatus.DELETED, modes={"then": "120000"}),
    "old mode 100644\nnew mode 100755": Head(modes={"old": "100644", "new": "100755"}),
    "index 12ab..34cd 100755": Head(modes={"now": "100755"}),
    "index 12ab..34cd": Head(),
    "Binary files a/x and b/x differ": Head(binary=True),
    "GIT binary patch": Head(binary=True),
    "rename from x": Head(old="x", status=FileStatus.RENAMED),
    "copy from x": Head(old="x", status=FileStatus.COPIED),
    "rename to y": Head(new="y"),
    "--- /dev/null\n+++ b/y": Head(old="/dev/null", new="y", status=FileStatus.ADDED),
    "--- a/x\n+++ /dev/null": Head(old="x", new="/dev/null", status=FileStatus.DELETED),
    "similarity index 90%": Head(),
    "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n--- c": Head(
        old="x", new="x", body=["@@ -1 +1 @@\n", "-a\n", "--- c"]
    ),
}


@pytest.mark.parametrize("text", FACTS)
def test_what_happened_is_read(text: str) -> None:
    assert read_head(text.splitlines(keepends=True)) == FACTS[text]


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


MAIL = (
    b"From 8ff173b Mon Sep 17 00:00:00 2001\nFrom: A <a@example.com>\nSubject: %s\n\nWhy it is "
    b"done.\n\nMore.\n---\n x | 2 +-\n\ndiff --git a/x b/x\n"
)


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
    assert message_of(MAIL % subject.encode()) == (read, "Why it is done.\n\nMore.")


def test_only_the_first_mail_and_only_a_mail_is_read() -> None:
    assert message_of(MAIL % b"one" + MAIL % b"two")[0] == "one"
    assert message_of(b"diff --git a/x b/x\nSubject: x\n\nFrom here\n") == ("", "")
    assert message_of(b"") == ("", "")
    assert message_of(b"From 8ff173b Mon Sep 17 00:00:00 2001\n\nNo subject.\n") == (
        "",
        "No subject.",
    )
