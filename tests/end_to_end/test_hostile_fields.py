"""Every field that ends in a message of Slack or Discord, each with its own mark and with every
kind of words made to be more than words. The stand-ins hold each call to what its platform takes
and to what must stay text (``tests/standins/inert.py``); the marks say which fields arrived.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import re
import zlib
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from core.debate.formats.plan import OPENINGS
from core.debate.prompting.frame import MARK
from tests.bot.debates.provider import Provider, by_schema, prompt_of
from tests.end_to_end.diffs import adding
from tests.end_to_end.discord_city import city, page
from tests.end_to_end.played import LINK, stored
from tests.end_to_end.slack_office import office
from tests.standins.discord_world import until
from tests.standins.github import GitHubStandIn
from tests.standins.openai import TWO_MODELS, openai
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, render

PAYLOADS = {
    "mentions": "<!channel> <@U2> <#C1> <!subteam^S1> @everyone @here <@&1> <@1> </a:1> <t:1:R>",
    "links": "[good.example](https://github.com/e/v) [x](https://evil.example) "
    "<https://evil.example|https://good.example> [a](javascript:x) slack://open",
    "code": "`a`**``b`@here <@1>``** ````` [x](https://evil.example) ``` ~~~ || s || *_",
    "unseen": "\u202etxt\u200b\u2066 \x1b[31m\x9b1m\x07 :white_check_mark: :+1: \\",
    "long": "W" * 700 + "😀" * 160 + '"\\' * 100,
}
EVERY = " ".join(PAYLOADS.values())
MIXED = "mixed"
KINDS = [MIXED, *(pytest.param(kind, marks=pytest.mark.faults) for kind in PAYLOADS)]
_FILE = re.compile(r"^=== (\S+)")
_LINE = re.compile(r"^ *(\d+) \+ (.+)$")
_POINT = re.compile(r"\b\w+\.f\d+\b")


class Words:
    """The words of one kind, or of each kind in turn from the one that ``seed`` draws."""

    def __init__(self, kind: str, seed: str = "") -> None:
        kinds = list(PAYLOADS.values()) if kind == MIXED else [PAYLOADS[kind]]
        first = zlib.crc32(seed.encode()) % len(kinds)
        self.kind, self._next = kind, itertools.cycle(kinds[first:] + kinds[:first])

    def of(self, field: str, most: int = 3_000) -> str:
        """A text for a field, with its mark."""
        return f"zq{field} {next(self._next)[:most]}"


class Hostile(Provider):
    """Models whose every word is hostile, each field under its own mark. After the openings they
    wait until ``challenged`` is set, so that a debate takes a challenge however busy the machine
    is.
    """

    def __init__(self, kind: str) -> None:
        super().__init__(self.speak)
        self.kind, self.refuses = kind, False
        self.challenged = asyncio.Event()

    async def chat(self, request: web.Request) -> web.StreamResponse:
        if len(self.requests) >= OPENINGS:
            await self.challenged.wait()
        if self.refuses:
            error = {"message": Words(self.kind).of("provider"), "type": "error", "code": None}
            return web.json_response({"error": error}, status=400)
        return await super().chat(request)

    def speak(self, body: dict[str, Any]) -> dict[str, Any]:
        # drawn by the prompt, because the order in which seats ask depends on the machine's load
        words = Words(self.kind, prompt_of(body))
        fields: dict[str, Any] = _marked(words, "reply", by_schema(body))
        placed, path = [], ""
        for line in prompt_of(body).replace(f"\n{MARK}", "\n").split("\n"):
            if named := _FILE.match(line):
                path = named[1]
            elif path and (match := _LINE.match(line)):
                placed.append((path, int(match[1]), match[2]))
        if "findings" in fields:
            finding = {"severity": "high", "confidence": 0.9} | {
                name: _marked(words, name, "w1") for name in ("title", "trigger", "fix")
            }
            fields["findings"] = [
                finding | {"path": path, "line": line, "quote": quote}
                for path, line, quote in placed[:2]
            ]
        if "answers" in fields:
            known = list(dict.fromkeys(_POINT.findall(prompt_of(body))))
            fields["answers"] = [
                each | {"to": to}
                for to, each in zip(known[:3], fields["answers"] * 3 or [], strict=False)
            ]
        if "stance" in fields:
            fields["stance"]["moved_by"] = ""
        return fields


def _marked(words: Words, name: str, value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _marked(words, key, inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_marked(words, name, inner) for inner in value]
    if isinstance(value, str) and re.fullmatch(r"w\d+", value):
        return words.of(name)
    return value


def hostile_template(folder: Path, words: Words) -> None:
    template = Path("core/debate/templates/panel.toml").read_text("utf-8")
    template = template.replace('id = "panel"', 'id = "hostile"', 1)
    for field in ("name", "description"):
        line = f"{field} = {json.dumps(words.of('template', 300))}"
        pattern = re.compile(rf"^{field} = .*$", re.MULTILINE)
        template = pattern.sub(line.replace("\\", "\\\\"), template, count=1)
    folder.mkdir()
    (folder / "hostile.toml").write_text(template, "utf-8")


@asynccontextmanager
async def models(folder: Path, words: Words) -> AsyncIterator[tuple[Hostile, dict[str, Any]]]:
    """Hostile models, and the settings of a bot that has them and a hostile template."""
    hostile_models = Hostile(words.kind)
    hostile_template(folder / "templates", words)
    async with openai(hostile_models):
        env = hostile_models.settings(TWO_MODELS)
        env |= {"DEBATE_TEMPLATES_DIR": str(folder / "templates")}
        yield hostile_models, env | {"DEBATE_LOOKUPS": "0"}  # with tools a call has no schema


def change(github: GitHubStandIn, words: Words) -> None:
    pull = github.load_case("py-static-prefix")
    name = re.sub(r"[\x00-\x1f\x7f-\x9f/\"\\]", "_", words.of("path", 120))
    pull.title, pull.body = words.of("heading"), words.of("body")
    pull.diff = adding(f"app/{name}.py", words.of("line")) + adding("b.py", words.of("line"))


ARRIVE = frozenset({
    "heading", "path", "line", "title", "trigger", "fix", "text", "because", "challenge",
    "question", "unknown", "search", "id", "forge", "provider",
})  # fmt: skip
"""The fields that somebody must have seen on either platform, where the kinds take turns."""


def arrived(texts: Iterable[str]) -> set[str]:
    return set(re.findall(r"zq([a-z]+)", "\n".join(texts)))


def nowhere(
    tokens: Iterable[str], shown: str, folder: Path, log: Iterable[logging.LogRecord]
) -> None:
    """Checks that no token is shown, stored or logged."""
    lines = "\n".join(logging.Formatter().format(record) for record in log)
    for token in tokens:
        assert token not in shown + lines + stored(folder).decode("utf-8", "replace")


def typed(words: Words, debate: str) -> tuple[str, ...]:
    def bare(field: str) -> str:
        return re.sub(r"[\"']", "", words.of(field, 700))

    return (
        f"show {bare('id')}", bare("unknown"), f"vote {debate} {bare('option')}",
        f"fork {debate} --assume '{bare('assume')}' --yes", f"search {bare('search')[:200]}",
        "search zqheading", f'schedule add "{bare("schedule")}" panel x',
        f'schedule add "0 9 * * *" panel "{bare("question")}"', "schedule list",
        f"panel {bare('question')}? --yes", "templates", "templates hostile",
        f"challenge {debate} {bare('challenge')}", f"show {debate}", f"export {debate}",
        f"code_review {bare('id')}", f"mirror {debate} 'slack:{bare('id')}'", "list", "status",
        f"panel x --models {bare('id')}", f"panel x --consensus {bare('id')}", "leaderboard",
        f"panel x --{bare('id')}", f"templates {bare('id')}", f"help {bare('id')}", "setup github",
        f"schedule remove {bare('id')}", f"setup github {bare('id')}", f"replay {bare('id')}",
        f"compare {bare('id')} {bare('id')}", f"fork {debate} --without '{bare('id')}'",
        f"receipt {debate}", f"post {debate} --approve '{bare('id')}'",
    )  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
async def test_every_field_is_words_in_slack(
    tmp_path: Path, github: GitHubStandIn, log: list[logging.LogRecord], kind: str
) -> None:
    words = Words(kind)
    change(github, words)
    async with models(tmp_path, words) as (seats, env), office(tmp_path, github, env=env) as place:
        slack, world = place.slack, place.slack.world
        world.user("U1", is_admin=True, profile={"display_name": words.of("person", 80)})
        world.channel("C1").name = words.of("channel", 80)
        debate = await place.debate(f"code_review {LINK} --debate-anyway --yes")
        root = place.root(debate)
        await place.reaches(debate, lambda d: bool(d.finished))
        await slack.reply(root, f"challenge: {words.of('challenge')}", user="U1")
        await place.reaches(debate, lambda d: bool(d.challenges))
        seats.challenged.set()
        await place.closed(debate)
        seats.refuses = True
        for text in typed(words, debate):
            await place.typed(text)
        seats.refuses = False
        await place.debate(f"hostile {words.of('question', 500)}? --yes")
        button = {"action_id": "debate.press.show.0", "type": "button", "value": words.of("value")}
        await slack._act(
            button, "T1", "U1", channel={"id": "C1", "name": "c"},
            container={"type": "message", "message_ts": root, "channel_id": "C1"},
        )  # fmt: skip
        await slack.shortcut("debate_message", channel="C1", message=world.say("C1", "U2", EVERY))
        await place.until(lambda: world.views)
        await slack.open_home("U1")
        await place.until(lambda: "U1" in world.homes)
        github.refuse(".*", 403, words.of("forge"))
        await place.typed("code_review https://github.com/o/r/pull/413 --yes")
        await place.wait_for_posts()

        def missing() -> frozenset[str]:
            calls = (call.arguments for call in slack.calls)
            seen = map(json.dumps, (*calls, *slack.responses))
            return (ARRIVE | {"person", "template"}) - arrived(seen)

        await place.until(lambda: kind != MIXED or not missing())
        assert sorted({each[:400] for each in slack.complaints}) == []
        texts = "".join(render(m) for m in world.channel("C1").messages.values())
        files = b"".join(file["content"] for file in world.files.values()).decode()
        nowhere((BOT_TOKEN, APP_TOKEN), texts + files, tmp_path, log)


@pytest.mark.parametrize("kind", KINDS)
async def test_every_field_is_words_in_discord(
    tmp_path: Path, github: GitHubStandIn, log: list[logging.LogRecord], kind: str
) -> None:
    words = Words(kind)
    change(github, words)
    async with models(tmp_path, words) as (seats, env), city(tmp_path, github, **env) as town:
        discord, ask = town.discord, town.ask
        ada = discord.world.users[discord.ada]
        ada["global_name"] = ada["username"] = words.of("person", 32)
        debate = await town.started(yes=True)
        root = await town.root(debate)
        await town.reaches(debate, lambda d: bool(d.finished))
        await ask("vote", debate=debate, option=words.of("option"))
        await ask("challenge", debate=debate, text=words.of("challenge"))
        await town.pressed(root, "Challenge", form=words.of("modal"))
        await town.reaches(debate, lambda d: len(d.challenges) > 1)
        seats.challenged.set()
        await town.closed(debate)
        seats.refuses = True
        await ask("fork", debate=debate, assume=words.of("assume"))
        for name in ("show", "export", "receipt"):
            await ask(name, debate=words.of("id"))
            await ask(name, debate=debate)
        await ask("start", template=words.of("unknown", 90), target=words.of("question"))
        await ask("start", template="panel", target=f"{words.of('question', 700)}?", yes=True)
        await town.wait_for_posts()
        seats.refuses = False
        await ask("start", template="hostile", target=f"{words.of('question', 700)}?", yes=True)
        await ask("search", words=words.of("search")[:200])
        await ask("search", words="zqheading")
        await ask("schedule add", when=words.of("schedule"), template="panel", target="x")
        daily = {"when": "0 9 * * *", "template": "panel"}
        await ask("schedule add", target=words.of("question", 700), **daily)
        for name in ("schedule list", "list", "status"):
            await ask(name)
        await discord.answer(await discord.command("templates", {"name": words.of("id")}))
        await discord.autocomplete("show", "debate", "")
        await discord.autocomplete("start", "template", words.of("id", 90))
        value = re.sub(r"\|", "", words.of("value", 70))
        await discord.answer(await discord.press(root["channel_id"], root, f"d1||show|{value}"))
        github.refuse(".*", 403, words.of("forge"))
        unseen = {"template": "code_review", "target": "https://github.com/o/r/pull/413"}
        await ask("start", yes=True, **unseen)
        await town.wait_for_posts()

        def missing() -> frozenset[str]:
            return (ARRIVE | {"modal"}) - arrived(json.dumps(call.body) for call in discord.calls)

        await until(lambda: kind != MIXED or not missing(), what=lambda: f"{missing()} is shown")
        assert sorted({each[:400] for each in discord.violations}) == []
        seen = page(discord, discord.general) + page(discord, root["id"])
        nowhere((discord.token,), seen, tmp_path, log)
