"""The GitHub Apps of this bot, one for each host: as they were made by a link, sealed in the store;
that of github.com also from the environment.
"""

from __future__ import annotations

import msgspec

from adapters.forges.github.app import AppCredentials, check_key
from bot.forges.access.connect import AppOf
from bot.forges.access.setup import GITHUB, Keep
from bot.settings import Settings
from storage.database import Database
from storage.places import Installations
from storage.sealing import Seal


def app_of(settings: Settings, database: Database) -> AppOf:
    """Who the App on a host is. What the environment names is github.com's, and comes first."""
    configured = _configured(settings)

    async def found(host: str) -> AppCredentials | None:
        if host == GITHUB and configured is not None:
            return configured
        sealed = await _vault(settings, database).token(_name(host))
        if sealed:
            return msgspec.json.decode(sealed, type=AppCredentials)
        return None

    return found


def keep_app(settings: Settings, database: Database) -> Keep:
    """Keeps a new App sealed with the operator's key, so that every replica has it."""

    async def keep(host: str, app: AppCredentials) -> None:
        await _vault(settings, database).keep(_name(host), msgspec.json.encode(app).decode())

    return keep


def _name(host: str) -> str:
    return f"github-app:{host}"


def _configured(settings: Settings) -> AppCredentials | None:
    """Raises ``BadInput`` for a key that is none."""
    if not settings.github_app_id or not settings.github_app_key:
        return None
    key = settings.github_app_key.replace("\\n", "\n")
    check_key(key)
    return AppCredentials(
        settings.github_app_id,
        key,
        settings.github_app_client_id,
        settings.github_app_client_secret,
        settings.github_webhook_secret,
        settings.github_app_slug,
    )


def _vault(settings: Settings, database: Database) -> Installations:
    """Made where it is used, so that a key which is too short spoils nothing else. Raises
    ``BadInput`` for one.
    """
    return Installations(database, Seal(settings.secret_keys, settings.older_secrets))
