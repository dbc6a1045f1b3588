"""Every page of the room is in the reader's language: shown in a pseudo-language that marks each
text of a catalogue, a page has no words outside the marks but those of the debate itself.

The debates here are written in Greek, so Latin letters outside the marks are words of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest

from bot.settings import read
from bot.wire.parts import open_parts
from core.debate import events as e
from core.languages import Catalogue, catalogue, stored
from tests.bot.room.serving import SHELL, served
from tests.browser.stage import keep
from tests.core.table import dispute, finding, stance, table

OPEN, CLOSE = "⟦", "⟧"
GREEK = "Το ερώτημα χτίζεται από είσοδο"
LITERAL = {"code", "pre", "kbd", "time", "script", "style", "input"}
"""Elements whose texts are code or times."""
SHOWN = ("placeholder", "aria-label", "title", "alt", "data-head", "data-sure", "data-now")
WORD = re.compile(r"[A-Za-z]{2,}")
NAMES = re.compile(
    r"\S*[\w)][/:@._#-][\w(]\S*|\b(?:Debatebot|Slack|Discord|GitHub|GitLab|Markdown|JSON|HTML|SARIF|"
    r"UTC|USD|min|ann|Brier|English|Deutsch|Čeština|[A-Z]{2})\b"
)
"""Addresses, models, files, and names that no language changes."""
BLOCKS = {
    "p", "li", "td", "th", "h1", "h2", "h3", "h4", "dt", "dd", "option", "label", "button",
    "summary", "section", "article", "title", "text", "caption",
}  # fmt: skip


class Marked(Catalogue):
    """The German catalogue, which marks each text that it has instead of translating it."""

    def text(self, english: str) -> str:
        return f"{OPEN}{english}{CLOSE}" if english in self.texts else english

    def plural(self, one: str, many: str, n: int) -> str:
        text = one if n == 1 else many
        return f"{OPEN}{text}{CLOSE}" if one in self.plurals else text


class Unmarked(HTMLParser):
    """Collects the texts of a page that stand outside of all marks."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._depth, self._inside = 0, list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if tag in BLOCKS:
            self._depth = 0
        for name in SHOWN:
            self._look(known.get(name) or "", 0)
        if tag in ("meta", "link", "br", "img", "hr"):
            return
        if tag != "input" and (
            tag in LITERAL or known.get("lang", tag) in ("en", "") or self._inside
        ):
            self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()
        if tag in BLOCKS:
            self._depth = 0

    def handle_data(self, data: str) -> None:
        if not self._inside:
            self._depth = self._look(data, self._depth)

    def _look(self, text: str, depth: int) -> int:
        rest = ""
        for letter in text:
            depth += (letter == OPEN) - (letter == CLOSE)
            rest += letter if depth == 0 else " "
            depth = max(depth, 0)
        if WORD.search(NAMES.sub(" ", rest)):
            self.texts.append(" ".join(rest.replace(CLOSE, " ").split()))
        return depth


def unmarked(page: str) -> list[str]:
    parser = Unmarked()
    parser.feed(page)
    return parser.texts


def test_words_outside_the_marks_are_found() -> None:
    page = f'<p>{OPEN}one <b>two</b>{CLOSE} three</p><p lang="en">four</p><a title="five">5</a>'
    assert unmarked(page) == ["three", "five"]


def reviewed(id: str, at: datetime) -> list[e.Event]:
    """Returns a review with findings, a challenge, votes and a seat without an answer."""
    terms = {"language": "de", "demo": True}
    made = (
        table(terms=terms, output_format="")
        .says("t1", stance("request_changes", 0.9), text=GREEK, findings=[finding(GREEK)])
        .says("t2", stance("comment", 0.6), text=GREEK)
        .fails("t3", "timeout")
        .challenges(f"On t1.f1: {GREEK}", "security_critic")
        .says("u1", "comment", text=GREEK, answers=[dispute("t1.f1", GREEK)])
        .says("u2", "request_changes", text=GREEK, answers=[dispute("t1.f1", GREEK)])
        .votes("slack:T1/U1", "real", "t1.f1")
        .says("u3", "approve", text=GREEK)
        .says("end", text=GREEK, actions=(GREEK,))
        .votes("slack:T1/U1", "comment")
    )
    first = made.events[0]
    assert isinstance(first, e.DebateRequested)
    request = replace(first.request, asker=SHELL, place=SHELL, extras={"language": "de"})
    made.events[0] = replace(first, id=id, request=request, at=at)
    opened = made.events[1]
    assert isinstance(opened, e.DebateOpened)
    made.events[1] = replace(opened, material=replace(opened.material, title=GREEK))
    return list(made.concluded().events)


@pytest.fixture(name="german")
def _german(monkeypatch: pytest.MonkeyPatch) -> Iterator[Catalogue]:
    """The German catalogue, whose texts are marked; what it said is forgotten at the end."""
    german = catalogue("de")
    marked = Marked(german.texts, german.plurals, german.form)
    monkeypatch.setattr("core.languages.catalogue", lambda _language: marked)
    stored._write.cache_clear()
    yield german
    stored._write.cache_clear()


async def test_every_page_is_in_the_reader_s_language(tmp_path: Path, german: Catalogue) -> None:
    pages = (
        "/", "/?q=nothing", "/d/marked01", "/d/marked01/forks", "/d/marked01/receipt", "/new",
        "/templates", "/templates/code_review", "/templates/check", "/schedules", "/repositories",
        "/leaderboard", "/costs", "/receipts", "/doctor", "/log", "/you", "/tokens", "/webhooks",
        "/nowhere", "/d/nowhere",
    )  # fmt: skip
    reader = {"Accept-Language": "de"}
    key, store = "ab" * 32, str(tmp_path / "debate.db")
    env = {"DEBATE_SCRIPTED": "1", "DEBATE_MODELS": "scripted", "DEBATE_DATABASE_URL": store}
    async with open_parts(read(env, tmp_path), shell=False) as parts:
        await keep(parts, reviewed("marked01", datetime.now(UTC) - timedelta(hours=3)))
    async with served(tmp_path, DEBATE_SIGNING_KEY=key) as room:
        left = {}
        for address in pages:
            _, page, _ = await room.get(address, **reader)
            assert 'lang="de"' in page, address
            left[address] = unmarked(page)
        await room.post("/sign-out", token=await room.token(), session="all", headers=reader)
        _, page, _ = await room.get("/sign-in", **reader)
        left["/sign-in"] = unmarked(page)
    lines = [f"{address}: {text}" for address, texts in left.items() for text in texts]
    assert not lines, "\n".join(lines)
