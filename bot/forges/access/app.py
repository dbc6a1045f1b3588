"""The GitHub Apps of this bot, one for each host: those made by a link are stored sealed; that of
github.com may also come from the environment.
"""

from __future__ import annotations

import msgspec

from adapters.forges.github.app import AppCredentials, check_key
from bot.forges.access.connect import AppOf
from bot.forges.access.setup import Keep
from bot.settings import Settings
from storage.database import Database
from storage.places import GITHUB, Installations
from storage.sealing import Seal


def app_of(settings: Settings, database: Database) -> AppOf:
    """Returns the App on a host. On github.com the environment's comes first."""
    configured = _configured(settings)

    async def stored_app(host: str) -> AppCredentials | None:
        if host == GITHUB and configured is not None:
            return configured
        sealed = await _vault(settings, database).token(_name(host))
        if sealed:
            return msgspec.json.decode(sealed, type=AppCredentials)
        return None

    return stored_app


def keep_app(settings: Settings, database: Database) -> Keep:
    """Stores a new App sealed with the operator's key, so that every replica has it."""

    async def keep(host: str, app: AppCredentials) -> None:
        await _vault(settings, database).keep(_name(host), msgspec.json.encode(app).decode())

    return keep


def _name(host: str) -> str:
    return f"github-app:{host}"


def _configured(settings: Settings) -> AppCredentials | None:
    """Returns the environment's App. Raises ``BadInput`` for an invalid key."""
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
    """Opens the vault only when it is used. Raises ``BadInput`` for a key that is too short."""
    return Installations(database, Seal(settings.secret_keys, settings.older_secrets))
