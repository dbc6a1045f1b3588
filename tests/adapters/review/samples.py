"""Debates to make reviews from: a change whose lines can be cited, and seats' statements about
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from adapters.diffs.patches import parse
from core.debate.finding import Finding
from core.debate.material import Coverage, Hunk, Line, Material, MaterialKind, Read
from tests.core.table import Table, agree, dispute, finding, table

DIFF = b'''diff --git a/app/db.py b/app/db.py
--- a/app/db.py
+++ b/app/db.py
@@ -8,7 +8,8 @@ import sqlite3
 def find(name):
     """One row."""
     pool = connect()
-    row = pool.run("select ?", name)
-    pool.close()
+    row = pool.run("select " + name)
+    if row is None:
+        raise KeyError
     return row
 #
 # end
'''
HEAD = "8ff173b186f135670879db9fbe1e68a6b5209c89"
FIX = """Bind the name.
```diff
-    row = pool.run("select " + name)
+    row = pool.run("select ?", name)
```"""


def material(**more: Any) -> Material:
    facts = {"forge": "github", "host": "github.com", "repo": "o/r", "number": "412"}
    facts |= {"state": "open", "head": HEAD} | more.pop("facts", {})
    return Material(
        MaterialKind.PULL_REQUEST, "o/r#412 Find by name", "…", "https://github.com/o/r/pull/412",
        HEAD, hunks=parse(DIFF).files[0].hunks,
        coverage=(Coverage("app/db.py", Read.FULL),), author="mallory", facts=facts, **more,
    )  # fmt: skip


def numbered(*hunks: tuple[str, Sequence[int]]) -> Material:
    """Returns a change of added lines, each with its number as its text: the path and the numbers
    of each hunk.
    """
    made = (
        Hunk(path, "@@ @@", tuple(Line("+", f"line {n}", None, n) for n in numbers))
        for path, numbers in hunks
    )
    return Material(MaterialKind.DIFF, "", "…", "", HEAD, hunks=tuple(made))


def injection(**more: Any) -> Finding:
    given: dict[str, Any] = {
        "line": 11,
        "quote": 'row = pool.run("select " + name)',
        "trigger": "name comes from a form",
        "fix": FIX,
    }
    return finding(**(given | more))


def leak() -> Finding:
    return finding(
        "The pool is never closed", severity="medium", line=12, side="LEFT", quote="pool.close()",
        trigger="every call leaks one connection",
    )  # fmt: skip


def vague() -> Finding:
    return finding("Names are unclear", severity="low", path="", line=None, anchored=False)


def several() -> Finding:
    quote = "    if row is None:\n        raise KeyError"
    return finding("A missing row raises", severity="medium", line=12, quote=quote)


def reviewed(**more: Any) -> Table:
    """Returns a finished debate with a finding of each kind."""
    t = table(material=material(**more))
    t.says("t1", "request_changes", findings=[injection(), vague()])
    t.says("t2", "comment", findings=[leak()]).says("t3", "comment", findings=[several()])
    t.says("u1", "request_changes").says("u2", "comment", answers=[agree("t1.f1")])
    t.says("u3", "comment", answers=[dispute("t2.f1", "the caller closes it, see @admin in #7")])
    return t.says("end").concluded()


def shop(t: Table, **facts: str) -> Table:
    """Returns the same debate over a change with other facts."""
    opened = t.debate.open
    other = replace(opened.material, facts={**opened.material.facts, **facts})
    return Table([*t.events[:1], replace(opened, material=other), *t.events[2:]])
