"""A decision becomes a record of the repository by a pull request that a person approved; a later
change that breaks the record gets a comment.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from adapters.terminal.terminal import Style, Terminal
from bot.shell.cli import take as typed
from bot.shell.playing.run import Shell
from core.application.commands import Export
from core.application.commands.parsing import parse
from core.application.desk import Button, Caller
from core.debate.material.escaping import show_hidden
from core.debate.verdict.findings import merge_findings
from core.words.outcome import outcome
from tests.bot.debates.provider import by_schema
from tests.bot.forges import gitlab_town
from tests.bot.forges.past import reviewed, reviewed_on_gitlab
from tests.bot.forges.town import MAINTAINER, NUMBER, PLACE, REPO, Town
from tests.standins.github_state import BASE

PATH = "docs/decisions/0001-a-change-request-changes.md"
FLOATS = ["price = 1.5 # BUG FLOAT price"]


@dataclass
class Repository:
    """A bot that has reviewed a change, and its forge: what was proposed there, and what a merge
    of it changes.
    """

    t: Town

    def proposed(self) -> list[tuple[str, str, str]]:
        """Returns the title, the branch and the target of each pull request that was opened."""
        pulls = self.t.github.pulls.items()
        return [(p.title, p.branch, p.base_branch) for (_, number), p in pulls if number != NUMBER]

    def files(self) -> dict[str, str]:
        """Returns the files on the branches that were made."""
        made = {branch for _, branch in self.t.github.proposals.branches}
        contents = self.t.github.contents.items()
        return {path: data.decode() for (_, at, path), data in contents if at in made}

    def merge(self, path: str, text: str) -> None:
        self.t.github.contents[REPO, BASE, path] = text.encode()
        self.t.github.trees["c" * 40] = {path: text}

    def lose(self) -> None:
        self.t.github.lose("/pulls$")

    def comments(self) -> list[str]:
        return [c.body for c in self.t.github.written.comments[REPO, NUMBER]]


class Project(Repository):
    t: gitlab_town.ProjectTown

    def proposed(self) -> list[tuple[str, str, str]]:
        requests = self.t.gitlab.proposed.values()
        return [(r["title"], r["source_branch"], r["target_branch"]) for r in requests]

    def files(self) -> dict[str, str]:
        contents = self.t.gitlab.contents.items()
        return {path: text for (at, path), text in contents if at.startswith("debatebot/")}

    def merge(self, path: str, text: str) -> None:
        self.t.gitlab.guidelines[path] = text
        self.t.gitlab.trees["c" * 40] = {path: text}

    def lose(self) -> None:
        self.t.gitlab.lose("POST", "/merge_requests$")

    def comments(self) -> list[str]:
        return [d.notes[0]["body"] for d in self.t.gitlab.discussions if d.position]


@asynccontextmanager
async def on_github(folder: Path) -> AsyncIterator[Repository]:
    async with reviewed(folder, env={"DEBATE_GATE": "always"}) as t:
        yield Repository(t)


@asynccontextmanager
async def on_gitlab(folder: Path) -> AsyncIterator[Repository]:
    async with reviewed_on_gitlab(folder, gate="always") as t:
        yield Project(t)


def agreed(body: dict[str, Any]) -> dict[str, Any]:
    """Returns a reply of the requested shape; every seat holds the first option of the ballot."""
    schema = body["response_format"]["json_schema"]["schema"]["properties"]
    options = schema.get("stance", {}).get("properties", {}).get("option", {}).get("enum", [""])
    because = {"option": options[0], "confidence": 0.9, "because": "Cents do not round."}
    stance = {**because, "moved_by": "", "would_resolve_if": ""}
    return by_schema(body) | ({"stance": stance} if "stance" in schema else {})


Forge = Callable[[Path], AbstractAsyncContextManager[Repository]]


@pytest.mark.parametrize("forge", [on_github, on_gitlab], ids=["github", "gitlab"])
async def test_a_record_is_proposed_and_a_change_that_breaks_it_is_named(
    forge: Forge, tmp_path: Path
) -> None:
    async with forge(tmp_path) as r:
        debate = await r.t.latest()

        answer = await r.t.press(Button("record", "", debate.id))
        (propose,), (file,) = answer.buttons, answer.files
        assert f"as {PATH}, by a pull request into main" in answer.text
        assert file.name == f"debate-{debate.id}-adr.md"
        sections = ("## Considered Options", "## Dissent", "## Votes", "status: accepted")
        lines = ('Chosen option: "request changes"', f"debate receipt {debate.id}")
        assert [part for part in (*sections, *lines) if part not in file.text] == []
        older = Button("propose", "", f"{debate.id}:{'0' * 12}")
        assert "has changed since you saw it" in (await r.t.press(older, MAINTAINER)).text
        assert r.proposed() == []

        r.lose()
        assert (await r.t.press(propose, MAINTAINER)).ok
        await r.t.work()
        await r.t.press(propose, MAINTAINER)
        await r.t.work()
        ((title, branch, target),) = r.proposed()
        assert title.startswith("Decision record: A change: request changes")
        assert (branch.startswith(f"debatebot/record-{debate.id}-"), target) == (True, "main")
        assert r.files() == {PATH: file.text}
        assert (await r.t.noted())[-1] == "record"
        again = await r.t.ask(f"export {debate.id} adr")
        assert "was proposed already: https://" in again.text

        r.merge(PATH, file.text)
        later = await r.t.push("c", r.t.change(b=FLOATS))
        assert later.id != debate.id
        assert any(
            note.startswith("Decision records read: 0001 (") for note in later.open.material.notes
        )
        (broken,) = [m for m in merge_findings(later) if "FLOAT" in m.wording.title]
        assert (broken.blocking, outcome(later)["verdict"]["decision"]) == (False, "comment")
        await r.t.approve(MAINTAINER)
        assert "contradicts 0001: A change: request changes" in r.comments()[-1]
        assert show_hidden(r.comments()[-1]) == r.comments()[-1]


async def test_a_number_that_another_record_took_is_not_used_twice(tmp_path: Path) -> None:
    async with on_github(tmp_path) as r:
        debate = await r.t.latest()
        (propose,) = (await r.t.ask(f"export {debate.id} adr")).buttons
        digest = propose.value.partition(":")[2]
        approved = await r.t.ask(f"export {debate.id} adr --approve {digest}")
        assert approved.ok
        r.merge("docs/decisions/0001-other.md", "# Other\n")
        await r.t.work()
        assert (r.proposed(), (await r.t.noted())[-1]) == ([], "no_record")
        answer = await r.t.ask(f"export {debate.id} adr")
        assert "as docs/decisions/0002-" in answer.text
        assert (await r.t.press(answer.buttons[0])).ok
        await r.t.work()
        assert [branch for _, branch, _ in r.proposed()] != []


async def test_without_a_repository_the_record_is_a_file(tmp_path: Path) -> None:
    async with on_github(tmp_path) as r:
        await r.t.ask(f"setup github {REPO} off")
        debate = await r.t.latest()
        answer = await r.t.ask(f"export {debate.id} adr")
        (file,) = answer.files
        assert (file.text.startswith("---\nstatus: accepted"), answer.buttons) == (True, ())
        assert "is not bound to o/r" in answer.text
        assert r.proposed() == []


async def test_the_shell_prints_the_record_and_proposes_it_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with on_github(tmp_path) as r:
        debate = await r.t.latest()
        shell = Shell(r.t.bot, Terminal(StringIO(), style=Style.PLAIN, width=80), "shell:me")
        assert await typed(Export(debate.id, "adr"), shell, ()) == 0
        printed = capsys.readouterr()
        assert printed.out.startswith("---\nstatus: accepted")
        command = printed.err.rstrip().rpartition("Propose exactly this: ")[2]
        assert command.startswith(f"debate export {debate.id} adr --approve ")
        right = Export(debate.id, "adr", approve=command.rpartition(" ")[2])
        assert await typed(right, shell, ()) == 0
        assert capsys.readouterr().out.startswith("The decision record was proposed: https://")
        assert len(r.proposed()) == 1


async def test_the_answer_to_a_question_goes_to_the_repository_of_its_channel(
    tmp_path: Path,
) -> None:
    async with on_github(tmp_path) as r:
        r.t.provider.reply = agreed
        question = parse("panel Should prices be integers?", templates=["panel"])
        caller = Caller("slack:T1/U1", PLACE, "event-question", admin=True)
        assert (await r.t.bot.desk.take(question, caller)).ok
        debate = await r.t.settle()
        answer = await r.t.ask(f"export {debate.id} adr")
        assert "It would be proposed to o/r as docs/decisions/0001-should-" in answer.text
        assert (await r.t.press(answer.buttons[0])).ok
        await r.t.work()
        ((title, _, target),) = r.proposed()
        assert (title.startswith("Decision record: Should prices be"), target) == (True, "main")
