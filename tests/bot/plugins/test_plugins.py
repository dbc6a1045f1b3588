"""An installed package runs only where the operator names it; what it brings is used like our own,
and what it may not bring is refused with a sentence.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from debatebot import BadInput, CouldNotFinish, Debate, Result

from bot import plugins
from bot.__main__ import main
from bot.doctor import configured
from bot.doctor.finding import State
from bot.plugins import load_plugins
from bot.settings import read
from tests.bot.plugins.packages import install, leave, shown_package

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
    """A folder that packages are installed into, for one test."""
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
    """The package of docs/plugins.md."""
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
        "acme_duel; scanners acme-lint; forges acme-forge.\n"
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
    id = document["id"]
    assert main(["replay", id]) == 0
    assert capsys.readouterr().out.startswith("The same: ")
    assert main(["templates", "acme_duel"]) == 0
    assert "- exchange: 1 round" in capsys.readouterr().out


async def test_changes_of_its_forge_are_debated(
    acme: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Links to its host, read by it over the wire; the diff by the processes that read ours."""
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
    """Its address, and (path, credential) of each request that came."""
    requests: list[tuple[str, str]] = []
    change = {"title": "Retry", "body": "", "author": "ada", "head": "a" * 40, "base": "b" * 40}

    async def answer(request: web.Request) -> web.StreamResponse:
        requests.append((request.path, request.headers.get("authorization", "")))
        match request.path:
            case "/api/shop/pay/7":
                return web.json_response({**change, "private": True})
            case "/api/shop/pay/7.diff":
                return web.Response(text=CHANGE)
            case "/api/shop/pay/9":
                return web.json_response({})
            case _:
                raise web.HTTPNotFound

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    async with TestServer(app) as server:
        yield str(server.make_url("")), requests


LOADS = "from debatebot import hookimpl\nfrom debatebot.plugins import *\n"
FAULTY = {
    "raises": ("raise RuntimeError('no')", "RuntimeError: no"),
    "leaves": ("import sys\nsys.exit(3)", "SystemExit: 3"),
    "unknown_hook": (
        LOADS + "@hookimpl\ndef register_things():\n    return {}",
        "PluginValidationError",
    ),
    "ours_model": (
        LOADS + "@hookimpl\ndef register_models():\n    return {'gpt-4.1': print}",
        "it brings a model called 'gpt-4.1', as one of the program's own is",
    ),
    "embedded_model": (
        LOADS + "@hookimpl\ndef register_models():\n    return {'embedded': print}",
        "it brings a model called 'embedded', as one of the program's own is",
    ),
    "provider": (
        LOADS + "@hookimpl\ndef register_models():\n    return {'openai/gpt-9': print}",
        "'openai/gpt-9' is no name for a model",
    ),
    "ours_format": (
        LOADS + "@hookimpl\ndef register_formats():\n    return [Format('panel', '', print)]",
        "it brings a format called 'panel', as one of the program's own is",
    ),
    "ours_template": (
        LOADS + "@hookimpl\ndef register_templates():\n    return ['''\nid = \"code-review\"\n"
        "format = \"panel\"\n[[roles]]\nname = \"proponent\"\n[[roles]]\nname = \"opponent\"\n"
        "[[roles]]\nname = \"moderator\"\n''']",
        "it brings a template called 'code-review', as one of the program's own is",
    ),
    "broken_template": (
        LOADS + "@hookimpl\ndef register_templates():\n    return ['id = ']",
        "is not TOML",
    ),
    "no_list": (
        LOADS + "@hookimpl\ndef register_formats():\n    return 'panel'",
        "register_formats gave no list but str",
    ),
    "wrong_kind": (
        LOADS + "@hookimpl\ndef register_formats():\n    return [3]",
        "register_formats gave int where Format belongs",
    ),
    "github_scanner": (
        LOADS + "@hookimpl\ndef register_scanners():\n    return {'github': print}",
        "it brings a scanner called 'github', as one of the program's own is",
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
    assert failed.brings == plugins.Brought()


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


def test_the_doctor_runs_none_that_a_folders_file_names(site: Path, tmp_path: Path) -> None:
    leave(site, "first", "raise RuntimeError('no')")
    (tmp_path / ".env").write_text("DEBATE_PLUGINS=first\n")
    from bot.env_file import Trust

    settings = read({}, tmp_path, trust=Trust.CAREFUL)
    (named,) = configured.plugins(settings)
    assert (named.state, named.what) == (State.CARE, "named: first")
    assert "first" not in sys.modules
    (broken,) = configured.plugins(read({"DEBATE_PLUGINS": "first"}, tmp_path))
    assert broken.state is State.BROKEN
    assert "RuntimeError: no" in broken.what
    (off,) = configured.plugins(read({}, tmp_path))
    assert (off.state, off.what) == (State.OFF, "none runs; 1 installed")
