"""The whole text of a decision record, and what it is about."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from core.debate import events as e
from core.debate.errors import Refused
from core.debate.material import Hunk, Line, Material, MaterialKind
from core.debate.template import Option
from core.words.outcome.record import decision_record
from core.words.views.documents import record as words
from tests.core.table import START, Table, finding, stance, table

LINK = "https://github.com/acme/shop/pull/42"
REVIEW = f"""\
---
status: accepted
date: 2026-11-22
---

# Retry on timeout: request changes

## Context and Problem Statement

Retry on timeout

…

## Considered Options

- approve
- comment
- request changes

## Decision Outcome

Chosen option: "request changes", because Changes requested: 1 finding must be fixed before merging.

### Consequences

- Bind the values.

### Findings

- **high** `app/db.py:12` The query is built from user input

## Dissent

- **Maintainability critic** (approve, 60% sure): Nobody calls it
  - Would settle it: a call is shown

## Votes

| option | seats before the debate | seats at the end | people |
|---|---|---|---|
| approve | 1 | 1 | 1 |
| comment | 0 | 0 | 0 |
| request changes | 2 | 2 | 0 |

## More Information

- About: {LINK}
- Debate: https://bot.example/d/1
- Receipt: `debate receipt debate-0001`, checked by `debate verify FILE`
"""
QUESTION = """\
---
status: accepted
date: 2026-11-21
---

# Should prices be integers: adopt

## Context and Problem Statement

Should prices be integers?

## Considered Options

- adopt
- reject

## Decision Outcome

Chosen option: "adopt", because Cents do not round (security critic).

## Dissent

Nobody dissents.

## Votes

| option | seats before the debate | seats at the end | people |
|---|---|---|---|
| adopt | 3 | 3 | 0 |
| reject | 0 | 0 | 0 |

## More Information

- Debate: debate-0001
- Receipt: `debate receipt debate-0001`, checked by `debate verify FILE`
"""


def decided(**more: Any) -> Table:
    """Returns a review whose verdict is reached."""
    t = table(**more).says("t1", "approve").says("t2", "approve").says("t3", "approve")
    return t.skips("u1", "u2", "u3").says("end").concluded()


def question(title: str = "Should prices be integers?", text: str = "", **more: Any) -> Table:
    about = Material(MaterialKind.QUESTION, title, text or title, "", "", **more)
    made = table(material=about, findings=False, ballot=(Option("adopt"), Option("reject")))
    sure = stance("adopt", 0.9, because="Cents do not round.")
    return made.says("t1", sure).says("t2", "adopt").says("t3", "adopt").skips("u1", "u2", "u3")


def test_a_record_says_what_was_decided_about_a_change_and_who_dissents() -> None:
    no = stance("approve", 0.6, because="Nobody calls it", would_resolve_if="a call is shown")
    t = table().says("t1", "request_changes", findings=[finding(), finding("Lost", anchored=False)])
    t.says("t2", "request_changes").says("t3", no).skips("u1", "u2", "u3")
    t.says("end", actions=("Bind the values.",)).votes("slack:T1/U1", "approve")
    t.concluded(closed=False)
    t.add(e.VotesClosed("request_changes", True, False, START + timedelta(days=1)))
    assert decision_record(t.debate, "https://bot.example/d/1") == REVIEW


def test_a_record_of_a_question_has_no_parts_without_contents() -> None:
    assert decision_record(question().says("end").concluded().debate, "") == QUESTION


@pytest.mark.parametrize(
    ("made", "context"),
    [
        (question("Prices", "Prices\nMay they be floats?"), "Prices\nMay they be floats?"),
        (question("Prices", "May they be floats?"), "Prices\n\nMay they be floats?"),
        (question("Prices", "the whole text", body="Why not?"), "Prices\n\nWhy not?"),
        (
            question("Prices", "all", hunks=(Hunk("a.py", "@@", (Line("+", "a", new=1),)),)),
            "Prices",
        ),
    ],
)
def test_the_context_is_the_title_and_the_description(made: Table, context: str) -> None:
    record = decision_record(made.says("end").concluded().debate, "")
    assert f"{words.CONTEXT}\n\n{context}\n\n## Considered" in record


@pytest.mark.parametrize(
    ("made", "because"),
    [
        (question(), words.NO_DECISION),
        (table().fails("t1").fails("t2").fails("t3").skips("u1", "u2", "u3"), words.NO_DECISION),
        (decided(terms={"demo": True}), words.OF_DEMO),
        (decided(terms={"assume": "It is off."}), words.OF_WHAT_IF),
        (decided().add(e.DebateReopened("proof:t1.f1", "ann")), "or a proof that may change"),
    ],
)
def test_without_a_decision_there_is_no_record(made: Table, because: str) -> None:
    with pytest.raises(Refused, match=because):
        decision_record(made.debate, "")
