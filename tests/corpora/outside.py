"""What comes from forges, scanners, documents and links, as material; and measurements as
reports.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from random import Random
from typing import Any

from adapters.diffs.patches import parse
from adapters.evaluation.reports import html as report_page
from adapters.evaluation.reports import markdown as report
from adapters.forges.links import ChangeLink, ForgeKind, ForgeLinks, parse_change, parse_repo
from adapters.forges.port import ForgeChange, Reading
from adapters.material.changes import from_diff, from_reading
from adapters.material.documents import from_documents, from_words
from adapters.material.earlier import Earlier
from adapters.material.evidence import reported, with_reported
from adapters.material.library import narrowed, storable_target
from adapters.redaction import shared
from core.evaluation import Arm, ArmResult, Case, Defect, Spot
from core.evaluation.groups import TRAITS, size_of
from core.evaluation.result import document, result
from core.material import ChangeState, EarlierFinding, Fate, Hunk, Material, MaterialKind
from core.material.diffs import FileDiff, FileStatus
from core.material.since import BranchMove, Since
from tests.corpora.materials import changed_text, tried
from tests.corpora.surfaces import text_of

_ACME = ForgeLinks("acme", "Acme", "/{repo}/changes/{number}")
_HOSTS: Mapping[str, ForgeKind] = {
    "github.com": "github", "gitlab.com": "gitlab", "git.acme.example": _ACME,
}  # fmt: skip
_PROSE = (
    "Mends the query.", "", "One.\n\n<!-- hidden -->\nTwo.", "long words " * 400, "a\u200bb",
    "password = 'hunter2hunter2x'", "# Heading\n\n<details>x</details>\n\n[ref]: http://x y",
    "ghp_q8Zr2VbK7nXw4TjLm9Yc3Hs6DfPg1AeRuNoI", "\u202eturned", "line\r\nline", "x" * 3000,
)  # fmt: skip
_STATES = (ChangeState.OPEN, ChangeState.OPEN, ChangeState.MERGED, ChangeState.CLOSED)


def _change(rng: Random, head: str) -> ForgeChange:
    link = ChangeLink(rng.choice((*_HOSTS.values(),)), "host.example", "o/r", rng.randint(1, 99))
    return ForgeChange(
        link, rng.choice(_PROSE)[:300], rng.choice(_PROSE), rng.choice(("ann", "b\u200bob", "")),
        head, "base0", rng.choice(("main", "a\nb")), rng.choice(_STATES),
        rng.choice((None, datetime(2026, 3, 9, tzinfo=UTC))), rng.random() < 0.3,
        rng.random() < 0.3,
    )  # fmt: skip


def _reading(rng: Random, number: int, head: str) -> Reading:
    change = _change(rng, head)
    notes = rng.choice(((), ("Its head moved once.",)))
    if rng.random() < 0.6:
        return Reading(change, changed_text(number), notes=notes)
    patches = tuple(
        (FileDiff(name, status=FileStatus.MODIFIED), rng.choice((None, "", patch)))
        for name, patch in (
            ("src/a.py", "@@ -1 +1,2 @@\n-a\n+b\n+password = 'hunter2hunter2x'"),
            ("docs/b.md", "@@ -1 +1 @@\n-a\n+b\u202e"),
            ("src/c.py", "@@ broken"),
        )
    )
    return Reading(change, patches=patches, notes=notes, complete=rng.random() < 0.7)


def _earlier(rng: Random, number: int, now: Reading) -> Earlier | None:
    if rng.random() < 0.4:
        return None
    before = rng.choice((now, _reading(rng, number + rng.choice((0, 3)), "head1")))
    findings = tuple(
        EarlierFinding(f"e{n}", "m", "high", 0.8, "It", path, n, "RIGHT", "", fate=fate)
        for n, (path, fate) in enumerate([("src/a.py", Fate.SAME)] * rng.randint(0, 2), 1)
    )
    since = Since("base0", rng.choice(("head1", "head2")), rng.randint(2, 4), "main", findings)
    return Earlier(since, before, rng.choice(list(BranchMove)))


def _read(number: int) -> str:
    """Changes of forges, first and later readings, in the room that there is."""
    rng, made = Random(f"read {number}"), []
    for _ in range(6):
        reading = _reading(rng, number, "head2")
        rules = [("AGENTS.md", text) for text in rng.sample(_PROSE, rng.choice((0, 0, 1, 2)))]
        issues = [(n, "Na\u200bme", text) for n, text in enumerate(rng.sample(_PROSE, 2), 7)]
        made.append(
            tried(
                from_reading, reading, rules, issues[: rng.randint(0, 2)],
                rng.choice((100, 400, 1500, 9000)), rng.choice(("", "", "src/")),
                _earlier(rng, number, reading), rng.choice((1, 1, 3)),
            )
        )  # fmt: skip
        data = changed_text(number)
        mail = b"From 8ff1 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] Mend it\n\nWhy.\n---\n"
        data = rng.choice((data, mail + data))
        given = (data, "x.diff", rng.choice(("", "Title")), "x.diff", rng.choice(("", "sha")))
        room = (rng.choice((100, 400, 9000)), rng.choice(("", "src/")), rng.choice((1, 3)))
        made.append(tried(_made_of_diff, *given, *room))
    return "\n".join(made)


def _made_of_diff(
    data: bytes, name: str, title: str, source: str, revision: str, budget: int, folder: str,
    parts: int,
) -> Material:  # fmt: skip
    whole = parse(data, shared())
    return from_diff(whole, data, name, title, source, revision, budget, folder, parts=parts)


def _documents(number: int) -> str:
    """Documents and questions."""
    rng, made = Random(f"documents {number}"), []
    for _ in range(12):
        texts = [
            (f"{n}.md", rng.choice(_PROSE) + rng.choice(("", "\n", "\n\nEnd.")))
            for n in range(rng.randint(0, 3))
        ]
        kind = rng.choice((MaterialKind.DOCUMENT, MaterialKind.INCIDENT))
        title, budget = rng.choice(("", "Title")), rng.choice((40, 400, 9000))
        made.append(tried(from_documents, texts, kind, title, "notes", budget, ("Noted.",)))
        made.append(tried(from_words, rng.choice(_PROSE), MaterialKind.QUESTION, budget))
    return "\n".join(made)


def _sarif(rng: Random, places: Sequence[tuple[str, int]]) -> dict[str, Any]:
    scores = (None, "", "0", "3.9", "4.0", "7", "8.95", "9", "10", "10.1", "high")
    rules = [
        {
            "id": f"r{n}", "shortDescription": {"text": rng.choice(("", "Rule"))},
            "properties": {
                "tags": rng.choice(([], ["security"])), "security-severity": rng.choice(scores),
            },
        }
        for n in range(5)
    ]  # fmt: skip
    results: list[dict[str, Any]] = []
    for _ in range(rng.randint(0, 12)):
        path, line = rng.choice(places)
        uri = rng.choice((path, f"./{path}", f"file:///w/{path}", f"x{path}"))
        region = {
            "physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}
        }
        results.append(
            {
                "ruleId": f"r{rng.randint(0, 6)}", "message": {"text": rng.choice(_PROSE)[:200]},
                "level": rng.choice(("", "none", "note", "warning", "error")),
                "locations": rng.choice(([], [region], [region], [region])),
                "suppressions": rng.choice((None, None, [], [{}])),
            }
        )  # fmt: skip
    driver = {"name": "scan", "rules": rules}
    tool = {"driver": driver} if rng.random() < 0.5 else {
        "driver": {"name": "scan"}, "extensions": [driver],
    }  # fmt: skip
    return {"version": "2.1.0", "runs": [{"tool": tool, "results": results}, {"results": None}]}


def _with_scan(blank: Material, data: bytes, hunks: tuple[Hunk, ...]) -> Sequence[object]:
    made = with_reported(blank, reported((data,), hunks), "scan.sarif")
    return made.notes, made.redacted


def _scanned(number: int) -> str:
    """What scanners report on the lines of a change."""
    rng, made = Random(f"scanned {number}"), []
    files = parse(changed_text(number), shared()).files
    hunks = tuple(hunk for file in files for hunk in file.hunks)
    places = [(h.path, x.new) for h in hunks for x in h.lines if x.new] or [("a", 1)]
    blank = from_words("Why?", MaterialKind.QUESTION, 100)
    for _ in range(8):
        data = json.dumps(_sarif(rng, places)).encode("utf-16" if rng.random() < 0.1 else "utf-8")
        made.append(tried(reported, (data,), hunks))
        made.append(tried(_with_scan, blank, data, hunks))
    return "\n".join(made)


_PATHS = (
    "/o/r/pull/1", "/o/r/pull/1/files", "/o/r/pull/0", "/o/r/pull/012", "/o/../pull/1",
    "/./r/pull/1", "/o/r/issues/1", "/g/p/-/merge_requests/7", "/g/s/p/-/merge_requests/7/diffs",
    "/g/../-/merge_requests/7", "/o/r/changes/3", "/o/r/changes/3/x", "/./r/changes/3",
    "/o/r/changes/3/../4", "/o/r", "", "/o/r/pull/1234567890", "/o/r/pull/1/commits/abc",
)  # fmt: skip
_ENDS = ("", "/", "?x=1", "#f", "?token=ghp_q8Zr2VbK7nXw4TjLm9Yc3Hs6DfPg1AeRuNoI", " ", "%20")


def _links(number: int) -> str:
    """Links and repositories as people write them."""
    rng, made = Random(f"links {number}"), []
    for _ in range(60):
        host = rng.choice(
            (*_HOSTS, "GitHub.com", "evil.example", "github.com.evil", "github.com:1")
        )
        link = f"{rng.choice(('https', 'https', 'http'))}://{host}{rng.choice(_PATHS)}"
        link += rng.choice(_ENDS)
        link = rng.choice((link, f"<{link}>", f"<{link}|label>", f" {link} path:./src/", link[8:]))
        made.append(f"{link}: {tried(parse_change, link, _HOSTS)} {text_of(narrowed(link))}")
        made.append(tried(storable_target, link))
        made.append(tried(partial(storable_target, read=True), link))
        name = "".join(rng.choice("ab/.-_~ ") for _ in range(rng.randint(1, 6)))
        made.append(f"{name}: {tried(parse_repo, name)}")
    return "\n".join(made)


def _cases(rng: Random) -> list[Case]:
    cases = []
    for n in range(rng.choice((1, 4, 12))):
        clean = rng.random() < 0.4
        defect = Defect("It", (Spot("a.py", 3),) if rng.random() < 0.9 else (), ("word",))
        traits = {"language": rng.choice(("Go", "C")), "size": size_of(rng.choice((5, 11, 99)))}
        if not clean:
            traits |= {name: rng.choice(("low", "high")) for name in [*TRAITS][1:3]}
        cases.append(
            Case(f"c{n}", "T", "", b"", () if clean else (defect,) * rng.randint(1, 2), clean,
                 traits=rng.choice((traits, {})))
        )  # fmt: skip
    return cases


def _reports(number: int) -> str:
    """A measurement as a document, a page of Markdown and a page of HTML."""
    rng = Random(f"reports {number}")
    cases, arms = _cases(rng), rng.sample(list(Arm), rng.choice((1, 2, 3)))
    readings = [
        ArmResult(
            case.id, arm, repeat, "", rng.random() < 0.5,
            frozenset(range(len(case.defects))[: rng.randint(0, 2)]),
            placed=frozenset(range(len(case.defects))), rightly=rng.random() < 0.5,
            others=rng.randint(0, 3), usd=rng.choice((None, 0.0, 0.05, 0.1, 2.0)),
            calls=rng.randint(1, 9), seconds=rng.randint(1, 99),
            failed=rng.choice(("", "", "", "timeout | x")),
        )
        for case in cases for arm in arms for repeat in range(2) if rng.random() < 0.95
    ]  # fmt: skip
    measured = result(
        cases, readings, arms, rng.choice((1, 2)), ("a/b", "c/d"), demo=rng.random() < 0.3,
        unknown=tuple(f"u{n}" for n in range(rng.choice((0, 1, 5, 7)))),
        unpaid=rng.choice((0, 1, 3)), about=("From <here>.",),
    )  # fmt: skip
    if rng.random() < 0.2:
        measured = replace(measured, groups={})
    return "\n".join((text_of(document(measured)), report(measured), report_page(measured)))


CORPORA = {
    "read": (30, _read),
    "documents": (15, _documents),
    "scanned": (30, _scanned),
    "links": (15, _links),
    "reports": (8, _reports),
}
