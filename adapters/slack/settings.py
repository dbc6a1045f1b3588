"""The settings of the Slack adapter, given when it is built; nothing here reads the environment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from adapters.network import HostReach, reach_of
from adapters.text.links import HOSTS

API = "https://slack.com/api/"
OWN_HOSTS = ("slack.com", ".slack.com")


class Vault(Protocol):
    """The store of tokens, which keeps them encrypted. ``workspace`` is "slack:T1", or "slack:E1"
    for an organisation; ``holders`` returns those for which the same text is kept.
    """

    async def keep(self, workspace: str, token: str) -> None: ...
    async def token(self, workspace: str) -> str | None: ...
    async def holders(self, token: str) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class SlackSettings:
    """``app_token`` chooses Socket Mode, else ``signing_secret`` HTTP. ``client_id`` with its
    secret turns OAuth for many workspaces on.

    ``api_url`` redirects every call. ``vault`` keeps the tokens of OAuth's workspaces, encrypted.
    ``public_url`` is if people reach us (the OAuth redirect). ``hosts`` may be linked to from a
    model's text.
    """

    bot_token: str = field(default="", repr=False)
    app_token: str = field(default="", repr=False)
    signing_secret: str = field(default="", repr=False)
    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    api_url: str = API
    vault: Vault | None = None
    public_url: str = ""
    hosts: frozenset[str] = HOSTS
    ping_interval: float = (
        10.0  # seconds between pings of the socket; a silent socket is replaced after four
    )
    timeout: float = 15.0  # seconds for one call
    pace: float = 1.0  # seconds between the messages of one post

    def __post_init__(self) -> None:
        if not self.api_url.endswith("/"):
            object.__setattr__(self, "api_url", self.api_url + "/")

    @property
    def reach(self) -> HostReach:
        """The hosts that the adapter may ask: Slack's own, and that of ``api_url``."""
        return reach_of(self.api_url, own=OWN_HOSTS)

    @property
    def oauth(self) -> bool:
        return bool(self.client_id and self.client_secret)

    @property
    def socket_mode(self) -> bool:
        return bool(self.app_token)

    @property
    def configured(self) -> bool:
        return bool(self.bot_token or self.oauth) and bool(self.app_token or self.signing_secret)
