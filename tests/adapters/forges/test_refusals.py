"""A forge's refusal becomes the sentence with its true cause."""

from __future__ import annotations

import socket
from datetime import UTC, datetime

import pytest

from adapters.forges.port import Host
from adapters.forges.refusals import refused, timed_out
from adapters.forges.wire import WireLimits
from adapters.material.library import MaterialLibrary
from adapters.material.settings import LibrarySettings
from core.debate.errors import CouldNotFinish
from core.debate.material.library import ReadRequest


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"message": "no"}', "no"),
        (b'{"error": "no"}', "no"),
        (b'{"message": {"base": ["Title is locked", "too long"], "x": []}}',
            "base Title is locked, too long; x"),
        (b'{"message": ["a", 5, "b"]}', "a, b"),
        (b'{"message": "Unprocessable Entity", "errors": ["Body is too long", {"message": "so"}]}',
            "Unprocessable Entity: Body is too long, so"),
        (b'{"message": "Invalid", "errors": [{"field": "title", "code": "missing"}]}',
            "Invalid: field title; code missing"),
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
            await library.read(
                ReadRequest("https://github.com/o/r/pull/1", kind="pull_request", budget=1000)
            )
    assert str(error.value) == (
        "GitHub could not be reached (it refused the connection). Nothing was started. Next: "
        "check the network, HTTPS_PROXY if it is set, and the configured API address."
    )


NOW = datetime(2026, 3, 9, 12, tzinfo=UTC)


def at(seconds: int) -> str:
    return f"{NOW.timestamp() + seconds:.0f}"


USED_UP = {"x-ratelimit-remaining": "0"}


@pytest.mark.parametrize(
    ("status", "headers", "body", "free"),
    [
        (429, {}, b"", "Try again in some minutes."),
        (429, {"retry-after": "30"}, b"", "at 12:00 UTC (in 1 minute)"),
        (429, {"retry-after": "60"}, b"", "at 12:01 UTC (in 1 minute)"),
        (429, {"retry-after": "61"}, b"", "at 12:01 UTC (in 2 minutes)"),
        (429, {"retry-after": "999999"}, b"", "(in 12 days)"),
        (429, {"retry-after": "1000000"}, b"", "Try again in some minutes."),
        (429, {"retry-after": "soon"}, b"", "Try again in some minutes."),
        (403, {**USED_UP, "x-ratelimit-reset": at(600)}, b"", "at 12:10 UTC (in 10 minutes)"),
        (403, {"ratelimit-remaining": "0", "ratelimit-reset": at(600)}, b"", "(in 10 minutes)"),
        (403, {}, b'{"message": "API Rate Limit exceeded"}', "Try again in some minutes."),
        (403, {**USED_UP, "x-ratelimit-reset": "9" * 12}, b'{"message": "rate limit"}', "some min"),
    ],
)
def test_a_limit_says_when_it_is_free_again(
    status: int, headers: dict[str, str], body: bytes, free: str
) -> None:
    error = refused("GitHub", status, headers, body, NOW)
    assert str(error).startswith("GitHub's limit is used up")
    assert free in str(error)
    assert "GITHUB_TOKEN" not in str(error)
    assert "60 calls an hour" in str(refused("GitHub", status, headers, body, NOW, linked=False))


@pytest.mark.parametrize(
    ("status", "headers", "words"),
    [
        (403, {}, "GitHub refused: no reason given."),
        (403, {"x-ratelimit-remaining": "1", "x-ratelimit-reset": at(600)}, "GitHub refused: no"),
        (401, {}, "GitHub no longer accepts the stored credential."),
        (499, {}, "GitHub refused with status 499: no reason given."),
        (500, {}, "GitHub is having trouble (status 500)."),
        (402, {"retry-after": "30"}, "GitHub refused with status 402"),
    ],
)
def test_other_refusals_say_what_they_are(status: int, headers: dict[str, str], words: str) -> None:
    assert str(refused("GitHub", status, headers, b"", NOW)).startswith(words)
    if status == 401:
        anonymous = str(refused("GitHub", status, headers, b"", NOW, linked=False))
        assert anonymous.startswith("GitHub asks for a token.")
        assert "an admin can link the repository: /debate setup github." in anonymous


@pytest.mark.parametrize(
    ("tries", "times"), [(1, "once"), (2, "twice"), (3, "three times"), (4, "4 times")]
)
def test_a_forge_that_is_silent_says_how_often_it_was_asked(tries: int, times: str) -> None:
    assert str(timed_out("GitHub", 2.5, tries)).startswith(
        f"GitHub did not answer in 2.5 s, {times}. "
    )
