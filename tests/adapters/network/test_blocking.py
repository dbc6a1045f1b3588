"""A single request in a thread goes through the environment's proxy, wherever that stands."""

from __future__ import annotations

import socket
from threading import Thread

import pytest

from adapters.network import PUBLIC, HostNotAllowed
from adapters.network.blocking import opener


def answer(server: socket.socket, lines: list[bytes]) -> None:
    """Answers one request and notes its first line."""
    connection, _ = server.accept()
    with connection, connection.makefile("rb") as request:
        lines.append(request.readline())
        while request.readline().strip():
            pass
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")


def test_a_proxy_inside_the_network_is_asked_for_a_public_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    lines: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        monkeypatch.setenv("http_proxy", f"http://{address}")
        Thread(target=answer, args=(server, lines), daemon=True).start()
        with opener(PUBLIC).open("http://93.184.216.34/page") as page:
            assert page.read() == b"ok"
        assert lines == [b"GET http://93.184.216.34/page HTTP/1.1\r\n"]
        monkeypatch.delenv("http_proxy")
        with pytest.raises(HostNotAllowed):
            opener(PUBLIC).open(f"http://{address}/page")
