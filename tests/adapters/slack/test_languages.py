"""Forms, the Home tab and answers in Slack are in the language of the person who reads them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adapters.ports.chat import Post, Shape
from adapters.slack.app import SlackApp
from adapters.slack.incoming.forms.views import SETUP_FIELDS, Memo, setup_form, start_form
from core.application.commands import Setup
from core.application.desk import Button
from core.languages import LANGUAGES, speaking
from core.words.views.course.invitations import title
from tests.adapters.desk import TEMPLATES, RecordingDesk, glance
from tests.adapters.slack.conftest import MakeApp
from tests.standins.slack import Fault, SlackStandIn, render

ROOT = Post(
    "d1:root", "d1", Shape.ROOT, title="Panel",
    buttons=(Button("challenge", "Challenge", "d1", form=True),),
)  # fmt: skip


async def opened(slack: SlackStandIn) -> tuple[str, dict[str, Any]]:
    [id] = await slack.until(lambda: list(slack.world.views))
    return id, slack.world.views[id]


async def test_the_start_form_stays_in_the_language_of_who_opened_it(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    slack.world.user("U1", locale="cs-CZ")
    await slack.shortcut("debate_new")
    id, view = await opened(slack)
    text = render(view)
    assert view["title"]["text"] == "Zahájit debatu"
    for czech in ("Šablona", "O čem se má debatovat", "Kola", "Rozpočet v USD"):
        assert czech in text
    assert view["submit"]["text"] == "Zobrazit cenu"
    wrong = await slack.submit(id, {"channel": "C1"})
    assert wrong.answer["errors"] == {"target": "Zde je potřeba odkaz, text nebo otázka."}
    await slack.submit(id, {"target": "Should we?", "template": "panel", "channel": "C1"})
    await slack.until(lambda: view["submit"]["text"] == "Začít")
    assert len(slack.called("users.info")) == 1, "a person is asked for once"


async def test_the_objection_form_is_the_presser_s_and_not_the_channel_s(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    slack.world.user("U1", locale="cs-CZ")
    desk.languages["slack:T1/U2"] = "de"
    root = (await app.chat.send("slack:T1/C1", None, ROOT)).thread
    for user, name, send, first in (
        ("U1", "Námitka", "Odeslat", "Nejdřív napište řádek."),
        ("U2", "Einwand", "Senden", "Schreiben Sie zuerst eine Zeile."),
    ):
        await slack.press(root, "Challenge", user=user)
        id, view = await opened(slack)
        assert (view["title"]["text"], view["submit"]["text"]) == (name, send)
        empty = await slack.submit(id, {"line": " "}, user=user)
        assert empty.answer["errors"] == {"line": first}
        await slack.submit(id, {"line": "x"}, user=user)
        await slack.until(lambda: not slack.world.views)
        await slack.until(lambda: slack.world.ephemeral)
        assert slack.world.ephemeral.pop()["thread_ts"] == root
        action, value, caller, text = desk.presses[-1]
        assert (action, value, caller.thread, text) == ("challenge", "d1", root, "x")


async def test_the_home_tab_prompts_and_refusals_are_in_the_person_s_language(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    slack.world.user("U1", locale="cs-CZ")
    slack.world.channel("D1")
    slack.world.channel("C2").archived = True
    await slack.open_home()
    await slack.open_home(tab="messages")
    await slack.slash("panel should we do it?", channel="C2")
    await slack.until(lambda: slack.world.homes and slack.world.prompts and slack.responses)
    home = render(slack.world.homes["U1"])
    assert "[Zahájit debatu]" in home
    assert "Zatím žádné verdikty." in home
    await slack.press_home("Zahájit debatu")
    await slack.until(lambda: slack.world.views)
    titles = [prompt["title"] for prompt in slack.world.prompts["D1"]]
    assert titles[0] == "Posoudit pull request"
    assert slack.world.prompts["D1"][1]["message"].startswith("panel Máme")
    assert "archivovaný" in render(slack.responses[0])


async def test_a_form_opens_although_slack_does_not_name_the_language(
    slack: SlackStandIn, make_app: MakeApp, desk: RecordingDesk
) -> None:
    await make_app()
    slack.faults.append(Fault("users.info", "internal_error"))

    async def away(caller: object) -> str:
        raise RuntimeError("the store is away")

    desk.language = away  # type: ignore[method-assign]  # a database that is away
    await slack.shortcut("debate_new")
    _, view = await opened(slack)
    assert view["title"]["text"] == "Start a debate"


async def test_a_card_is_in_the_language_of_its_channel_and_replies_in_that_of_the_debate(
    slack: SlackStandIn, make_app: MakeApp, desk: RecordingDesk
) -> None:
    app = await make_app(public_url="https://debates.example")
    slack.world.user("U1", locale="de-DE")
    desk.languages["slack:T1/C1"] = "cs"
    desk.cards["d1", "slack:T1/C1"] = glance("d1", "Leak")
    message = await slack.link("https://debates.example/d/d1")
    await slack.until(lambda: "cards" in message)
    [entity] = message["cards"]["entities"]
    fields = entity["entity_payload"]["custom_fields"]
    assert fields[0]["label"] == "Stav"
    slack.world.channel("D1")
    with speaking("cs"):
        await app.chat.send("slack:T1/D1", None, ROOT)
    [prompts] = slack.world.prompts.values()
    assert prompts[0]["title"] == "Bylo to užitečné"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_of_a_form_is_cut(language: str) -> None:
    """Slack cuts titles and buttons of forms at 24 characters."""
    with speaking(language):
        forms = (
            start_form(TEMPLATES, Memo()),
            setup_form(Setup(), "C1", language),
            setup_form(Setup("o/r"), "C1", language),
        )
        titles = [title(action, "") for action in ("challenge", "say", "fork", "stop")]
        hints = [option.hint for option in SETUP_FIELDS]
    assert "…" not in "".join(json.dumps(form, ensure_ascii=False) for form in forms)
    assert max(map(len, titles)) <= 24
    assert max(map(len, hints)) <= 150
