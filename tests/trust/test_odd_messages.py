"""Messages that platforms signed are held to their shape before anything looks into them."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from urllib.parse import quote

import pytest

from adapters.forges.events import Forged, reading
from adapters.slack.incoming.shapes import SIGNATURE, is_readable, is_signed
from bot.forges.access.setup import read_state
from core.debate.errors import BadInput

DEEP = b"[" * 100_000
JSON, LINE = "application/json", "application/x-www-form-urlencoded"
EVENT = b'{"type":"event_callback","team_id":"T1","event":{"type":"message","user":"U1"}}'
PRESS = (
    b'{"type":"block_actions","team":{"id":"T1"},"user":{"id":"U1"},"actions":[{"action_id":"x"}]}'
)


def test_what_is_signed_and_no_message_is_refused() -> None:
    for body in (DEEP, b'{"a":' * 100_000, b"", b"9", b"\xff", b"[]", b'{"team_id":{}}'):
        assert not is_readable(body, JSON), body[:20]
    odd = (b"[1]", DEEP, b'{"team":"T1"}', b'{"actions":["x"]}', b'{"user":7}', b'{"view":"x"}')
    for payload in odd:
        assert not is_readable(b"payload=" + quote(payload).encode(), LINE), payload[:20]
    assert not is_readable(b"a=b&" * 200_000, LINE), "more fields than Slack sends"
    assert is_readable(EVENT, JSON)
    assert is_readable(b"payload=" + quote(PRESS).encode(), LINE)
    assert is_readable(b"command=%2Fdebate&text=help&team_id=T1", LINE)
    with pytest.raises(Forged, match="no JSON object"), reading(DEEP):
        pass


def test_a_signature_of_odd_characters_or_of_no_time_is_none() -> None:
    now = str(int(time.time()))
    for moment, signature in (
        (now, "\udcff"),
        (now, "v0=é"),
        ("9" * 400, "v0=x"),
        ("9" * 5000, ""),
    ):
        headers = {"X-Slack-Request-Timestamp": moment, SIGNATURE: signature}
        assert not is_signed("s3cret", b"{}", headers)


@pytest.mark.parametrize("state", ["", ".", "é.é", "abc.\u200b", "💥" * 100, "." * 1_000])
def test_a_state_of_odd_characters_is_no_link_of_ours(state: str) -> None:
    with pytest.raises(BadInput, match="was not made here"):
        read_state(state, "s3cret", "make", datetime(2026, 11, 23, tzinfo=UTC))
