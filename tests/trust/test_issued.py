"""A secret of the bot's own that somebody pasted, or that stands in a change, is kept nowhere."""

from __future__ import annotations

from pathlib import Path
from random import randbytes
from secrets import token_urlsafe

from adapters.hooks.receiver import secret_of
from core.debate.issued import link_key, new_invitation, new_link_id, new_secret
from tests.end_to_end.diffs import adding
from tests.end_to_end.played import Review, stored
from tests.standins.github import GitHubStandIn, Pull

_TO_ONE = link_key(new_link_id(token_urlsafe), randbytes(16))
ISSUED = {
    "a token": new_secret(token_urlsafe),
    "a link that lets one in": f"https://debates.example/open/{new_invitation(token_urlsafe)}",
    "a link to one debate": f"https://debates.example/d/x/{_TO_ONE}",
    "a webhook's secret": secret_of("ab" * 32, "h1", 1),
}


async def test_it_is_neither_stored_nor_sent(
    tmp_path: Path, github: GitHubStandIn, review: Review
) -> None:
    lines = [f"# {what}: {secret}" for what, secret in ISSUED.items()]
    github.pulls["o/r", 412] = Pull(diff=adding("a.py", *lines), body="\n".join(ISSUED.values()))
    played = await review("--rounds", "1")
    assert played.code == 0
    for secret in ISSUED.values():
        assert secret.rpartition("/")[2] not in played.everything
        assert secret.rpartition("/")[2].encode() not in stored(tmp_path)
