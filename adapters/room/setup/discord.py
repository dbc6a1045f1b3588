"""Signing in with Discord: OAuth2 with PKCE. Asks who someone is and which servers they are in."""

from __future__ import annotations

import base64
import binascii
import re
from urllib.parse import urlencode, urlsplit

import msgspec

from adapters.room.setup.providers import (
    Account,
    Attempt,
    SignInProvider,
    ask,
    name_in,
    unreadable,
)
from core.application.place import workspace_key

DISCORD = "https://discord.com/api/v10"
SCOPES = "identify guilds"
_ID = re.compile(r"\d{1,20}", re.ASCII)


class _Token(msgspec.Struct):
    access_token: str


class _User(msgspec.Struct):
    id: str
    global_name: object = None
    username: object = None


class _Guild(msgspec.Struct):
    id: str


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
        answer = await ask(self.title, "POST", f"{self.api_url}/oauth2/token", _Token, form=form)
        token, me = answer.access_token, f"{self.api_url}/users/@me"
        user = await ask(self.title, "GET", me, _User, token=token)
        guilds = await ask(self.title, "GET", f"{me}/guilds", list[_Guild], token=token)
        if not all(map(_ID.fullmatch, (user.id, *(one.id for one in guilds)))):
            raise unreadable(self.title)
        name = name_in(user.global_name, user.username, user.id)
        servers = tuple(workspace_key(self.name, one.id) for one in guilds)
        return Account(self.name, user.id, name, servers)


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
