"""Compares debates side by side: the result of each, row by row, and its condition."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from core.debate.events import Fork
from core.debate.material.plaintext import cell
from core.debate.state import Debate
from core.languages import msgid, say
from core.words.views.course.cost import price_words
from core.words.views.course.progress import STATUS
from core.words.views.language.grammar import capital, option_words, shortened
from core.words.views.verdict.decision import STRICT
from core.words.views.verdict.findings import to_fix
from core.words.views.verdict.labels import document_label

Document = Mapping[str, Any]
THIS_DEBATE = msgid("This debate")
_SUPPOSED = 120
"""The most characters of an assumption."""


def condition_words(condition: Fork) -> str:
    """Describes how a fork differs: "Without security critic; with openai/gpt-5"."""
    changes = []
    if condition.without:
        changes.append(say("without {seat}", seat=condition.without.replace("_", " ")))
    if condition.models:
        changes.append(say("with {models}", models=", ".join(condition.models)))
    if condition.assume == STRICT:
        changes.append(say("strict"))
    elif condition.assume:
        changes.append(say("suppose {supposed}", supposed=shortened(condition.assume, _SUPPOSED)))
    return capital("; ".join(changes) or say("again, under the same conditions"))


def relation_words(related: Debate, *, parent: bool) -> str:
    """Describes what a debate is to another one: its parent, or a fork by its condition."""
    if parent or related.fork is None:
        return say("The debate it was forked from")
    return condition_words(related.fork)


def fork_taken(id: str, parent: str, condition: Fork) -> str:
    """Writes that a fork continues its debate, and whether a condition changed."""
    text = msgid("Debate {id} continues {parent} under the same conditions.")
    if condition.without or condition.models or condition.assume:
        text = msgid("Debate {id} continues {parent} under the changed condition.")
    return say(text, id=id, parent=parent)


def verdict_words(document: Document) -> str:
    """Returns the debate's verdict, or its progress."""
    if not document["ended_because"]:
        return say(STATUS[document["status"]])
    return document_label(document)


def _votes(document: Document) -> str:
    votes = document["votes"]["final"]
    return ", ".join(f"{n} {option_words(name)}" for name, n in votes.items() if n) or say("none")


def _findings(document: Document) -> str:
    stand = [f for f in document["findings"] if f["state"] == "open"]
    if not stand:
        return say("none")
    return f"{len(stand)}, {to_fix(sum(f['blocking'] for f in stand))}"


ROWS: Mapping[str, Callable[[Document], str]] = {
    msgid("Verdict"): verdict_words,
    msgid("Seats' votes"): _votes,
    msgid("Findings that stand"): _findings,
    msgid("Changes of mind"): lambda d: str(len(d["delta"])),
    msgid("Cost"): lambda d: price_words(d["cost"]),
}


def side_by_side(documents: Sequence[Document]) -> list[tuple[str, list[str]]]:
    """Returns the name and the cells of every row."""
    return [(say(name), [of(document) for document in documents]) for name, of in ROWS.items()]


def comparison_table(documents: Sequence[tuple[str, Document]]) -> str:
    """Returns the comparison as a Markdown table with a line for each debate; cells that differ
    from the first debate's are bold.
    """
    rows = side_by_side([document for _, document in documents])
    head = ("", *(name for name, _ in rows), say("Debate"))
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for n, (name, document) in enumerate(documents):
        bold = ["**" if each[n] != each[0] else "" for _, each in rows]
        cells = [f"{mark}{cell(each[n])}{mark}" for mark, (_, each) in zip(bold, rows, strict=True)]
        lines.append(f"| {' | '.join((cell(name), *cells))} | `{document['id']}` |")
    return "\n".join(lines)


def branches_price(prices: Sequence[tuple[str, str]], together: str) -> str:
    """Describes the price of each branch and of all, before anything is spent."""
    each = "; ".join(f"{name}: {price}" for name, price in prices)
    return say(
        "Price: {together} for the remaining turns of {count} branches ({each}).",
        together=together,
        count=len(prices),
        each=each,
    )


def branches_taken(parent: str, begun: Sequence[tuple[str, str]]) -> str:
    """Lists the started branches, by name and id."""
    each = ", ".join(f"`{id}` ({name})" for name, id in begun)
    return say(
        "{count} branches continue from `{parent}`: {each}.",
        count=len(begun),
        parent=parent,
        each=each,
    )
