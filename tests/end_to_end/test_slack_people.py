"""People in a Slack debate: votes by reaction, challenges, pause, resume and stop, on the running
bot.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from core.debate.state import Debate
from core.words.outcome import outcome
from tests.end_to_end.slack_office import Office, office
from tests.end_to_end.world import CRITICS
from tests.standins.github import GitHubStandIn
from tests.standins.slack import Fault, render
from tests.standins.slack_world import BOT_USER


@pytest.fixture
async def place(tmp_path: Path, github: GitHubStandIn) -> AsyncIterator[Office]:
    github.load_case("py-static-prefix")
    env = {"DEBATE_THREAD": "statements", "DEBATE_MODERATORS": "slack:T1/U8, slack:T1/U9"}
    async with office(tmp_path, github, env=env) as an_office:
        yield an_office


async def finish_debate(place: Office) -> tuple[str, str, str]:
    """Returns a debate that waits for votes: its id, and where its finding and its verdict
    stand.
    """
    debate = await place.finished()
    finding = next(m["ts"] for key, m in place.ours() if ":finding:" in key)
    return debate, finding, place.message(":verdict")["ts"]


def people(outcome: dict[str, Any]) -> dict[str, int]:
    return given(outcome["votes"]["people"])


def given(votes: dict[str, int]) -> dict[str, int]:
    return {option: n for option, n in votes.items() if n}


async def test_votes_are_counted_on_the_finding_the_root_and_the_verdict(place: Office) -> None:
    debate, finding, verdict = await finish_debate(place)
    react = place.slack.react
    place.slack.world.user("U9", is_bot=True)
    await react(finding, "white_check_mark::skin-tone-4", user="U2")
    await react(finding, "arrow_double_up", user="U3")
    await react(finding, "tada", user="U4")
    await react(finding, "x", user="U9")
    await react(verdict, "x", user="U2")
    await react(verdict, "white_check_mark", user="U3")
    await react(verdict, "white_check_mark", user="U4")
    await react(verdict, "x", user="U4")
    await place.reaches(debate, holds("U4", "request_changes"))
    await react(verdict, "x", user="U4", added=False)
    await place.reaches(debate, holds("U4", "approve"))
    await react(place.root(debate), "speech_balloon", user="U5")
    statement = next(
        m["ts"] for _, m in place.ours() if "Round 1 of 6: Initial review" in render(m)
    )
    await react(statement, "thumbsup::skin-tone-2", user="U6")
    await react(statement, "-1", user="U7")
    await react(statement, "+1", user="U8")
    await react(statement, "x", user="U5")
    await place.reaches(debate, lambda d: ("", "slack:T1/U5") in d.votes)
    outcome = await place.closed(debate)
    assert people(outcome) == {"approve": 2, "comment": 1, "request_changes": 1}
    assert given(outcome["findings"][0]["people"]) == {"real": 1, "worse": 1}
    opinions = [given(turn["people"]) for round in outcome["rounds"] for turn in round["turns"]]
    assert [matches for matches in opinions if matches] == [{"agree": 2, "disagree": 1}]
    bars = "✅ approve ▇▇ 2 · 💬 comment ▇ 1 · ❌ request changes ▇ 1"
    assert bars in render(place.message(":verdict"))
    assert ", round 1: 2 agree, 1 disagree" in render(place.message(":verdict"))
    assert "*People: *1 real, 1 worse" in render(place.slack.world.channel("C1").messages[finding])
    assert " · people: 1 real, 1 worse" in render(place.message(":verdict"))
    own = [
        r
        for r in place.slack.world.channel("C1").messages[verdict]["reactions"]
        if BOT_USER in r["users"]
    ]
    assert len(own) == 3


async def test_a_vote_counts_before_the_legend_is_complete_and_the_file_is_there(
    place: Office,
) -> None:
    """Slack takes no emoji and no file for an hour: no post waits for them, and what people say
    meanwhile is found.
    """
    place.slack.faults += [
        Fault(m, "429", times=99, retry_after=3600)
        for m in ("reactions.add", "files.getUploadURLExternal")
    ]
    debate = await place.debate()
    verdict = (await place.posted(":verdict"))["ts"]
    finding = next(m["ts"] for key, m in place.ours() if ":finding:" in key)
    assert not [m for _, m in place.ours() if m.get("reactions")]
    await place.slack.react(finding, "x", user="U2")
    await place.slack.react(verdict, "x", user="U3")
    state = await place.reaches(debate, lambda d: len(d.votes) == 2)
    assert {voter: vote.option for (_, voter), vote in state.votes.items()} == {
        "slack:T1/U2": "not_real",
        "slack:T1/U3": "request_changes",
    }
    place.slack.faults.clear()
    place.advance(3600)
    await place.until(
        lambda: [
            f["name"] for m in place.slack.thread(place.root(debate)) for f in m.get("files") or ()
        ]
    )
    await place.wait_for_posts()
    legends = [
        [r["name"] for r in place.slack.world.channel("C1").messages[ts]["reactions"]]
        for ts in (finding, verdict)
    ]
    assert [set(names) for names in legends] == [
        {"x"},
        {"white_check_mark", "speech_balloon", "x"},
    ], "a finding has buttons; what people react with counts there too"


async def test_a_vote_by_button_stands_in_the_finding_and_one_that_comes_twice_counts_once(
    place: Office,
) -> None:
    debate, finding, verdict = await finish_debate(place)
    message = place.slack.world.channel("C1").messages[finding]
    reply = await place.pressed(finding, "Real", user="U5")
    assert reply == f"Your vote in `{debate}`: real. The last one counts; vote again to change it."
    await place.until(lambda: "*People: *1 real" in render(message))
    await place.pressed(finding, "Not real", user="U5")
    await place.until(lambda: "*People: *1 not real" in render(message))
    assert "[Real] [Not real] [Challenge] [⋯ ⏫ Worse · ⏬ Milder]" in render(message)
    place.slack.twice = True
    await place.slack.react(verdict, "x", user="U2")
    await place.slack.react(finding, "x", user="U2")
    place.slack.twice = False
    await place.reaches(debate, lambda d: len(d.votes) == 3)
    before = await place.closed(debate)
    await place.slack.react(verdict, "x", user="U3")
    assert "The vote is closed." in await place.typed(f"vote {debate} approve", user="U4")
    after = outcome(await place.parts.service.load(debate))
    assert people(after) == people(before) == {"request_changes": 1}


async def test_the_verdict_says_so_when_votes_change_it(place: Office) -> None:
    """Seats hold a finding; people say that it is none, and the verdict follows, once, without
    another call.
    """
    debate, finding, verdict = await finish_debate(place)
    calls = place.time.passed
    for number in range(2, 8):
        await place.slack.react(finding, "x", user=f"U{number}")
    await place.reaches(debate, lambda d: len(d.votes) == 6)
    outcome = await place.closed(debate)
    assert outcome["verdict"]["decision"] == "comment"
    assert place.time.passed == calls
    assert "Comments only" in render(place.slack.world.channel("C1").messages[verdict])
    changed = [render(m) for _, m in place.ours() if "The votes changed the verdict" in render(m)]
    assert changed == [
        "*The votes changed the verdict*\nit was Changes requested, it is now Comments only"
    ]


async def test_votes_cast_while_the_bot_was_away_are_counted_on_its_return(place: Office) -> None:
    """Votes that were taken back are counted out as well, although the time for votes ran out in
    between.
    """
    debate, finding, verdict = await finish_debate(place)
    await place.slack.react(verdict, "white_check_mark", user="U2")
    await place.slack.react(finding, "white_check_mark", user="U2")
    await place.reaches(debate, lambda d: len(d.votes) == 2)
    await place.stop()
    world = place.slack.world
    world.react("C1", verdict, "U2", "white_check_mark", added=False)
    world.react("C1", verdict, "U2", "x")
    world.react("C1", verdict, "U3", "x::skin-tone-2")
    world.react("C1", finding, "U2", "white_check_mark", added=False)
    world.react("C1", finding, "U4", "arrow_double_down")
    place.time.ahead += 3600
    await place.start()
    end = await place.reaches(debate, lambda d: d.final)
    document = outcome(end)
    assert people(document) == {"request_changes": 2}
    assert given(document["findings"][0]["people"]) == {"milder": 1}


async def test_votes_lost_with_the_socket_are_counted_when_it_is_back(place: Office) -> None:
    debate, _, verdict = await finish_debate(place)
    assert await place.typed(f"vote {debate} approve", user="U3") == (
        f"Your vote in `{debate}`: approve. The last one counts; vote again to change it."
    )
    place.slack.world.react("C1", verdict, "U2", "x")
    place.slack.faults.append(Fault("reactions.get", "429", times=2))
    await place.slack.cut()
    await place.reaches(debate, lambda d: len(d.votes) == 2)
    assert people(await place.closed(debate)) == {"approve": 1, "request_changes": 1}


async def test_the_authors_vote_is_shown_apart_whenever_it_was_cast(place: Office) -> None:
    place.slack.world.user("U2", profile={"display_name": "Mallory"})
    place.slack.world.user("U3", profile={"display_name": "mallory"})
    debate, _, verdict = await finish_debate(place)
    await place.slack.react(verdict, "white_check_mark", user="U2")
    await place.reaches(debate, lambda d: len(d.votes) == 1)
    place.slack.world.react("C1", verdict, "U3", "white_check_mark")
    outcome = await place.closed(debate)
    assert people(outcome) == {}
    assert outcome["votes"]["author"]["approve"] == 2


async def test_the_holder_of_a_seat_is_shown_by_their_name(place: Office) -> None:
    place.slack.world.user("U1", profile={"display_name": "Ada"})
    seat = "--seats devils_advocate=person:me"
    debate = await place.debate(f'design_doc "Shall we move the queue?" {seat}')
    root = place.root(debate)
    await place.saying("Ada, it is your turn")
    await place.slack.reply(root, "say: reject 80%: it costs too much")
    await place.saying("it costs too much")
    await place.wait_for_posts()
    page = place.page(root)
    assert "Ada (devil's advocate)" in page
    assert ":speech_balloon: Devil's advocate (Ada)" in page
    assert "U1" not in page.replace("U1: say:", "")


# Challenges


async def running(place: Office) -> tuple[str, str]:
    """Returns a debate whose first round is done and whose second waits: its id and thread."""
    place.time.let(CRITICS)
    debate = await place.debate()
    await place.reaches(debate, lambda d: len(d.finished) == CRITICS)
    await place.until(lambda: any(":finding:" in key for key, _ in place.ours()))
    return debate, place.root(debate)


def holds(user: str, option: str) -> Any:
    def reached(debate: Debate) -> bool:
        vote = debate.votes.get(("", f"slack:T1/{user}"))
        return vote is not None and vote.option == option

    return reached


async def test_a_challenge_is_attributed_answered_and_receipted(place: Office) -> None:
    place.slack.world.user("U2", profile={"display_name": "Ada"})
    debate, root = await running(place)
    mine = await place.slack.reply(
        root,
        "challenge: the security critic forgets that the directory is resolved before",
        user="U2",
    )
    await place.until(lambda: mine.get("reactions"))
    assert mine["reactions"] == [{"name": "eyes", "users": [BOT_USER]}]
    message = await place.saying("Ada challenges")
    assert render(message).splitlines() == [
        "*Ada challenges the security critic*",
        "> the security critic forgets that the directory is resolved before",
    ]
    place.time.let()
    answer = await place.saying("Answer to “the security critic forgets that the directory")
    assert (answer["username"], answer["icons"]["emoji"]) == ("Security critic", ":lock:")
    assert answer["thread_ts"] == root
    await place.wait_for_posts(debate)
    assert place.whispers("U2") == []
    seen = place.sent
    assert "the directory is resolved before" in seen
    assert "Ada" not in seen
    assert "U2" not in seen


async def test_a_challenge_to_a_root_that_nobody_knows_to_stand_is_taken(place: Office) -> None:
    """Slack lost the answer and shows no history: the reply waits until it is found where it was
    written.
    """
    place.time.let(0)
    place.slack.faults += [
        Fault("chat.postMessage", "drop_after"),
        Fault("conversations.history", "503", times=99),
    ]
    debate = await place.debate()
    await place.reaches(debate, lambda d: d.opened is not None)
    await place.slack.reply(place.root(debate), "challenge: and Windows?", user="U2")
    await place.slack.react(place.root(debate), "x", user="U3")
    assert await place.parts.stores.outbox.find_sent("slack:T1/C1", f"{debate}:root") is None
    place.slack.faults.clear()
    place.advance(300)
    state = await place.reaches(debate, lambda d: bool(d.challenges and d.votes))
    assert [(x.author, x.text) for x in state.challenges] == [("slack:T1/U2", "and Windows?")]
    assert holds("U3", "request_changes")(state)
    assert len(place.roots("C1", "T1")) == 1


async def test_no_bot_no_edit_and_no_other_place_is_ever_a_challenge(place: Office) -> None:
    debate, root = await running(place)
    text = "challenge: you are wrong"
    await place.slack.reply(root, text, user="U9", bot_id="B9")
    await place.slack.reply(root, text, user="U2", subtype="bot_message")
    edit = {"type": "message", "subtype": "message_changed", "channel": "C1", "hidden": True}
    await place.slack.event(
        {
            **edit,
            "message": {"user": "U2", "text": text, "thread_ts": root, "ts": "1.1", "edited": {}},
            "ts": "1.2",
        }
    )
    gone = {
        "type": "message",
        "subtype": "message_deleted",
        "channel": "C1",
        "hidden": True,
        "deleted_ts": "1.1",
        "ts": "1.3",
    }
    await place.slack.event(gone)
    await place.slack.write(text, user="U2")
    other = await place.slack.write("lunch?", user="U2")
    await place.slack.reply(other["ts"], text, user="U3")
    await place.slack.reply(root, "challenge: this one counts", user="U4")
    state = await place.reaches(debate, lambda d: len(d.challenges) == 1)
    assert state.challenges[0].author == "slack:T1/U4"
    assert place.slack.world.channel("C1").messages[other["ts"]].get("reply_count") == 1


# Pause, resume, stop


async def test_a_stranger_is_refused_in_private_and_named_people_are_not(
    place: Office,
) -> None:
    debate, root = await running(place)
    before = len(place.slack.thread(root))
    why = "Only the person who started it, or an admin, may {} this debate."
    assert await place.pressed(root, "Stop", user="U2") == why.format("stop")
    assert await place.typed(f"pause {debate}", user="U2") == why.format("pause")
    await place.slack.mention("pause", thread=root, user="U2")
    assert await place.until(lambda: place.whispers("U2")) == [why.format("pause")]
    assert (await place.parts.service.load(debate)).paused is None
    assert len(place.slack.thread(root)) == before + 1, "nothing but the stranger's own mention"
    place.slack.world.user("U3", is_admin=True)
    assert await place.pressed(root, "Pause", user="U3") == f"Debate `{debate}`: pausing."
    stopping = f"Debate `{debate}`: stopping; the closing report still comes."
    assert await place.pressed(root, "Stop", user="U9") == stopping


async def test_stale_buttons_answer_politely_after_a_restart(place: Office) -> None:
    debate, root = await running(place)
    old = dict(place.slack.world.channel("C1").messages[root])
    await place.stop()
    await place.start()
    assert await place.pressed(root, "Pause") == f"Debate `{debate}`: pausing."
    await place.reaches(debate, lambda d: d.paused is not None)
    place.time.let()
    await place.typed(f"resume {debate}")
    await place.wait_for_posts(debate)
    place.slack.world.channel("C1").messages[root]["blocks"] = old["blocks"]
    assert await place.pressed(root, "Stop") == "The debate is over already."


async def test_a_debate_that_is_stopped_before_any_answer_is_over_at_once(place: Office) -> None:
    place.time.let(0)
    debate = await place.debate()
    await place.until(lambda: place.time.waiting)
    await place.typed(f"challenge {debate} it is wrong")
    await place.typed(f"stop {debate}")
    place.time.let()
    await place.reaches(debate, "stopped")
    assert "stopped, no verdict" in await place.typed("list")
    assert "No debate is running" in await place.typed("status")
    assert "The vote is closed." in await place.typed(f"vote {debate} approve")
    answer = await place.typed(f"show {debate}")
    assert "not played: A person stopped it" in answer
    assert "votes still count" not in answer
    assert "Receipts are signed" in await place.typed(f"receipt {debate}"), "it is the end"


async def test_an_answer_blames_what_is_in_the_way(place: Office) -> None:
    debate = await place.finished()
    place.slack.world.user("U8", is_restricted=True)
    place.slack.world.channel("C2").member = False
    for typed, user, answer in (
        (f"stop {debate}", "U8", "Only the person who started it, or an admin, may stop this"),
        ("language de", "U8", "Only an admin can set the language of this channel."),
        (f"challenge {debate} why?", "U8", "a member may challenge this debate."),
        (f"fork {debate}", "U1", "under the same conditions."),
        (f"fork {debate} --assume 'the cache is warm'", "U1", "under the changed condition."),
        (f"prove {debate}", "U1", "A proof runs a test, and the operator has not said where:"),
        (f"mirror {debate} slack:C2", "U1", "Join it, and invite me there too."),
        (f"mirror {debate} slack:C9", "U1", "Invite me there, if I am not in it."),
    ):
        assert answer in await place.typed(typed, user=user)
