"""What events and material hold in English is said in the reader's language on every surface that
people read, and stays English for programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from adapters.diffs.patches import parse
from adapters.material.changes import Extent, from_diff
from adapters.models.faults import fault
from core.debate.budget import DEBATE_USED_UP
from core.debate.events import EndReason
from core.debate.material import Material
from core.debate.state import replay
from core.languages import speaking
from tests.core.surfaces import surfaces, thread
from tests.core.table import Table, finding, table

DIFF = b"""\
diff --git a/app/db.py b/app/db.py
--- a/app/db.py
+++ b/app/db.py
@@ -11,1 +11,1 @@
-    run(name)
+    run(f"{name}")
@@ -40,0 +41,400 @@
%b
diff --git a/uv.lock b/uv.lock
--- a/uv.lock
+++ b/uv.lock
@@ -1,1 +1,1 @@
-1
+2
diff --git a/vendor/x.js b/vendor/x.js
--- a/vendor/x.js
+++ b/vendor/x.js
@@ -1,1 +1,1 @@
-1
+2
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git a/logo.svgz b/logo.svgz
index 0123456..789abcd 100644
Binary files a/logo.svgz and b/logo.svgz differ
diff --git a/app/odd.py b/app/odd.py
--- a/app/odd.py
+++ b/app/odd.py
@@ -1,1 +1,1 @@
-1
+2
+++ what is this
@@ what is that
""" % b"\n".join(b"+row%03d()" % n for n in range(400))
RULES = [("AGENTS.md", "Rows are read in pages."), ("CONTRIBUTING.md", "Be kind.")]
CUT = "it was cut off at its limit of 4000, before its end; a shorter one is needed"
FOR_PROGRAMS = ("json", "receipt")
PHRASES = (
    "Read of the project's rules: AGENTS.md", "1 of 6 files read in full", "4 left out (",
    "Narrow it with path:FOLDER/", "lines, the rest is beyond the model's budget", "lock file: 1",
    "vendored", "binary", "its hunks give no line numbers", "provider down (HTTP 503",
    "Next: wait 24 hours",
    "cut off at its limit", "not within 10 minutes", "the debate's budget is used up",
    "The lock file changes without its manifest",
)  # fmt: skip
WAIT = {"Retry-After": "86400"}
QUERY = "The query is built from user input"
_NAMES = re.compile(r"\S*[/.:]\S+")
_STYLE = re.compile(r"[{};]$|^(?:--|\*|@media|font|details|color)")


def material() -> Material:
    return from_diff(
        *(parse(DIFF), DIFF, "x.diff", Extent(1_200)),
        source="x.diff",
        title="Retry",
        guidelines=RULES,
    )


def review(language: str) -> Table:
    """Returns a review with unread files, a failed seat, a cut answer and a spent budget."""
    terms = {"budget": 0.5, "language": language}
    t = table(material=material(), terms=terms, output_format="# {title}\n\n{summary}\n")
    t.says("t1", "request_changes", findings=[finding(line=11)])
    t.fails("t2", str(fault("anthropic/claude-sonnet", 503, "try later", headers=WAIT)))
    t.fails("t3", f"gemini/gemini-pro, twice: {CUT}")
    t.stops(EndReason.BUDGET, DEBATE_USED_UP)
    return (
        t.skips("u1", "u2", "u3", reason=DEBATE_USED_UP)
        .fails("end", "not within 10 minutes")
        .concluded()
    )


@pytest.fixture(scope="module")
def english() -> dict[str, str]:
    events = review("en").events
    return surfaces(replay(events), thread(events))


@pytest.mark.parametrize("language", ["cs", "de"])
def test_every_surface_says_stored_reasons_in_its_language(
    language: str, english: dict[str, str]
) -> None:
    with speaking(language):
        events = review(language).events
        texts = surfaces(replay(events), thread(events))
    for name in FOR_PROGRAMS:
        assert texts[name] == english[name].replace('"language": "en"', f'"language": "{language}"')
    for name in english.keys() - set(FOR_PROGRAMS):
        same = set(_sentences(texts[name])) & set(_sentences(english[name]))
        assert same == set(), f"{name} is in English"
        assert [phrase for phrase in PHRASES if phrase in texts[name]] == [], name


def test_stored_reasons_are_as_they_were_in_english(english: dict[str, str]) -> None:
    whole = "\n".join(english.values())
    assert [phrase for phrase in PHRASES if phrase not in whole] == []
    assert f"twice: {CUT}" in english["transcript"]


def _sentences(text: str) -> Iterator[str]:
    """Yields the lines of a surface that hold words of the program: not the style of a page, nor
    code, nor what seats and files are called.
    """
    for name in ("try later", "run(name)", 'run(f"{name}")', QUERY):
        text = text.replace(name, "")
    for line in map(str.strip, text.splitlines()):
        if len(re.findall(r"[A-Za-z]{2,}", _NAMES.sub("", line))) > 1 and not _STYLE.search(line):
            yield line
