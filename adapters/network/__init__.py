"""The one way out: all HTTP clients are made here, each with its permitted hosts.

A client has a ``HostReach``: the hosts it may ask. Links may lead to any public host; a configured
host is permitted wherever it is. Each name is resolved once, every address it leads to is checked,
and the connection goes to exactly those addresses, so a name that resolves differently a moment
later gains nothing; a redirect is a new request with the same rules. Addresses that are not public
are refused unless the operator named their host, and addresses of clouds' credentials always.

The proxy is set by the standard variables of the environment (``HTTPS_PROXY``, ``HTTP_PROXY``,
``NO_PROXY``). It resolves and connects in our place, so its rules decide what it may reach; names
that our name server resolves to inside addresses are still refused.

``session`` makes aiohttp's clients, ``blocking`` those of the standard library, and ``vendors``
applies the rules to libraries that make their own clients.
"""

from __future__ import annotations

from adapters.network.reach import PUBLIC, HostNotAllowed, HostReach, not_allowed_behind, reach_of

__all__ = ["PUBLIC", "HostNotAllowed", "HostReach", "not_allowed_behind", "reach_of"]
