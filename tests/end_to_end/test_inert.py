"""Words made to be more than words, in everything that people, models, diffs and names can put
before others: the stand-ins refuse every call in which they would be (``tests/standins/inert.py``).
"""

from __future__ import annotations

from tests.standins.inert import live_in_discord, live_in_slack


def test_a_rule_for_slack_finds_what_is_live() -> None:
    cases: list[dict[str, object]] = [
        {"text": "<!channel>"},
        {"text": "a \u202e"},
        {"text": "a", "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "x"}}]},
        {"text": "a", "blocks": [{"type": "user", "user_id": "U1"}]},
        {"text": "a", "blocks": [{"type": "link", "url": "javascript:x"}]},
        {"text": "a", "parse": "full"},
        {"blocks": [{"type": "link", "url": "https://github.com/e", "text": "good.example"}]},
    ]
    for live in cases:
        body = {"parse": "none", "link_names": False, "text": "a"}
        assert list(live_in_slack("chat.update", body)) == []
        assert list(live_in_slack("chat.update", {**body, **live}))


def test_a_rule_for_discord_finds_what_is_live() -> None:
    for live in (
        "@everyone",
        "<@1>",
        "<@&1>",
        "<#1>",
        "<t:1:R>",
        "</a:1>",
        "<:x:1>",
        "||x||",
        "https://x.example",
        "[a](https://x.example)",
        "[a](<javascript:x>)",
        "a\u202eb",
        "\x1b[1m",
        "```\nx\n``` @here",
        "`a` <@1>",
        "`a```b`@here``",
        "```\n\n```\n```\n@here\n```",
        "[good.example](<https://github.com/e>)",
        "[x\\_y.example](<https://github.com/e>)",
    ):
        inert = "\\<@1> `@everyone` [a](<https://x.example/b>) ```\n<@1>\n``` <https://x.example>"
        assert list(live_in_discord({"content": inert})) == []
        assert list(live_in_discord({"components": [{"content": f"{inert} {live}"}]}))
