"""Only the author's own new lines count as new since an earlier head, whatever happened to the
history.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adapters.diffs.patches import parse
from core.debate.ledger import Demand, Fate
from core.debate.material.diffs import FileDiff
from core.debate.material.since import followed, new_parts
from tests.core.demands import demand, reworded

OLD = """diff --git a/app/db.py b/app/db.py
--- a/app/db.py
+++ b/app/db.py
@@ -1,4 +1,6 @@
 import sqlite3
+import os
 #
 def find(name):
-    return run("select ?", name)
+    return run("select " + name)
+# end
@@ -40,3 +42,4 @@ def close():
     pool.close()
+    pool.wait()
     return None
 # tail
diff --git a/app/web.py b/app/web.py
--- a/app/web.py
+++ b/app/web.py
@@ -1,2 +1,3 @@
 import app
+app.run(debug=True)
 # web
"""


def files(text: str) -> tuple[FileDiff, ...]:
    return parse(text.encode()).files


def render_lines(parts: tuple[FileDiff, ...]) -> list[str]:
    return [
        f"{file.path} {x.mark}{x.text}"
        for file in parts
        for hunk in file.hunks
        for x in hunk.lines
        if x.mark != " "
    ]


def finding(line: int, quote: str, path: str = "app/db.py") -> Demand:
    return demand("", "abc", "high", 0.8, "A defect", path, line, "RIGHT", quote)


def test_the_same_diff_has_no_news() -> None:
    assert new_parts(files(OLD), files(OLD)) == ()


def test_a_newer_base_that_only_moves_lines_is_no_news() -> None:
    moved = OLD.replace("@@ -40,3 +42,4 @@", "@@ -90,3 +92,4 @@")
    assert new_parts(files(OLD), files(moved)) == ()


def test_one_changed_line_is_shown_with_what_stands_around_it_and_nothing_else() -> None:
    now = OLD.replace('run("select " + name)', "run(SELECT, name)")
    parts = new_parts(files(OLD), files(now))
    assert render_lines(parts) == [
        'app/db.py -    return run("select ?", name)',
        "app/db.py +    return run(SELECT, name)",
        "app/db.py +# end",
    ]
    assert [h.header.split(" @@")[0] for p in parts for h in p.hunks] == ["@@ -2,3 +3,4"]


def test_a_change_that_was_taken_back_shows_its_place() -> None:
    now = OLD.replace("+    pool.wait()\n", "").replace("+42,4", "+42,3")
    (part,) = new_parts(files(OLD), files(now))
    assert [x.text for h in part.hunks for x in h.lines] == [
        "    pool.close()",
        "    return None",
        "# tail",
    ]


def test_a_new_file_is_whole_news() -> None:
    only = OLD[: OLD.index("diff --git a/app/web.py")]
    parts = new_parts(files(only), files(OLD))
    assert [part.path for part in parts] == ["app/web.py"]
    assert parts == files(OLD)[1:]


def test_the_fate_of_earlier_findings() -> None:
    earlier = [
        finding(5, '    return run("select " + name)'),
        finding(43, "    pool.wait()"),
        finding(2, "app.run(debug=True)", "app/web.py"),
        reworded(finding(2, "import os"), title="Unused"),
    ]
    now = OLD[: OLD.index("diff --git a/app/web.py")]
    now = now.replace('run("select " + name)', "run(SELECT, name)").replace("+42,4", "+52,4")
    earlier_findings = followed(earlier, files(OLD), files(now))
    assert [(f.id, f.fate, f.was, f.finding.line) for f in earlier_findings] == [
        ("e1", Fate.REPLACED, 5, 5),
        ("e2", Fate.MOVED, 43, 53),
        ("e3", Fate.GONE, 2, None),
        ("e4", Fate.SAME, 2, 2),
    ]


def test_of_a_finding_on_several_lines_each_must_still_stand() -> None:
    both = finding(5, '    return run("select " + name)\n# end')
    changed = OLD.replace("+# end", "+# done")
    fates = [followed([both], files(OLD), files(now))[0].fate for now in (OLD, changed)]
    assert fates == [Fate.SAME, Fate.CHANGED]


def test_a_finding_follows_its_file_when_that_is_renamed() -> None:
    renamed = OLD.replace(
        "diff --git a/app/web.py b/app/web.py\n--- a/app/web.py\n+++ b/app/web.py",
        "diff --git a/app/web.py b/app/site.py\nsimilarity index 90%\nrename from app/web.py\n"
        "rename to app/site.py\n--- a/app/web.py\n+++ b/app/site.py",
    )
    (earlier_findings,) = followed(
        [finding(2, "app.run(debug=True)", "app/web.py")], files(OLD), files(renamed)
    )
    assert (
        earlier_findings.finding.path,
        earlier_findings.finding.line,
        earlier_findings.fate,
    ) == ("app/site.py", 2, Fate.SAME)


LINES = st.lists(st.sampled_from(["a = 1", "b = 2", "c = 3", "return a", ""]), max_size=12)


def added(lines: list[str], start: int) -> str:
    body = "".join(f"+{line}\n" for line in lines)
    head = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n"
    return f"{head}@@ -{start},0 +{start + 1},{len(lines)} @@\n{body}"


def test_changes_whose_surroundings_touch_are_shown_in_one_hunk() -> None:
    lines = [f"line {number}" for number in range(20)]
    sizes = {}
    for second in (12, 13):
        changed = ["new" if at in (5, second) else line for at, line in enumerate(lines)]
        (part,) = new_parts(files(added(lines, 0)), files(added(changed, 0)))
        sizes[second] = [len(hunk.lines) for hunk in part.hunks]
    assert sizes == {12: [14], 13: [7, 7]}


@given(LINES.filter(len), LINES.filter(len), st.integers(0, 50))
def test_every_line_that_is_new_is_shown_and_identity_never(
    old: list[str], new: list[str], start: int
) -> None:
    before, now = files(added(old, 0)), files(added(new, start))
    parts = new_parts(before, now)
    if old == new:
        assert parts == ()
    earlier_findings = [x.text for part in parts for hunk in part.hunks for x in hunk.lines]
    assert {line for line in new if line not in old} <= set(earlier_findings)
    numbered = {x.new: x.text for file in now for h in file.hunks for x in h.lines}
    for part in parts:
        assert all(numbered[x.new] == x.text for h in part.hunks for x in h.lines)


def test_without_the_change_as_it_was_a_quotation_tells_what_became_of_a_demand() -> None:
    there, nowhere = finding(2, "import os"), finding(2, "import nothing")
    gone, whole = finding(2, "import os", path="app/old.py"), finding(0, "", path="")
    fates = [one.fate for one in followed([there, nowhere, gone, whole], None, files(OLD))]
    assert fates == [Fate.MOVED, Fate.CHANGED, Fate.GONE, Fate.CHANGED]
