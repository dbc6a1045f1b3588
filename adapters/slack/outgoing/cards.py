"""A debate as a card below its link: a Work Object of Slack, or plain blocks if the app has no such
objects.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from adapters.slack.outgoing.markup import Json, block, defuse, run, section
from core.application.desk import Glance
from core.debate.material.plaintext import cut
from core.languages import say
from core.words.views.language.grammar import option_words

_ITEM = "slack#/entities/item"
_ID = re.compile(r"/d/([a-z0-9]{1,40})(?=[/?#]|$)")
_TITLE, _VALUE = 200, 300


def debates_behind(urls: Iterable[str], public_url: str) -> Iterator[tuple[str, str]]:
    """Yield each address of a debate's page at this bot, with the debate's id."""
    base = public_url.rstrip("/")
    for url in urls:
        path = url.removeprefix(base)
        if path != url and (match := _ID.match(path)):
            yield url, match[1]


def _fields(card: Glance) -> Iterator[tuple[str, str, str]]:
    """Yield key, label and text of what a card tells."""
    yield "status", say("Status"), card.status
    yield "result", say("Result"), card.detail
    yield "template", say("Template"), option_words(card.template)


def entity(url: str, public_url: str, card: Glance) -> Json:
    """Return a debate as a Work Object for the address ``url`` of its page."""
    fields = [
        {"key": key, "label": label, "type": "string", "value": cut(defuse(text), _VALUE)}
        for key, label, text in _fields(card)
        if text
    ]
    title = {"text": cut(defuse(card.title), _TITLE)}
    attributes = {"title": title, "display_type": say("Debate"), "product_name": "Debatebot"}
    return {
        "app_unfurl_url": url,
        "url": f"{public_url.rstrip('/')}/d/{card.id}",
        "external_ref": {"id": card.id, "type": "debate"},
        "entity_type": _ITEM,
        "entity_payload": {
            "attributes": attributes,
            "custom_fields": fields,
            "display_order": [field["key"] for field in fields],
        },
    }


def card_blocks(card: Glance) -> list[Json]:
    """Return a debate as blocks, for an app without Work Objects."""
    line = " · ".join(text for _, _, text in _fields(card) if text)
    title = run(cut(card.title, _TITLE), bold=True)
    return [block(section(title, run("\n"), run(cut(line, _VALUE))))]
