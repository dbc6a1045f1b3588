"""Signing in with Slack: OpenID Connect.

The ID token comes over TLS from Slack's own token endpoint, which the standard accepts in place of
its signature (OpenID Connect Core 3.1.3.7, point 6); its audience, issuer, age and nonce are
checked all the same.
"""

from __future__ import annotations

import base64
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from adapters.room.setup.providers import Account, Attempt, SignInProvider, ask
from core.application.place import workspace_key
from core.debate.errors import CouldNotFinish, Refused
from core.languages import say

SLACK = "https://slack.com/api/"
_CLAIM = "https://slack.com/"
_TOLERANCE = 60.0  # seconds that clocks may differ


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
        form = self.code_form(code, back)
        answer = await ask(self.title, "POST", f"{self._api}openid.connect.token", form=form)
        if not answer.get("ok"):
            raise CouldNotFinish(say("Slack did not accept the sign-in. Try it again."))
        claims = _claims_of(str(answer.get("id_token", "")))
        self._check(claims, attempt)
        team, user = claims.get(f"{_CLAIM}team_id"), claims.get(f"{_CLAIM}user_id")
        if not (isinstance(team, str) and isinstance(user, str) and team and user):
            raise CouldNotFinish(say("Slack did not name you. Try it again."))
        name = str(claims.get("name") or user)
        return Account(self.name, user, name, (workspace_key(self.name, team),))

    def _check(self, claims: Mapping[str, Any], attempt: Attempt) -> None:
        audience = claims.get("aud")
        ours = self.client_id in (audience if isinstance(audience, list) else [audience])
        fresh = float(claims.get("exp") or 0) > time.time() - _TOLERANCE
        meant = hmac.compare_digest(str(claims.get("nonce", "")), attempt.nonce)
        issued = str(claims.get("iss", "")).rstrip("/") == "https://slack.com"
        if not (ours and fresh and meant and issued):
            raise Refused(say("Slack's answer is not for this sign-in. Begin again."))


def _claims_of(token: str) -> Mapping[str, Any]:
    """Returns the claims of an ID token. Raises ``CouldNotFinish`` for a text that is no ID
    token.
    """
    try:
        middle = token.split(".")[1]
        document = json.loads(base64.urlsafe_b64decode(middle + "=" * (-len(middle) % 4)))
    except (IndexError, ValueError) as error:
        raise CouldNotFinish(say("Slack's answer can't be read. Try it again.")) from error
    if isinstance(document, dict):
        return document
    return {}
