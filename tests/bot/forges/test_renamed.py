"""A repository, its organisation or its group is renamed, or it is transferred: everything that a
channel has about it goes on.
"""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from core.application.listing import Filter
from storage.forges.followed import FollowedChanges
from storage.tables import FINDING_OUTCOME
from tests.bot.forges.gitlab_town import diffs
from tests.bot.forges.past import reviewed, reviewed_on_gitlab
from tests.bot.forges.test_loop import installed
from tests.bot.forges.test_poll import polling
from tests.bot.forges.town import NUMBER, PLACE, Town, diff, town
from tests.standins.github import Pull

OLD, NEW = "o/r", "acme/store"
ONE = {"a": ["x = 1 # BUG one"]}
TWO = ONE | {"b": ["y = 2 # BUG two"]}


async def bound_names(t: Town) -> str:
    return (await t.ask("setup github")).text.partition(":")[0]


async def test_webhooks_go_on_under_the_new_name(tmp_path: Path) -> None:
    async with reviewed(tmp_path, posted=True, private=True) as t:
        first = await t.latest()
        await t.ask('schedule add "every weekday 09:00" code_review github:O/R')
        late = t.delivery("pull_request", "labeled", label={"name": "debate"})
        t.rename(NEW)
        second = await t.push("c", diff(**TWO))
        assert second.request.story == first.id
        assert (await t.row()).link == f"https://github.com/{NEW}/pull/{NUMBER}"
        assert second.open.material.facts["run"] == "2"
        assert await bound_names(t) == NEW
        assert "on github:acme/store," in (await t.ask("schedule list")).text
        # the review of the first run is objected to, and the debate is read, as before
        await t.reply("It is tested.")
        debate = await t.settle()
        assert [one.text[-13:] for one in debate.challenges] == ["It is tested."]
        assert (await t.ask(f"show {first.id}")).ok
        # what was sent before and comes now changes nothing back
        count = len(await t.debates())
        await t.deliver(*late)
        await t.work()
        assert await bound_names(t) == NEW
        assert len(await t.debates()) == count


async def test_links_of_either_name_mean_the_same_change(tmp_path: Path) -> None:
    async with reviewed(tmp_path, private=True) as t:
        first = await t.latest()
        t.rename(NEW)
        await t.ask("setup github o/r --on push")  # before the forge has told of it
        second = await t.push("c", diff(**TWO))
        assert second.request.story == first.id
        for name in (OLD, NEW):
            answer = await t.ask(f"code_review https://github.com/{name}/pull/{NUMBER}")
            assert answer.ok, answer.text
            await t.settle()
        (row,) = await FollowedChanges(t.bot.stores.database).of("github.com", NEW, NUMBER)
        assert row.key.place == PLACE
        assert await FollowedChanges(t.bot.stores.database).of("github.com", OLD, NUMBER) == []
        assert (
            await t.ask("setup github o/r off")
        ).text == "This channel no longer sees acme/store."


async def test_debates_of_both_names_are_found_by_either(tmp_path: Path) -> None:
    """A channel that is not bound to the repository knows nothing of its names."""
    async with reviewed(tmp_path, private=True) as t:
        first = await t.latest()
        await t.tell("pull_request", "synchronize")
        t.rename(NEW)
        second = await t.push("c", diff(**TWO))
        await t.bot.desk.history.keeper.look()
        for name in (OLD, NEW, "acme", "O/R"):
            text = (await t.ask(f"search bug --repository {name}")).text
            assert first.id in text, name
            assert second.id in text, name
        for words in (OLD, f"bug {NEW}", f"https://github.com/{NEW}/pull/{NUMBER}"):
            text = (await t.ask(f"search {words}")).text
            assert first.id in text, words
            assert second.id in text, words
        for words in ("acme/other", "acme/store-front", "bug --repository acme/other"):
            assert first.id not in (await t.ask(f"search {words}")).text
        hits = await t.bot.stores.search.find_page(Filter(repository=NEW), 9, within=("slack:T2/",))
        assert hits == []


async def test_a_new_repository_of_the_old_name_is_another_one(tmp_path: Path) -> None:
    async with reviewed(tmp_path, private=True) as t:
        await t.tell("pull_request", "synchronize")
        t.rename(NEW)
        t.github.pulls[OLD, NUMBER] = Pull(diff=diff(c=["s = 3 # BUG secret"]), private=True)
        t.repo = OLD
        count = len(await t.debates())
        await t.label()
        await t.settle()
        assert len(await t.debates()) == count
        answer = await t.ask(f"code_review https://github.com/{OLD}/pull/{NUMBER}")
        await t.settle()
        assert "I can't see" in f"{answer.text} {(await t.latest()).failure}"
        await t.ask("setup github o/r off")
        await t.ask("setup github o/r --labels debate")
        await t.label()
        assert (await t.settle()).open.material.facts["repo"] == OLD


@pytest.mark.parametrize("known", [True, False])
async def test_who_knows_the_webhooks_secret_renames_no_repository_of_others(
    tmp_path: Path, known: bool
) -> None:
    """An event may claim any name and any id: the forge is asked."""
    async with town(tmp_path, private=True) as t:
        await t.bind()
        if known:
            event, body = t.delivery("pull_request", "labeled", label={"name": "other"})
            await t.deliver(event, body)
            await t.handle()
        names = t.github.names
        id, foreign = names.id_of(OLD), names.id_of("evil/x")
        t.github.pulls["evil/x", NUMBER] = Pull(diff=diff(c=["s = 3 # BUG evil"]))
        for name, claimed in (
            ("evil/x", id), (OLD, foreign), ("evil/nothing", id), (f"evil/../{OLD}", id),
        ):  # fmt: skip
            event, body = t.delivery("pull_request", "labeled", label={"name": "debate"})
            sent = json.loads(body)
            sent["repository"] |= {"full_name": name, "id": claimed}
            await t.deliver(event, json.dumps(sent).encode())
            await t.handle()
        (bound,) = await t.bot.stores.places.bindings()
        assert (bound.repository, bound.former) == (OLD, {})
        await t.label()
        assert (await t.settle()).open.material.facts["repo"] == OLD


async def test_a_poll_notices_the_new_name_of_a_repository_with_the_app(tmp_path: Path) -> None:
    async with town(tmp_path, app=True, private=True) as t:
        await installed(t)
        await t.ask("setup github o/r --labels debate --on push")
        poll, now = polling(t.parts), timedelta(0)
        await poll.look(now)
        t.pull.labels, t.pull.updated_at = ("debate",), "2026-05-03T10:05:00Z"
        await poll.look(now)
        await t.handle()
        first = await t.settle()
        t.github.written.permissions[NEW, "olga"] = "admin"
        t.rename(NEW)
        t.pull.push("c" * 40, diff(**TWO))
        t.pull.updated_at = "2026-05-03T11:00:00Z"
        assert await poll.look(now) == 1
        await t.handle()
        second = await t.settle()
        assert (second.failure, second.request.story) == ("", first.id)
        assert await bound_names(t) == NEW
        assert await poll.look(now) == 0
        await t.approve()
        assert len(t.github.written.reviews[NEW, NUMBER]) == 1


async def test_what_became_of_findings_counts_for_the_new_name(tmp_path: Path) -> None:
    async with reviewed(tmp_path) as t:
        debate = await t.latest()
        t.rename(NEW)
        await t.push("c", diff(b=["y = 2 # BUG two"]))
        await t.bot.advancer.findings.keep(await t.bot.service.load(debate.id))
        query = sa.select(FINDING_OUTCOME.c.repository, FINDING_OUTCOME.c.change).distinct()
        known = await t.bot.stores.database.rows(query)
        assert [tuple(row) for row in known] == [
            (f"github.com/{NEW}", f"https://github.com/{NEW}/pull/{NUMBER}")
        ]


async def test_a_group_of_gitlab_is_renamed(tmp_path: Path) -> None:
    async with reviewed_on_gitlab(tmp_path, visibility="private") as t:
        first = await t.latest()
        t.gitlab.project = "company/sub/project"
        second = await t.push("c", diffs(**TWO))
        assert (second.failure, second.request.story) == ("", first.id)
        assert [one.path for one in second.open.material.coverage] == ["src/b.py"]
        await t.approve()
        assert (await t.ask("setup gitlab")).text.startswith("gitlab.com/company/sub/project: ")
        link = "https://gitlab.com/group/sub/project/-/merge_requests/7"
        assert (await t.ask(f"code_review {link}")).ok
