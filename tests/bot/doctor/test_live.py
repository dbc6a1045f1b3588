"""``doctor --live`` against the stand-ins reports the parts that work, and the next step for those
that do not.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.forges.github.app import AppCredentials
from bot import settings
from bot.doctor import as_text, examine
from bot.doctor.live import attempt
from bot.wire.bot import Timing, open_bot
from core.application.check import DoctorState, PartCheck
from core.application.place import Person
from tests.bot.crashing import settings_for
from tests.bot.parts import Hands
from tests.end_to_end.shell import aside, environment, process
from tests.standins.discord import DiscordStandIn
from tests.standins.github import GitHubStandIn
from tests.standins.github_app import key
from tests.standins.gitlab import GitLabStandIn
from tests.standins.openai import Fail, Say, openai
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SlackStandIn

SCRIPTED = {"DEBATE_SCRIPTED": "1", "DEBATE_MODELS": "scripted"}
AWAY = "http://127.0.0.1:1"


async def tried(
    folder: Path, env: dict[str, str], *to: str, app: AppCredentials | None = None
) -> dict[str, PartCheck]:
    read = settings.read({**SCRIPTED, **env}, folder)
    findings = await attempt(read, Hands(), [Person.parse(one) for one in to], app)
    assert [one for one in findings if one.state is not DoctorState.OK and not one.next] == []
    return {one.part: one for one in findings}


async def test_slack_is_greeted_and_a_person_gets_one_message(tmp_path: Path) -> None:
    async with SlackStandIn() as slack:
        tokens = {"SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_APP_TOKEN": APP_TOKEN}
        env = tokens | {"SLACK_API_URL": slack.url}
        findings = await tried(tmp_path, env, "slack:T1/U2")
        assert (findings["live Slack socket"].state, slack.connections) == (DoctorState.OK, 1)
        assert findings["live Slack message"].what == "written to U2"
        written = [call for call in slack.calls if call.method == "chat.postMessage"]
        assert len(written) == 1
        assert "debate doctor --live" in written[0].arguments["text"]
        without = await tried(tmp_path, env)
        assert without["live Slack message"] == PartCheck(
            "live Slack message",
            DoctorState.CARE,
            "none was written: a bot can't write to itself",
            "Say to whom: debate doctor --live --to slack:TEAM/USER",
        )
        by_moderator = await tried(tmp_path, {**env, "DEBATE_MODERATORS": "slack:T1/U1"})
        assert by_moderator["live Slack message"].what == "written to U1"
        slack.world.scopes -= {"im:write"}
        refused = (await tried(tmp_path, env, "slack:T1/U2"))["live Slack message"]
        why = "Slack refuses it (missing_scope)"
        assert (refused.state, refused.what) == (DoctorState.BROKEN, why)
        wrong = await tried(tmp_path, {**env, "SLACK_APP_TOKEN": "xapp-wrong"})
        assert wrong["live Slack socket"].state is DoctorState.BROKEN
        assert slack.complaints == []


async def test_discord_opens_a_session_and_writes_to_its_owner(tmp_path: Path) -> None:
    async with DiscordStandIn() as discord:
        discord.world.application["owner"] = discord.world.users[discord.ada]
        env = {
            "DISCORD_TOKEN": discord.token,
            "DISCORD_API_URL": discord.api_url,
            "DISCORD_GATEWAY_URL": discord.gateway_url,
        }
        findings = await tried(tmp_path, env)
        assert findings["live Discord gateway"].what == "a session was opened"
        assert findings["live Discord message"].what == f"written to {discord.ada}"
        named = await tried(tmp_path, env, f"discord:{discord.guild}/{discord.bob}")
        assert named["live Discord message"].what == f"written to {discord.bob}"
        nobody = (await tried(tmp_path, env, f"discord:{discord.guild}/1"))["live Discord message"]
        assert (nobody.state, nobody.what) == (DoctorState.CARE, "1 could not be written to (404)")
        assert discord.violations == []
        lost = await tried(tmp_path, {**env, "DISCORD_TOKEN": "of-yesterday"})
        assert lost["live Discord gateway"].state is DoctorState.BROKEN


async def test_forges_say_what_tokens_and_the_app_may_do(tmp_path: Path) -> None:
    gitlab = GitLabStandIn()
    async with GitHubStandIn().running() as github, gitlab.running():
        env = {
            "GITHUB_TOKEN": "ghp_" + "a" * 36,
            "GITHUB_API_URL": github.url,
            "GITLAB_TOKEN": "glpat-" + "a" * 20,
            "GITLAB_API_URL": gitlab.url,
        }
        app = AppCredentials(github.app.id, key())
        github.app.install("acme", "acme/payments")
        findings = await tried(tmp_path, env, app=app)
        assert {one.state for one in findings.values()} == {DoctorState.OK}
        assert {part: one.what for part, one in findings.items()} == {
            "live scripted": findings["live scripted"].what,
            "live github.com token": (
                "reads and posts (repo); 4,999 of 5,000 requests left this hour"
            ),
            "live gitlab.com token": "reads and posts (api), until 2027-01-31",
            "live GitHub App": "debatebot-of-acme may all it needs",
        }
        github.app.scopes, gitlab.scopes = "gist", ["read_api"]
        github.app.permissions |= {"checks": "read"}
        less = await tried(tmp_path, env, app=app)
        assert [(one.state, one.what) for one in less.values()][1:] == [
            (DoctorState.BROKEN, "its scopes are gist"),
            (DoctorState.CARE, "its scopes are read_api, until 2027-01-31"),
            (DoctorState.BROKEN, "debatebot-of-acme lacks checks: write"),
        ]
        github.app.scopes = None
        fine = (await tried(tmp_path, env))["live github.com token"]
        assert (fine.state, "Pull requests: write" in fine.next) == (DoctorState.CARE, True)
        old = await tried(tmp_path, {**env, "GITHUB_TOKEN": "of-yesterday"})
        assert old["live github.com token"] == PartCheck(
            "live github.com token",
            DoctorState.BROKEN,
            "GitHub no longer accepts the stored credential",
            "Make a new token and set GITHUB_TOKEN.",
        )


async def test_each_default_model_answers_once_and_says_its_price(tmp_path: Path) -> None:
    async with openai() as server:
        server.answers = [Say(("yes",)), Fail(401, "Incorrect API key provided")]
        env = {
            "DEBATE_MODELS": "openai/gpt-4.1",
            "OPENAI_API_KEY": "sk-test-0123456789abcdef",
            "OPENAI_API_BASE": server.base,
        }
        findings = await tried(tmp_path, env)
        assert findings["live openai/gpt-4.1"].what.endswith(": 100 + 10 tokens, $0.000280")
        assert len(server.requests) == 1
        assert server.requests[0]["messages"][-1]["content"] == "Answer with the one word: yes"
        refused = (await tried(tmp_path, env))["live openai/gpt-4.1"]
        assert refused.state is DoctorState.BROKEN
        assert "sk-test" not in str(refused)
    keyless = await tried(tmp_path, {"DEBATE_MODELS": "openai/gpt-4.1"})
    assert "set OPENAI_API_KEY" in keyless["live openai/gpt-4.1"].next


async def test_the_public_address_is_the_bot_s_or_it_says_so(tmp_path: Path) -> None:
    secret = {"GITHUB_WEBHOOK_SECRET": "s" * 20}
    running = settings_for(str(tmp_path / "debate.db"), tmp_path, github_webhook_secret="s" * 20)
    async with open_bot(running, connect=lambda *_: {}, timing=Timing(paces={})) as (_, bot):
        await bot.start("127.0.0.1", 0)
        findings = await tried(tmp_path, {"DEBATE_PUBLIC_URL": bot.address, **secret})
        await bot.stop()
    assert findings["live address"] == PartCheck(
        "live address",
        DoctorState.CARE,
        f"{bot.address} answers, without TLS",
        "Put a proxy with TLS before it.",
    )
    assert findings["live events"].state is DoctorState.OK
    gone = (await tried(tmp_path, {"DEBATE_PUBLIC_URL": AWAY}))["live address"]
    assert (gone.state, "debate serve" in gone.next) == (DoctorState.BROKEN, True)
    async with GitHubStandIn().running() as other:
        github = await tried(tmp_path, {"DEBATE_PUBLIC_URL": other.url})
        assert github["live address"].state is DoctorState.BROKEN
        other.violations.clear()


async def test_whatever_is_not_well_says_what_to_do(tmp_path: Path) -> None:
    """The lines of the plain doctor are checked too, from nothing configured to everything
    wrong.
    """
    wrong = {
        "DEBATE_MODELS": "nobody/knows",
        "SLACK_BOT_TOKEN": "xoxb-x",
        "DEBATE_PUBLIC_URL": "https://debates.example",
        "DEBATE_TEMPLATES_DIR": str(tmp_path / "gone"),
        "DEBATE_DATABASE_URL": "mysql://x/y",
    }
    for env in ({}, wrong):
        findings = await examine(settings.read(env, tmp_path))
        silent = [one for one in findings if one.state is not DoctorState.OK and not one.next]
        assert silent == [], as_text(silent)


@pytest.mark.parametrize("live", [False, True])
def test_the_command_reads_the_file_that_serve_reads(tmp_path: Path, live: bool) -> None:
    with aside(SlackStandIn()) as slack:
        (tmp_path / ".env").write_text(
            f"SLACK_BOT_TOKEN={BOT_TOKEN}\nSLACK_APP_TOKEN={APP_TOKEN}\n"
            f"SLACK_API_URL={slack.url}\nDEBATE_MODERATORS=slack:T1/U1\n"
        )
        (tmp_path / ".env").chmod(0o600)
        ran = process(tmp_path, "doctor", *(["--live"] if live else []), env=environment())
        assert ran.code == 0, ran.out
        assert ran.err == "debate: .env: 4 settings taken.\n"
        assert "ok      Slack bot token" in ran.out
        assert ("written to U1" in ran.out) is live
        assert len([c for c in slack.calls if c.method == "chat.postMessage"]) == live
        assert BOT_TOKEN not in ran.out


def test_what_cannot_be_meant_changes_nothing(tmp_path: Path) -> None:
    for typed, reason in (
        ("--to slack:T1/U1", "--to names the receiver of a message, which only --live sends"),
        ("--live --to ada", "'ada' is nobody in a chat: write slack:TEAM/USER."),
        ("--live --to", "doctor does not take '--to'. Like this: debate doctor"),
    ):
        ran = process(tmp_path, "doctor", *typed.split(), env=environment())
        assert (ran.code, reason in ran.err, ran.out) == (2, True, "")
