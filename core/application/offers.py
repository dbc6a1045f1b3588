"""Answers that wait for a person's consent, worded the same on every surface: to a price, or to the
exact text that is to be posted.
"""

from __future__ import annotations

import re
from dataclasses import replace

from core.application.commands import Challenge
from core.application.desk import Button, ChatFile, DeskAnswer
from core.languages import LANGUAGES, msgid, say, speaking

_MARK = re.compile(r"^<!-- debatebot:[^\n]*?-->\n*", re.MULTILINE)
_PLACE = re.compile(r"^--- on (.+)$", re.MULTILINE)
_WROTE = msgid("You wrote:")
AGREE = "agree"
"""The action of the button that gives consent."""


def with_button(answer: DeskAnswer, value: str, *files: ChatFile) -> DeskAnswer:
    """Returns the answer with a button that starts the priced request; ``value`` and ``files`` are
    what the surface needs to find the request again.
    """
    return replace(
        answer,
        text=f"{answer.text} {say('It starts when you press the button.')}",
        files=(*answer.files, *files),
        buttons=(*answer.buttons, Button(AGREE, say("Start it"), value)),
        priced=None,
    )


def without_button(answer: DeskAnswer) -> DeskAnswer:
    """Returns the answer with a line that explains how to agree by typing the request again."""
    if answer.priced is None:
        return answer
    text = say("Write it again with `--yes` to start it, or with `--budget USD` to limit it.")
    if isinstance(answer.priced, Challenge):
        text = say("Write it again with `--yes` before your words to have it answered.")
        text = with_words(text, answer.priced.text)
    return replace(answer, text=f"{answer.text} {text}", priced=None)


def with_words(text: str, words: str) -> str:
    """Returns an answer that did not take a person's ``words``, with these, so that they are not
    lost.
    """
    lines = [f"> {line}" for line in words.strip().splitlines()]
    if not lines:
        return text
    return "\n".join((text, "", say(_WROTE), "", *lines))


def without_words(answer: DeskAnswer) -> DeskAnswer:
    """Returns the answer without a person's own words, for a form that still holds them. A form and
    an answer may be in two languages.
    """
    text = answer.text
    for language in LANGUAGES:
        with speaking(language):
            text, _, _ = text.partition(f"\n\n{say(_WROTE)}")
    return replace(answer, text=text)


def without_digest(answer: DeskAnswer, text: str) -> str:
    """Returns the text without the digest, which only a typed approval needs."""
    for button in answer.buttons:
        text = text.replace(f" ({button.value.partition(':')[2]})", "")
    return text


def readable(exact: str) -> str:
    """Returns a text that is to be posted, without our marks, which its readers never see."""
    return _PLACE.sub(r"---\n\n**`\1`**", _MARK.sub("", exact))


def shown_text(answer: DeskAnswer) -> str:
    """Returns the text of an answer for a chat: a review that waits for approval without our
    marks.
    """
    if any(button.action == "approve" for button in answer.buttons):
        return readable(answer.text)
    return answer.text


def exact_text(answer: DeskAnswer) -> tuple[str, str]:
    """Returns the sentence before a text that is to be posted, and that text letter by letter; a
    long one is a file.
    """
    lead, _, text = answer.text.partition("\n\n")
    return lead, next((file.text for file in answer.files), text)
