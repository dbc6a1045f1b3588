"""A change with seven pushes and a critic that flips and rewords: demands converge, and no settled
point comes back without new evidence.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from core.application.desk import Button
from core.debate.ledger import Bar
from core.debate.state import Debate
from core.debate.verdict import blocks, verdict
from core.debate.verdict.findings import merge_findings
from tests.bot.debates.provider import by_schema, prompt_of
from tests.bot.forges.town import NUMBER, REPO, diff, town

AT = (REPO, NUMBER)


def defect(
    title: str, path: str, line: int, quote: str, fix: str = "", severity: str = "high"
) -> dict[str, Any]:
    return {
        "severity": severity, "confidence": 0.9, "title": title, "path": path, "line": line,
        "quote": quote, "fix": fix, "trigger": "two threads", "must_fix": True,
    }  # fmt: skip


class Critic:
    """Every seat says what the script of this push says, and that a demand whose lines changed is
    still there, unless it is ``gone``.
    """

    def __init__(self) -> None:
        self.findings: list[dict[str, Any]] = []
        self.gone: tuple[str, ...] = ()

    def __call__(self, body: dict[str, Any]) -> dict[str, Any]:
        fields = by_schema(body)
        prompt = prompt_of(body)
        if "findings" in fields:
            fields["findings"] = list(self.findings)
        if "answers" in fields:
            open_ones = re.findall(r"(e\d+) \S+ \S+ (.*?) \|.*its lines changed", prompt)
            fields["answers"] = [
                {"to": id, "because": "I looked",
                 "position": "dispute" if title in self.gone else "agree"}
                for id, title in open_ones
            ]  # fmt: skip
        if "stance" in fields:
            option = "request_changes" if self.findings else "approve"
            fields["stance"] = {"option": option, "confidence": 0.8, "because": "so it is",
                                "moved_by": "", "would_resolve_if": ""}  # fmt: skip
        return fields


def reply_of(findings: list[dict[str, Any]]) -> Critic:
    """Returns a critic that reports these findings, whatever they are by then."""
    critic = Critic()
    critic.findings = findings
    return critic


COUNT, LOCKED = "count = count + 1", "with lock: count = count + 1"
LOG, OPEN, CHECKED = "log(user)", "open(path)", "open(checked(path))"
LOCK = defect("Missing lock around the counter", "src/a.py", 11, COUNT, "add a lock around it")
NAME = defect("The log shows the user", "src/a.py", 12, LOG, "hide the user", "medium")
PATH = defect("The path is not checked", "src/b.py", 11, OPEN, "check it")
NO_LOCK = defect("Needless lock around the counter", "src/a.py", 11, LOCKED, "remove the lock")
RACE = defect("Two threads race here", "src/a.py", 11, LOCKED, "synchronise the update")
NAMES_OUT = defect("Personal data is printed", "src/a.py", 12, LOG, "mask it", "medium")
SLOW = defect("Every call sorts", "src/c.py", 11, "items = sorted(items)", "sort once")
AGAIN = defect("The sorted list is built twice", "src/c.py", 11, "items = sorted(items)")
LATE = defect("The name says nothing", "src/b.py", 12, "x = 2", "name it")
OLD_CODE = defect("This was never closed", "src/d.py", 2, "old = open(name)", "close it")
LEAK = defect("The handle leaks", "src/a.py", 13, "handle = open(9)", "close it")
LONG_AGO = b"""diff --git a/src/d.py b/src/d.py
--- a/src/d.py
+++ b/src/d.py
@@ -1,5 +1,6 @@
 import os
 old = open(name)
 one = 1
 two = 2
+three = 3
 four = 4
"""


async def test_seven_pushes_converge(tmp_path: Path) -> None:
    critic = Critic()
    async with town(tmp_path) as t:
        t.provider.reply = critic
        await t.bind()
        reviews: list[Debate] = []

        async def review(
            a: list[str], *findings: dict[str, Any], more: bytes = b"", **files: Any
        ) -> Any:
            """Pushes these lines and returns the titles of what blocks then."""
            push = len(reviews) + 1
            content = diff(a=[*a, f"tick = {push}"], **files) + more
            critic.findings = list(findings)
            if push == 1:
                t.pull.diff = content
                await t.label()
                await reject(NAME["title"])
            else:
                t.pull.push(f"{push:x}" * 40, content)
                await t.tell("pull_request", "synchronize")
            reviews.append(await t.settle())
            assert not reviews[-1].failure
            await t.approve()
            titles = {m.wording.title for m in merge_findings(reviews[-1]) if m.blocking}
            assert blocks(reviews[-1], verdict(reviews[-1]).decision) is bool(titles)
            return titles

        async def reject(title: str) -> None:
            debate = await t.play()
            (finding,) = [m for m in merge_findings(debate) if m.wording.title == title]
            for person in ("slack:T1/U2", "slack:T1/U3"):
                vote = Button("vote", "Not real", f"{debate.id}:{finding.id}:not_real")
                assert (await t.press(vote, person)).ok

        def bars() -> dict[str, Bar | None]:
            return {m.wording.title: m.bar for m in merge_findings(reviews[-1])}

        b, c = [OPEN, "x = 2"], ["items = sorted(items)"]
        assert await review([COUNT, LOG], LOCK, NAME, PATH, b=b) == {LOCK["title"], PATH["title"]}
        threads = {x.path: x for x in t.github.written.comments[AT] if x.in_reply_to is None}
        t.github.written.answer_in_thread(AT, threads["src/b.py"].id, "mallory", "Let us talk.")

        critic.gone = (LOCK["title"], PATH["title"])
        assert await review([LOCKED, LOG], NO_LOCK, NAMES_OUT, b=b) == {PATH["title"]}
        assert bars()[NO_LOCK["title"]] is Bar.CONTRADICTION
        b = [CHECKED, "x = 2"]
        assert await review([LOCKED, LOG], RACE, NAMES_OUT, b=b) == set()
        assert bars()[RACE["title"]] is Bar.REPEATED
        assert [threads[f"src/{name}.py"].resolved for name in "ab"] == [True, False]

        # a fault in new lines blocks at any time, and only until it is fixed
        assert await review([LOCKED, LOG], SLOW, NO_LOCK, b=b, c=c) == {SLOW["title"]}

        # after three reviews only that, and what they demanded
        critic.gone = (SLOW["title"],)
        c = ["items = unsorted(items)"]
        b.append("y = 3")
        late = (RACE, LATE, LOCK, OLD_CODE)
        assert await review([LOCKED, LOG], *late, b=b, c=c, more=LONG_AGO) == set()
        assert bars()[LATE["title"]] is Bar.LATE
        assert bars()[OLD_CODE["title"]] is Bar.PRE_EXISTING
        assert await review([LOCKED, LOG, LEAK["quote"]], LEAK, RACE, b=b, c=c) == {LEAK["title"]}
        critic.gone = (LEAK["title"],)
        assert await review([LOCKED, LOG, "close(9)"], NO_LOCK, AGAIN, b=b, c=c) == set()

        assert len(reviews) == 7
        assert t.threads() == [
            ("src/a.py", 11, True),
            ("src/b.py", 11, False),
            ("src/c.py", 11, True),
            ("src/a.py", 13, True),
        ]
