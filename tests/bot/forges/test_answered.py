"""A review that is posted lives on: an objection that is answered stands in it, and people's
reactions to its comments judge the findings.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from core.application.desk import Button
from core.debate.events import ChallengeRaised
from core.debate.ledger import DemandState
from core.debate.state import Debate
from core.debate.verdict import verdict
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.demands import demands_after
from core.debate.verdict.learned.judged import outcomes_of
from tests.bot.debates.provider import by_schema, prompt_of
from tests.bot.forges import town as towns
from tests.bot.forges.past import reviewed, reviewed_on_gitlab
from tests.bot.forges.town import NUMBER, REPO, Town, diff, town

AT = (REPO, NUMBER)
RIGHT = "It is never called"
_POINT = re.compile(r"^\| (t\d+\.f\d+) \S+ (?:Defect|The)", re.MULTILINE)


def persuaded(body: dict[str, Any]) -> dict[str, Any]:
    """Finds every defect, and after an objection that is right takes it back with its line."""
    fields = towns.reply(body)
    prompt = prompt_of(body)
    if "The verdict is there, and a person objects" not in prompt:
        return fields
    if "answers" not in fields:
        return fields
    if "stance" not in fields:  # the answer to the person
        answer = {"to": "x1", "position": "answered", "because": "I looked"}
        return by_schema(body) | {"text": "I looked.", "answers": [answer]}
    unreal = RIGHT in prompt.rpartition("A person objected")[2]
    position, option = ("not_real", "approve") if unreal else ("must_fix", "request_changes")
    fields["answers"] = [
        {"to": id, "position": position, "because": "so it is", "path": "src/a.py", "line": 10,
         "quote": "# above", "severity": ""}
        for id in dict.fromkeys(_POINT.findall(prompt))
    ]  # fmt: skip
    fields["stance"] |= {"option": option, "moved_by": "x1" if unreal else ""}
    return fields | {"findings": []}


async def objected(t: Town, text: str, person: str = "ann") -> Debate:
    """A person replies under the first comment of the posted review."""
    t.provider.reply = persuaded
    await t.reply(text, person)
    debate = await t.settle()
    await t.settle()
    return debate


async def test_a_posted_review_says_that_an_objection_changed_its_verdict(tmp_path: Path) -> None:
    """A review of the new verdict is another one: GitHub fails when it is sent, and has the first
    one when it is looked up.
    """
    async with reviewed(tmp_path, env={"DEBATE_GATE": "always"}) as t:
        await t.bind(request_changes=True)
        await t.approve()
        (review,) = t.github.written.reviews[AT]
        assert review.event == "REQUEST_CHANGES"
        held = await objected(t, "Is it ever?", "bob")
        assert verdict(held).decision == "request_changes"
        assert "Held: the seats answered bob's objection." in review.body
        assert review.dismissed == ""
        t.github.lose(r"/reviews/\d+$", method="PUT")  # it arrives, and nobody hears of it
        changed = await objected(t, RIGHT)
        assert verdict(changed).decision == "comment"
        line = "Changed by ann's objection: was Changes requested, is Comments only."
        first, second, *rest = review.body.split("\n\n")
        assert first.startswith("**Debatebot** Changes requested")
        assert second.startswith(f"**{line}** [The objection and its answers](https://bot.example")
        assert not any("objection" in part for part in rest)
        assert review.dismissed == line
        described = t.github.written.statuses[REPO, t.pull.head][-1]
        assert described["state"] == "success"
        assert described["description"].endswith("; changed by ann's objection")
        assert len(t.github.written.reviews[AT]) == 1
        t.github.refuse("/reviews$", 502, "oops", times=1, method="POST")
        await t.approve()
        _, again = t.github.written.reviews[AT]
        assert again.body.startswith("**Debatebot** Comments only")
        assert (await t.noted()).count("posted") == 2


async def test_a_posted_review_says_that_votes_changed_its_verdict(tmp_path: Path) -> None:
    async with town(tmp_path, env={"DEBATE_GATE": "always"}) as t:
        await t.bind(request_changes=True)
        await t.label()
        debate = await t.play()
        t.github.refuse("/reviews$", 502, times=2, method="POST")  # it is posted after the votes
        await t.approve()
        (finding,) = merge_findings(debate)
        for person in ("slack:T1/U2", "slack:T1/U3"):
            vote = Button("vote", "Not real", f"{debate.id}:{finding.id}:not_real")
            assert (await t.press(vote, person)).ok
        await t.settle()
        t.clock.go(hours=1)
        await t.work()
        (review,) = t.github.written.reviews[AT]
        line = "The votes changed the verdict: it was Changes requested, it is now Comments only."
        assert review.body.split("\n\n")[1].startswith(f"**{line}**")
        assert (review.event, review.dismissed) == ("REQUEST_CHANGES", line)
        assert t.github.written.statuses[REPO, t.pull.head][-1]["state"] == "success"


async def became(t: Town, debate: str) -> list[str]:
    return [one.became for one in outcomes_of(await t.bot.service.load(debate))]


async def test_reactions_to_a_comment_judge_the_finding_before_the_next_review(
    tmp_path: Path,
) -> None:
    async with reviewed(tmp_path, posted=True) as t:
        first = await t.latest()
        t.github.written.permissions |= {(REPO, "olga"): "write", (REPO, t.pull.author): "write"}
        for person in ("eve", t.pull.author, "ci[bot]"):
            t.react(person, "-1")
        t.react("olga", "eyes")
        more = diff(a=["x = 1 # BUG one"], b=["y = 1"])
        second = await t.push("c", more)
        assert second.request.after == first.id
        assert await became(t, first.id) == [""], "none of them may write there"
        t.react("olga", "-1")
        await t.push("d", diff(a=["x = 1 # BUG one"], b=["y = 2"]))
        t.clock.go(seconds=10)
        await t.work()
        third = await t.settle()
        assert third.request.after == second.id
        assert await became(t, second.id) == ["not_real"]
        (demand,) = demands_after(await t.bot.service.load(second.id))
        assert demand.state is DemandState.REJECTED
        assert not any(m.blocking for m in merge_findings(third))


async def test_a_reaction_is_read_after_the_merge_and_can_be_taken_back(tmp_path: Path) -> None:
    async with reviewed(tmp_path, posted=True) as t:
        debate = await t.latest()
        t.github.written.permissions[REPO, "olga"] = "write"
        t.react("olga", "+1")
        await t.merge()
        assert await became(t, debate.id) == ["real"], "a person's word before the merge's"
        t.github.written.comments[AT][0].reactions.clear()
        t.clock.go(days=2, hours=4)
        await t.work()
        assert await became(t, debate.id) == [""]


async def test_gitlab_tells_of_an_award_at_once_and_its_note_of_an_objection(
    tmp_path: Path,
) -> None:
    async with reviewed_on_gitlab(tmp_path, posted=True) as t:
        debate = await t.latest()
        t.gitlab.members["olga"] = 40
        t.react("olga", "thumbsdown")
        t.react("debatebot", "thumbsup")
        t.react("mallory2", "thumbsup")
        assert await t.tell("emoji", name="thumbsdown", sender="olga") == 202
        await t.play()
        assert await became(t, debate.id) == ["not_real"]
        await objected(t, RIGHT)
        (note,) = t.gitlab.notes
        assert "**Changed by ann's objection: was Changes requested, is Comments only.**" in note
        last = t.gitlab.statuses[t.gitlab.head][-1]
        assert last["description"].endswith("; changed by ann's objection")


async def test_of_many_objections_at_once_none_is_lost(tmp_path: Path) -> None:
    """An objection that the debate refuses gets the reason, and the next review answers it."""
    async with reviewed(tmp_path, posted=True) as t:
        debate = await t.latest()
        for n in range(4):  # one person may object three times to one verdict
            await t.reply(f"It is never called {n}.", work=False)
        await t.reply("It is fine.", "bob", work=False)
        for body in ("", "x" * 2500):
            await t.reply(body, "eve", work=False)
        await t.work()
        end = await t.settle()
        assert (len(end.challenges), end.over) == (4, True)
        ours = [c.body for c in t.github.written.comments[AT] if "debatebot:answer:" in c.body]
        assert len(ours) == 7
        (refused,) = [body for body in ours if "put to the seats of the next review" in body]
        assert "You have objected 3 times to this verdict" in refused
        assert sum("Not taken: an objection has words" in body for body in ours) == 2, ours
        await t.reply("I say that it is never called.")  # it is refused at once
        await t.settle()
        assert (await t.noted())[-1] == "objection"
        refused = t.github.written.comments[AT][-1].body
        assert "put to the seats of the next review" in refused
        assert await t.debates() == [debate.id]
        await t.press(Button("recheck", "Let the seats answer now", debate.id))
        await t.work()
        again = await t.settle()
        assert (again.request.after, again.failure) == (debate.id, "")
        raised = [e for e in await t.events(again.id) if isinstance(e, ChallengeRaised)]
        assert [e.author for e in raised] == ["github:github.com/mallory"] * 2
        (finding,) = merge_findings(again)
        assert finding.demand is not None
        await t.approve()
        assert len(t.threads()) == 1  # never repeated


async def test_what_is_said_after_the_texts_were_deleted_brings_none_back(tmp_path: Path) -> None:
    """A reply and a reaction that arrive when a debate's texts are gone, and its review is not."""
    async with reviewed(tmp_path, posted=True) as t:
        debate = await t.latest()
        await objected(t, "Is it ever?")
        before = t.github.written.reviews[AT][0].body
        t.github.written.permissions[REPO, "olga"] = "write"
        t.react("olga", "-1")
        assert await t.bot.retention.delete(await t.latest(), "somebody asked for it")
        await objected(t, RIGHT, "olga")
        end = await t.bot.service.load(debate.id)
        assert (end.challenges, dict(end.judged)) == ((), {})
        review = t.github.written.reviews[AT][0]
        assert "Changed by" not in review.body
        assert review.body == before
        last = t.github.written.comments[AT][-1]
        assert "Not answered now" in last.body
        assert "deleted" in last.body
