"""An installed package runs only where the operator names it; its additions are used like our own,
and an addition that is not allowed is refused with a sentence.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from debatebot import BadInput, CouldNotFinish, Debate, Result

from bot import plugins
from bot.__main__ import main
from bot.doctor import configured
from bot.plugins import load_plugins
from bot.serve.process import Bot
from bot.settings import Settings, read
from bot.wire.bot import Timing, open_bot
from core.application.check import DoctorState
from tests.bot.plugins.packages import install, leave, shown_package
from tests.patience import PATIENCE
from tests.standins.acme_chat import acme_chat

CHANGE = """\
diff --git a/payments/client.py b/payments/client.py
--- a/payments/client.py
+++ b/payments/client.py
@@ -1,2 +1,4 @@
 def charge(card):
+    while not sent(card):
+        time.sleep(1)
     return True
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yields a folder for one test's installed packages."""
    site, before = tmp_path / "site", set(sys.modules)
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.chdir(tmp_path)
    plugins.load_plugins.cache_clear()
    yield site
    plugins.load_plugins.cache_clear()
    for name in set(sys.modules) - before:
        if str(site) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.fixture
def acme(site: Path, tmp_path: Path) -> None:
    """Installs the example of a plugin."""
    install(shown_package(), tmp_path / "source", site)


def test_without_a_name_nothing_of_it_runs(
    acme: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plugins"]) == 0
    listed = "acme-debates 1.2 (acme): not loaded, because DEBATE_PLUGINS does not name it.\n"
    assert capsys.readouterr().out == listed
    assert main(["design_doc", "Rewrite it?", "--models", "acme-house", "--yes"]) == 2
    assert "acme_debates" not in sys.modules
    monkeypatch.setenv("DEBATE_PLUGINS", "Acme_Debates")
    assert main(["plugins"]) == 0
    assert capsys.readouterr().out == (
        "acme-debates 1.2 (acme): loaded. It brings models acme-house; formats duel; templates "
        "acme_duel; scanners acme-lint; forges acme-forge; chats acme.\n"
    )


def test_a_debate_is_held_with_all_that_it_brings(
    acme: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("DEBATE_PLUGINS", "acme-debates")
    (tmp_path / "change.diff").write_text(CHANGE)
    typed = ["acme_duel", "change.diff", "--models", "acme-house", "--evidence", "acme-lint"]
    assert main([*typed, "--json", "--yes"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["template"], document["format"]) == ("acme_duel", "duel")
    assert document["verdict"]["decision"] == "request_changes"
    assert [(s["seat"], s["model"]) for s in document["seats"]][:2] == [
        ("author", "acme-house"),
        ("reviewer", "acme-house"),
    ]
    assert [r["title"] for r in document["rounds"]] == ["Openings", "Exchange 1", "Verdict"]
    assert (
        "acme-lint reports 1 result on the lines of this change." in document["material"]["notes"]
    )
    assert [t["failed"] for r in document["rounds"] for t in r["turns"] if t["failed"]] == []
    id = document["id"]
    assert main(["replay", id]) == 0
    assert capsys.readouterr().out.startswith("The same: ")
    assert main(["templates", "acme_duel"]) == 0
    assert "- exchange: 1 round" in capsys.readouterr().out


async def test_changes_of_its_forge_are_debated(
    acme: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Links to its host are read by it over the wire, and the diff by the processes that read
    ours.
    """
    monkeypatch.setenv("DEBATE_PLUGINS", "acme-debates")
    monkeypatch.setenv("ACME_FORGE_TOKEN", "acme-secret")
    async with acme_forge() as (address, requests):
        monkeypatch.setenv("ACME_FORGE_API", address)
        held = await result_of(LINK)
        assert held.document["material"]["source"] == LINK
        assert held.document["material"]["title"] == "shop/pay#7 Retry"
        assert held.verdict.decision == "request_changes"
        assert {token for _, token in requests} == {"acme-secret"}
        for odd, why in FORGE_FAULTS.items():
            with pytest.raises((BadInput, CouldNotFinish)) as refused:
                await result_of(odd)
            assert why in str(refused.value)
    with pytest.raises(CouldNotFinish, match="Acme Forge could not be read: Client"):
        await result_of(LINK)


LINK = "https://forge.acme.example/shop/pay/changes/7"
FORGE_FAULTS = {
    "https://forge.acme.example/shop/pay/changes/8": "I can't see shop/pay#8.",
    "https://forge.acme.example/shop/pay/changes/9": "Acme Forge could not be read: KeyError.",
    "https://forge.acme.example/shop/pay/pull/7": "is not a supported link",
    "https://forge.acme.example.evil.example/shop/pay/changes/7": "is not one",
}


async def result_of(target: str) -> Result:
    async with Debate(target, template="acme_duel", models="acme-house") as held:
        return await held.finish()


@asynccontextmanager
async def acme_forge() -> AsyncIterator[tuple[str, list[tuple[str, str]]]]:
    """Runs the forge; yields its address, and path and credential of each request that came."""
    requests: list[tuple[str, str]] = []
    change = {"title": "Retry", "body": "", "author": "ada", "head": "a" * 40, "base": "b" * 40}

    async def answer(request: web.Request) -> web.StreamResponse:
        requests.append((request.path, request.headers.get("authorization", "")))
        match request.path:
            case "/api/shop/pay/6" | "/api/shop/pay/7":
                private = request.path.endswith("7")
                return web.json_response({**change, "private": private})
            case "/api/shop/pay/6.diff" | "/api/shop/pay/7.diff":
                return web.Response(text=CHANGE)
            case "/api/shop/pay/9":
                return web.json_response({})
            case _:
                raise web.HTTPNotFound

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    async with TestServer(app) as server:
        yield str(server.make_url("")), requests


ASKER, ROOM = "acme:T1/U1", "acme:T1/C1"
PUBLIC = LINK.replace("/7", "/6")


async def test_a_debate_of_its_forges_change_is_held_in_its_chat(
    acme: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot as it runs: asked for in the plugin's chat, played in its format by its model, told
    there once; what its people may do is decided by the one table.
    """
    async with acme_forge() as (address, requests), acme_chat() as chat:
        monkeypatch.setenv("ACME_FORGE_API", address)
        monkeypatch.setenv("ACME_FORGE_TOKEN", "acme-secret")
        env = {
            "DEBATE_PLUGINS": "acme-debates", "DEBATE_MODELS": "acme-house",
            "DEBATE_DATABASE_URL": str(tmp_path / "debate.db"), "ACME_CHAT": chat.address,
        }  # fmt: skip

        async def appears(words: str) -> None:
            await patiently(lambda: words in chat.texts, lambda: chat.texts)

        async with running(read(env, tmp_path)) as bot:
            assert bot.platforms["acme"].ready() == ""
            chat.write(ASKER, ROOM, f"@debate acme_duel {LINK}")
            await appears("can't see shop/pay#7")
            chat.write(ASKER, ROOM, f"@debate acme_duel {PUBLIC} --vote-window 0s")
            await patiently(
                lambda: any("verdict" in one["key"] for one in chat.sent), lambda: chat.texts
            )
            root = chat.sent[0]
            assert "shop/pay#6 Retry" in root["text"]
            assert {one["place"] for one in chat.sent} == {ROOM}
            assert {one["thread"] for one in chat.sent} == {None, root["id"]}
            keys = [one["key"] for one in chat.sent]
            assert len(set(keys)) == len(keys) == 4
            assert "Changes requested: 2 of 2 seats agree." in chat.sent[-1]["text"]
            assert list(chat.sent[-1]["files"])
            chat.write("acme:T1/U2", ROOM, "@debate stop", root["id"])
            await appears("Only the person who started it, or an admin, may stop this debate.")
            chat.write(ASKER, ROOM, f'@debate schedule add "daily 09:00" acme_duel {PUBLIC}')
            await appears("Schedule s")
            schedule = chat.texts.rpartition("Schedule ")[2].partition(":")[0]
            chat.write(ASKER, ROOM, f"@debate schedule run {schedule}")
            await appears("nothing has changed")
    secrets = dict(requests)
    assert secrets["/api/shop/pay/6.diff"] == "", "who is in a chat is lent no credential"


@asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[Bot]:
    async with open_bot(settings, timing=Timing(paces={})) as (_, bot):
        try:
            await bot.start("127.0.0.1", 0)
            yield bot
        finally:
            await bot.stop()


async def patiently(there: Callable[[], bool], explain: Callable[[], object] = str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not there():
        assert time.monotonic() < deadline, f"it did not come: {explain()}"
        await asyncio.sleep(0.02)


LOADS = "from debatebot import hookimpl\nfrom debatebot.plugins import *\n"
TAKEN = "it brings a {} called '{}', and the program has one already"
OURS = 'id = "code-review"\nformat = "panel"\n' + "".join(
    f'[[roles]]\nname = "{name}"\n' for name in ("proponent", "opponent", "moderator")
)


def brings(kind: str, things: str) -> str:
    """Returns a module that brings these things of a kind."""
    return f"{LOADS}@hookimpl\ndef register_{kind}():\n    return {things}"


FAULTY = {
    "raises": ("raise RuntimeError('no')", "RuntimeError: no"),
    "leaves": ("import sys\nsys.exit(3)", "SystemExit: 3"),
    "unknown_hook": (brings("things", "{}"), "PluginValidationError"),
    "ours_model": (brings("models", "{'gpt-4.1': print}"), TAKEN.format("model", "gpt-4.1")),
    "embedded_model": (
        brings("models", "{'embedded': print}"), TAKEN.format("model", "embedded"),
    ),
    "provider": (
        brings("models", "{'openai/gpt-9': print}"), "'openai/gpt-9' is no name for a model",
    ),
    "ours_format": (
        brings("formats", "[Format('panel', '', print)]"), TAKEN.format("format", "panel"),
    ),
    "ours_template": (
        brings("templates", f"[{OURS!r}]"), TAKEN.format("template", "code-review"),
    ),
    "broken_template": (brings("templates", "['id = ']"), "is not TOML"),
    "no_list": (brings("formats", "'panel'"), "register_formats gave no list but str"),
    "wrong_kind": (brings("formats", "[3]"), "register_formats gave int where Format belongs"),
    "github_scanner": (
        brings("scanners", "{'github': print}"), TAKEN.format("scanner", "github"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTY)
def test_one_that_fails_is_a_sentence_and_hides_no_other(site: Path, name: str) -> None:
    module, why = FAULTY[name]
    leave(site, "a_good_one", GOOD)
    leave(site, name, module)
    there = load_plugins((name, "a_good_one"))
    assert list(there.models) == ["fine"]
    (failed,) = there.failures
    assert failed.sentence.startswith(f"{name} 1.2: not loaded, because ")
    assert why in failed.sentence
    assert "\n" not in failed.sentence
    assert not [*failed.names()]


KEY = "ghp_" + "0123456789abcdefghij0123456789ABCDEF"
COMPILES = """
def compile(template, plan, rng):
    raise RuntimeError("no " + KEY)

@hookimpl
def register_formats():
    return [Format("loud", "Fails.", compile)]

@hookimpl
def register_templates():
    roles = "".join(f'[[roles]]\\nname = "{name}"\\n' for name in ("for", "against", "chair"))
    return ['id = "shout"\\nformat = "loud"\\n' + roles]
"""


def test_an_error_of_a_plugin_is_printed_without_its_secrets(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    leave(site, "leaks", f"raise RuntimeError('no user has {KEY}')")
    leave(site, "loud", LOADS + f"KEY = '{KEY}'\n{COMPILES}")
    monkeypatch.setenv("DEBATE_PLUGINS", "leaks,loud")
    assert main(["plugins"]) == 2
    printed = capsys.readouterr().out
    assert "RuntimeError: no user has" in printed
    assert "loud failed: RuntimeError: no [redacted" in printed
    assert "0123456789" not in printed


def test_one_that_does_not_come_to_its_end_is_named(
    site: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    waits = (
        "import threading as t\n[each.join() for each in t.enumerate() if type(each) is t.Timer]"
    )
    leave(site, "hangs", waits)
    monkeypatch.setattr(plugins, "_SLOW", 0.0)
    assert not load_plugins(("hangs",)).failures
    assert "hangs 1.2 is still being loaded." in caplog.text


GOOD = (
    LOADS
    + """
async def fine(prompt):
    return "Fine."

@hookimpl
def register_models():
    return {"fine": fine}
"""
)


def test_two_of_one_name_and_one_that_is_gone(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    leave(site, "first", GOOD)
    leave(site, "second", GOOD)
    monkeypatch.setenv("DEBATE_PLUGINS", "second, first,third")
    assert main(["plugins"]) == 2
    assert capsys.readouterr().out.splitlines() == [
        "first 1.2: loaded. It brings models fine.",
        "second 1.2: not loaded, because it brings a model called 'fine', which first brings.",
        "third: named in DEBATE_PLUGINS, and not installed here.",
    ]


STRANGE = (
    LOADS
    + """
import asyncio

async def cancels(prompt):
    raise asyncio.CancelledError

async def exits(prompt):
    raise SystemExit(7)

def waits_for_nothing(prompt):
    return "Fine."

async def junk(change):
    return "junk"

@hookimpl
def register_models():
    return {"cancels": cancels, "exits": exits, "sync": waits_for_nothing}

@hookimpl
def register_scanners():
    return {"cancels": cancels, "exits": exits, "junk": junk}
"""
)


@pytest.fixture
def strange(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leave(site, "strange", STRANGE)
    monkeypatch.setenv("DEBATE_PLUGINS", "strange")


@pytest.mark.parametrize(
    ("model", "why"),
    [
        ("cancels", "it raised CancelledError"),
        ("exits", "it raised SystemExit"),
        ("sync", "sync is no async function"),
    ],
)
def test_a_model_that_ends_its_task_or_the_program_costs_its_turns_and_nothing_else(
    strange: None, capsys: pytest.CaptureFixture[str], model: str, why: str
) -> None:
    """The panel asks it for an estimate before its turns."""
    typed = ["panel", "Should we rewrite it?", "--models", model, "--rounds", "1", "--yes"]
    assert main([*typed, "--json"]) == 3
    document = json.loads(capsys.readouterr().out)
    failures = {t["failed"] or "" for r in document["rounds"] for t in r["turns"]}
    assert document["status"] == "failed"
    assert any(why in failure for failure in failures)


@pytest.mark.parametrize(
    ("scanner", "says"),
    [
        ("cancels", "The scanner cancels failed: CancelledError."),
        ("exits", "The scanner exits failed: SystemExit."),
        ("junk", "junk: That is no SARIF file"),
    ],
)
def test_a_scanner_that_fails_is_named(
    strange: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], scanner: str, says: str
) -> None:
    (tmp_path / "change.diff").write_text(CHANGE)
    typed = ["code_review", "change.diff", "--models", "sync", "--evidence", scanner, "--yes"]
    assert main(typed) in (2, 3)
    assert says in capsys.readouterr().err


PAID = GOOD.replace('{"fine": fine}', '{"fine": PaidModel(fine, 3.0, 15.0)}')


def test_what_a_paid_model_costs_is_counted_and_limited(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    leave(site, "paid", PAID)
    monkeypatch.setenv("DEBATE_PLUGINS", "paid")
    typed = ["design_doc", "Rewrite the importer?", "--models", "fine", "--rounds", "1", "--json"]
    main([*typed, "--yes"])
    costs = json.loads(capsys.readouterr().out)["cost"]
    assert costs["usd"] > 0.0005
    assert costs["usd"] == pytest.approx(
        (costs["prompt_tokens"] * 3.0 + costs["completion_tokens"] * 15.0) / 1e6
    )
    assert main([*typed, "--yes", "--budget", "0.000001"]) != 0
    refusal = capsys.readouterr()
    assert "budget" in (refusal.err + refusal.out)
    monkeypatch.setenv("DEBATE_MODELS", "fine")
    main(["doctor"])
    price = "fine: reads 100,000 tokens; a million tokens cost $3.00 read, $15.00 written"
    assert price in capsys.readouterr().out


def test_the_doctor_runs_none_that_a_folders_file_names(site: Path, tmp_path: Path) -> None:
    leave(site, "first", "raise RuntimeError('no')")
    (tmp_path / ".env").write_text("DEBATE_PLUGINS=first\n")
    from bot.env_file import Trust

    settings = read({}, tmp_path, trust=Trust.CAREFUL)
    (named,) = configured.plugins(settings)
    assert (named.state, named.what) == (DoctorState.CARE, "named: first")
    assert "first" not in sys.modules
    (broken,) = configured.plugins(read({"DEBATE_PLUGINS": "first"}, tmp_path))
    assert broken.state is DoctorState.BROKEN
    assert "RuntimeError: no" in broken.what
    (off,) = configured.plugins(read({}, tmp_path))
    assert (off.state, off.what) == (DoctorState.OFF, "none runs; 1 installed")
