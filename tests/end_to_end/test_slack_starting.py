"""The ways into a debate in Slack that are no slash command: forms with their price, threads and
files as material.
"""

from __future__ import annotations

from collections.abc import Mapping

from adapters.templates.catalogue import find
from core.debate.state import Debate
from tests.end_to_end.played import LINK
from tests.end_to_end.slack_office import Office
from tests.standins.slack import render


async def started(place: Office, channel: str = "C1") -> Debate:
    """Returns the one debate of a channel, opened; no seat answers."""
    place.time.let(0)
    [(id, _)] = await place.until(lambda: place.roots(channel))
    return await place.reaches(id, lambda debate: debate.opened is not None)


async def filled_in(place: Office, values: Mapping[str, str]) -> str:
    """Fills the open form in, reads what it shows with the price, and starts; gives what was
    shown.
    """
    [id] = await place.until(lambda: list(place.slack.world.views))
    view = place.slack.world.views[id]
    await place.slack.submit(id, values)
    await place.until(lambda: view["submit"]["text"] == "Start")
    text = render(view)
    assert place.roots() == [], "nothing is started before the price was seen"
    await place.slack.submit(id)
    return text


async def test_the_form_names_the_price_of_what_was_chosen_and_starts_that(place: Office) -> None:
    await place.slack.shortcut("debate_new")
    values = {
        "template": "code_review", "target": LINK, "channel": "C1", "rounds": "1",
        "budget": "0.50", "options": "--consensus judge", "models": "scripted",
    }  # fmt: skip
    text = await filled_in(place, values)
    assert find("code_review").description in text
    assert "price: " in text.splitlines()[-1]
    request = (await started(place)).request
    assert (request.asker, request.place) == ("slack:T1/U1", "slack:T1/C1")
    assert (request.template, request.target) == ("code_review", LINK)
    assert (request.rounds, request.budget, request.consensus) == (1, 0.5, "judge")
    assert request.models == ("scripted",)


async def test_the_form_says_what_cannot_be_read_before_anything_is_started(place: Office) -> None:
    place.github.pulls.clear()
    await place.slack.shortcut("debate_new")
    [id] = await place.until(lambda: list(place.slack.world.views))
    await place.slack.submit(id, {"template": "code_review", "target": LINK, "channel": "C1"})
    view = place.slack.world.views[id]
    await place.until(lambda: view["submit"]["text"] == "Start")
    assert "price" not in render(view)
    assert "o/r" in render(view).splitlines()[-1]


async def test_debate_this_takes_the_thread_that_a_message_opens(place: Office) -> None:
    first = await place.slack.write("Should we drop Windows?", user="U2")
    await place.slack.reply(first["ts"], "Nobody has asked for it in a year.", user="U3")
    await place.slack.shortcut("debate_message", channel="C1", message=first)
    await filled_in(place, {"template": "panel"})
    debate = await started(place)
    assert debate.open.material.text.count("Nobody has asked for it in a year.") == 1


async def test_a_thread_is_debated_where_it_stands_when_it_is_asked_for(place: Office) -> None:
    first = await place.slack.write("Should we drop Windows?", user="U2")
    await place.slack.reply(first["ts"], "Nobody has asked for it in a year.", user="U3")
    await place.slack.mention("panel this thread", thread=first["ts"], user="U4")
    debate = await started(place)
    lines = [line.lstrip(" 123") for line in debate.open.material.text.splitlines()]
    said = ["u2: Should we drop Windows?", "", "u3: Nobody has asked for it in a year."]
    assert lines[-3:] == said
    assert debate.request.asker == "slack:T1/U4"


async def test_an_attached_diff_is_debated(place: Office) -> None:
    file = place.slack.attachment("change.diff", place.github.pulls["o/r", 412].diff)
    await place.slack.mention("code_review --format panel", files=[file])
    debate = await started(place)
    assert [c.path for c in debate.open.material.coverage] == ["starlette/staticfiles.py"]
    assert debate.open.material.title == "change.diff"
