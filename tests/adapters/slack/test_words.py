"""A Slack message is read with all its words, and what stands for people, channels and groups by
name.
"""

from __future__ import annotations

from typing import Any

import pytest

from adapters.slack.incoming.whole import whole_text
from adapters.slack.incoming.words import named

NAMES = {"@U3": "ann", "#C2": "general", "!subteam^S99": "on-call"}


async def name(what: str) -> str:
    return NAMES.get(what, "")


LINES = {
    "<http://app.py|app.py> and <http://README.md|README.md>": "app.py and README.md",
    "leave <#C2|> as <@U3> and <!subteam^S99> asked": "leave #general as @ann and @on-call asked",
    "<!subteam^S7|@ops>, <!subteam^S8>, <@U9>, <#C9>": "@ops, @S8, @U9, #C9",
    "panel Which? --seats author=person:<@U3>,critic=person:<@U9|bo>": (
        "panel Which? --seats author=person:U3,critic=person:U9"
    ),
    "<!here> <!channel> <!everyone>": "@here @channel @everyone",
    "<!date^1392734382^{date_num}|2014-02-18> it broke": "2014-02-18 it broke",
    "see <https://x.example/?b=1&amp;c=2|it> now": "see it (https://x.example/?b=1&c=2) now",
    "<https://github.com/o/r/pull/1|o/r#1> --rounds 2": "https://github.com/o/r/pull/1 --rounds 2",
    "review <https://github.com/o/r/pull/1|the PR>": "review https://github.com/o/r/pull/1",
    "<http://docs.rs/foo|docs.rs/foo> or <mailto:a@b.c|a@b.c>?": "http://docs.rs/foo or a@b.c?",
    "a &lt; b &amp;&amp; c &amp;lt; d": "a < b && c &lt; d",
}


async def test_a_line_reads_as_people_see_it() -> None:
    for text, line in LINES.items():
        assert await named(text, name) == line


def rich(*elements: Any) -> dict[str, Any]:
    section = {"type": "rich_text_section", "elements": [*elements]}
    return {"type": "rich_text", "elements": [section]}


SECTION = {
    "type": "section",
    "text": {"type": "mrkdwn", "text": "*Disk full* on db-7"},
    "fields": [
        {"type": "mrkdwn", "text": "Used: 99 %"},
        {"type": "plain_text", "text": "Since 10:02"},
    ],
}
MESSAGES: list[tuple[dict[str, Any], list[str]]] = [
    ({"blocks": [SECTION]}, ["Disk full", "Used: 99 %", "Since 10:02"]),
    (
        {"text": "fallback", "blocks": [{"type": "header", "text": {"text": "Head"}}]},
        ["fallback", "Head"],
    ),
    (
        {"blocks": [{"type": "context", "elements": [{"type": "mrkdwn", "text": "by CI"}]}]},
        ["by CI"],
    ),
    (
        {
            "blocks": [
                rich(
                    {"type": "text", "text": "see "},
                    {"type": "user", "user_id": "U3"},
                    {"type": "text", "text": "<"},
                    {"type": "link", "url": "https://x.example", "text": "x"},
                )
            ]
        },
        ["see <@U3>&lt;<https://x.example|x>"],
    ),
    (
        {
            "attachments": [
                {
                    "fallback": "short",
                    "title": "Build 7",
                    "text": "failed",
                    "fields": [{"title": "Stage", "value": "test"}],
                }
            ]
        },
        ["Build 7", "failed", "Stage: test"],
    ),
    ({"attachments": [{"fallback": "only this"}]}, ["only this"]),
    ({"attachments": [{"blocks": [SECTION]}]}, ["Disk full"]),
    (
        {"blocks": [{"type": "image", "alt_text": "a graph", "image_url": "https://x"}]},
        ["[a picture: a graph]"],
    ),
    ({"blocks": [{"type": "hologram"}]}, ["[a block of the kind hologram, not read]"]),
    ({"files": [{"name": "core.dump"}]}, ["[a file, not read: core.dump]"]),
    ({"blocks": [{"type": "markdown", "text": "**bold** words"}]}, ["**bold** words"]),
    ({"blocks": [{"type": "table", "rows": [[{"type": "raw_text", "text": "cell"}]]}]}, ["cell"]),
    (
        {"attachments": [{"is_share": True, "text": "it broke", "files": [{"name": "core.dump"}]}]},
        ["it broke", "[a file, not read: core.dump]"],
    ),
    ({"attachments": [{"entity": {"title": "JIRA-1"}}]}, ["[an attachment, not read]"]),
    (
        {
            "files": [
                {
                    "name": "audio_message.m4a",
                    "subtype": "slack_audio",
                    "transcription": {"preview": {"content": "roll it back", "has_more": True}},
                }
            ]
        },
        ["[a voice message, as Slack heard it] roll it back …"],
    ),
    ({"files": [{"name": "a.m4a", "subtype": "slack_audio"}]}, ["[a voice message, not heard: a"]),
    ({"files": [{"mode": "tombstone"}]}, ["[a file, not read: it is gone or hidden]"]),
    (
        {"blocks": [rich({"type": "text", "text": "see "}, {"type": "canvas", "file_id": "F1"})]},
        ["see [a canvas, not read]"],
    ),
    ({"text": None, "blocks": None, "attachments": "odd"}, []),
]


@pytest.mark.parametrize(("message", "words"), MESSAGES, ids=str)
def test_every_word_of_a_message_is_read(message: dict[str, Any], words: list[str]) -> None:
    text = whole_text(message)
    for each in words:
        assert each in text
    assert bool(text) == bool(words)


def test_a_persons_message_is_not_doubled() -> None:
    blocks = [rich({"type": "text", "text": "I restarted "}, {"type": "user", "user_id": "U3"})]
    assert whole_text({"text": "I restarted <@U3>", "blocks": blocks}).count("restarted") == 1
    assert "short" not in whole_text({"attachments": [{"fallback": "short", "text": "longer"}]})
