"""A company's network, as a ``.env`` file describes it: its proxy and its certificate authority."""

from __future__ import annotations

import socket
import ssl
import threading
from pathlib import Path

import pytest

from tests.end_to_end.shell import EXAMPLE, Ran, aside, environment, process
from tests.standins.proxies import certificate_of
from tests.standins.thinking import Thinking, thinking

KEY = "sk-test-0123456789abcdef"


def reviewed(folder: Path, *lines: str) -> Ran:
    (folder / ".env").write_text("\n".join((f"OPENAI_API_KEY={KEY}", *lines)))
    env = environment(DEBATE_MODELS="openai/gpt-5.6", DEBATE_ENV_FILE=".env", DEBATE_SCRIPTED="")
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "SSL_CERT_FILE", "https_proxy", "http_proxy"):
        env.pop(name, None)
    return process(folder, "code_review", str(EXAMPLE), "--yes", "--json", env=env)


@pytest.mark.parametrize(
    ("file", "step"),
    [
        ("", "set SSL_CERT_FILE to a file that holds your network's certificate authority"),
        ("gone.pem", "correct SSL_CERT_FILE: it names gone.pem, which is not there"),
        ("fullchain.pem", ""),
    ],
)
def test_an_unknown_certificate_names_the_setting_for_it(
    tmp_path: Path, file: str, step: str
) -> None:
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(*certificate_of("localhost", tmp_path))
    lines = [f"SSL_CERT_FILE={file}"] if file else []
    with aside(thinking(Thinking(), server)) as provider:
        ran = reviewed(tmp_path, f"OPENAI_API_BASE={provider.base}/v1", *lines)
    assert ran.code == (3 if step else 0), ran.err
    assert step in ran.err


def test_a_proxy_in_the_file_is_used(tmp_path: Path) -> None:
    with aside(thinking(Thinking())) as proxy:
        base = "OPENAI_API_BASE=http://models.example/v1"
        ran = reviewed(tmp_path, base, f"HTTP_PROXY={proxy.base}")
        assert ran.code == 0, ran.err
        assert proxy.requests


def test_a_proxy_for_https_in_the_file_is_asked_to_connect(tmp_path: Path) -> None:
    heard: list[bytes] = []

    def refuse(server: socket.socket) -> None:
        while True:
            try:
                client, _ = server.accept()
            except OSError:
                return
            with client:
                heard.append(client.recv(1000))
                client.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as server:
        waiting = threading.Thread(target=refuse, args=(server,), daemon=True)
        waiting.start()
        proxy = f"HTTPS_PROXY=http://127.0.0.1:{server.getsockname()[1]}"
        ran = reviewed(tmp_path, "OPENAI_API_BASE=https://models.example/v1", proxy)
        server.shutdown(socket.SHUT_RDWR)
        waiting.join()
    assert ran.code == 3, ran.err
    assert heard
    assert all(first.startswith(b"CONNECT models.example:443 ") for first in heard)
