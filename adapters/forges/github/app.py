"""A GitHub App: its credentials, the short-lived tokens of its installations, and the proof that an
installation belongs to a person.

Tokens are made when they are needed, for one repository if one is named, kept in memory until a
minute before their end, and never stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from adapters.forges.api import PAGE, PAGES, ForgeApi, github_headers
from adapters.forges.github.replies import User
from adapters.forges.wire import USER_AGENT, Wire
from core.debate.errors import BadInput, CouldNotFinish
from core.languages import say

_SPARE = timedelta(minutes=1)
"""A token with less than this left is made anew."""
PERMISSIONS: Mapping[str, str] = {
    "metadata": "read",
    "contents": "read",
    "pull_requests": "write",
    "issues": "write",
    "checks": "write",
}
"""The permissions that the App asks for, which each of its tokens has."""
QUEUES = {"merge_queues": "read"}
"""The permission to hear of merge queues, which no token needs."""
EVENTS = (
    "pull_request",
    "issue_comment",
    "pull_request_review_comment",
    "merge_group",
    "push",
)
"""The webhooks that the App subscribes to; those on installations come unasked."""


@dataclass(frozen=True, slots=True)
class AppCredentials:
    """The credentials that GitHub gave when the App was made.

    ``key`` is its private key, in PEM; ``page`` is the address for installing it, which differs on
    GitHub Enterprise.
    """

    id: str
    key: str = field(repr=False)
    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    webhook_secret: str = field(default="", repr=False)
    slug: str = ""
    page: str = ""


class _Converted(msgspec.Struct):
    id: int
    pem: str
    client_id: str
    client_secret: str
    slug: str = ""
    html_url: str = ""
    webhook_secret: str | None = None


class _SignedIn(msgspec.Struct):
    access_token: str = ""


class _Repository(msgspec.Struct):
    """A repository, with what the asker may do with it."""

    full_name: str
    permissions: dict[str, bool] = {}


@dataclass(slots=True)
class InstallationTokens:
    """Tokens of installations, in memory. ``now`` is the clock."""

    now: Callable[[], datetime]
    _held: dict[tuple[str, int, str], tuple[str, datetime]] = field(default_factory=dict)
    """Tokens with their end, by the API's address, the installation and the repository."""

    async def token(
        self, wire: Wire, app: AppCredentials, installation: int, repo: str = "", id: str = ""
    ) -> str:
        """Returns a token for one repository of an installation ("" for all of them), which its
        ``id`` names also after a rename. Raises
        ``CouldNotFinish``: suspended, uninstalled, not covering the repository.
        """
        key = (wire.base, installation, repo)
        held = self._held.get(key)
        if held is not None and held[1] - _SPARE > self.now():
            return held[0]
        body: dict[str, Any] = {}
        if id:
            body["repository_ids"] = [int(id.rpartition(":")[2])]
        elif repo:
            body["repositories"] = [repo.rpartition("/")[2]]
        api = ForgeApi(wire, app_headers(app), linked=True)
        response = await api.send("POST", f"app/installations/{installation}/access_tokens", body)
        if response.status in {404, 422}:
            raise CouldNotFinish(
                "The GitHub App has no access to {repo}. An admin of it can install it there: "
                "/debate setup github.",
                repo=repo or say("this account"),
            )
        token = api.decoded(response, str, "token")
        self._held[key] = token, api.decoded(response, datetime, "expires_at")
        return token

    def drop(self, token: str) -> None:
        """Forgets a token that was refused: the next one is made anew, with the App's permissions
        by then.
        """
        self._held = {key: held for key, held in self._held.items() if held[0] != token}

    def forget(self, installation: int) -> None:
        """Forgets the tokens of an installation that is gone."""
        self._held = {key: held for key, held in self._held.items() if key[1] != installation}


async def account_of(wire: Wire, app: AppCredentials, installation: int) -> str:
    """Returns the present name of an installation's account. Raises ``CouldNotFinish``."""
    api = ForgeApi(wire, app_headers(app), linked=True)
    return api.decoded(await api.get(f"app/installations/{installation}"), User, "account").login


def app_headers(app: AppCredentials) -> Callable[[str], Mapping[str, str]]:
    """Returns the headers with which the App authenticates as itself."""

    def headers(accept: str) -> Mapping[str, str]:
        from gidgethub import apps, sansio

        signed = apps.get_jwt(app_id=app.id, private_key=app.key, expiration=9 * 60)
        return sansio.create_headers(
            USER_AGENT, accept=accept or sansio.accept_format(), jwt=signed
        )

    return headers


def check_key(key: str) -> None:
    """Checks a private key. Raises ``BadInput`` for a key that cannot sign."""
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        load_pem_private_key(key.encode(), None)
    except (ValueError, TypeError) as error:
        raise BadInput(
            "GITHUB_APP_PRIVATE_KEY is no private key in PEM. Download it on the App's page on "
            "GitHub; line breaks may be written as \\n."
        ) from error


def manifest(public_url: str) -> dict[str, Any]:
    """Returns the manifest with which GitHub registers the App. Without a public address it gets no
    webhooks, and pull requests are polled.
    """
    base = public_url.rstrip("/")
    reachable = base.startswith("https://")
    return {
        "name": "Debatebot",
        "url": base,
        "description": "Several models debate a pull request; people vote; code decides.",
        "public": False,
        "hook_attributes": {"url": f"{base}/github/events", "active": reachable},
        "redirect_url": f"{base}/github/app/made",
        "callback_urls": [f"{base}/github/app/installed"],
        "request_oauth_on_install": True,
        "setup_on_update": False,
        "default_permissions": {**PERMISSIONS, **QUEUES},
        "default_events": list(EVENTS) if reachable else [],
    }


async def convert(wire: Wire, code: str) -> AppCredentials:
    """Returns the credentials of an App that was just made from the manifest. Raises ``BadInput``
    for a code that GitHub does not know (any more).
    """
    api = ForgeApi(wire, github_headers(""), linked=True)
    response = await api.send("POST", f"app-manifests/{quote(code, safe='')}/conversions", None)
    if response.status == 404:
        raise BadInput("GitHub does not know this code any more. Run `debate setup github` again.")
    made = api.decoded(response, _Converted)
    return AppCredentials(
        str(made.id),
        made.pem,
        made.client_id,
        made.client_secret,
        made.webhook_secret or "",
        made.slug,
        made.html_url,
    )


async def prove(
    wire: Wire,
    web: Wire,
    app: AppCredentials,
    code: str,
    installation: int,
    tokens: InstallationTokens,
) -> tuple[str, str]:
    """Returns the installation's account and the login of the person who signed in, if they
    administer everything that it covers; only then may they bind it.

    Their token is used here and dropped. Raises ``BadInput``.
    """
    site = ForgeApi(web, lambda _accept: {"accept": "application/json"}, linked=True)
    form = {"client_id": app.client_id, "client_secret": app.client_secret, "code": code}
    response = await site.send("POST", "login/oauth/access_token", form)
    token = site.decoded(response, _SignedIn).access_token
    if not token:
        raise BadInput("GitHub does not know this sign-in any more. Install the App again.")
    person = ForgeApi(wire, github_headers(token), linked=True)
    login = person.decoded(await person.get("user"), User).login
    seen = await _repositories(person, f"user/installations/{installation}/repositories")
    own = ForgeApi(wire, github_headers(await tokens.token(wire, app, installation)), linked=True)
    covered = await _repositories(own, "installation/repositories")
    administered = {one.full_name for one in seen if one.permissions.get("admin")}
    if not covered or {one.full_name for one in covered} - administered:
        raise BadInput(
            "{login} does not administer all repositories of this installation, so it can't be "
            "linked here. Ask an owner of the account to install the App.",
            login=login,
        )
    return covered[0].full_name.partition("/")[0], login


async def _repositories(api: ForgeApi, path: str) -> list[_Repository]:
    """Returns all repositories by their count: GitHub may give a page that is not full before the
    last one.
    """
    repositories: list[_Repository] = []
    for page in range(1, PAGES + 1):
        response = await api.get(f"{path}?{urlencode({'per_page': PAGE, 'page': page})}")
        if response.status == 404:
            raise BadInput("This installation is not to be seen with that sign-in.")
        some = api.decoded(response, list[_Repository], "repositories")
        repositories += some
        if len(repositories) >= api.decoded(response, int, "total_count") or not some:
            break
    return repositories


def web_address(api: str) -> str:
    """Returns the address at which people sign in, from that of the API."""
    parts = urlsplit(api)
    if not parts.path.strip("/"):
        return f"{parts.scheme}://{parts.netloc.removeprefix('api.')}"
    return f"{parts.scheme}://{parts.netloc}"
