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
from tests.end_to_end.world import CRITICS, comes
from tests.standins.github import GitHubStandIn
from tests.standins.slack import Fault, render
from tests.standins.slack_world import BOT_USER


@pytest.fixture
async def place(tmp_path: Path, github: GitHubStandIn) -> AsyncIterator[Office]:
    github.load_case("py-static-prefix")
    env = {"DEBATE_THREAD": "statements", "DEBATE_MODERATORS": "slack:T1/U8, slack:T1/U9"}
    async with office(tmp_path, github, env=env) as an_office:
        yield an_office


def people(outcome: dict[str, Any]) -> dict[str, int]:
    return given(outcome["votes"]["people"])


def given(votes: dict[str, int]) -> dict[str, int]:
    return {option: n for option, n in votes.items() if n}


def holds(user: str, option: str) -> Any:
    def reached(debate: Debate) -> bool:
        vote = debate.votes.get(("", f"slack:T1/{user}"))
        return vote is not None and vote.option == option

    return reached


async def test_votes_are_counted_on_the_finding_the_root_and_the_verdict(place: Office) -> None:
    """The author's vote is shown apart, whether it was cast early or late."""
    place.slack.world.user("U13", profile={"display_name": "Mallory"})
    place.slack.world.user("U14", profile={"display_name": "mallory"})
    debate = await place.finished()
    verdict = place.message(":verdict")
    await _votes_by_reaction(place, debate, verdict["ts"])
    await _votes_by_button(place, debate)
    await _votes_lost_with_the_socket(place, debate, verdict["ts"])
    place.slack.world.react("C1", verdict["ts"], "U14", "white_check_mark")
    closed = await place.closed(debate)
    assert people(closed) == {"approve": 3, "comment": 1, "request_changes": 2}
    assert closed["votes"]["author"]["approve"] == 2
    assert given(closed["findings"][0]["people"]) == {"real": 1, "worse": 1, "not_real": 1}
    opinions = [given(turn["people"]) for round in closed["rounds"] for turn in round["turns"]]
    assert [matches for matches in opinions if matches] == [{"agree": 2, "disagree": 1}]
    text = render(verdict)
    assert "✅ approve ▇▇▇ 3 · 💬 comment ▇ 1 · ❌ request changes ▇▇ 2" in text
    assert ", round 1: 2 agree, 1 disagree" in text
    assert " · people: 1 real, 1 not real, 1 worse" in text
    assert len([r for r in verdict["reactions"] if BOT_USER in r["users"]]) == 3
    await place.slack.react(verdict["ts"], "x", user="U3")
    assert "The vote is closed." in await place.typed(f"vote {debate} approve", user="U4")
    assert people(outcome(await place.parts.service.load(debate))) == people(closed)


async def _votes_by_reaction(place: Office, debate: str, verdict: str) -> None:
    react = place.slack.react
    finding = place.finding()["ts"]
    place.slack.world.user("U19", is_bot=True)
    await react(finding, "white_check_mark::skin-tone-4", user="U2")
    await react(finding, "arrow_double_up", user="U3")
    await react(finding, "tada", user="U4")
    await react(finding, "x", user="U19")
    await react(verdict, "white_check_mark", user="U3")
    await react(verdict, "white_check_mark", user="U4")
    await react(verdict, "white_check_mark", user="U13")
    await react(verdict, "x", user="U4")
    await place.reaches(debate, holds("U4", "request_changes"))
    await react(verdict, "x", user="U4", added=False)
    await place.reaches(debate, holds("U4", "approve"))
    await react(place.root(debate), "speech_balloon", user="U5")
    statement = (await place.saying("Round 1 of 6: Initial review"))["ts"]
    await react(statement, "thumbsup::skin-tone-2", user="U6")
    await react(statement, "-1", user="U7")
    await react(statement, "+1", user="U8")
    await react(statement, "x", user="U5")
    place.slack.twice = True
    await react(verdict, "x", user="U2")
    await react(finding, "x", user="U5")
    place.slack.twice = False
    await place.reaches(debate, holds("U5", "comment"))
    await place.until(lambda: "*People: *1 real, 1 not real, 1 worse" in render(place.finding()))


async def _votes_by_button(place: Office, debate: str) -> None:
    finding = place.finding()
    reply = await place.pressed(finding["ts"], "Real", user="U5")
    assert reply == f"Your vote in `{debate}`: real. The last one counts; vote again to change it."
    await place.until(lambda: "*People: *2 real" in render(finding))
    await place.pressed(finding["ts"], "Not real", user="U5")
    await place.until(lambda: "*People: *1 real, 1 not real" in render(finding))
    assert "[Real] [Not real] [Challenge] [⋯ ⏫ Worse · ⏬ Milder]" in render(finding)


async def _votes_lost_with_the_socket(place: Office, debate: str, verdict: str) -> None:
    """A vote that was cast while the socket was away is counted once it is back."""
    assert await place.typed(f"vote {debate} approve", user="U11") == (
        f"Your vote in `{debate}`: approve. The last one counts; vote again to change it."
    )
    place.slack.world.react("C1", verdict, "U12", "x")
    place.slack.faults.append(Fault("reactions.get", "429", times=2))
    await place.slack.cut()
    await place.reaches(debate, holds("U12", "request_changes"))


async def test_votes_count_while_slack_takes_no_emoji_and_while_the_bot_is_away(
    place: Office,
) -> None:
    """Slack takes no emoji and no file for an hour: no post waits for them, and what people say
    meanwhile is found. Votes that were taken back are counted out as well, although the time for
    votes ran out before the bot was back. Seats hold the finding; people say that it is none, and
    the verdict follows, once, without another call.
    """
    place.slack.faults += [
        Fault(m, "429", times=99, retry_after=3600)
        for m in ("reactions.add", "files.getUploadURLExternal")
    ]
    debate = await place.debate()
    message = await place.posted(":verdict")
    verdict, finding = message["ts"], place.finding()["ts"]
    assert not [m for _, m in place.ours() if m.get("reactions")]
    await place.slack.react(finding, "x", user="U2")
    await place.slack.react(verdict, "x", user="U3")
    await place.slack.react(finding, "white_check_mark", user="U4")
    state = await place.reaches(debate, lambda d: len(d.votes) == 3)
    assert {voter: vote.option for (_, voter), vote in state.votes.items()} == {
        "slack:T1/U2": "not_real",
        "slack:T1/U3": "request_changes",
        "slack:T1/U4": "real",
    }
    await place.stop()
    world = place.slack.world
    world.react("C1", verdict, "U3", "x", added=False)
    world.react("C1", verdict, "U3", "white_check_mark")
    world.react("C1", verdict, "U4", "x::skin-tone-2")
    world.react("C1", finding, "U4", "white_check_mark", added=False)
    world.react("C1", finding, "U4", "arrow_double_down")
    for number in range(5, 10):
        world.react("C1", finding, f"U{number}", "x")
    place.slack.faults.clear()
    place.move(3600)
    await place.start()
    document = outcome(await place.reaches(debate, lambda d: d.final))
    assert people(document) == {"approve": 1, "request_changes": 1}
    assert given(document["findings"][0]["people"]) == {"milder": 1, "not_real": 6}
    assert document["verdict"]["decision"] == "comment"
    assert place.sent == ""
    await place.until(lambda: [m for m in place.slack.thread(place.root(debate)) if m.get("files")])
    await place.wait_for_posts()
    legends = [
        {r["name"].partition("::")[0] for r in world.channel("C1").messages[ts]["reactions"]}
        for ts in (finding, verdict)
    ]
    assert legends == [
        {"x", "arrow_double_down"},
        {"white_check_mark", "speech_balloon", "x"},
    ], "a finding has buttons; what people react with counts there too"
    assert "Comments only" in render(message)
    changed = [render(m) for _, m in place.ours() if "The votes changed the verdict" in render(m)]
    assert changed == [
        "*The votes changed the verdict*\nit was Changes requested, it is now Comments only"
    ]


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


async def test_a_challenge_is_a_persons_words_in_the_thread_attributed_and_answered(
    place: Office,
) -> None:
    """A message of a bot, an edit or a message elsewhere is not a challenge."""
    place.slack.world.user("U2", profile={"display_name": "Ada"})
    debate, root = await running(place)
    await _no_challenge(place, root)
    words = "the security critic forgets that the directory is resolved before"
    mine = await place.slack.reply(root, f"challenge: {words}", user="U2")
    state = await place.reaches(debate, lambda d: bool(d.challenges))
    assert [each.author for each in state.challenges] == ["slack:T1/U2"]
    await place.until(lambda: mine.get("reactions"))
    assert mine["reactions"] == [{"name": "eyes", "users": [BOT_USER]}]
    message = await place.saying("Ada challenges")
    assert render(message) == f"*Ada challenges the security critic*\n> {words}"
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


async def _no_challenge(place: Office, root: str) -> None:
    slack, text = place.slack, "challenge: you are wrong"
    await slack.reply(root, text, user="U9", bot_id="B9")
    await slack.reply(root, text, user="U2", subtype="bot_message")
    changed = {"type": "message", "channel": "C1", "hidden": True}
    edited = {"user": "U2", "text": text, "thread_ts": root, "ts": "1.1", "edited": {}}
    await slack.event({**changed, "subtype": "message_changed", "message": edited, "ts": "1.2"})
    await slack.event({**changed, "subtype": "message_deleted", "deleted_ts": "1.1", "ts": "1.3"})
    await slack.write(text, user="U2")
    other = await slack.write("lunch?", user="U2")
    await slack.reply(other["ts"], text, user="U3")
    assert slack.world.channel("C1").messages[other["ts"]].get("reply_count") == 1


async def test_a_debate_that_is_stopped_before_any_answer_is_over_at_once(place: Office) -> None:
    """Slack lost the answer to its root and shows no history: challenges and votes to it are taken
    once it is found where they were written.
    """
    place.time.let(0)
    place.slack.faults += [
        Fault("chat.postMessage", "drop_after"),
        Fault("conversations.history", "503", times=99),
    ]
    debate = await place.debate()
    root = place.root(debate)
    await place.reaches(debate, lambda d: d.opened is not None)
    await place.slack.reply(root, "challenge: and Windows?", user="U2")
    await place.slack.react(root, "x", user="U3")
    assert await place.parts.stores.outbox.find_sent("slack:T1/C1", f"{debate}:root") is None
    place.slack.faults.clear()
    place.advance(300)
    state = await place.reaches(debate, lambda d: bool(d.challenges and d.votes))
    assert [(x.author, x.text) for x in state.challenges] == [("slack:T1/U2", "and Windows?")]
    assert holds("U3", "request_changes")(state)
    assert [id for id, _ in place.roots()] == [debate]
    await place.until(lambda: place.time.waiting)
    stopping = f"Debate `{debate}`: stopping; the closing report still comes."
    assert await place.pressed(root, "Stop", user="U9") == stopping
    place.time.let()
    await place.reaches(debate, "stopped")
    await comes(lambda: place.parts.stores.outcomes.get(debate))  # stored once it is over
    assert "stopped, no verdict" in await place.typed("list")
    assert "No debate is running" in await place.typed("status")
    assert "The vote is closed." in await place.typed(f"vote {debate} approve")
    before = len(place.slack.responses)
    await place.typed(f"show {debate}")
    await place.until(lambda: len(place.slack.responses) > before + 1)
    answer = "".join(map(render, place.slack.responses[before:]))
    assert "not played: A person stopped it" in answer
    assert "votes still count" not in answer
    assert "Receipts are signed" in await place.typed(f"receipt {debate}"), "it is the end"


# Pause, resume, stop


async def test_an_answer_blames_what_is_in_the_way_and_old_buttons_are_answered_politely(
    place: Office,
) -> None:
    """A stranger is refused in private; admins and the people whom the operator named are not."""
    debate, root = await running(place)
    before = len(place.slack.thread(root))
    old = dict(place.slack.world.channel("C1").messages[root])
    why = "Only the person who started it, or an admin, may {} this debate."
    assert await place.pressed(root, "Stop", user="U2") == why.format("stop")
    assert await place.typed(f"pause {debate}", user="U2") == why.format("pause")
    await place.slack.mention("pause", thread=root, user="U2")
    assert await place.until(lambda: place.whispers("U2")) == [why.format("pause")]
    assert (await place.parts.service.load(debate)).paused is None
    assert len(place.slack.thread(root)) == before + 1, "nothing but the stranger's own mention"
    await place.restart()
    place.slack.world.user("U3", is_admin=True)
    assert await place.pressed(root, "Pause", user="U3") == f"Debate `{debate}`: pausing."
    await place.reaches(debate, lambda d: d.paused is not None)
    place.time.let()
    assert await place.typed(f"resume {debate}", user="U9") == f"Debate `{debate}`: going on."
    await place.wait_for_posts(debate)
    place.slack.world.channel("C1").messages[root]["blocks"] = old["blocks"]
    assert await place.pressed(root, "Stop") == "The debate is over already."
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
