"""Signing in with Discord: OAuth2 with PKCE. Asks who someone is and which servers they are in."""

from __future__ import annotations

import base64
import binascii
from urllib.parse import urlencode, urlsplit

from adapters.room.setup.providers import Account, Attempt, SignInProvider, ask
from core.application.place import workspace_key
from core.debate.errors import CouldNotFinish
from core.languages import say

DISCORD = "https://discord.com/api/v10"
SCOPES = "identify guilds"


class DiscordSignIn(SignInProvider):
    name = "discord"
    title = "Discord"

    def address(self, attempt: Attempt, back: str) -> str:
        query = {
            "response_type": "code",
            "scope": SCOPES,
            "client_id": self.client_id,
            "state": attempt.state,
            "redirect_uri": back,
            "prompt": "none",
            "code_challenge": attempt.challenge,
            "code_challenge_method": "S256",
        }
        at = urlsplit(self.api_url)
        return f"{at.scheme}://{at.netloc}/oauth2/authorize?{urlencode(query)}"

    async def account(self, code: str, attempt: Attempt, back: str) -> Account:
        form = self.code_form(code, back)
        form["code_verifier"] = attempt.verifier
        answer = await ask(self.title, "POST", f"{self.api_url}/oauth2/token", form=form)
        token = str(answer.get("access_token", ""))
        user = await ask(self.title, "GET", f"{self.api_url}/users/@me", token=token)
        guilds = await ask(self.title, "GET", f"{self.api_url}/users/@me/guilds", token=token)
        id = str(user.get("id", ""))
        if not id.isdecimal():
            raise CouldNotFinish(say("Discord did not name you. Try it again."))
        name = str(user.get("global_name") or user.get("username") or id)
        servers = tuple(workspace_key(self.name, str(g["id"])) for g in guilds if g.get("id"))
        return Account(self.name, id, name, servers)


def client_id_of(token: str) -> str:
    """Returns the application's id, with which a bot's token begins; "" if it does not."""
    head = token.partition(".")[0]
    try:
        text = base64.b64decode(head + "=" * (-len(head) % 4), validate=True).decode("ascii")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return ""
    if text.isdecimal():
        return text
    return ""
