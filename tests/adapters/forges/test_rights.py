"""What a token or an App may do is told before it is needed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from adapters.forges.github.app import PERMISSIONS, AppCredentials
from adapters.forges.port import Host
from adapters.forges.rights import of_app, of_token
from core.application.check import DoctorState
from tests.adapters.forges.canned import NOW, canned
from tests.standins.github_app import key


class Clock:
    def now(self) -> datetime:
        return NOW

    async def sleep(self, seconds: float) -> None:
        raise AssertionError("nobody waits")


STATES = {True: DoctorState.OK, None: DoctorState.CARE, False: DoctorState.BROKEN}

LEFT = {"resources": {"core": {"limit": 5000, "remaining": 4999}}}
SCOPES = {"X-OAuth-Scopes": "repo, gist"}
GITHUB: dict[str, tuple[Any, bool | None, str]] = {
    "fine-grained": (LEFT, None, "accepted; 4,999 of 5,000 requests left this hour"),
    "classic": (
        (200, LEFT, SCOPES), True,
        "reads and posts (repo, gist); 4,999 of 5,000 requests left this hour",
    ),
    "public": (
        (200, LEFT, {"X-OAuth-Scopes": "public_repo"}), True, "reads and posts (public_repo)",
    ),
    "too narrow": ((200, LEFT, {"X-OAuth-Scopes": "gist"}), False, "its scopes are gist"),
    "without scopes": ((200, LEFT, {"X-OAuth-Scopes": ""}), False, "its scopes are none"),
    "refused": ((401, {"message": "Bad credentials"}, {}), False, ""),
    "gone": ((404, {"message": "no"}, {}), False, "GitHub refused with status 404"),
}  # fmt: skip


@pytest.mark.parametrize("case", GITHUB)
async def test_a_token_of_github(case: str) -> None:
    answer, ok, says = GITHUB[case]
    async with canned({"/rate_limit": answer}) as forge:
        line = await of_token(Host("github", forge.base, "t"), "GITHUB_TOKEN", Clock())
    assert (line.part, line.state) == ("token", STATES[ok])
    assert line.what.startswith(says)
    assert bool(line.next) is (ok is not True)
    assert ("GITHUB_TOKEN" in line.next) is (case in {"refused", "gone"})


GITLAB: dict[str, tuple[Any, bool | None, str]] = {
    "all": ({"scopes": ["api", "x"]}, True, "reads and posts (api, x)"),
    "ends": (
        {"scopes": ["api"], "expires_at": "2026-12-01"}, True,
        "reads and posts (api), until 2026-12-01",
    ),
    "ended": ({"scopes": ["api"], "active": False}, False, "it ended"),
    "reads": ({"scopes": ["read_api"]}, None, "its scopes are read_api"),
    "neither": ({"scopes": []}, False, "its scopes are none"),
}  # fmt: skip


@pytest.mark.parametrize("case", GITLAB)
async def test_a_token_of_gitlab(case: str) -> None:
    answer, ok, says = GITLAB[case]
    async with canned({"/personal_access_tokens/self": answer}) as forge:
        line = await of_token(Host("gitlab", forge.base, "t"), "GITLAB_TOKEN", Clock())
    assert (line.state, line.what, bool(line.next)) == (STATES[ok], says, ok is not True)


ALL = dict(PERMISSIONS)


@pytest.mark.parametrize(
    ("answer", "ok", "says"),
    [
        ({"slug": "bot", "permissions": ALL, "installations_count": 1}, True,
         "bot may all it needs"),
        ({"permissions": ALL}, True, "12 may all it needs"),
        ({"permissions": ALL | {"contents": "write"}}, True, "12 may all it needs"),
        ({"permissions": ALL | {"checks": "admin"}}, True, "12 may all it needs"),
        ({"slug": "bot", "permissions": ALL, "installations_count": 0}, None,
         "bot is installed nowhere"),
        ({"slug": "bot", "permissions": ALL | {"checks": "read"}}, False,
         "bot lacks checks: write"),
        ({"permissions": ALL | {"issues": "", "metadata": "odd"}}, False,
         "12 lacks metadata: read, issues: write"),
    ],
)  # fmt: skip
async def test_an_app(answer: dict[str, Any], ok: bool | None, says: str) -> None:
    async with canned({"/app": answer}) as forge:
        line = await of_app(forge.base, AppCredentials("12", key()), Clock())
    assert (line.part, line.state, line.what) == ("App", STATES[ok], says)
    assert bool(line.next) is (ok is not True)


async def test_an_app_that_is_not_known() -> None:
    async with canned(
        {"/app": (401, {"message": "A JSON web token could not be decoded"}, {})}
    ) as f:
        line = await of_app(f.base, AppCredentials("12", key()), Clock())
    assert (line.part, line.state) == ("App", DoctorState.BROKEN)
    assert line.next == "Take the App's number and a new private key from its page on GitHub."
