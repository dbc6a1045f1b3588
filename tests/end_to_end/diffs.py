"""Diffs for these tests, and a second reading of them that shares nothing with the code under
test.
"""

from __future__ import annotations

import re


def adding(path: str, *lines: str, start: int = 2) -> bytes:
    """Returns a diff that adds lines after the first one of a file."""
    added = "".join(f"+{line}\n" for line in lines)
    head = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n"
    return f"{head}@@ -{start - 1},0 +{start},{len(lines)} @@\n{added}".encode()


def changing(*paths: str, old: str = "old", new: str = "new") -> bytes:
    """Returns a diff that changes the only line of each file."""
    return "".join(
        f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{old}\n+{new}\n"
        for path in paths
    ).encode()


def large(files: int = 137, lines: int = 97) -> bytes:
    """Returns a pull request of about a megabyte."""
    text = "x = compute(alpha, beta, gamma)  # some words so that the line has a usual length"
    return b"".join(
        adding(f"src/part{n % 9}/module_{n:03}.py", *(f"{text} {n}.{m}" for m in range(lines)))
        for n in range(files)
    )


def right_lines(diff: bytes) -> dict[tuple[str, int], str]:
    """Maps (path, line) of the new side to the line's text, by counting alone."""
    lines: dict[tuple[str, int], str] = {}
    path, at, left, right = "", 0, 0, 0
    for raw in diff.split(b"\n"):
        line = raw.decode("utf-8", "replace")
        if left > 0 or right > 0:
            if line[:1] in ("+", " ", ""):
                lines[path, at] = line[1:]
                at, right = at + 1, right - 1
            if line[:1] in ("-", " ", ""):
                left -= 1
        elif line.startswith("+++ "):
            path = line[4:].rstrip("\t").strip('"').removeprefix("b/")
        elif hunk := re.match(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", line):
            left, at, right = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)
    return lines
