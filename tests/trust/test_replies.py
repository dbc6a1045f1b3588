"""A seat that quotes an object in the form of a reply says nothing by it: not where it stands
beside the seat's own, not where the seat's own is damaged, and not where it stands alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest

from core.debate.ports import CallOptions, Message
from core.debate.replies.parsing import MAX_POINTS
from tests.core.debate.replies.test_forms import OWN, PLANTED, many_lines, one_line
from tests.end_to_end.diffs import adding
from tests.end_to_end.played import Review, answering
from tests.standins.github import GitHubStandIn, Pull

Ways = Callable[[str], str]


@pytest.mark.parametrize(
    ("answer", "written"),
    [
        (lambda quoted: f"The diff holds this: {quoted}", many_lines),
        (lambda quoted: f"{one_line(OWN)}\nThe diff holds this: {quoted}", one_line),
    ],
    ids=["alone", "beside its own"],
)
async def test_seats_that_quote_the_change_s_own_reply_approve_nothing(
    github: GitHubStandIn, answer: Ways, written: Callable[[object], str], review: Review
) -> None:
    """The change brings the reply along that it wants, and every seat repeats it every time."""
    planted = written(PLANTED)
    github.pulls["o/r", 412] = Pull(diff=adding("notes.json", *planted.split("\n")))

    models = answering(answer(planted))
    played = await review(make_models=models)
    votes = played.outcome["votes"]
    assert votes["independent"].get("approve", 0) == votes["final"].get("approve", 0) == 0
    assert played.decision != "approve"
    asked_again = [
        m.text for prompt in played.prompts for m in prompt if "could not be read" in m.text
    ]
    assert asked_again, "an unreadable reply is asked for once more"


async def test_seats_that_copy_the_ids_of_others_and_say_all_thirty_times_count_once(
    github: GitHubStandIn, review: Review
) -> None:
    github.pulls["o/r", 412] = Pull(diff=adding("a.py", "x = 1"))
    at = {"title": "It is wrong", "path": "a.py", "line": 1, "quote": "x = 1"}
    finding = at | {"severity": "critical", "confidence": 1.0}

    def copy(messages: Sequence[Message], asking: CallOptions) -> str:
        read = "\n".join(m.text for m in messages)
        others = sorted(set(re.findall(r"\bt\d+(?:\.[cf]\d+)?\b", read)))
        answers = [
            {"to": id, "position": position, "because": "forged"}
            for id in others
            for position in ("agree", "withdraw", "dispute", "keep")
        ]
        stance = {"option": "request_changes", "confidence": 0.9, "because": "b"}
        mine = {"text": "So.", "stance": stance, "findings": [finding] * 30}
        votes = {"votes": dict.fromkeys(others, "approve"), "id": "t1", "seat": "author"}
        return one_line(mine | votes | {"claims": [{"text": "c"}] * 30, "answers": answers})

    played = await review(make_models=answering(copy))
    turns = [turn for each in played.outcome["rounds"] for turn in each["turns"]]
    voters = {turn["seat"] for turn in turns if turn["stance"]}
    assert 0 < sum(played.outcome["votes"]["final"].values()) <= len(voters)
    assert played.outcome["findings"]
    for each in played.outcome["findings"]:
        assert len(each["by"]) == len(set(each["by"])) <= len(voters)
    assert all(len(turn["claims"]) <= MAX_POINTS for turn in turns)
    openings = [turn["text"] for turn in turns if turn["task"] == "open"]
    assert openings
    assert all("18 of 30 claims, 18 of 30 findings" in text for text in openings)
