"""The one way out: every client of ours is made here, and says where it may go.

A client has a ``HostReach``: the hosts it may ask. What people link to is any public host; what the
operator configured is that host, wherever it is. Each name is resolved once, every address it leads
to is checked, and the connection goes to exactly those addresses, so a name that resolves
differently a moment later gains nothing; a redirect is a new request with the same rules. Addresses
that are not public are refused unless the operator named their host, and those under which clouds
hand out credentials always.

A proxy is the one that the standard variables of the environment name (``HTTPS_PROXY``,
``HTTP_PROXY``, ``NO_PROXY``). It resolves and connects in our place, so what it may reach is its
own rules' matter; names that lead inside by our own name server are refused all the same.

``session`` makes aiohttp's clients, ``blocking`` those of the standard library, and ``vendors``
holds libraries to the rules that make clients of their own.
"""

from __future__ import annotations

from adapters.network.reach import PUBLIC, HostNotAllowed, HostReach, not_allowed_behind, reach_of

__all__ = ["PUBLIC", "HostNotAllowed", "HostReach", "not_allowed_behind", "reach_of"]
