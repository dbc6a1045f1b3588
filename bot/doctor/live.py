"""``doctor --live``: tries the real services once each.

Its costs and effects are small and announced: one answer of a few tokens from each default model,
one message to one person in each chat. Tests can't try these services, so people who have the
tokens do; the output is safe to send on.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

from adapters.network.broken import broken_by
from bot.doctor.chats import discord_settings, platform_findings, slack_settings
from bot.settings import Settings
from core.application.check import PartCheck, broken, care, off, ok
from core.application.place import Person
from core.debate.errors import BadInput, DebateError, ModelError, ModelFailure
from core.debate.ports import CallOptions, Clock, Message

if TYPE_CHECKING:
    import aiohttp

    from adapters.forges.github.app import AppCredentials
    from adapters.models import Vendors

_SAY = "Answer with the one word: yes"
_FEW = CallOptions(max_tokens=64, light=True, timeout=60.0)
_THINKS = "say `thinking = TOKENS` for this model in the file that DEBATE_MODELS_FILE names"
_GREETING = (
    "This is `debate doctor --live`: messages of the bot reach you. There is nothing to answer."
)
_JSON = {"content-type": "application/json"}
_REACH = 10.0  # seconds for the public address


async def attempt(
    settings: Settings, clock: Clock, to: Sequence[Person] = (), app: AppCredentials | None = None
) -> list[PartCheck]:
    """Tries everything that is configured. ``to`` are the people who get a message, by platform;
    ``app`` is the GitHub App, wherever it is stored. It never raises for a fault that it reports.
    """
    return [
        *[one async for one in _models(settings)],
        *await _slack(settings, to),
        *await _discord(settings, to),
        *[one async for one in _forges(settings, clock, app)],
        *[one async for one in _public(settings)],
    ]


async def _models(settings: Settings) -> AsyncIterator[PartCheck]:
    from adapters.models import Vendors

    vendors = Vendors(env=settings.env, configured=settings.models)
    try:
        names, _ = vendors.choice()
        await vendors.learn(names)
        for name in names:
            yield await _answered(vendors, name, settings)
    finally:
        await vendors.aclose()


async def _answered(vendors: Vendors, name: str, settings: Settings) -> PartCheck:
    part = f"live {name}"
    if vendors.provider(name) == "embedded":
        from adapters.models import weights

        wanted = weights.SMALL
        if name == weights.LARGE.name:
            wanted = weights.LARGE
        if not weights.present(wanted, settings.env):
            step = "The first debate fetches them; or set a provider's key."
            return off(part, "not asked: its weights are not here", step)
    try:
        reply = await vendors.get(name).reply([Message("user", _SAY)], _FEW)
        if not reply.text.strip():
            raise ModelError(ModelFailure.BAD_REPLY, f"{name}: {reply.cut}; {_THINKS}.")
    except BadInput as error:
        return broken(part, "cannot be asked", str(error))
    except DebateError as error:
        return broken(part, *_halves(str(error)))
    usage = reply.usage
    price = "nobody knows what it cost"
    if usage.usd is not None:
        price = f"${usage.usd:.6f}"
    tokens = f"{usage.prompt_tokens} + {usage.completion_tokens} tokens"
    return ok(part, f"answered in {usage.seconds:.1f} s: {tokens}, {price}")


def _halves(text: str) -> tuple[str, str]:
    """Splits an error into its description and the next step."""
    for mark in ("; ", ". "):
        what, _, step = text.partition(mark)
        if step:
            return what, f"{step[0].upper()}{step[1:]}"
    return text, "Try again in a minute; `debate docs models` lists what each provider needs."


def _named(settings: Settings, to: Sequence[Person], platform: str) -> str:
    """Returns the account that gets the message on a platform: the named one, else the first
    moderator's.
    """
    people = [*to, *(Person.parse(one) for one in sorted(settings.moderators))]
    return next((one.account for one in people if one.platform == platform), "")


async def _slack(settings: Settings, to: Sequence[Person]) -> list[PartCheck]:
    if not settings.slack_bot_token:
        return []
    from adapters.slack.setup.trial import attempt

    account = _named(settings, to, "slack")
    checks = await attempt(slack_settings(settings), account, _GREETING)
    if not account:
        step = "Say to whom: debate doctor --live --to slack:TEAM/USER"
        checks.append(care("message", "none was written: a bot can't write to itself", step))
    return platform_findings("live Slack", checks)


async def _discord(settings: Settings, to: Sequence[Person]) -> list[PartCheck]:
    if not settings.discord_token:
        return []
    from adapters.discord.setup.trial import attempt

    checks = await attempt(discord_settings(settings), _named(settings, to, "discord"), _GREETING)
    return platform_findings("live Discord", checks)


async def _forges(
    settings: Settings, clock: Clock, app: AppCredentials | None
) -> AsyncIterator[PartCheck]:
    from adapters.forges.rights import of_app, of_token

    hosts = settings.hosts
    for name, host in hosts.items():
        if host.token and isinstance(host.forge, str):
            variable = f"the token of {name}"
            if name in ("github.com", "gitlab.com"):
                variable = f"{host.forge.upper()}_TOKEN"
            check = await of_token(host, variable, clock)
            for one in platform_findings(f"live {name}", [check]):
                yield one
    if app is not None:
        check = await of_app(hosts["github.com"].api, app, clock)
        for one in platform_findings("live GitHub", [check]):
            yield one


async def _public(settings: Settings) -> AsyncIterator[PartCheck]:
    """Tries the public address, which this machine reaches from outside its own port."""
    if not settings.public_url:
        return
    from adapters.network import reach_of
    from adapters.network.session import session

    async with session(reach_of(settings.public_url)) as client:
        yield await _alive(client, settings.public_url)
        if settings.slack_signing_secret and not settings.slack_app_token:
            yield await _guarded(client, f"{settings.public_url}/slack/events", "Slack's events")
        if settings.github_webhook_secret:
            yield await _guarded(client, f"{settings.public_url}/github/events", "GitHub's events")
        if settings.gitlab_webhook_token:
            yield await _guarded(client, f"{settings.public_url}/gitlab/events", "GitLab's events")


async def _alive(client: aiohttp.ClientSession, base: str) -> PartCheck:
    import aiohttp

    from adapters.text.documents import NoDocument, read_object

    part = "live address"
    timeout = aiohttp.ClientTimeout(total=_REACH)
    step = (
        "Start the bot (debate serve) and lead this address to its port: `debate docs operating`."
    )
    try:
        async with client.get(f"{base}/healthz", allow_redirects=False, timeout=timeout) as answer:
            body = await answer.content.read(1000)
            if answer.status == 200 and read_object(body).get("alive") is True:
                if not base.startswith("https://"):
                    what = f"{base} answers, without TLS"
                    return care(part, what, "Put a proxy with TLS before it.")
                return ok(part, f"the bot answers at {base}, asked from here")
            return broken(part, f"{base}/healthz answers {answer.status}", step)
    except NoDocument:
        return broken(part, f"something else than the bot answers at {base}", step)
    except (TimeoutError, aiohttp.ClientError, OSError) as error:
        what = f"nobody answers at {base} ({broken_by(error)})"
        return broken(part, what, step)


async def _guarded(client: aiohttp.ClientSession, url: str, what: str) -> PartCheck:
    """Checks that an unsigned event reaches the bot and is refused by it."""
    import aiohttp

    part = "live events"
    timeout = aiohttp.ClientTimeout(total=_REACH)
    try:
        asking = client.post(url, data=b"{}", headers=_JSON, allow_redirects=False, timeout=timeout)
        async with asking as answer:
            if answer.status in (401, 403):
                return ok(part, f"{what} reach {url}, and unsigned ones are refused")
            text = f"{url} answers {answer.status} to an unsigned event"
    except (TimeoutError, aiohttp.ClientError, OSError) as error:
        text = f"{url} gives no answer ({broken_by(error)})"
    step = "Lead that path to the bot, with its body and headers as they came."
    return broken(part, text, step)
