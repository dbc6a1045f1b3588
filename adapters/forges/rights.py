"""Asks a forge for the rights of a credential."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from adapters.forges.api import ForgeApi, github_headers, gitlab_headers
from adapters.forges.github.app import PERMISSIONS, AppCredentials, app_headers
from adapters.forges.links import title_of
from adapters.forges.port import Host
from adapters.forges.refusals import NotAllowed
from adapters.forges.wire import WireLimits, open_wire
from core.application.check import DoctorState, PartCheck, broken, care, ok
from core.debate.errors import DebateError
from core.debate.ports import Clock

_CLASSIC = ("repo", "public_repo")
_RANKS = ("", "read", "write", "admin")


class _App(msgspec.Struct):
    slug: str = ""
    permissions: dict[str, str] = {}
    installations_count: int | None = None


class _Token(msgspec.Struct):
    scopes: list[str] = []
    active: bool = True
    expires_at: str | None = None


async def of_token(host: Host, variable: str, clock: Clock) -> PartCheck:
    """Checks the rights of the host's token, which ``variable`` holds. Never raises."""
    forge = title_of(host.forge)
    async with open_wire(None, host.api, forge, WireLimits(), clock.now()) as wire:
        try:
            if host.forge == "gitlab":
                return await _gitlab(ForgeApi(wire, gitlab_headers(host.token), linked=True))
            return await _github(ForgeApi(wire, github_headers(host.token), linked=True))
        except DebateError as error:
            return broken("token", *_split(error, f"Make a new token and set {variable}."))


async def of_app(api: str, app: AppCredentials, clock: Clock) -> PartCheck:
    """Checks that GitHub knows the App, and its rights in its installations. Never raises."""
    async with open_wire(None, api, title_of("github"), WireLimits(), clock.now()) as wire:
        as_app = ForgeApi(wire, app_headers(app), linked=True)
        try:
            app_there = as_app.decoded(await as_app.get("app"), _App)
        except DebateError as error:
            step = "Take the App's number and a new private key from its page on GitHub."
            return broken("App", *_split(error, step))
    lacking = [
        f"{name}: {needed}"
        for name, needed in PERMISSIONS.items()
        if _rank(app_there.permissions, name) < _RANKS.index(needed)
    ]
    if lacking:
        step = "Set it under the App's Permissions & events; who installed it must then accept."
        return broken(
            "App",
            f"{app_there.slug or app.id} lacks {', '.join(lacking)}",
            step,
        )
    if app_there.installations_count == 0:
        step = f"Install it: {app.page or f'https://github.com/apps/{app_there.slug}'}"
        return care("App", f"{app_there.slug or app.id} is installed nowhere", step)
    return ok("App", f"{app_there.slug or app.id} may all it needs")


def _rank(held: Mapping[str, str], name: str) -> int:
    right = held.get(name, "")
    return _RANKS.index(right) if right in _RANKS else 0


async def _github(api: ForgeApi) -> PartCheck:
    answer = await api.get("rate_limit")
    left = api.decoded(answer, int, "resources", "core", "remaining")
    limit = api.decoded(answer, int, "resources", "core", "limit")
    quota = f"{left:,} of {limit:,} requests left this hour"
    if "x-oauth-scopes" not in answer.headers:
        step = (
            "GitHub tells nobody what such a token may: under its settings give it Contents: "
            "read, Pull requests: write, Commit statuses: write."
        )
        return care("token", f"accepted; {quota}", step)
    scopes = [one.strip() for one in answer.headers["x-oauth-scopes"].split(",") if one.strip()]
    if not set(scopes) & set(_CLASSIC):
        step = "Give it the scope repo, or public_repo where you have no private ones."
        return broken("token", f"its scopes are {', '.join(scopes) or 'none'}", step)
    return ok("token", f"reads and posts ({', '.join(scopes)}); {quota}")


async def _gitlab(api: ForgeApi) -> PartCheck:
    token = api.decoded(await api.get("personal_access_tokens/self"), _Token)
    held = ", ".join(token.scopes) or "none"
    ends = f", until {token.expires_at}" if token.expires_at else ""
    if not token.active:
        return broken("token", f"it ended{ends}", "Make a new one and set GITLAB_TOKEN.")
    if "api" in token.scopes:
        return ok("token", f"reads and posts ({held}){ends}")
    step = "Give it the scope api where reviews are to be posted."
    return PartCheck(
        "token",
        DoctorState.CARE if "read_api" in token.scopes else DoctorState.BROKEN,
        f"its scopes are {held}{ends}",
        step,
    )


def _split(error: DebateError, renew: str) -> tuple[str, str]:
    """Splits an error into its cause and the next step: to ``renew`` a credential that is
    refused.
    """
    what, _, step = str(error).partition(". ")
    if isinstance(error, NotAllowed):
        return what.rstrip("."), renew
    return what.rstrip("."), step or "Check the network, and try again in a minute."
