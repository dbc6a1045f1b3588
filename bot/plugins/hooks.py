"""The functions that a plugin may define, each marked with ``debatebot.hookimpl``. Each is
optional, takes nothing and is called once, when the program starts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from adapters.forges.plugged import Forge
    from adapters.material.scanners import Scan
    from adapters.ports.platform import ChatPlatform
    from bot.plugins.models import PaidModel
    from bot.seats import AskModel
    from core.debate.formats import Format

GROUP = "debatebot"
hookimpl = pluggy.HookimplMarker(GROUP)
_hook = pluggy.HookspecMarker(GROUP)


class PluginHooks:
    """The hooks. A name that one returns may not be one of the program's own or another
    plugin's.
    """

    @_hook
    def register_models(self) -> Mapping[str, AskModel | PaidModel]:  # type: ignore[empty-body]  # a signature
        """Returns models by name: async functions that answer a ``Prompt``, or a ``PaidModel``
        around one.
        """

    @_hook
    def register_formats(self) -> Sequence[Format]:  # type: ignore[empty-body]  # a signature
        """Returns formats, which decide who takes turns when. Templates name them; each compiles
        the same input to the same script.
        """

    @_hook
    def register_templates(self) -> Sequence[str]:  # type: ignore[empty-body]  # a signature
        """Returns kinds of debate: TOML documents, as ``debate docs templates`` describes them."""

    @_hook
    def register_scanners(self) -> Mapping[str, Scan]:  # type: ignore[empty-body]  # a signature
        """Returns scanners by name, for ``--evidence NAME``: async functions that take the change
        (a ``Material``, without its secrets) and return SARIF 2.1.0.
        """

    @_hook
    def register_forges(self) -> Sequence[Forge]:  # type: ignore[empty-body]  # a signature
        """Returns forges whose changes are read, each on a host that no other forge has."""

    @_hook
    def register_chats(self) -> Sequence[ChatPlatform]:  # type: ignore[empty-body]  # a signature
        """Returns chats that debates live in, each by the name with which its places begin."""
