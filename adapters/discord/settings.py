"""The settings of the Discord adapter; imports no library, so that the configuration can name them
cheaply.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from adapters.network import HostReach, reach_of

OWN_HOSTS = (
    "discord.com", ".discord.com", "discord.gg", ".discord.gg", ".discordapp.com",
    ".discordapp.net",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DiscordSettings:
    """``api_url`` and ``gateway_url`` redirect all traffic (a proxy, a stand-in); empty means
    Discord itself.

    ``pictures`` are the public addresses of the seats' pictures by their emoji; none without a
    public address. ``admin_roles`` are names or ids of roles whose members may pause and stop any
    debate, in addition to people who may manage threads. ``models`` are offered while people type.
    Times are in seconds.
    """

    token: str = field(repr=False)
    api_url: str = ""
    gateway_url: str = ""
    admin_roles: tuple[str, ...] = ()
    message_content: bool = True  # ask for the privileged intent; the bot works without it too
    models: tuple[str, ...] = ()
    pictures: Mapping[str, str] = field(default_factory=dict)
    material_bytes: int = 2_000_000
    identify_pause: float = 5.0  # between sessions, as Discord's limits ask
    guild_wait: float = 2.0  # silence after which a session counts as complete
    request_timeout: float = 120.0

    @property
    def reach(self) -> HostReach:
        """The hosts that the adapter may ask: Discord's own, and those of the two addresses."""
        return reach_of(self.api_url, self.gateway_url, own=OWN_HOSTS)
