"""A review advises on the forge until its category has earned to block there."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

from core.debate.verdict.findings import merge_findings
from core.debate.verdict.learned.judged import FindingOutcome, outcomes_of
from core.words.views.history import gate_sentence
from core.words.views.verdict.findings import finding_view
from storage.tables import DEBATE
from tests.bot.forges.past import reviewed
from tests.bot.forges.town import NUMBER, REPO, Town, diff, town

AT = (REPO, NUMBER)


async def became(t: Town) -> list[str]:
    return [one.became for one in outcomes_of(await t.latest())]


async def judged(t: Town, right: int, wrong: int) -> None:
    """Stores outcomes of earlier findings of the repository, as earlier debates left them."""
    debate = await t.latest()
    at = t.clock.now() - timedelta(days=30)
    words = ["fixed" if n % 10 or not wrong else "merged" for n in range(right + wrong)]
    rows = [
        FindingOutcome(f"m{n}", "", True, 0.9, None, word, at + timedelta(minutes=n))
        for n, word in enumerate(words)
    ]
    await t.bot.stores.judged.save(debate.id, "code_review", f"github.com/{REPO}", "earlier", rows)


async def test_a_review_advises_until_it_has_earned_to_block(tmp_path: Path) -> None:
    async with reviewed(tmp_path) as t:
        await t.bind(request_changes=True)
        debate = await t.latest()
        sentence = (
            "Advice only: this repository's findings without a category have not earned to block "
            "yet: none judged."
        )
        assert gate_sentence(debate) == sentence
        states = t.github.written.statuses[REPO, t.pull.head]
        assert [one["state"] for one in states] == ["pending", "success"]
        assert states[-1]["description"].startswith("Advice: Changes requested: 1 finding")
        await t.approve()
        (review,) = t.github.written.reviews[AT]
        assert review.event == "COMMENT"
        assert sentence in review.body
        assert "advice: 0 of 30 judged findings so far, 0 right" in review.body

        await judged(t, 30, 0)
        again = await t.push("c", diff(a=["x = 1 # BUG one"], b=["y = 2 # BUG two"]))
        assert "have earned it: 30 judged, 30 right" in gate_sentence(again)
        states = t.github.written.statuses[REPO, "c" * 40]
        assert [one["state"] for one in states] == ["pending", "failure"]
        await t.approve()
        assert t.github.written.reviews[AT][-1].event == "REQUEST_CHANGES"


async def test_the_operator_may_decide_that_reviews_advise(tmp_path: Path) -> None:
    async with town(tmp_path, env={"DEBATE_GATE": "advise"}) as t:
        debate = await t.review()
        states = t.github.written.statuses[REPO, t.pull.head]
        assert [one["state"] for one in states] == ["pending", "success"]
        assert "reviews are set to advise" in gate_sentence(debate)


async def test_a_merge_over_a_finding_counts_against_it_once(tmp_path: Path) -> None:
    async with reviewed(tmp_path, merged=True) as t:
        debate = await t.latest()
        assert await became(t) == ["merged"]
        count = (await t.latest()).count
        await t.tell("pull_request", "closed")
        await t.play()
        t.clock.go(days=3)
        await t.work()
        assert (await t.latest()).count == count
        (row,) = await t.bot.stores.judged.of()
        assert (row.repository, row.became, row.demanded) == ("github.com/o/r", "merged", True)
        (finding,) = merge_findings(debate)
        assert row.stated == finding.wording.confidence


async def test_lines_that_changed_before_the_merge_count_for_it(tmp_path: Path) -> None:
    """The last push came with the merge, and no review saw it."""
    two = diff(a=["x = 1 # BUG one"], b=["y = 2 # BUG two"])
    async with town(tmp_path, diff=two) as t:
        await t.review(pushes=False)
        t.pull.push("c" * 40, diff(a=["x = 1 # fine now"], b=["y = 2 # BUG two"]))
        await t.merge()
        marks = {m.mark: m.wording.title for m in merge_findings(await t.latest())}
        known = {marks[one.mark]: one.became for one in outcomes_of(await t.latest())}
        assert known == {"Defect one": "fixed", "Defect two": "merged"}


async def test_a_fix_in_the_next_push_counts_for_it(tmp_path: Path) -> None:
    async with reviewed(tmp_path) as t:
        await t.push("c", diff(a=["x = 1 # fine now"]))
        assert await became(t) == ["fixed"]
        (row,) = await t.bot.stores.judged.of()
        assert row.became == "fixed"


async def test_other_teams_history_is_not_read(tmp_path: Path) -> None:
    async with reviewed(tmp_path) as t:
        debate = await t.latest()
        await judged(t, 30, 0)

        def move(conn: object) -> None:
            conn.execute(DEBATE.update().values(place="slack:T2/C1"))  # type: ignore[attr-defined]

        await t.bot.stores.database.write(move)
        history = t.bot.advancer.findings
        assert (
            await history.terms("slack:T1/C1", "code_review", debate.open.material)
        ).records == ()
        (record,) = (
            await history.terms("slack:T2/C9", "code_review", debate.open.material)
        ).records
        assert record.standing.earned


async def test_the_leaderboard_has_the_meter_and_how_good_forecasts_were(tmp_path: Path) -> None:
    async with reviewed(tmp_path) as t:
        await judged(t, 11, 1)
        answer = await t.ask("leaderboard --json")
        board = answer.text
        (row,) = json.loads(answer.files[0].text)["findings"]["categories"]
        assert (row["repository"], row["category"]) == ("github.com/o/r", "")
        assert row["standing"]["judged"] == 12
        assert (
            "- o/r, findings without a category: advice: 12 of 30 judged findings so far, 10 right"
            in board
        )
        assert "right in 70% at least, with a certainty of 90%, after 30 judged findings" in board
        assert "with a forecast" not in board  # nothing was known when they were raised
        again = await t.push("c", diff(a=["x = 1 # BUG one"], b=["y = 2 # BUG two"]))
        finding = next(m for m in merge_findings(again) if m.wording.title == "Defect two")
        facts = dict(finding_view(again, finding).facts)
        assert facts["How sure"] == "of 12 such findings 10 were fixed or confirmed"
        await t.merge()
        board = (await t.ask("leaderboard")).text
        assert "- 2 findings with a forecast: too few to tell (under 10)" in board
        assert "- forecast 83%: right in 0% of 2 (0% to 66%)" in board
