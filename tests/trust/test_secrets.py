"""A secret that somebody pasted, in a link or in words, is in no store, channel or prompt."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.material.library import material_from_page, storable_target
from adapters.material.web import WebPage
from core.debate.errors import BadInput
from core.debate.material import MaterialKind
from tests.end_to_end.diffs import adding
from tests.end_to_end.played import LINK, stored, typed
from tests.end_to_end.slack_office import Office, office
from tests.standins.github import GitHubStandIn, Pull

TOKEN = "s3cr3tT0k3nV4lu3X9"
LINKS = {
    "a parameter": f"https://docs.example.com/plan?a=1&access_token={TOKEN}",
    "a fragment": f"https://docs.example.com/plan#id_token={TOKEN}",
    "a signed address": f"https://b.s3.example.com/plan.md?X-Amz-Signature={TOKEN * 3}",
    "a password": f"https://ann:{TOKEN}@docs.example.com/plan",
    "a webhook": f"https://discord.com/api/webhooks/1234567890123456789/{TOKEN * 4}",
}


async def test_a_secret_in_a_link_or_in_words_is_neither_kept_nor_shown(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    """A token behind the link of a pull request is cut off; in a question it is masked."""
    github.pulls["o/r", 412] = Pull(diff=adding("a.py", "x = 1"))
    async with office(tmp_path, github) as place:
        await check_that_no_link_is_kept(place)
        assert TOKEN.encode() not in stored(tmp_path)
        await check_that_it_is_cut_off(place)
        assert TOKEN.encode() not in stored(tmp_path)


async def check_that_no_link_is_kept(place: Office) -> None:
    for link in LINKS.values():
        for line in (f"design_doc {link}", f'schedule add "every weekday 09:00" design_doc {link}'):
            reply = await place.typed(line)
            assert "carries a secret" in reply or "is not a link that I read" in reply, line
            assert TOKEN not in reply
    assert TOKEN not in str(place.slack.worlds)


async def check_that_it_is_cut_off(place: Office) -> None:
    id = await place.finished(f"code_review {LINK}?token={TOKEN}#token={TOKEN} --rounds 1")
    assert (await place.parts.service.load(id)).request.target == LINK
    assert TOKEN not in place.page(place.root(id))
    header = f"Authorization: Bearer {TOKEN}"
    await place.finished(f"design_doc Shall we send {header} in the clear? --rounds 1")
    assert TOKEN not in place.sent


async def test_a_shell_reads_such_a_link_and_keeps_it_without(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    github.pulls["o/r", 412] = Pull(diff=adding("a.py", "x = 1"))
    played = await typed(tmp_path, github, "code_review", f"{LINK}?token={TOKEN}", "--rounds", "1")
    assert played.code == 0
    assert TOKEN not in played.everything


def test_where_a_page_was_found_is_shown_without_its_secret() -> None:
    page = WebPage(LINKS["a parameter"], "text/plain", "", b"a plan")
    material = material_from_page(page, MaterialKind.DOCUMENT, 1_000)
    assert TOKEN not in str(material)
    assert material.source.startswith("https://docs.example.com/plan?a=1&access_token=[redacted: ")


def test_what_may_be_kept_of_a_target() -> None:
    assert storable_target("a question?token=short") == "a question?token=short"
    assert storable_target(f"{LINK}/files?token={TOKEN} path:src/") == f"{LINK}/files path:src/"
    assert storable_target(LINKS["a parameter"], read=True) == "https://docs.example.com/plan"
    with pytest.raises(BadInput, match="carries a secret"):
        storable_target(LINKS["a parameter"])
