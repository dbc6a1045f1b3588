"""Places and persons are read and written back without loss, and each platform's rules say what
they mean.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.platforms import CHATS, is_direct, workspace_of
from core.application.place import Person, Place, platform_of
from core.debate.errors import BadInput

WORD = st.text(alphabet=st.characters(codec="ascii", exclude_characters=":/"), min_size=1)


@given(WORD, st.one_of(st.just(""), WORD), WORD)
def test_a_place_and_a_person_are_read_back(platform: str, workspace: str, name: str) -> None:
    place, person = Place(platform, workspace, name), Person(platform, workspace, name)
    assert Place.parse(str(place)) == place
    assert Person.parse(str(person)) == person
    assert platform_of(str(place)) == platform
    assert place.workspace_key == (f"{platform}:{workspace}" if workspace else "")


@pytest.mark.parametrize("text", ["slack:T1/C1", "discord:@me/7", "discord:7", "shell:ann", "ann"])
def test_any_place_is_written_as_it_was_read(text: str) -> None:
    assert str(Place.parse(text)) == text


@pytest.mark.parametrize(
    ("place", "direct", "workspace"),
    [
        ("slack:T1/C1", False, "slack:T1"),
        ("slack:T1/D1", True, "slack:T1"),
        ("discord:5/7", False, "discord:5"),
        ("discord:@me/7", True, "discord:@me/7"),
        ("shell:ann", False, "shell:ann"),
    ],
)
def test_what_a_place_means_is_known_without_a_connection(
    place: str, direct: bool, workspace: str
) -> None:
    assert is_direct(place) is direct
    assert workspace_of(place) == workspace


def test_a_channel_is_named_as_people_type_it() -> None:
    assert CHATS["slack"].channel_named(" <#C1|general>") == "C1"
    assert CHATS["slack"].channel_named("#C1") == "C1"
    assert CHATS["discord"].channel_named("<#123>") == "123"
    with pytest.raises(BadInput, match="named by its number"):
        CHATS["discord"].channel_named("general")


def test_an_account_of_discord_is_one_person_in_the_debates_guild() -> None:
    rules, debate = CHATS["discord"], [Place.parse("slack:T1/C1"), Place.parse("discord:5/7")]
    assert str(rules.known_as(Person.parse("discord:9/1"), debate)) == "discord:5/1"
    assert str(rules.known_as(Person.parse("discord:@me/1"), debate)) == "discord:5/1"
    assert str(rules.known_as(Person.parse("discord:5/1"), debate)) == "discord:5/1"
    assert str(rules.known_as(Person.parse("discord:9/1"), debate[:1])) == "discord:9/1"
    assert str(CHATS["slack"].known_as(Person.parse("slack:T2/U1"), debate)) == "slack:T2/U1"
