"""Posts, answers and forms of odd lengths as the chats send them, what people and platforms send
back, and what a refused call means.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from email.message import Message
from random import Random
from types import SimpleNamespace
from typing import Any

import discord

from adapters.commands import Setup, Start
from adapters.discord.incoming.forms.views import read_fields, read_start
from adapters.discord.incoming.forms.views import start_form as discord_start_form
from adapters.discord.outgoing import components
from adapters.discord.outgoing import failures as discord_failures
from adapters.discord.outgoing import layout as discord_layout
from adapters.discord.outgoing.files import file_name
from adapters.discord.outgoing.markup import escape, label, render_within
from adapters.ports.chat import (
    Button,
    ChatFile,
    Post,
    ReactionOption,
    Shape,
    with_name,
    with_page,
    with_signature,
)
from adapters.ports.desk import Glance, Home, TemplateChoice
from adapters.slack.incoming import payloads, shapes
from adapters.slack.incoming.forms import views as slack_views
from adapters.slack.outgoing import failures as slack_failures
from adapters.slack.outgoing import layout as slack_layout
from adapters.text import emoji
from adapters.text.pieces import TextSpan
from adapters.text.splitting import SMALLEST, split
from core.errors import DebateError
from tests.corpora.surfaces import text_of

_LIMITS = (
    1, 30, 45, 55, 75, 80, 100, 120, 150, 200, 300, 340, 600, 700, 1500, 1990, 2000, 2400, 3000,
    3100, 3400, 3700, 4000, 9000,
)  # fmt: skip
"""Lengths at which a chat cuts something."""
_WORDS = (
    "word ", "x", "*_`|<@1> ", "😀", "a\n", "é", "\\", "- item\n", "`code` ", "& < > ",
    "long_name ", "[a](https://github.com/o/r) ", "\n\n", "e\u0301", "👩\u200d👩 ", "**bold** ",
    "```\ncode\n```\n", "> quoted\n", "@everyone ", "<!here> ", "\u202e", "1. one\n",
)  # fmt: skip
_SHORT = ("", "a title", "@everyone", "o/r#412 What it does", "two\n lines", "# a", "<@U1>")
_OPTIONS = ("x", "one", "white_check_mark", "+1", "nonsense", "⏫")


def _length(rng: Random) -> int:
    return max(0, rng.choice(_LIMITS) + rng.choice((-2, -1, 0, 1, 2)))


def drawn_text(rng: Random, most: int = 9002) -> str:
    """Text of a length at an edge, of one thing again and again or of many."""
    length = min(_length(rng), most, rng.choice((150, 800, most)))
    parts = rng.choice((_WORDS[:1], (rng.choice(_WORDS),), _WORDS, _WORDS[:2]))
    made = ""
    while len(made) < length:
        made += rng.choice(parts) * rng.choice((1, 1, 3, 20))
    return made[:length]


def _some(rng: Random, most: int = 400) -> str:
    return rng.choice((*_SHORT, drawn_text(rng, most), "w" * min(_length(rng), most)))


def _spans(rng: Random) -> tuple[TextSpan, ...]:
    return tuple(
        TextSpan(
            _some(rng, 90), rng.random() < 0.3, rng.random() < 0.2, rng.random() < 0.1,
            rng.random() < 0.3, rng.choice(("", "", "https://github.com/o/r")),
        )
        for _ in range(rng.choice((0, 1, 3)))
    )  # fmt: skip


def _button(rng: Random) -> Button:
    return Button(
        rng.choice(("stop", "pause", "fork", "challenge")), _some(rng, 90) or "Do",
        "v" * rng.choice((0, 1, 40)), rng.random() < 0.3, rng.random() < 0.3,
        rng.choice(("", "", "Sure?", "s" * 301)), rng.random() < 0.3,
    )  # fmt: skip


def drawn_post(rng: Random) -> Post:
    def maybe(value: str) -> str:
        return value if rng.random() < 0.5 else ""

    facts = {"page": maybe("https://room.example/d"), "person": maybe("discord:1/42")}
    facts |= {"question": maybe(_some(rng)), "poll_hours": rng.choice(("0", "1", "768", "769"))}
    count = rng.choice((0, 1, 2, 4, 5, 6, 20, 21, 26))
    return Post(
        "d1:4:statement", "d1", rng.choice(list(Shape)), title=maybe(_some(rng, 700)) or "42",
        body=maybe(drawn_text(rng)), who=maybe(_some(rng, 100)),
        fields=tuple(
            (_some(rng), drawn_text(rng, 2600)) for _ in range(rng.choice((0, 0, 1, 3, 9)))
        ),
        quote=maybe(drawn_text(rng, 4002)), buttons=tuple(_button(rng) for _ in range(count)),
        reaction_options=tuple(
            ReactionOption(rng.choice(_OPTIONS), "o") for _ in range(rng.choice((0, 1, 3)))
        ),
        files=tuple(
            ChatFile(f"{_some(rng, 101)}{n}.md", "f") for n in range(rng.choice((0, 1, 11)))
        ),
        edits=maybe("d1:root"), fallback=maybe(_some(rng, 800)),
        poll=tuple(f"{n} {_some(rng, 60)}" for n in range(rng.choice((0, 0, 2, 11)))),
        facts=facts, url=maybe("https://github.com/o/r/pull/412"), subtitle=_spans(rng),
        lines=tuple(_spans(rng) for _ in range(rng.choice((0, 0, 2, 50)))),
        small=maybe(drawn_text(rng, 1600)), face=maybe(rng.choice(_OPTIONS)),
    )  # fmt: skip


def _in_discord(part: discord_layout.DiscordMessage) -> object:
    if part.answers:
        return components.poll(part, 3)._to_dict()
    wire = components.view(part).to_components()  # type: ignore[no-untyped-call]  # the library leaves it untyped
    return wire, [file_name(file.name) for file in part.files], part.mark


async def _laid_out(number: int) -> str:
    rng, made = Random(f"laid out {number}"), list[object]()
    for turn in range(2):
        post = drawn_post(rng)
        if turn:
            post = with_name(with_signature(with_page(post, "https://room.example")), "Ann")
        made += [(p.text, p.blocks) for p in slack_layout.layout(post)]
        made += map(_in_discord, discord_layout.layout(post, 7))
        made += [discord_layout.thread_name(post), discord_layout.answer_parts(post.body)]
        made += [(p.text, p.blocks) for p in slack_layout.answer_parts(post.body, post.buttons)]
        view = components.simple_view(post.buttons)
        made.append(view and view.to_components())
        press = components.Press(rng.choice(("stop", "challenge")), "v", confirms=True)
        made.append(components.confirmation(press, _some(rng)).to_components())
        made.append(components.form(press, _some(rng, 60)).to_dict())
        made.append(components.read_press(press.custom_id()))
    return text_of(made)


def _cut(number: int) -> str:
    """Texts cut at small limits, where most of the edges are."""
    rng, made = Random(f"cut {number}"), list[object]()
    for _ in range(4):
        text = drawn_text(rng, 500)
        for limit in (SMALLEST, rng.choice((SMALLEST + 1, 130, 161))):
            made += [split(text, limit), render_within(text, limit)]
        made += [label(text, limit) for limit in (1, 2, 45, len(text) + 1)]
        made += [escape(text), file_name(text)]
        made += [emoji.plain_name(text[:9]), emoji.character(text[:5]), emoji.short_name(text[:3])]
    return text_of(made)


def _choices(rng: Random) -> list[TemplateChoice]:
    count = rng.choice((1, 2, 25, 26, 101))
    return [
        TemplateChoice(f"t{n}", rng.choice((f"T{n}", "", "n" * 101)), _some(rng, 110))
        for n in range(count)
    ]


def _glances(rng: Random) -> tuple[Glance, ...]:
    return tuple(
        Glance(
            f"d{n}",
            _some(rng, 160),
            "running",
            rng.choice(("", drawn_text(rng, 302))),
            rng.choice(("slack:T1/C1", "slack:T1/D1", "slack:T2/C1", "discord:1/2")),
        )
        for n in range(rng.choice((0, 1, 12, 13, 14)))
    )


async def _forms(number: int) -> str:
    rng, made = Random(f"form {number}"), list[object]()
    for _ in range(3):
        templates = _choices(rng)
        chosen = rng.choice(("", "t0", "t1", "t99"))
        memo = slack_views.Memo(
            rng.choice(("", "C1")), "1.2", "1.1", rng.choice(("", "message", "thread")), "digest"
        )
        made += [slack_views.start_form(
            templates, memo, chosen=chosen, target=rng.choice(("", drawn_text(rng, 3002))),
            note=rng.choice(("", drawn_text(rng, 3002))), ready=rng.random() < 0.5,
        )]  # fmt: skip
        made.append(slack_views.line_form(_some(rng, 30), {"value": "v"}))
        setup = Setup(rng.choice(("", "o/r")), forge=rng.choice(("github", "gitlab")))
        made.append(slack_views.setup_form(setup, "C1"))
        made.append(slack_views.home(Home(_glances(rng), _glances(rng), _glances(rng)), "T1"))
        start = Start(chosen or "t0", drawn_text(rng, 4002), rounds=rng.choice((None, 2)))
        made += [await _filled(replace(start, quiet=rng.random() < 0.5), templates, rng)]
    return text_of(made)


async def _filled(start: Start, templates: Sequence[TemplateChoice], rng: Random) -> object:
    """A form of Discord's as it is shown, and what it means when it comes back."""
    form = discord_start_form(templates, start, rng.choice(("", "7/8"))).to_dict()
    sent = {"components": [{"custom_id": "target", "value": start.target}, *form["components"]]}
    fields = read_fields(sent) | {"template": start.template, "target": start.target}
    press = components.read_press(form["custom_id"])
    assert press is not None
    return form, read_start(press, fields)


_IDS = ("", "T1", "E1", "U1", "C1", "D1", "1.2", "1.1", None)


def _payload(rng: Random) -> dict[str, Any]:
    """A payload with some of the members that Slack's have, in the places where they can be."""

    def of(*names: str) -> dict[str, Any]:
        return {name: rng.choice(_IDS) for name in names if rng.random() < 0.5}

    user = rng.choice(("U1", of("id", "team_id"), ""))
    event = of("user", "channel", "thread_ts", "bot_id", "hidden")
    event |= {"item": of("channel")} if rng.random() < 0.3 else {}
    event |= {"channel": of("id")} if rng.random() < 0.2 else {}
    event |= {"subtype": rng.choice(("", "file_share", "me_message", "message_changed"))}
    event |= {"edited": {}} if rng.random() < 0.2 else {}
    names = ("doc.MD", "a.png", "x.diff", "", None)
    event["files"] = [
        {"name": rng.choice(names), **of("url_private", "url_private_download")}
        for _ in range(rng.choice((0, 1, 3)))
    ]
    body = of("team_id", "user_id", "channel_id", "enterprise_id", "response_url")
    members = {
        "team": of("id"), "enterprise": of("id"), "user": user, "event": event,
        "channel": of("id"), "message": of("thread_ts", "ts"), "container": of("channel_id"),
        "authorizations": [of("team_id")] * rng.choice((0, 1)), "actions": [{"action_id": "a"}],
        "view": {"state": {"values": {"line": {"line": _field(rng)}}}},
        "type": rng.choice((*shapes._HOLDS, "", "other")),
    }  # fmt: skip
    return body | {name: value for name, value in members.items() if rng.random() < 0.6}


def _field(rng: Random) -> object:
    kinds = ("value", "selected_conversation")
    return {name: rng.choice(("", "v", None)) for name in kinds if rng.random() < 0.5} | (
        {"selected_option": {"value": "o"}} if rng.random() < 0.4 else {}
    )


_TYPED = (
    "<@U1>", "<@U1|bot>:", "<@U2>,", "<#C1|general>", "<#C2>", "<!here>", "<!subteam^S1|@team>",
    "<https://e.example|e>", "<mailto:a@b.example>", "&amp;", "slack:<#C1>", "mirror", "Mirror d1",
    "panel", "this", "thread", "this  thread", "--rounds 2", "here", "code_review", "the rest",
)  # fmt: skip


def _read(number: int) -> str:
    rng, made = Random(f"payload {number}"), list[object]()
    for _ in range(60):
        body = _payload(rng)
        made += [_tried(payloads.team_of, body), _tried(payloads.recipient_of, body)]
        event = body.get("event") or {}
        made += [payloads.is_readable(event), payloads.material_file(event)]
        made.append(slack_views.state(body.get("view") or {}, "line"))
        raw = json.dumps(body).encode()
        made += [shapes.is_readable(raw, media) for media in ("application/json", "text/plain")]
        form = b"payload=" + json.dumps(body).replace("&", "%26").encode()
        made.append(shapes.is_readable(form + b"&a=1" * rng.choice((0, 98, 99, 100)), "form"))
        line = " ".join(rng.choice(_TYPED) for _ in range(rng.randint(0, 4)))
        made += [payloads.with_places(line, "T1"), payloads.names_channel(line)]
        made += [payloads.mentions(line, "U1"), payloads.without_mention(line, "U1")]
        made.append(payloads.asks_for_thread(line, ("panel", "code_review")))
    return text_of(made)


def _tried(make: Callable[..., object], *given: object) -> object:
    try:
        return make(*given)
    except (DebateError, AttributeError) as refused:
        return f"{type(refused).__name__}: {refused}"


_ERRORS = (
    *slack_failures._DEAD, *slack_failures._AGAIN, *slack_failures._UNKNOWN, "", "missing_scope",
    "odd_error",
)  # fmt: skip
_STATUSES = (200, 400, 401, 403, 404, 428, 429, 430, 499, 500, 501, 502, 503)
_AFTER = (None, "0", "0.05", "7", "soon", "-1")


def _refused(number: int) -> str:
    rng, made = Random(f"refused {number}"), list[object]()
    for error in _ERRORS:
        status, after = rng.choice(_STATUSES), rng.choice(_AFTER)
        headers = {} if after is None else {rng.choice(("Retry-After", "retry-after")): after}
        data = rng.choice(({"error": error}, {"error": error, "needed": "chat:write"}, None))
        answer = SimpleNamespace(status_code=status, data=data, headers=headers)
        for repeatable in (False, True):
            made.append(_outcome(slack_failures.delivery_error(answer, repeatable=repeatable)))
    for code in (*discord_failures.TOLD, *discord_failures.TOKEN_OVER, 0, 1):
        for status in rng.sample(_STATUSES, 4):
            fields, after = Message(), rng.choice(_AFTER)
            if after is not None:
                fields["Retry-After"] = after
            answer = SimpleNamespace(status=status, reason="Odd", headers=fields)
            refused = discord.HTTPException(answer, {"code": code, "message": "no"})  # type: ignore[arg-type]
            made.append(_outcome(discord_failures.delivery_error(refused, "#general")))
    others = (discord.RateLimited(7.6), OSError(), TimeoutError(), ValueError(), KeyError("x"))
    made += [_outcome(discord_failures.delivery_error(each, "#general")) for each in others]
    return text_of(made)


def _outcome(error: Any) -> object:
    return error.kind, str(error), error.after, error.done


CORPORA = {
    "laid_out": (30, lambda number: asyncio.run(_laid_out(number))),
    "cut": (15, _cut),
    "forms": (15, lambda number: asyncio.run(_forms(number))),
    "payloads": (15, _read),
    "refused": (15, _refused),
}
