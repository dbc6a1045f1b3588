"""What a thread shows of a proof: its words, the whole test as a file, or why there is none."""

from __future__ import annotations

import pytest

from core.debate.budget import Budget
from core.debate.proof import Framing, ProofRuns
from tests.adapters.posts.told import posted
from tests.core.argued import review, reviewed
from tests.core.test_proving import PASSES, TAKEN_BACK, WRITTEN, Runner, contesting, costing

EXPENSIVE = costing(prove=1.0)
SHOWN = {
    "a proof": (
        Runner(), contesting(), Budget(),
        ("finding 1: proven: `tests/test_db.py::test_name` fails on this change "
        "(AssertionError: 3 != 2), passes before it"),
    ),
    "a refuted input": (
        Runner([PASSES]), contesting(), Budget(),
        ("finding 1: the stated input is refuted: `tests/test_db.py::test_name` passes on this "
        "change"),
    ),
    "no proof": (
        Runner([ProofRuns(problem="it can be skipped")]), contesting(), Budget(),
        "finding 1: no proof: it can be skipped",
    ),
    "a finding that is taken back": (
        Runner(), contesting(prove=lambda _r, _i: TAKEN_BACK), Budget(),
        "finding 1: no proof: its seat withdraws it: name is checked two lines above",
    ),
    "a price beyond the limit": (
        Runner(), contesting(), EXPENSIVE,
        ("finding 1: no proof: no test was written: it might cost more than $0.50, the most for "
        "one proof"),
    ),
    "no sandbox": (
        Runner(framing=Framing(problem="bwrap is not here")), contesting(), Budget(),
        "No test can be run: bwrap is not here",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
async def test_a_thread_shows_the_end_of_every_proof(name: str) -> None:
    runner, seats, budget, words = SHOWN[name]
    _, log = await reviewed(seats, review(prove=True), proves=runner, budget=budget)
    posts = posted(log.events)
    lines = [(post.title.partition(":")[0], post.body) for post in posts]
    post = posts[lines.index(tuple(words.split(": ", 1)))]  # type: ignore[arg-type]
    wrote = "test_name" in words or name == "no proof"
    assert [file.text for file in post.files] == ([WRITTEN.text] if wrote else [])
    assert post.quote == ""
