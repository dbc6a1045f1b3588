"""A debate as one HTML file that plays: its events step by step at a chosen speed, and the verdict
under other people's votes, computed before.

It loads nothing and sends nothing: its policy allows its one style and one script by their hashes.
Without the script all steps are visible.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from pathlib import Path

from adapters.posts.export.page import rendered
from adapters.posts.export.transcript import challenge_text, turn_text
from core.debate import events as e
from core.debate.material.escaping import show_hidden
from core.debate.material.plaintext import neutral, one_line
from core.debate.state import Debate, evolve, replay
from core.languages import say, spoken
from core.words.views.course.happenings import challenge_title, paused_title
from core.words.views.course.hot_seat import asked_title
from core.words.views.course.progress import round_name
from core.words.views.documents import playing as words
from core.words.views.documents.headings import title_of
from core.words.views.verdict.decision import DecisionView, decision


@cache
def _file(kind: str) -> str:
    return Path(__file__).with_name(f"play.{kind}").read_text("utf-8")


def play(events: Sequence[e.Event]) -> str:
    """Builds the file that plays a debate; of a debate that still runs, it plays the events so
    far.
    """
    style, script = _file("css"), _file("js")
    debate, parts = _folded(events)
    title = escape(one_line(title_of(debate), 200))
    tab = title
    if debate.concluded is not None:
        tab = f"{escape(decision(debate).label)} · {title}"
    body = "".join(_article(n == len(parts) - 1, *part) for n, part in enumerate(parts))
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        f'<!doctype html>\n<html lang="{spoken()}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<title>{tab}</title><meta name="viewport" '
        'content="width=device-width, initial-scale=1">'
        f"<style>{style}</style></head><body><main><h1>{title}</h1>{body}"
        f"{_otherwise(debate)}</main>{_bar(len(parts))}<script>{script}</script></body></html>\n"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _folded(events: Sequence[e.Event]) -> tuple[Debate, list[tuple[str, str]]]:
    debate, parts = replay(events[:1]), list[tuple[str, str]]()
    for event in events[1:]:
        debate = evolve(debate, event)
        parts += _step(debate, event)
    return debate, parts


def _step(debate: Debate, event: e.Event) -> Iterator[tuple[str, str]]:
    match event:
        case e.TurnFinished(turn) | e.TurnFailed(turn):
            taken = debate.script.turn(turn)
            yield round_name(debate, taken.round + 1), turn_text(debate, taken)
        case e.ChallengeRaised():
            yield challenge_title(debate, event), challenge_text(event)
        case e.SeatAsked():
            yield asked_title(debate, event), ""
        case e.VoteCast():
            yield say(words.VOTED), neutral(words.vote_words(debate, event))
        case e.DebatePaused(by):
            yield paused_title(by), ""
        case e.DebateResumed():
            yield say(words.RESUMED), ""
        case e.DebateConcluded() | e.VotesClosed(_, _, True):
            yield say(words.THE_VERDICT), _verdict_text(decision(debate))
        case _:
            pass


def _verdict_text(made: DecisionView) -> str:
    rest = " ".join(made.summary.replace(made.headline, "", 1).split())
    return f"**{one_line(made.headline)}**\n\n{neutral(rest)}"


def _article(last: bool, title: str, text: str) -> str:
    kind = ' class="last"' if last else ""
    return f"<article{kind}><h2>{escape(show_hidden(title))}</h2>{rendered(text, ())}</article>"


def _otherwise(debate: Debate) -> str:
    if debate.concluded is None or debate.lost:
        return '<section id="otherwise"></section>'
    options = [
        f'<option data-then="{escape(show_hidden(headline))}">{escape(show_hidden(label))}</option>'
        for label, headline in words.otherwise(debate)
    ]
    return (
        f'<section id="otherwise"><h2>{say(words.IF_VOTED)}</h2>'
        f'<select id="votes" aria-label="{say(words.IF_VOTED)}">{"".join(options)}</select>'
        f'<p id="then" role="status"></p><p class="small">{say(words.COMPUTED)}</p></section>'
    )


def _bar(steps: int) -> str:
    play = say(words.PLAY)
    speeds = "".join(
        f'<option value="{n}"{" selected" * (n == 2)}>{n}×</option>' for n in (1, 2, 4, 8)
    )
    return (
        f'<section id="bar" aria-label="{say(words.STEPS)}" hidden>'
        f'<button id="back">{say(words.BACK)}</button>'
        f'<button id="play" data-play="{play}" data-stop="{say(words.STOP)}">{play}</button>'
        f'<button id="on">{say(words.ON)}</button>'
        f'<input id="seek" type="range" min="0" max="{max(0, steps - 1)}" value="0" '
        f'aria-label="{say(words.THE_STEP)}"><span id="where" class="small"></span>'
        f'<select id="speed" aria-label="{say(words.SPEED)}">{speeds}</select></section>'
    )
