"""Commands, forms, suggestions and private lines in Discord are in the language of their reader."""

from __future__ import annotations

import pytest

from adapters.discord.incoming.forms.views import start_form
from adapters.discord.outgoing.components import Press, form
from adapters.ports.chat import Shape
from core.application.commands import Start
from core.application.desk import Button
from core.languages import LANGUAGES, speaking
from core.words.views.course.invitations import title
from tests.adapters.desk import TEMPLATES
from tests.adapters.discord.conftest import Town
from tests.adapters.discord.posts import post


async def test_the_start_form_and_suggestions_are_in_the_language_of_who_opens_it(
    town: Town,
) -> None:
    discord = town.discord
    discord.locales[discord.ada] = "cs"
    opened = await discord.command("start", {"template": "design_doc"})
    await discord.answer(opened)
    assert opened.form is not None
    assert opened.form["title"] == "Zahájit debatu"
    labels = [each["label"] for each in opened.form["components"]]
    assert labels[:2] == ["Šablona", "O čem se debatuje"]
    offers = await discord.autocomplete("vote", "option", "", beside={"finding": "1"})
    assert offers[0] == {"name": "je to chyba", "value": "real"}
    town.desk.languages[f"discord:{discord.guild}/{discord.ada}"] = "de"
    own = await discord.command("start", {"template": "design_doc"})
    await discord.answer(own)
    assert own.form is not None
    assert own.form["title"] == "Eine Debatte beginnen"


async def test_the_objection_form_and_a_question_are_the_presser_s(town: Town) -> None:
    discord = town.discord
    discord.locales[discord.ada] = "cs"
    buttons = (
        Button("challenge", "Challenge", "d1", form=True),
        Button("stop", "Stop", "d1", confirm="Stop?"),
    )
    ref = await town.seeded(None, post("d1:root", Shape.ROOT, title="PR 7", buttons=buttons))
    channel, message, *_ = ref.ids[0].split("/")
    message_now = discord.world.message(channel, message)
    objection = await discord.press(channel, message_now, "Challenge")
    await discord.answer(objection)
    assert objection.form is not None
    assert objection.form["title"] == "Námitka"
    assert objection.form["components"][0]["label"] == "Vaše námitka místům"
    stop = await discord.press(channel, message_now, "Stop")
    assert "Zastavit: opravdu?" in await discord.answer(stop)
    assert "[Ano: Zastavit]" in await discord.answer(stop)
    stop = await discord.press(channel, message_now, "Stop", user=discord.bob)
    assert "Stop: are you sure?" in await discord.answer(stop)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_of_a_form_is_too_long(language: str) -> None:
    with speaking(language):
        forms = [start_form(TEMPLATES, Start("code_review"))]
        forms += [form(Press(x, form=True), title(x, "")) for x in ("challenge", "say", "fork")]
        bodies = [each.to_dict() for each in forms]
    for body in bodies:
        assert len(body["title"]) <= 45
        assert "…" not in body["title"]
        for label in body["components"]:
            assert len(label["label"]) <= 45
            assert "…" not in label["label"]
            assert len(label.get("description") or "") <= 100
