"""Each kind of decision has its cost, beside people's word on it."""

from __future__ import annotations

from core.debate.verdict.learned.usefulness import GroupStanding, PastDebate, by_kind, past_debate
from core.debate.verdict.votes import wilson


def test_each_kind_is_told_by_its_own_debates() -> None:
    records = [
        PastDebate("code_review", 0.10, useful=2, held=True),
        PastDebate("code_review", 0.30, useful=1, useless=1, held=False),
        PastDebate("code_review", None, useless=1),
        PastDebate("panel", 0.02, useful=1),
        PastDebate("triad", 0.02),
    ]
    review, panel = by_kind(records)
    assert review == GroupStanding(
        "code_review", None, 3, 2, 0.2, 2, 1, wilson(1, 2), 2, 1, wilson(1, 2), None
    )  # one was found useful by as many as not
    assert not review.enough
    assert (panel.template, panel.n, panel.usd, panel.resolved) == ("panel", 1, 0.02, 0)


def test_a_price_that_nobody_knows_is_none_and_never_nought() -> None:
    (one,) = by_kind([PastDebate("panel", None, useful=1)])
    assert (one.priced, one.usd) == (0, None)


def test_demonstrations_and_debates_without_a_verdict_count_for_nothing() -> None:
    document = {"useful": {"yes": 1, "no": 0}, "cost": {"usd": 0.5}}
    assert past_debate(document, None, "panel") == PastDebate("panel", 0.5, 1)
    assert past_debate({}, None, "panel") == PastDebate("panel"), "nobody rated it"
    assert past_debate({**document, "demo": True}, True, "panel") is None
    assert past_debate({**document, "status": "failed"}, True, "panel") is None
