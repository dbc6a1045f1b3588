"""One four-seat review, recorded once, as the threads of both platforms show it: by statements, by
rounds, quiet.

``python -m tests.adapters.posts.threads`` writes the threads that the tests compare with, after a
change that is wanted; ``python -m tests.end_to_end.slack_golden`` and ``discord_golden`` write the
same review as it goes over the wire. Read the difference before you commit it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from adapters.discord.outgoing import layout as discord_layout
from adapters.ports.chat import Post
from adapters.slack.outgoing import layout as slack_layout
from adapters.text.emoji import character
from core.debate import events as e
from core.debate.state import Debate, replay
from core.debate.usage import Usage
from storage.codec import EVENTS
from tests.adapters.posts.told import posted, standing
from tests.standins.slack_shown import render

FOLDER = Path(__file__).parent
FORMS = ("statements", "rounds")
_BETWEEN = "\n----\n"

Render = Callable[[Post], str]


@cache
def four_seats(form: str = "statements", *, quiet: bool = False) -> tuple[e.Event, ...]:
    """Returns the events of the review, told in this form."""
    lines = (FOLDER / "four_seats.jsonl").read_text("utf-8").splitlines()
    return tuple(_told(_event(line), form, quiet=quiet) for line in lines)


MODELS = ("anthropic/claude-sonnet-5", "openai/gpt-5", "gemini/gemini-3-pro")


SHOWN = FOLDER / "shown_review.jsonl"
"""The events of the recorded review, which ``tests.end_to_end.recorded_page`` writes."""


def shown_review(form: str = "rounds") -> tuple[e.Event, ...]:
    """Returns the recorded review, which is argued, as pictures show it: by models of three
    families, as a provider would bill it.
    """
    events = [
        _told(_event(line), form, quiet=False) for line in SHOWN.read_text("utf-8").splitlines()
    ]
    opened = next(x for x in events if isinstance(x, e.DebateOpened))
    cast = {seat.id: (MODELS[n % 3],) for n, seat in enumerate(opened.script.seats)}
    turns = {turn.id: turn.seat for turn in opened.script.turns}
    made: list[e.Event] = []
    for event in events:
        match event:
            case e.DebateOpened():
                made.append(replace(event, cast=cast))
            case e.TurnsAdded(added):
                turns.update((turn.id, turn.seat) for turn in added)
                made.append(event)
            case e.TurnFinished(turn):
                model = cast[turns[turn]][0] if turn in turns else event.model
                made.append(replace(event, model=model, usage=Usage(2600, 0, 180, 0.01)))
            case _:
                made.append(event)
    return tuple(made)


def debate() -> Debate:
    return replay(four_seats())


def thread(form: str = "statements", *, quiet: bool = False) -> list[Post]:
    """Returns the thread's messages as they are in the end, the debate's own first; ``argued`` is
    the argued review by statements (``tests.end_to_end`` holds it by rounds).
    """
    if form == "argued":
        return standing(posted(shown_review("statements")))
    return standing(posted(four_seats(form, quiet=quiet)))


def slack(post: Post) -> str:
    """Returns a message as Slack's readers see it; addresses of links stand behind them."""
    parts = slack_layout.layout(post)
    return "\n".join(
        [*(render({"blocks": p.blocks, "text": p.text}) for p in parts), *_beside(post)]
    )


def discord(post: Post) -> str:
    """Returns a message as Discord's readers see it, in its own Markdown."""
    parts = [p for p in discord_layout.layout(post, 1) if not p.kind]
    texts = [text for p in parts for text in p.texts]
    buttons = [f"[{b.label}]" for p in parts for b in p.buttons]
    return "\n".join([*texts, *([" ".join(buttons)] if buttons else []), *_beside(post)])


PLATFORMS: dict[str, Render] = {"slack": slack, "discord": discord}


def page(platform: str, posts: Sequence[Post]) -> str:
    return _BETWEEN.join(map(PLATFORMS[platform], posts)) + "\n"


def golden(platform: str, form: str) -> Path:
    return FOLDER / f"thread_{platform}_{form}.txt"


def words(text: str) -> list[str]:
    """Returns the words that a reader reads: no addresses, no code, no marks."""
    bare = re.sub(r"<https?://[^>]*>|\(<?https?://[^)]*\)|^\[.*\]$", "", text, flags=re.MULTILINE)
    bare = re.sub(r"```.*?```", "", bare, flags=re.DOTALL)
    return re.findall(r"\w[\w.:/’'-]*", bare)


def _beside(post: Post) -> Iterator[str]:
    if post.reaction_options:
        yield " ".join(character(o.emoji) for o in post.reaction_options)
    yield from (f"<{file.name}>" for file in post.files)


def _event(line: str) -> e.Event:
    recorded = json.loads(line)
    return EVENTS.decode(recorded["kind"], recorded["version"], recorded["payload"])


def _told(event: e.Event, form: str, *, quiet: bool) -> e.Event:
    match event:
        case e.DebateRequested(_, request):
            return replace(event, request=replace(request, quiet=quiet))
        case e.DebateOpened(terms=terms):
            return replace(event, terms=replace(terms, thread=form))
        case _:
            return event


def main() -> None:
    for platform in PLATFORMS:
        for form in (*FORMS, "argued"):
            golden(platform, form).write_text(page(platform, thread(form)), "utf-8")


if __name__ == "__main__":
    main()
