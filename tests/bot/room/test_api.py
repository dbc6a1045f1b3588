"""Programs over HTTP, by a token that the shell made."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import sqlalchemy as sa
from jsonschema import Draft202012Validator

from adapters.api.document import openapi
from adapters.api.operations import OPERATIONS
from bot.room.tokens import make_token, service_of
from bot.shell.tokens import tokens
from core.application.presence import Member
from core.application.tokens import TokenTerms
from core.debate.errors import BadInput
from core.debate.prompting import prompt
from core.words.receipt.signing import public_key, verify
from storage.database.clock import utc_now
from storage.people.tokens import Tokens
from storage.tables import TOKEN
from tests.bot.parts import until, until_status
from tests.bot.room.serving import QUESTION, Served, served
from tests.bot.room.test_links import KEY
from tests.bot.room.test_schedules import filled
from tests.bot.room.test_signing_in import signing
from tests.patience import PATIENCE
from tests.project import DOCS
from tests.standins.openai import Fail, openai

_DEBATES = "/api/v1/debates"
DOCUMENT = json.loads(openapi())
COMPONENTS = DOCUMENT["components"]


SERVICE = service_of("ci", "")


async def made(
    room: Served, *scopes: str, budget: float = 1.0, person: str = SERVICE, ended: bool = False
) -> str:
    store, terms = Tokens(room.parts.stores.database), TokenTerms("ci", scopes, budget, 1)
    now = utc_now() - timedelta(days=2 if ended else 0)
    return (await make_token(store, person, terms, now))[1]


async def called(
    room: Served, secret: str, method: str, path: str, *, key: str = "", **more: Any
) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {secret}"} | ({"Idempotency-Key": key} if key else {})
    url = room.bot.address + path
    async with room.web.request(method, url, headers=headers, **more) as answer:
        body = await answer.json(content_type=None)
        require_described(method, path, answer.status, answer.content_type, body)
        return answer.status, body


def require_described(method: str, path: str, status: int, media: str, body: Any) -> None:
    """Checks that an answer matches the interface's own document."""
    bare = path.partition("?")[0]
    for address, there in DOCUMENT["paths"].items():
        pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(address))
        if re.fullmatch(pattern, bare) and method.lower() in there:
            answers = there[method.lower()]["responses"]
            assert str(status) in answers, (method, path, status, body)
            described = answers[str(status)]
            if "$ref" in described:
                described = COMPONENTS["responses"][described["$ref"].rpartition("/")[2]]
            schema = described["content"][media]["schema"]
            Draft202012Validator({**schema, "components": COMPONENTS}).validate(body)
            return
    nowhere = (404, "application/problem+json")
    assert (status, media) == nowhere, f"{method} {path} is not in the document"


async def followed(room: Served, secret: str, one: str) -> tuple[list[str], list[str]]:
    """Waits for the events of a debate to its end; returns their kinds and their lines."""
    after, kinds, lines = 0, list[str](), list[str]()
    while True:
        _, news = await called(room, secret, "GET", f"{one}/wait?after={after}")
        kinds += [each["kind"] for each in news["events"]]
        lines += [line["text"] for each in news["events"] for line in each["lines"]]
        numbers = [each["number"] for each in news["events"]]
        assert numbers == [*range(after + 1, news["after"] + 1)]
        after = news["after"]
        if "DebateEnded" in kinds or news["final"]:
            return kinds, lines


async def test_a_packed_body_is_refused_as_any_other_is(tmp_path: Path) -> None:
    async with served(tmp_path, enters=False) as room:
        secret = await made(room, "start")
        headers = {"Authorization": f"Bearer {secret}", "Content-Encoding": "gzip"}
        headers["Content-Type"] = "application/json"
        body = gzip.compress(json.dumps({"template": "panel", "target": QUESTION}).encode())
        url = room.bot.address + _DEBATES
        async with room.web.post(url, headers=headers, data=body) as answer:
            refused = await answer.json(content_type="application/problem+json")
        require_described("POST", _DEBATES, 415, "application/problem+json", refused)
        assert refused["detail"] == "Send the body as it is, not packed."


async def test_a_program_starts_follows_reads_and_lists_a_debate(tmp_path: Path) -> None:
    """Nothing that was sent is left out unsaid; an objection to a demonstration is refused, and the
    refusal names no command to type.
    """
    async with served(tmp_path, enters=False) as room:
        secret = await made(room, "read", "start", "act")
        wanted = {"template": "panel", "target": QUESTION, "budget": 0.4, "rounds": 1}
        wanted["text"] = "Notes.\n"
        status, begun = await called(room, secret, "POST", _DEBATES, key="a", json=wanted)
        assert status == 201, begun
        status, again = await called(room, secret, "POST", _DEBATES, key="a", json=wanted)
        assert (status, again["id"]) == (200, begun["id"])
        one = f"{_DEBATES}/{begun['id']}"
        kinds, lines = await followed(room, secret, one)
        await until_status(room.parts, begun["id"], "finished")
        assert kinds[0] == "DebateRequested"
        assert len(lines) > 5
        assert any(re.match(r"[A-Z][a-z ]+: .* \(\d+%\)[.,]", line) for line in lines), lines
        status, document = await called(room, secret, "GET", one)
        assert (status, document["id"], document["status"]) == (200, begun["id"], "finished")
        debate = await room.load(begun["id"])
        read = prompt(debate, debate.script.turns[0])
        assert all(any(words in m.text for m in read) for words in (QUESTION, "Notes."))
        assert debate.open.material.title == QUESTION
        for beyond in ("9" * 10, "9" * 25, "-1", "x"):
            status, refused = await called(room, secret, "GET", f"{one}/wait?after={beyond}")
            assert (status, "whole number" in refused["detail"]) == (400, True)
        _, listed = await called(room, secret, "GET", _DEBATES)
        assert [each["id"] for each in listed["debates"]] == [begun["id"]]
        assert listed["next"] is None
        verdict, line = document["verdict"], listed["debates"][0]
        assert (line["decision"], line["reached"]) == (verdict["decision"], verdict["reached"])
        _, same = await called(room, secret, "GET", f"{_DEBATES}?decision={line['decision']}")
        assert same == listed
        objection = {"text": "It is wrong."}
        status, reply = await called(room, secret, "POST", f"{one}/challenges", json=objection)
        assert (status, "Start it again with other models." in reply["detail"]) == (403, True)
        assert "/debate" not in reply["detail"]


async def test_a_program_holds_a_seat_and_answers_in_the_form_of_models(tmp_path: Path) -> None:
    async with served(tmp_path, enters=False) as room:
        secret = await made(room, "read", "start", "act")
        other = await made(room, "read", "act", person=service_of("other", ""))
        wanted = {"template": "panel", "target": QUESTION, "budget": 0.4, "rounds": 1}
        wanted["seats"] = "opponent=token:ci"
        status, begun = await called(room, secret, "POST", _DEBATES, json=wanted)
        assert status == 201, begun
        turns = f"{_DEBATES}/{begun['id']}/turns"

        async def due_turns() -> list[Any]:
            turns: list[Any] = (await called(room, secret, "GET", "/api/v1/turns"))[1]["turns"]
            return turns

        due = await until(due_turns)
        assert (due[0]["debate"], due[0]["role"]) == (begun["id"], "opponent")
        assert any(QUESTION in message["text"] for message in due[0]["messages"])
        assert (await called(room, other, "GET", "/api/v1/turns"))[1]["turns"] == []
        stance = {"option": "against", "confidence": 0.8, "because": "it costs a year"}
        reply = {"text": "No.", "stance": stance, "claims": []}
        for wrong, why in (
            ({"reply": reply, "text": "against: no"}, "either a `reply`"),
            ({"reply": {"text": "No."}}, "stance"),
            ({"text": "I do not know."}, "Begin with the option"),
        ):
            status, refused = await called(room, secret, "POST", turns, json=wrong)
            assert (status >= 400, why in refused["detail"]) == (True, True), refused
        assert (await called(room, other, "POST", turns, json={"reply": reply}))[0] >= 400
        body = {"turn": due[0]["turn"], "reply": reply}
        for _ in range(2):
            status, taken = await called(room, secret, "POST", turns, key="k", json=body)
            assert status == 200, taken
        async with asyncio.timeout(PATIENCE):
            document: dict[str, Any] = {"status": "running"}
            while document["status"] == "running":
                for turn in await due_turns():
                    body = {"turn": turn["turn"], "text": "against: as before"}
                    await called(room, secret, "POST", turns, json=body)
                document = (await called(room, secret, "GET", turns.removesuffix("/turns")))[1]
    seat = next(one for one in document["seats"] if one["role"] == "opponent")
    assert (seat["held_by"], seat["stance"]) == ("ci", "against")


async def test_a_token_does_no_more_than_it_says(tmp_path: Path) -> None:
    async with served(tmp_path, enters=False) as room:
        reads, starts = await made(room, "read"), await made(room, "start", budget=0.5)
        ended = await made(room, "read", "start", ended=True)
        wanted = {"template": "panel", "target": QUESTION, "budget": 0.3}
        for secret, status in ((reads, 403), (ended, 401), ("x" * 50, 401)):
            assert (await called(room, secret, "POST", _DEBATES, json=wanted))[0] == status
        assert (await called(room, starts, "GET", _DEBATES))[0] == 403
        assert (await called(room, reads, "GET", f"{_DEBATES}/nothere"))[0] == 404
        for wrong, why in (
            ({"budget": 0}, ""),
            ({"odd": 1}, ""),
            ({"template": "none"}, ""),
            ({"target": ["x"]}, ""),
            ({"target": "https://github.com/acme/shop/pull/7", "text": "N."}, "A link and a file"),
            ({"target": "acme/shop#7", "text": "N."}, "A link and a file"),
            ({"target": "docs/plan.md", "text": ""}, "read from the shell only"),
        ):
            status, reply = await called(room, starts, "POST", _DEBATES, json=wanted | wrong)
            assert (status, why in reply["detail"]) == (400, True), (wrong, reply)
        assert await room.parts.stores.debates.find_recent() == []
        both = [called(room, starts, "POST", _DEBATES, key=k, json=wanted) for k in ("a", "b")]
        assert sorted([status for status, _ in await asyncio.gather(*both)]) == [201, 403]
        assert len(await room.parts.stores.debates.find_recent()) == 1
        status, reply = await called(room, starts, "POST", _DEBATES, json=wanted)
        assert (status, "budget has $0.20" in reply["detail"]) == (403, True)


async def test_the_shell_makes_lists_and_takes_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with served(tmp_path, enters=False) as room:
        settings = room.parts.settings
        await tokens(["add", "ci", "--budget", "2.5"], settings)
        secret = capsys.readouterr().out.strip()
        assert (await called(room, secret, "GET", _DEBATES))[0] == 200
        database = room.parts.stores.database
        rows = await database.read(lambda conn: conn.execute(sa.select(TOKEN)).all())
        assert secret not in str(rows)
        await tokens(["list"], settings)
        output = capsys.readouterr().out
        id = output.split()[0]
        assert "read $0.00 of $2.50" in output
        assert output.rstrip().endswith("ci program:ci")
        with pytest.raises(BadInput, match="no token"):
            await tokens(["remove", "00000000"], settings)
        await tokens(["remove", id], settings)
        assert (await called(room, secret, "GET", _DEBATES))[0] == 401
        for wrong in (
            "add x --scopes start", "add x --days 0", "make", "add a/b", "add x --in room:T1",
        ):  # fmt: skip
            with pytest.raises(BadInput):
                await tokens(wrong.split(), settings)


async def test_a_token_of_the_machine_has_nothing_of_its_shell(tmp_path: Path) -> None:
    """A service sees its own debates, whatever the person sees who made its token, on a page or by
    a command.
    """
    async with served(tmp_path) as room:
        form = {"token": await room.token(), "name": "ci", "days": "7", "read": "yes"}
        _, page, _ = await room.post("/tokens", {}, **form)
        (of_the_page,) = re.findall(r'value="(debate_[^"]+)"', page)
        held, secret = await room.settled(), await made(room, "read", "start")
        for one in (of_the_page, secret):
            assert (await called(room, one, "GET", f"{_DEBATES}/{held.id}"))[0] == 404
            assert (await called(room, one, "GET", _DEBATES))[1]["debates"] == []
        wanted = {"template": "panel", "target": "/etc/hostname", "budget": 0.3, "models": "gpt-5"}
        status, reply = await called(room, secret, "POST", _DEBATES, json=wanted)
        assert (status, "may not be named here" in reply["detail"]) == (403, True)


async def test_a_token_of_a_person_is_as_good_as_their_membership(tmp_path: Path) -> None:
    """The token works in the room of the person's workspace, with their own rights there, until
    they leave it.
    """
    async with signing(tmp_path) as on:
        ann, service = "slack:T1/U1", service_of("ci", "slack:T1")
        room, question = on.room, {"template": "panel", "target": QUESTION, "budget": 0.3}
        theirs = await made(room, "read", "start", person=ann)
        other = await made(room, "read", "start", person=service)
        _, begun = await called(room, theirs, "POST", _DEBATES, json=question)
        line = await room.parts.stores.debates.find(begun["id"])
        assert (line.asker, line.place) == (ann, "room:slack:T1/main")
        on.slack.chat.outside.add(("slack:T1/G1", service))
        opened = await room.settled(place="slack:T1/C1", asker="slack:T1/U2")
        closed = await room.settled(place="slack:T1/G1", asker="slack:T1/U2")
        abroad = await room.settled(place="slack:T2/C1", asker="slack:T2/U2")
        there = ((begun["id"], 200), (opened.id, 200), (closed.id, 404), (abroad.id, 404))
        for id, status in there:
            assert (await called(room, other, "GET", f"{_DEBATES}/{id}"))[0] == status, id
        on.slack.people["slack:T1", "U1"] = Member("Ann", admin=True)
        fresh = await made(room, "read", person="slack:T1/U9")
        assert (await called(room, fresh, "GET", _DEBATES))[0] == 401, "nobody of that workspace"
        on.slack.away = True
        assert (await called(room, theirs, "GET", _DEBATES))[0] == 200, "believed for a while"
        unknown = await made(room, "read", person="slack:T1/U8")
        assert (await called(room, unknown, "GET", _DEBATES))[0] == 503
        own = await made(room, "read")
        await room.parts.desk.forget_workspace("slack:T1")
        for secret, status in ((theirs, 401), (other, 401), (own, 200)):
            assert (await called(room, secret, "GET", _DEBATES))[0] == status, "it removed us"


async def reached(room: Served, secret: str, one: str, status: str) -> Any:
    """Waits until a debate has this status and returns its outcome document."""
    await until_status(room.parts, one.rpartition("/")[2], status)
    return (await called(room, secret, "GET", one))[1]


async def test_a_program_acts_once_for_each_key_and_as_its_scopes_say(tmp_path: Path) -> None:
    hold = tmp_path / "hold"
    hold.touch()
    async with served(tmp_path, enters=False, DEBATE_SCRIPTED_HOLD=str(hold)) as room:
        secret = await made(room, "read", "start", "act")
        wanted = {"template": "panel", "target": QUESTION, "budget": 0.4}
        _, begun = await called(room, secret, "POST", _DEBATES, json=wanted)
        one = f"{_DEBATES}/{begun['id']}"
        await reached(room, secret, one, "running")
        objection = {"text": "A queue in the database blocks writers."}
        path = f"{one}/challenges"
        status, reply = await called(room, secret, "POST", path, key="c", json=objection)
        assert (status, reply["text"].startswith("Taken.")) == (200, True), reply
        _, again = await called(room, secret, "POST", path, key="c", json=objection)
        assert again["text"] == "It was taken before."
        other = {"text": "Something else."}
        status, reply = await called(room, secret, "POST", path, key="c", json=other)
        assert (status, "another request" in reply["detail"]) == (400, True)
        vote = {"option": "no_such"}
        status, reply = await called(room, secret, "POST", f"{one}/votes", json=vote)
        assert (status, "that is for people" in reply["detail"]) == (403, True)
        status, reply = await called(room, secret, "POST", f"{one}/stop")
        assert (status, "stopping" in reply["text"]) == (200, True), reply
        hold.unlink()
        document = await reached(room, secret, one, "stopped")
        assert (document["status"], document["asker"]) == ("stopped", SERVICE)
        raised = [e for e in await room.parts.stores.debates.load(begun["id"]) if is_challenge(e)]
        assert len(raised) == 1
        reads = await made(room, "read")
        for path in ("challenges", "votes", "stop"):
            body = {"text": "No.", "option": "x"}
            assert (await called(room, reads, "POST", f"{one}/{path}", json=body))[0] == 403
            assert (await called(room, secret, "POST", f"{_DEBATES}/nope/{path}"))[0] in (400, 404)


def is_challenge(event: object) -> bool:
    return type(event).__name__ == "ChallengeRaised"


async def test_a_person_s_vote_by_a_program_is_theirs(tmp_path: Path) -> None:
    async with signing(tmp_path) as on:
        secret = await made(on.room, "read", "start", "act", person="slack:T1/U1")
        wanted = {"template": "panel", "target": QUESTION, "budget": 0.4, "vote_window": "10m"}
        wanted["rounds"] = 1
        _, begun = await called(on.room, secret, "POST", _DEBATES, json=wanted)
        one = f"{_DEBATES}/{begun['id']}"
        await reached(on.room, secret, one, "waiting")
        _, template = await called(on.room, secret, "GET", "/api/v1/templates/panel")
        vote = {"option": template["ballot"][0]}
        status, reply = await called(on.room, secret, "POST", f"{one}/votes", json=vote)
        assert (status, reply["id"]) == (200, begun["id"]), reply

        async def counted() -> int:
            document = (await called(on.room, secret, "GET", one))[1]
            return int(document["votes"]["people"][vote["option"]])

        assert await until(counted) == 1
        vote = {"option": "no_such"}
        status, reply = await called(on.room, secret, "POST", f"{one}/votes", json=vote)
        assert status in (400, 403), reply


async def test_what_is_there_is_read_in_every_form(tmp_path: Path) -> None:
    """Exports, receipt, templates, leaderboard; pages by cursor, each item once and in order."""
    async with served(tmp_path, enters=False, DEBATE_SIGNING_KEY=KEY) as room:
        secret = await made(room, "read")
        words = ("kumquat", "quince", "medlar")
        own = {"asker": SERVICE, "place": SERVICE}
        ids = [(await room.settled(f"Which {word}?", **own)).id for word in words]
        debates, where = [], f"{_DEBATES}?limit=2"
        while where:
            _, page = await called(room, secret, "GET", where)
            debates += [each["id"] for each in page["debates"]]
            where = f"{_DEBATES}?limit=2&before={quote(page['next'])}" if page["next"] else ""
        assert debates == ids[::-1]
        await room.parts.desk.history.keeper.keep()
        _, hits = await called(room, secret, "GET", f"{_DEBATES}?q=quince&template=triad")
        (hit,) = hits["debates"]
        assert (hit["id"], "quince" in hit["title"]) == (ids[1], True)
        one, url = f"{_DEBATES}/{ids[0]}", room.bot.address
        kinds = {
            "md": ("text/markdown", "kumquat"),
            "json": ("application/json", ids[0]),
            "html": ("text/html", "kumquat"),
            "play": ("text/html", "kumquat"),
            "sarif": ("application/sarif+json", "2.1.0"),
        }
        headers = {"Authorization": f"Bearer {secret}"}
        for form, (media, word) in kinds.items():
            async with room.web.get(f"{url}{one}/export?form={form}", headers=headers) as answer:
                assert (answer.status, answer.content_type) == (200, media)
                assert word in await answer.text()
        receipt = (await called(room, secret, "GET", f"{one}/receipt"))[1]
        checks = verify(receipt, public_key(KEY), now=room.parts.clock.now())
        assert all(check.ok for check in checks), checks
        _, catalogue = await called(room, secret, "GET", "/api/v1/templates")
        assert {"panel", "code_review"} <= {each["name"] for each in catalogue["templates"]}
        _, board = await called(room, secret, "GET", "/api/v1/leaderboard")
        assert {"models", "seats", "kinds"} <= set(board)
        queries = ("limit=1&limit=2", "limit=0", "limit=51", "since=soon", "before=x")
        for wrong in (
            *(f"{_DEBATES}?{query}" for query in queries), "/api/v1/schedules?limit=51",
            f"{one}/wait?seconds=41", f"{one}/export?form=x",
        ):  # fmt: skip
            assert (await called(room, secret, "GET", wrong))[0] == 400, wrong
        for nowhere in (f"{_DEBATES}/nothere/receipt", "/api/v1/templates/nothere"):
            status, problem = await called(room, secret, "GET", nowhere)
            assert (status, problem["status"]) == (404, 404), nowhere


async def test_another_method_is_refused_as_everything_is(tmp_path: Path) -> None:
    async with served(tmp_path, enters=False) as room:
        secret = await made(room, "read", "start", "act")
        refused = {
            ("DELETE", f"{_DEBATES}/nothere"): (405, "GET"),
            ("PUT", _DEBATES): (405, "GET, POST"),
            ("GET", f"{_DEBATES}/nothere/stop"): (405, "POST"),
            ("DELETE", "/api/v1/nowhere"): (404, None),
            ("GET", "/api/v1/nowhere"): (404, None),
            ("GET", "/api/v1"): (404, None),
            ("GET", f"{_DEBATES}/{'d' * 300}"): (404, None),
            ("POST", f"{_DEBATES}/{'d' * 300}/stop"): (404, None),
        }
        for (method, path), expected in refused.items():
            headers = {"Authorization": f"Bearer {secret}"}
            async with room.web.request(
                method, room.bot.address + path, headers=headers, data=b"x"
            ) as answer:
                problem = await answer.json(content_type="application/problem+json")
                assert (answer.status, answer.headers.get("Allow")) == expected
                assert problem["status"] == answer.status
                assert "/api/v1/openapi.json" in problem["detail"]


async def test_schedules_come_in_pages(tmp_path: Path) -> None:
    async with signing(tmp_path) as on:
        ids = await filled(on.room, 14)
        secret = await made(on.room, "read", person=service_of("ci", "slack:T1"))
        seen, where = [], "/api/v1/schedules?limit=3"
        while where:
            _, page = await called(on.room, secret, "GET", where)
            seen += [each["id"] for each in page["schedules"]]
            more = page["next"]
            where = f"/api/v1/schedules?limit=3&after={quote(more)}" if more else ""
        assert seen == ids[1::2], "those of its own workspace, each once"


async def test_a_price_that_nobody_knows_asks_for_consent(tmp_path: Path) -> None:
    async with openai() as provider:
        provider.answers = [Fail(401, "no")]
        env = provider.settings("openai/nobody-knows") | {"DEBATE_UNKNOWN_PRICE": "ask"}
        async with served(tmp_path, enters=False, **env) as room:
            secret = await made(room, "start")
            wanted = {"template": "panel", "target": QUESTION, "budget": 0.9}
            status, reply = await called(room, secret, "POST", _DEBATES, json=wanted, key="k")
            assert (status, '"yes": true' in reply["detail"]) == (402, True), reply
            assert await room.parts.stores.debates.find_recent() == []
            agreed = wanted | {"yes": True}
            status, reply = await called(room, secret, "POST", _DEBATES, json=agreed, key="k")
            assert status == 201, "what was refused held nothing, neither the key nor the budget"


async def test_the_document_says_all_that_is_served_and_is_one(tmp_path: Path) -> None:
    """Checked by the specification's own validator; whoever writes a program needs no token."""
    from openapi_spec_validator import OpenAPIV31SpecValidator

    OpenAPIV31SpecValidator(DOCUMENT).validate()
    async with served(tmp_path, enters=False) as room:
        async with room.web.get(f"{room.bot.address}/api/v1/openapi.json") as answer:
            assert (answer.status, await answer.json()) == (200, DOCUMENT)
        rows = {each.key for each in room.bot.routes if each.path.startswith("/api/v1/")}
        described = {
            (method.upper(), path) for path, there in DOCUMENT["paths"].items() for method in there
        }
        beside = {("GET", "/api/v1/openapi.json"), ("*", "/api/v1/{rest:.*}")}
        assert rows == described | beside
        secret = await made(room, "read", "start", "act")
        for row in OPERATIONS:
            entry = DOCUMENT["paths"][row.address][row.method.lower()]
            for member in entry.get("requestBody", {}) and row.says:
                # a body of this member alone is refused for what is not there, never as unknown
                path = row.address.replace("{id}", "nothere")
                value = {"string": "x", "boolean": True}.get(member.schema["type"], 1)
                _, refused = await called(room, secret, row.method, path, json={member.name: value})
                assert "There is no member" not in refused["detail"], member.name
        for query, takes in (
            ("?cursor=x", "before"),
            ("?after=7&limit=2", "it takes"),
            ("?status=zzz", "one of queued, running"),
            ("?mine=1", "one of yes"),
            ("?before=0001-01-01T00:00:00%2B23:59~x", "`before` is what `next`"),
            ("?before=9999-12-31T23:59:59-23:59~x", "`before` is what `next`"),
            ("?before=2027-01-31T00:00:00~x", "`before` is what `next`"),
            ("?before=2027-01-31T00:00:00%2B00:00~", "`before` is what `next`"),
        ):
            status, refused = await called(room, secret, "GET", f"{_DEBATES}{query}")
            assert (status, takes in refused["detail"]) == (400, True), refused
        for query in ("?since=0001-01-01", "?until=9999-12-31"):
            status, listed = await called(room, secret, "GET", f"{_DEBATES}{query}")
            assert (status, listed["next"]) == (200, None), listed
        for after in ("9999-12-31T23:59:59-23:59~x", "x"):
            where = f"/api/v1/schedules?after={quote(after)}"
            status, refused = await called(room, secret, "GET", where)
            assert (status, "`after` is what `next`" in refused["detail"]) == (400, True), refused
        status, refused = await called(room, "x" * 50, "GET", _DEBATES)
        assert (status, "has ended" in refused["detail"]) == (401, True)


async def test_people_make_tokens_on_their_page_and_see_each_once(tmp_path: Path) -> None:
    async with signing(tmp_path) as on:
        await on.sign_in()
        form = {"token": await on.room.token(), "name": "ci", "days": "30", "read": "yes"}
        for wrong in ({"name": "a b"}, {"days": "3"}, {"budget": "lots"}, {"start": "yes"}):
            assert (await on.room.post("/tokens", {}, **form | wrong))[0] == 400, wrong
        assert (await on.room.post("/tokens", {}, **form, service="yes"))[0] == 403, "no admin"
        status, page, headers = await on.room.post("/tokens", {}, **form)
        assert (status, headers["Cache-Control"]) == (200, "no-store")
        (secret,) = re.findall(r'value="(debate_[^"]+)"', page)
        assert (await called(on.room, secret, "GET", _DEBATES))[0] == 200
        _, page, _ = await on.room.get("/tokens")
        assert secret not in page
        assert "a service of the workspace" not in page
        (id,) = re.findall(r'name="id" value="([^"]+)"', page)
        other = await made(on.room, "read", person=service_of("ci", "slack:T1"))
        theirs = await Tokens(on.room.parts.stores.database).find(other)
        assert theirs is not None
        end = {"token": form["token"]}
        assert (await on.room.post("/tokens/end", {}, **end, id=theirs.id))[0] == 400
        assert (await on.room.post("/tokens/end", {}, **end, id=id))[0] == 303
        assert (await called(on.room, secret, "GET", _DEBATES))[0] == 401
        assert (await called(on.room, other, "GET", _DEBATES))[0] == 200
        acts = [line.what for line in await on.room.parts.stores.audit.load()]
        assert acts.count("make a token") == 2
        assert acts.count("take a token back") == 1


async def test_what_the_page_says_to_type_works(tmp_path: Path) -> None:
    """The commands and the program of docs/api.md are run as they stand there."""
    page = (DOCS / "api.md").read_text("utf-8")
    (typed,) = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    (program,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    async with served(tmp_path, enters=False) as room:
        script = f"{typed}\necho; {sys.executable} - <<'END'\n{program}END\n"
        env = os.environ | {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "DEBATE_DATABASE_URL": str(tmp_path / "debate.db"),
        }
        run = await asyncio.create_subprocess_exec(
            *("bash", "-ec", script.replace("http://127.0.0.1:8765", room.bot.address)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            cwd=tmp_path,
        )
        out, err = await run.communicate()
        assert run.returncode == 0, err.decode()
        begun, listed, *news, headline = out.decode().strip().replace("}{", "}\n{").split("\n")
        assert any("%)." in line for line in news), "what each seat holds"
        first, second = sorted(
            await room.parts.stores.debates.find_recent(), key=lambda line: line.created_at
        )
        assert json.loads(begun)["id"] == first.id
        assert [each["id"] for each in json.loads(listed)["debates"]] == [first.id]
        _, document = await called(room, await made(room, "read"), "GET", f"{_DEBATES}/{second.id}")
        assert headline == document["verdict"]["headline"]
