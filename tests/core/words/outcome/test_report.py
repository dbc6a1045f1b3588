"""The report as a reader sees it, and foreign text that cannot pretend to be ours."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from adapters.templates.catalogue import builtin
from core.debate.events import EndReason
from core.debate.material import Coverage, Hunk, Line, Material, MaterialKind, Read
from core.debate.material.plaintext import cell, neutral, one_line
from core.debate.replies import Answer
from core.debate.replies.sections import placeholders
from core.debate.template import Option
from core.words.outcome.report import report
from core.words.views.verdict.findings import NOWHERE
from core.words.views.verdict.scores import risk, scores
from tests.core.table import Table, agree, dispute, finding, stance, table, withdraw
from tests.drawn import drawn

LINE = "https://github.com/acme/shop/blob/0123abcd/app/db.py#L12"
HOLDERS = "security critic and performance critic"
LINES = (Hunk("app/db.py", "@@", (Line("+", "x = eval(y)", None, 12),)),)
REVIEWED = f"""\
Risk 4.8/10, security 9.0/10

The change is **small**.
\\# Verdict: approve
&lt;script> see docs (`https://evil.example/?d=1`), cc `@everyone`

---

## How this was decided

**Verdict:** Changes requested: 1 finding must be fixed before merging; the maintainability critic \
disputes it. Close: one seat decides. Besides: 1 not counted.
----
- Ended early because there is nothing more to learn. Nothing new
- To do: Use parameters

### Warnings

- 1 of 2 files was not read in full.
- People's votes show no clear majority: 1 comment, 3 request changes.
----
| approve | 2 | 1 | 0 (0.00–0.49) |
| comment | 0 | 0 | 1 (0.05–0.70) |
| request changes | 1 | 2 | 3 (0.30–0.95) |
----
| high | [`app/db.py:12`]({LINE}) | The query is built from user input | {HOLDERS} | maintainability critic | disputed: 2 hold, 1 disputes |

### Findings that are not counted

- A | in # the title (maintainability critic): no line of the material shows it

### Who disagrees

- **Maintainability critic** (approve, 70% sure): It is dead code; disputes “The query is built from user input”: nobody calls it
  - Would settle it: a caller is shown

### Challenges

- ann: And under load? (not answered)

### Scores

| Criterion | Weight | Score |
| --- | --- | --- |
| security coverage | 30% | 9.0 |
| performance impact | 20% | not assessed |
----
1 of 2 files read in full.
- `uv.lock`: not read, lock file
- Merged already; this is a post-mortem.
----
$0.0070 · 7 calls · 700 tokens read (280 from a cache) · 140 written
"""
"""Parts of a report that differ from those of the golden ones."""


def reviewed() -> Table:
    coverage = (
        Coverage("app/db.py", Read.FULL), Coverage("uv.lock", Read.LEFT_OUT, "lock file"),
    )  # fmt: skip
    pull = table().debate.open.material
    notes = ("Merged already; this is a post-mortem.",)
    t = table(material=replace(pull, coverage=coverage, notes=notes))
    t.says("t1", "request_changes", findings=[finding(fix="Use parameters")]).says("t2", "approve")
    odd = finding(
        "A | in\n# the title", severity="medium", confidence=0.7, path="", line=None, anchored=False
    )
    dead = stance("approve", because="It is dead code", would_resolve_if="a caller is shown")
    t.says("t3", dead, findings=[odd])
    t.says("u1", "request_changes").says(
        "u2", stance("request_changes", moved_by="t1.f1"), answers=[agree("t1.f1")]
    )
    t.says("u3", dead, answers=[dispute("t1.f1", "nobody calls it")]).challenges("And under load?")
    for n, option in enumerate(
        ("request_changes", "request_changes", "request_changes", "comment")
    ):
        t.votes(f"person{n}", option)
    summary = (
        "The change is **small**.\n# Verdict: approve\n<script> see "
        "[docs](https://evil.example/?d=1), cc @everyone"
    )
    t.stops(EndReason.CONVERGED, "Nothing new")
    return t.says(
        "end", sections={"summary": summary}, scores={"security_coverage": 0.9, "made_up": 1.0}
    ).concluded()


def test_parts_of_a_report() -> None:
    made = report(reviewed().debate)
    assert [part for part in REVIEWED.split("----\n") if part not in made] == []


def test_a_critical_finding_that_does_not_block_is_among_the_critical_ones() -> None:
    t = table(output_format="{critical_issues} ({critical_count})")
    t.says("t1", "comment", findings=[finding("Charged twice", severity="critical")])
    made = report(t.says("t2", "approve").concluded().debate)
    assert f"- **critical** [`app/db.py:12`]({LINE}) Charged twice (1)" in made


@pytest.mark.parametrize(
    ("raised", "answers", "counted"),
    [
        ({}, (), 1),
        ({}, (withdraw("t1.f1"),), 0),
        ({"anchored": False}, (), 0),
        ({"severity": "high"}, (), 0),
    ],
    ids=["open", "taken back", "shown by no line", "high"],
)
def test_open_findings_that_a_line_shows_are_counted(
    raised: dict[str, Any], answers: tuple[Answer, ...], counted: int
) -> None:
    form = "{critical_count} critical {high_count} high {issues_count} in all\n{critical_issues}"
    t = table(output_format=form)
    t.says("t1", "comment", findings=[finding(**{"severity": "critical", **raised})])
    t.says("t2", "approve").says("u1", "comment", answers=answers)
    high = int("severity" in raised)
    first, listed, *_ = report(t.concluded().debate).splitlines()
    assert first == f"{counted} critical {high} high {counted + high} in all"
    assert listed.startswith("- **critical**") is bool(counted)


def test_a_critical_finding_that_is_not_counted_as_critical_says_why() -> None:
    t = table(output_format="{critical_issues}\n{security_findings}")
    t.says(
        *("t1", "comment"),
        findings=[finding("Charged twice", severity="critical", anchored=False)],
    )
    made = report(t.says("t2", "approve").concluded().debate)
    assert f"- **critical** `app/db.py:12` Charged twice [{NOWHERE}]\n" in made


def test_what_nobody_answered_is_said_to_be_unanswered() -> None:
    t = table().says("t1", "approve").fails("end").concluded()
    assert report(t.debate).startswith(
        "# Review of Retry on timeout\n\nRisk not assessed, security not assessed\n\n_not "
        "answered_\n\n---\n"
    )


def test_a_title_names_no_score_that_nobody_gave() -> None:
    """The findings below the title were raised all the same."""
    t = table(output_format="# Review\n\n## Security ({security_score})\n\n{security_findings}")
    assert report(t.says("t1", "approve").says("end").concluded().debate).startswith(
        "# Review\n\n## Security\n\n"
    )


def test_a_demonstration_is_marked_at_the_top() -> None:
    t = table(terms={"demo": True}).says("t1", "approve").says("end").concluded()
    assert report(t.debate).startswith(
        "> **This is a demonstration: rely on nothing that these models say.**\n\n# Review"
    )


def test_scores_come_from_the_judge_and_only_for_the_rubric() -> None:
    t = table(("a", "judge:judge"), ("t1 a", "j1 judge closing", "j2 judge closing about=swapped"))
    t.says("t1", "approve", scores={"security_coverage": 1.0}).says(
        "j1", scores={"security_coverage": 0.4, "invented": 1.0}
    )
    t.says("j2", scores={"security_coverage": 0.9})
    assert scores(t.debate) == {"security_coverage": 0.4}


@pytest.mark.parametrize(
    ("lines", "score"),
    [(LINES, "0.0/10, None found."), ((), "not assessed, Not assessed.")],
)
def test_a_risk_without_findings_is_none_if_a_seat_could_report_some(
    lines: tuple[Hunk, ...], score: str
) -> None:
    assert risk(()) == 0.0
    material = Material(MaterialKind.DIFF, "Change", "…", hunks=lines)
    t = table(material=material, output_format="{risk_score}, {critical_issues}")
    t.says("t1", "approve").says("t2", "approve").says("end").concluded()
    assert report(t.debate).splitlines()[0] == score


@pytest.mark.parametrize(
    ("criterion", "name"),
    [
        ("security_coverage", "security"),
        ("cost_impact", "costs"),
        ("clarity", "clarity_of_text"),
        ("clarity", "coverage"),
    ],
)
def test_a_score_is_that_of_the_criterion_whose_name_it_begins_with(
    criterion: str, name: str
) -> None:
    form = f"{{{name}_score}} and {{{name}_score}} / 10"
    t = table(rubric={criterion: 1.0}, output_format=form.replace(" / 10", ""))
    t.says("t1", "approve").says("end", scores={criterion: 0.84}).concluded()
    expected = "8.4/10 and 8.4/10" if name != "coverage" else "not assessed and not assessed"
    assert report(t.debate).splitlines()[0] == expected


def test_a_later_section_replaces_an_earlier_one_unless_it_is_empty() -> None:
    turns = ("t1 a", "c1 b closing", "c2 b closing", "c3 b closing")
    t = table(("a", "b:chair"), turns, output_format="{summary}|{security_findings}")
    t.says("t1", "approve").says("c1", sections={"summary": "One", "security_findings": "Fine"})
    t.says("c2", sections={"summary": "Two"}).says("c3", sections={"summary": " "})
    first = report(t.concluded().debate).splitlines()[0]
    assert first.startswith("Two|")
    assert "Fine" not in first, "code writes what was found"


@pytest.mark.parametrize(
    ("facts", "first"), [({"incident_id": "INC-7"}, "INC-7"), ({}, "T" * 159 + "…")]
)
def test_an_incident_is_named_by_its_number_else_by_its_title(
    facts: dict[str, str], first: str
) -> None:
    material = Material(MaterialKind.INCIDENT, "T" * 161, "…", facts=facts)
    t = table(material=material, output_format="{incident_id}\n{title}").says("t1", "approve")
    lines = report(t.concluded().debate).splitlines()
    assert lines[0][:160].startswith(first[:150])
    assert lines[1] == "T" * 159 + "…"


@pytest.mark.parametrize("name", sorted(builtin()))
def test_every_template_renders_with_every_placeholder_filled(name: str) -> None:
    shipped = builtin()[name]
    t = table(
        **{
            f: getattr(shipped, f)
            for f in ("ballot", "rubric", "output_format", "findings", "id", "name")
        }
    )
    option = shipped.ballot[0].option
    t.says("t1", option).says("t2", option).says("t3", option)
    sections = {name: f"about {name}" for name in placeholders(shipped.output_format)}
    t.says("end", sections=sections, scores=dict.fromkeys(shipped.rubric, 0.5)).concluded()
    made = report(t.debate)
    assert "{" not in made
    assert "_not answered_" not in made
    assert "scored" not in made


def test_a_model_cannot_fill_in_the_decision() -> None:
    form = "{decision}|{confidence}|{consensus}|{high_count}|{dissent}|{risk_level}"
    t = table(output_format=form, findings=False, ballot=(Option("go"), Option("no")))
    t.says("t1", "go").says("t2", "no").says("t3", "no", findings=[finding()])
    names = ("decision", "confidence", "consensus", "high_count", "dissent", "risk_level")
    t.says("end", sections=dict.fromkeys(names, "go, 100 %, all agree")).concluded()
    assert report(t.debate).splitlines()[0] == (
        "no|70%, as 2 seats said of themselves, unchecked|2 of 3 seats hold no, 2 needed: reached|1|- **Security critic** (go, "
        "70% sure): no reason given|high"
    )


# -- foreign text


@pytest.mark.parametrize(
    ("written", "rendered"),
    [
        ("plain *emphasis* and `code`", "plain *emphasis* and `code`"),
        ("# Heading", "\\# Heading"),
        ("Text\n===", "Text\n\\==="),
        ("Text\n---", "Text\n\\---"),
        ("<img src=x onerror=y>", "&lt;img src=x onerror=y>"),
        ("<!-- hidden -->", "&lt;!-- hidden -->"),
        ("&lt;!here&gt;", "&amp;lt;!here&amp;gt;"),
        ("![alt](https://evil.example/p.png?d=secret)", "(image: alt)"),
        ("[github.com](https://evil.example)", "github.com (`https://evil.example`)"),
        ("[https://a.example](https://a.example)", "`https://a.example`"),
        ("https://evil.example/?d=1.", "`https://evil.example/?d=1`."),
        ("<https://evil.example>", "&lt;`https://evil.example`>"),
        ("javascript://x", "`javascript://x`"),
        ("@everyone and <!channel> <@U123>", "`@everyone` and &lt;!channel> &lt;`@U123`>"),
        ("a@b.example", "a@b.example"),
        ("[1]: https://evil.example", "[1]\\: `https://evil.example`"),
        ("- # in a list", "- \\# in a list"),
        ("> quoted\n> ---", "> quoted\n> \\---"),
        ("\\`<b>\\`", "'&lt;b>'"),
        ("```a`b\n<b>", "'''a'b\n&lt;b>"),
        ("- x\n\n  ```py\n<b>", "- x\n\n```py\n<b>\n```"),
        ("```\n# kept <b>\n```", "```\n# kept <b>\n```"),
        ("```\nnever closed", "```\nnever closed\n```"),
        ("a\u202eb\u200bc", "a\\u202eb\\u200bc"),
        ("one ` tick", "one ' tick"),
        ("http://e.x```<b>```@a", "`http://e.x` ```<b>``` `@a`"),
    ],
)
def test_foreign_markdown_is_made_inert(written: str, rendered: str) -> None:
    assert neutral(written) == rendered


def test_long_text_is_cut_and_says_so() -> None:
    assert neutral("x" * 20, limit=10) == "xxxxxxxxxx\n… (cut)"
    assert one_line("a\n# b\n" + "c" * 20, limit=10) == "a # b ccc…"
    assert cell("a|b\nc") == "a\\|b c"


NASTY = (
    "```", "~~~", "](", "]: ", "<b>", "\n# ", "\n- ", "\n> ", "\n    ", "\n---\n", "![", "http://e.x",
)  # fmt: skip
PIECES = st.sampled_from([*"ab `~#<>[]()!@=-|\n\t:/.w\u202e&;\\", *NASTY])
INERT = {"heading_open", "html_block", "html_inline", "link_open", "image"}


@drawn(120)
@given(st.lists(PIECES, max_size=25).map("".join))
def test_a_reader_of_markdown_finds_no_heading_html_link_or_open_fence_in_foreign_text(
    text: str,
) -> None:
    assert_inert(neutral(text))
    assert_inert(one_line(text))
    assert_inert(f"- {one_line(text)}")
    assert "\n" not in one_line(text)


def assert_inert(rendered: str) -> None:
    tokens = MarkdownIt("commonmark").enable("table").parse(f"{rendered}\n\n# ours\n")
    everything = [*tokens, *(child for t in tokens for child in t.children or ())]
    live_types = [t.type for t in everything if t.type in INERT]
    assert live_types == ["heading_open"]
    assert (tokens[-2].content, tokens[-2].level) == ("ours", 1)
    assert "\u202e" not in rendered
