"""Bindings know a repository by the forge's id of it; those of an older database get it with the
forge's next word.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from storage.database import Database
from storage.forges.renamed import RenamedRepositories, SeenRepository
from storage.places import Places
from storage.schema import open_database
from tests.storage.conftest import Hands
from tests.storage.samples import old_database

PLACE = "slack:T1/C1"
BOUND = ("o/r", "gitlab.com/g/p", "")
EARLY, LATER, LATEST = (f"2026-05-0{day}T10:00:00+00:00" for day in (1, 2, 3))


@pytest.fixture
async def db(database_address: str, hands: Hands) -> AsyncIterator[Database]:
    """Yields today's database, made of one whose bindings have only names."""
    row = {"place": PLACE, "by": "slack:T1/U1", "at": hands.now(), "rules": {"language": "de"}}
    old_database(database_address, "0023", {"binding": [row | {"repository": n} for n in BOUND]})
    made = await open_database(database_address, hands.now)
    yield made
    await made.close()


async def see(db: Database, name: str, id: str, at: str) -> None:
    seen = SeenRepository("github.com", name, name.lower(), f"github.com:{id}", at)
    renamed = RenamedRepositories(db)
    await renamed.learn([seen.key], seen.id)
    await renamed.rename(seen)


async def test_an_old_binding_gets_its_id_and_then_its_new_names(db: Database) -> None:
    places = Places(db, lambda _: True)
    assert await places.language(PLACE) == "de"
    await see(db, "O/R", "7", EARLY)
    assert await places.repositories(PLACE) == ["gitlab.com/g/p", "o/r"]
    await see(db, "Acme/Store", "7", LATER)
    assert await places.repositories(PLACE) == ["acme/store", "gitlab.com/g/p"]
    (bound,) = await places.bindings(repository="o/r")
    assert (bound.repository, bound.rules) == ("acme/store", {"language": "de"})
    assert await places.bindings(repository="o/r", id="github.com:8") == [], "that is another"
    await see(db, "O/R", "7", EARLY)
    assert await places.repositories(PLACE) == ["acme/store", "gitlab.com/g/p"], "it was before"
    await see(db, "O/R", "7", LATEST)
    assert await places.repositories(PLACE) == ["gitlab.com/g/p", "o/r"], "its first name again"


async def test_a_channel_that_was_bound_to_both_names_keeps_the_newer(db: Database) -> None:
    places = Places(db, lambda _: True)
    await places.bind(PLACE, "acme/store", "slack:T1/U2")
    await see(db, "o/r", "7", EARLY)
    await see(db, "acme/store", "7", LATER)
    assert await places.repositories(PLACE) == ["acme/store", "gitlab.com/g/p"]
    (bound,) = await places.bindings(repository="o/r")
    assert bound.by == "slack:T1/U2"


async def test_a_new_repository_of_a_former_name_is_meant_by_that_name(db: Database) -> None:
    places = Places(db, lambda _: True)
    await see(db, "o/r", "7", EARLY)
    await see(db, "zeta/store", "7", LATER)
    await places.bind(PLACE, "o/r", "slack:T1/U2")
    (bound,) = await places.bindings(place=PLACE, repository="o/r")
    assert (bound.repository, bound.by) == ("o/r", "slack:T1/U2")
    assert await places.present_name(PLACE, "github.com", "o/r") == "o/r"
    (bound,) = await places.bindings(repository="o/r", id="github.com:7")
    assert bound.repository == "zeta/store"
