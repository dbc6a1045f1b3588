"""The standard library's client, for single requests made in a thread."""

from __future__ import annotations

import base64
import http.client
import socket
import urllib.request
from typing import Any
from urllib.parse import unquote, urlsplit

from adapters.network.reach import HostNotAllowed, HostReach, addresses_of, proxy_for


def opener(reach: HostReach) -> urllib.request.OpenerDirector:
    """Opens http and https addresses within ``reach``; each redirect is checked anew."""
    made = urllib.request.OpenerDirector()
    for handler in (
        _Checks(reach),
        _Http(reach),
        _Https(reach),
        urllib.request.HTTPRedirectHandler(),
        urllib.request.UnknownHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.HTTPDefaultErrorHandler(),
    ):
        made.add_handler(handler)
    return made


class _Checks(urllib.request.BaseHandler):
    """Checks every request before it is made, and hands it to the proxy if there is one."""

    handler_order = 100

    def __init__(self, reach: HostReach) -> None:
        self._reach = reach

    def http_request(self, request: urllib.request.Request) -> urllib.request.Request:
        host = urlsplit(request.full_url).hostname or ""
        self._reach.require_host(host)
        if (proxy := proxy_for(request.full_url)) is not None:
            self._reach.look_at(host)
            login, _, address = urlsplit(proxy).netloc.rpartition("@")
            if login:
                text = base64.b64encode(unquote(login).encode()).decode()
                request.add_header("Proxy-authorization", f"Basic {text}")
            request.set_proxy(address, urlsplit(proxy).scheme)
        return request

    https_request = http_request


class _Http(urllib.request.HTTPHandler):
    def __init__(self, reach: HostReach) -> None:
        super().__init__()
        self._reach = reach

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_made(http.client.HTTPConnection, self._reach, req), req)


class _Https(urllib.request.HTTPSHandler):
    def __init__(self, reach: HostReach) -> None:
        super().__init__()
        self._reach = reach

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_made(http.client.HTTPSConnection, self._reach, req), req)


def _made(
    kind: type[http.client.HTTPConnection], reach: HostReach, req: urllib.request.Request
) -> Any:
    """Makes connections that go to the addresses which were checked."""
    through = ""
    if req.has_proxy():
        through = req.host
    proxy = urlsplit(f"//{through}").hostname or ""

    def make(host: str, **more: Any) -> http.client.HTTPConnection:
        connection: Any = kind(host, **more)
        connection._create_connection = lambda address, *rest: _connect(  # noqa: SLF001  http.client's own seam
            reach.with_host(proxy) if proxy else reach, address, *rest
        )
        made: http.client.HTTPConnection = connection
        return made

    return make


def _connect(
    reach: HostReach, address: tuple[str, int], timeout: Any = None, source: Any = None
) -> socket.socket:
    host, port = address
    addresses = addresses_of(host, port)
    reach.require_addresses(host, addresses)
    failure: OSError = HostNotAllowed(f"{host} leads nowhere")
    for one in addresses:
        try:
            return socket.create_connection((one, port), timeout, source)
        except OSError as error:
            failure = error
    raise failure
