"""Signing in with Slack: OpenID Connect.

The ID token comes over TLS from Slack's own token endpoint, which the standard accepts in place of
its signature (OpenID Connect Core 3.1.3.7, point 6); its audience, issuer, age and nonce are
checked all the same.
"""

from __future__ import annotations

import base64
import re
import time
from urllib.parse import urlencode

import msgspec

from adapters.room.setup.providers import (
    Account,
    Attempt,
    SignInProvider,
    ask,
    name_in,
    read_answer,
    unreadable,
)
from adapters.room.visitors import matches
from core.application.place import workspace_key
from core.debate.errors import CouldNotFinish, Refused
from core.languages import say

SLACK = "https://slack.com/api/"
_CLAIM = "https://slack.com/"
_TOLERANCE = 60.0  # seconds that clocks may differ
_ID = re.compile(r"[\w.-]{1,100}", re.ASCII)


class _Token(msgspec.Struct):
    ok: bool = False
    id_token: str | None = None


class _Claims(msgspec.Struct):
    iss: str
    aud: str | list[str]
    exp: float
    nonce: str
    team: str = msgspec.field(name=f"{_CLAIM}team_id")
    user: str = msgspec.field(name=f"{_CLAIM}user_id")
    name: object = None


class SlackSignIn(SignInProvider):
    name = "slack"
    title = "Slack"

    @property
    def _api(self) -> str:
        return self.api_url.rstrip("/") + "/"

    def address(self, attempt: Attempt, back: str) -> str:
        query = {
            "response_type": "code",
            "scope": "openid profile",
            "client_id": self.client_id,
            "state": attempt.state,
            "nonce": attempt.nonce,
            "redirect_uri": back,
        }
        page = self._api.removesuffix("api/") + "openid/connect/authorize"
        return f"{page}?{urlencode(query)}"

    async def account(self, code: str, attempt: Attempt, back: str) -> Account:
        form, page = self.code_form(code, back), f"{self._api}openid.connect.token"
        answer = await ask(self.title, "POST", page, _Token, form=form)
        if not answer.ok:
            raise CouldNotFinish(say("Slack did not accept the sign-in. Try it again."))
        claims = read_answer(self.title, _document_in(answer.id_token or ""), _Claims)
        self._check(claims, attempt)
        if not (_ID.fullmatch(claims.team) and _ID.fullmatch(claims.user)):
            raise unreadable(self.title)
        name = name_in(claims.name, claims.user)
        return Account(self.name, claims.user, name, (workspace_key(self.name, claims.team),))

    def _check(self, claims: _Claims, attempt: Attempt) -> None:
        audience = [claims.aud] if isinstance(claims.aud, str) else claims.aud
        ours = self.client_id in audience
        fresh = claims.exp > time.time() - _TOLERANCE
        meant = matches(claims.nonce, attempt.nonce)
        issued = claims.iss.rstrip("/") == "https://slack.com"
        if not (ours and fresh and meant and issued):
            raise Refused(say("Slack's answer is not for this sign-in. Begin again."))


def _document_in(token: str) -> bytes:
    """Returns the JSON text of an ID token's claims, empty for a text that is no ID token."""
    _, _, middle = token.partition(".")
    middle = middle.partition(".")[0]
    try:
        return base64.urlsafe_b64decode(middle + "=" * (-len(middle) % 4))
    except ValueError:
        return b""
