"""A debate as a file that plays holds every step and loads nothing, and its verdict under other
votes is the one that the rule gives.
"""

from __future__ import annotations

import base64
import hashlib
import re
from html import unescape
from html.parser import HTMLParser

from adapters.posts.export.play import play
from core.debate import events as e
from core.debate.state import evolve
from core.debate.verdict import verdict
from core.words.views.verdict.decision import decision
from tests.core.table import Table, agree, finding, table

HOSTILE = '<script>alert(1)</script><img src="https://example.org/x" onerror=alert(1)> "\'><b>'


def reviewed() -> Table:
    t = table()
    first, *others = [turn for turn in t.debate.turns if not turn.closing]
    t.says(first.id, "approve", text=HOSTILE, findings=(finding(HOSTILE, severity="critical"),))
    for n, turn in enumerate(others):
        held = [agree(f"{first.id}.f1")] if n == 0 else []
        t.says(turn.id, "approve", text=f"What was said as number {n}.", answers=held)
    t.add(e.VoteCast(HOSTILE, "approve"))
    return t.concluded()


class _Parts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_nothing_in_it_can_load_or_run_but_its_own_script() -> None:
    page = play(reviewed().events)
    parts = _Parts()
    parts.feed(page)
    names = [name for name, _ in parts.tags]
    assert names.count("script") == names.count("style") == 1
    assert {"img", "a", "link", "iframe", "form", "object", "b"} & set(names) == set()
    for _, attributes in parts.tags:
        assert not [
            name for name in attributes if name.startswith("on") or name in ("src", "style")
        ]
    policy = next(a["content"] for n, a in parts.tags if n == "meta" and "http-equiv" in a)
    for tag in ("script", "style"):
        text = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert text is not None
        digest = base64.b64encode(hashlib.sha256(text[1].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in (policy or "")
    assert (policy or "").startswith("default-src 'none'")


def test_every_step_stands_in_it() -> None:
    t = reviewed()
    page = unescape(play(t.events))
    for turn, statement in t.debate.statements():
        if not turn.closing and turn.id != t.debate.turns[0].id:
            assert statement.text in page
    assert page.count("<article") == len(t.debate.finished) + 2, "the vote and the verdict"
    half = play(t.events[:6])
    assert "<article" in half
    assert 'id="votes"' not in half


def test_the_verdict_under_other_votes_is_the_rules_own() -> None:
    t = reviewed()
    labels = dict(re.findall(r'<option data-then="([^"]*)">([^<]*)</option>', play(t.events)))
    by_label = {label: then for then, label in labels.items()}
    id = t.debate.turns[0].id
    then = t.debate
    for n in range(3):
        then = evolve(then, e.VoteCast(f"p{n}", "not real", f"{id}.f1"))
    assert verdict(then).decision == "approve"
    assert verdict(t.debate).decision == "request_changes"
    not_real = [then for label, then in by_label.items() if "not real" in label]
    assert [unescape(each) for each in not_real] == [decision(then).headline]
