"""A review that is posted lives on: an objection that is answered stands in it, and people's
reactions to its comments judge the findings.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from core.application.desk import Button
from core.debate.ledger import DemandState
from core.debate.state import Debate
from core.debate.verdict import verdict
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.demands import demands_after
from core.debate.verdict.learned.judged import outcomes_of
from tests.bot.debates.provider import by_schema, prompt_of
from tests.bot.forges import town as towns
from tests.bot.forges.gitlab_town import ProjectTown, diffs, project
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


async def reviewed(t: Town, **rules: Any) -> Debate:
    """Returns a debate whose review is posted."""
    t.provider.reply = persuaded
    await t.bind(**rules)
    if isinstance(t, ProjectTown):
        await t.label()
    else:
        await t.label()
    await t.settle()
    await t.approve()
    return await t.latest()


async def objected(t: Town, text: str, person: str = "ann") -> Debate:
    """A person replies under the first comment of the posted review."""
    t.number += 1
    if isinstance(t, ProjectTown):
        discussion = next(d for d in t.gitlab.discussions if d.position)
        note = t.gitlab.reply(discussion.id, text, person)
        answer = {"id": note["id"], "note": text, "discussion_id": discussion.id}
        await t.tell("note", type="DiffNote", sender=person, **answer)
    else:
        comment = t.github.written.comments[AT][0]
        t.github.written.answer_in_thread(AT, comment.id, person, text)
        reply = {"id": 9000 + t.number, "in_reply_to_id": comment.id, "body": text}
        kind = "pull_request_review_comment"
        await t.tell(kind, "created", comment=reply, sender=person)
    debate = await t.settle()
    await t.settle()
    return debate


async def test_a_posted_review_says_that_an_objection_changed_its_verdict(tmp_path: Path) -> None:
    async with town(tmp_path, env={"DEBATE_GATE": "always"}) as t:
        await reviewed(t, request_changes=True)
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


async def test_the_review_of_a_changed_verdict_is_not_taken_for_the_first_one(
    tmp_path: Path,
) -> None:
    """GitHub fails when it is sent, and has the first review when it is looked up."""
    async with town(tmp_path) as t:
        await reviewed(t)
        await objected(t, RIGHT)
        t.github.refuse("/reviews$", 502, "oops", times=1, method="POST")
        await t.approve()
        _, second = t.github.written.reviews[AT]
        assert second.body.startswith("**Debatebot** Comments only")
        assert (await t.noted()).count("posted") == 2


async def judge(t: Town, person: str, emoji: str) -> None:
    """Leaves a reaction on the first comment of the review."""
    if isinstance(t, ProjectTown):
        note = next(d for d in t.gitlab.discussions if d.position).notes[0]
        t.gitlab.awards.setdefault(note["id"], []).append((person, emoji))
    else:
        t.github.written.comments[AT][0].reactions.append((person, emoji))


async def became(t: Town, debate: str) -> list[str]:
    return [one.became for one in outcomes_of(await t.bot.service.load(debate))]


async def test_reactions_to_a_comment_judge_the_finding_before_the_next_review(
    tmp_path: Path,
) -> None:
    async with town(tmp_path) as t:
        first = await reviewed(t)
        t.github.written.permissions |= {(REPO, "olga"): "write", (REPO, t.pull.author): "write"}
        for person in ("eve", t.pull.author, "ci[bot]"):
            await judge(t, person, "-1")
        await judge(t, "olga", "eyes")
        more = diff(a=["x = 1 # BUG one"], b=["y = 1"])
        second = await t.push("c", more)
        assert second.request.after == first.id
        assert await became(t, first.id) == [""], "none of them may write there"
        await judge(t, "olga", "-1")
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
    async with town(tmp_path) as t:
        debate = await reviewed(t)
        t.github.written.permissions[REPO, "olga"] = "write"
        await judge(t, "olga", "+1")
        t.pull.state, t.pull.merged_at, t.pull.merge_commit = (
            "closed", "2026-05-03T12:00:00Z", "e" * 40,
        )  # fmt: skip
        await t.tell("pull_request", "closed")
        await t.play()
        assert await became(t, debate.id) == ["real"], "a person's word before the merge's"
        t.github.written.comments[AT][0].reactions.clear()
        t.clock.go(days=2, hours=4)
        await t.work()
        assert await became(t, debate.id) == [""]


async def test_gitlab_tells_of_an_award_at_once_and_its_note_of_an_objection(
    tmp_path: Path,
) -> None:
    async with project(tmp_path, diffs=diffs(a=["x = 1 # BUG one"])) as t:
        debate = await reviewed(t)
        t.gitlab.members["olga"] = 40
        await judge(t, "olga", "thumbsdown")
        await judge(t, "debatebot", "thumbsup")
        await judge(t, "mallory2", "thumbsup")
        assert await t.tell("emoji", name="thumbsdown", sender="olga") == 202
        await t.play()
        assert await became(t, debate.id) == ["not_real"]
        await objected(t, RIGHT)
        (note,) = t.gitlab.notes
        assert "**Changed by ann's objection: was Changes requested, is Comments only.**" in note
        last = t.gitlab.statuses[t.gitlab.head][-1]
        assert last["description"].endswith("; changed by ann's objection")


async def test_of_many_objections_at_once_none_is_lost(tmp_path: Path) -> None:
    """Those that the debate has no room for get the reason, and the next review answers them."""
    async with town(tmp_path, env={"DEBATE_LIMITS": "place-challenges=100"}) as t:
        debate = await reviewed(t)
        comment = t.github.written.comments[AT][0]
        people = [f"p{n}" for n in range(14)]
        kind = "pull_request_review_comment"
        for n, person in enumerate(people):
            t.github.written.answer_in_thread(AT, comment.id, person, f"It is fine {n}.")
            reply = {"id": 9000 + n, "in_reply_to_id": comment.id, "body": f"It is fine {n}."}
            await t.tell(kind, "created", comment=reply, sender=person, work=False)
        for n, body in enumerate(("", "x" * 2500), 9100):
            reply = {"id": n, "in_reply_to_id": comment.id, "body": body}
            await t.tell(kind, "created", comment=reply, sender="eve", work=False)
        await t.work()
        await t.settle()
        await t.settle()
        end = await t.settle()
        assert (len(end.challenges), end.over) == (12, True)
        ours = [c.body for c in t.github.written.comments[AT] if c.user == comment.user]
        assert sum("put to the seats of the next review" in body for body in ours) == 2
        assert sum("Not taken: an objection has words" in body for body in ours) == 2, ours
        assert sum("debatebot:answer:" in body for body in ours) == 16
        again = await t.push("c", diff(a=["x = 1 # BUG one"], b=["y = 1"]))
        assert again.request.after == debate.id
        assert len(again.challenges) == 2


async def test_what_is_said_after_the_texts_were_deleted_brings_none_back(tmp_path: Path) -> None:
    """A reply and a reaction that arrive when a debate's texts are gone, and its review is not."""
    async with town(tmp_path) as t:
        debate = await reviewed(t)
        await objected(t, "Is it ever?")
        before = t.github.written.reviews[AT][0].body
        t.github.written.permissions[REPO, "olga"] = "write"
        await judge(t, "olga", "-1")
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
