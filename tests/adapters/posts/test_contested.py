"""A finding that more seats dispute than hold says so on every surface: its message, the verdict's,
the report, the outcome document, the terminal.
"""

from __future__ import annotations

from adapters.ports.chat import Post
from adapters.posts.verdict import finding_lines
from core.debate.material import Material, MaterialKind, Scanned
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import SCANNER
from core.words.outcome import outcome
from core.words.outcome.report import report
from core.words.views.language.seats import holder
from core.words.views.verdict.findings import state_words
from tests.adapters.posts.told import posted
from tests.core.table import Table, dispute, finding, table, withdraw

SAID = "1 holds, 2 dispute"


def contested() -> Table:
    t = table().says("t1", "request_changes", findings=[finding()])
    t.says("t2", "approve").says("t3", "approve")
    t.says("u1", "request_changes").says("u2", "approve", answers=[dispute("t1.f1")])
    return t.says("u3", "approve", answers=[dispute("t1.f1")])


def of(posts: list[Post], key: str) -> list[Post]:
    return [p for p in posts if (p.edits or p.key) == key]


def test_its_message_changes_when_the_round_is_over() -> None:
    first, changed = of(posted(contested().events), "debate-0001:finding:t1.f1")
    assert dict(first.fields) == {"Held by": "security critic"}
    assert stands(first) == "app/db.py:12 · open"
    assert stands(changed) == f"app/db.py:12 · contested: {SAID}"
    assert [text for label, text in changed.fields if label == "Disputed by"] == [
        "performance critic: it cannot happen here",
        "maintainability critic: it cannot happen here",
    ]


def stands(post: Post) -> str:
    return "".join(span.text for span in post.subtitle)


def test_of_two_that_turn_out_to_be_one_the_other_says_so() -> None:
    near, far = finding(line=12), finding("Input reaches the query unchecked", line=18)
    t = table().says("t1", "request_changes", findings=[near, far]).says("t2").says("t3")
    chain = finding("The query is built from input that is unchecked", line=15)
    posts = posted(t.says("u1", "request_changes", findings=[chain]).says("u2").says("u3").events)
    [kept] = of(posts, "debate-0001:finding:t1.f1")
    [joined] = of(posts, "debate-0001:finding:t1.f2")[1:]
    assert stands(joined) == "app/db.py:18 · the same as “The query is built from user input”"
    assert (joined.fields, joined.buttons, joined.small) == ((), (), "")
    assert stands(kept) == "app/db.py:12 · open"
    assert dict(kept.fields) == {"Held by": "security critic"}


def test_only_what_has_a_message_is_changed() -> None:
    many = [finding(f"Defect number {n} of module{n}", path=f"app/m{n}.py") for n in range(9)]
    t = table().says("t1", findings=many).says("t2").says("t3")
    t.says("u1", answers=[withdraw(f"t1.f{n}") for n in range(1, 10)]).says("u2").says("u3")
    posts = [p for p in posted(t.events) if (p.subject or "").startswith("t1.f")]
    assert [bool(p.edits) for p in posts] == [False] * 7 + [True] * 7
    assert {p.edits for p in posts if p.edits} == {p.key for p in posts if not p.edits}
    assert {p.facts["moved"] for p in posts if p.edits} == {"withdrawn"}


def test_the_verdict_the_report_and_the_document_say_it() -> None:
    debate = contested().concluded().debate
    document = outcome(debate)
    assert document["verdict"]["summary"] == (
        "Comments only: 1 finding argued, but no majority of the seats that looked wants it fixed. "
        "Close: one seat decides. 1 finding is contested."
    )
    (row,) = document["findings"]
    assert (row["contested"], row["counts"], row["blocking"]) == (True, SAID, False)
    [line] = ["".join(span.text for span in line) for line in finding_lines(debate)]
    assert line == f"• High: The query is built from user input · app/db.py:12 · contested: {SAID}"
    assert f"| contested: {SAID} |" in report(debate)


def test_a_refuted_claim_of_a_scanner_says_so() -> None:
    claim = Scanned("scan.f1", "semgrep eval", "high", "eval of input", "app/db.py", 12)
    material = Material(MaterialKind.DIFF, "Change", "…", scanned=(claim,))
    t = table(material=material)
    for turn in ("t1", "t2"):
        t.says(turn, "approve", answers=[dispute("scan.f1")])
    (finding,) = merge_findings(t.debate)
    assert state_words(finding) == "refuted: no seat holds, 2 dispute"
    assert holder(t.debate, SCANNER) == "code (a scanner)"
