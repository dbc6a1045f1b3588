"""OAuth for many workspaces with Bolt's own flow: what it saves goes into the vault, its states are
signed instead of stored.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
import time
from typing import TYPE_CHECKING, Any

from slack_bolt.error import BoltError
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_sdk.oauth.installation_store.async_installation_store import AsyncInstallationStore
from slack_sdk.oauth.state_store.async_state_store import AsyncOAuthStateStore

from adapters.slack import places
from adapters.slack.scopes import scopes
from adapters.slack.settings import SlackSettings, Vault

if TYPE_CHECKING:
    from logging import Logger

    from slack_sdk.oauth.installation_store import Installation
    from slack_sdk.web.async_client import AsyncWebClient

INSTALL, REDIRECT = "/slack/install", "/slack/oauth_redirect"
_STATE_LIVES = 600  # seconds


def oauth_flow(settings: SlackSettings, client: AsyncWebClient) -> AsyncOAuthFlow:
    """Bolt's flow: ``/slack/install`` shows the button, ``/slack/oauth_redirect`` takes the
    code.
    """
    if settings.vault is None:
        raise ValueError("installing into many workspaces needs a vault for their tokens")
    return AsyncOAuthFlow(
        client=client,
        settings=AsyncOAuthSettings(
            client_id=settings.client_id,
            client_secret=settings.client_secret,
            scopes=list(scopes()),
            install_path=INSTALL,
            redirect_uri_path=REDIRECT,
            redirect_uri=settings.public_url and settings.public_url.rstrip("/") + REDIRECT,
            installation_store=_VaultStore(settings.vault),
            state_store=SignedStates(settings.client_secret),
        ),
    )


class _VaultStore(AsyncInstallationStore):
    """Keeps the bot token of each workspace, or of a whole organisation.

    ``Workspaces`` looks tokens up.
    """

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    @property
    def logger(self) -> Logger:
        return logging.getLogger(__name__)

    async def async_save(self, installation: Installation) -> None:
        whole = installation.is_enterprise_install
        owner = installation.enterprise_id if whole else installation.team_id
        if not owner or not installation.bot_token:
            raise BoltError("Slack sent no bot token. Install the app once more.")
        await self._vault.keep(places.workspace(owner), installation.bot_token)


class SignedStates(AsyncOAuthStateStore):
    """States that prove themselves: they survive restarts and other replicas without a table.

    One process takes each only once.
    """

    def __init__(self, secret: str, lives: float = _STATE_LIVES) -> None:
        self._key = hashlib.sha256(b"oauth state\0" + secret.encode()).digest()
        self._lives = lives
        self._used: dict[str, float] = {}

    @property
    def logger(self) -> Logger:
        return logging.getLogger(__name__)

    async def async_issue(self, *args: Any, **kwargs: Any) -> str:
        body = f"{int(time.time() + self._lives)}.{secrets.token_urlsafe(12)}"
        return f"{body}.{self._sign(body)}"

    async def async_consume(self, state: str) -> bool:
        body, _, signature = state.rpartition(".")
        now = time.time()
        if (
            not hmac.compare_digest(signature.encode("utf-8", "replace"), self._sign(body).encode())
            or float(body.partition(".")[0]) < now
            or state in self._used
        ):
            return False
        self._used = {known: at for known, at in self._used.items() if at > now} | {
            state: now + self._lives
        }
        return True

    def _sign(self, body: str) -> str:
        return hmac.new(self._key, body.encode(), hashlib.sha256).hexdigest()
