"""A forge's refusal becomes the sentence with its true cause."""

from __future__ import annotations

import socket
from datetime import UTC, datetime

import pytest

from adapters.forges.refusals import broken_by, refused
from adapters.forges.wire import WireLimits
from adapters.material import Host, LibrarySettings, MaterialLibrary
from core.errors import CouldNotFinish


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"message": "no"}', "no"),
        (b'{"error": "no"}', "no"),
        (b'{"message": {"base": ["Title is locked", "too long"], "x": []}}',
            "base Title is locked, too long; x"),
        (b'{"message": ["a", 5, "b"]}', "a, b"),
        (b'[1]', "no reason given"),
        (b'{"message": 5}', "no reason given"),
    ],
)  # fmt: skip
def test_what_a_forge_says_about_a_refusal_is_told(body: bytes, words: str) -> None:
    error = refused("GitLab", 400, {}, body, datetime.now(UTC))
    assert str(error) == f"GitLab refused with status 400: {words}."


async def test_a_forge_that_is_not_there_is_told_in_words() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        host = Host("github", f"http://127.0.0.1:{closed.getsockname()[1]}", "")
        limits = WireLimits(seconds=10.0, tries=1, pause=0.0)
        library = MaterialLibrary(LibrarySettings(hosts={"github.com": host}, limits=limits))
        with pytest.raises(CouldNotFinish) as error:
            await library.read("https://github.com/o/r/pull/1", kind="pull_request", budget=1000)
    assert str(error.value) == (
        "GitHub could not be reached (it refused the connection). Nothing was started. Check the "
        "network, HTTPS_PROXY where it is set, and the configured API address."
    )


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (socket.gaierror(-2, "unknown"), "its name was not found"),
        (TimeoutError(), "it did not answer in time"),
        (OSError(113, "no route"), "no connection"),
    ],
)
def test_what_the_system_said_is_told_in_words(error: OSError, words: str) -> None:
    assert broken_by(error) == words
