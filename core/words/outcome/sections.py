"""Writes parts of a report that only code can write: the models behind the seats, the quality of
the evidence, the effect of a fork, the reason for a panel's size.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.debate.lookups import place_in
from core.debate.material.plaintext import at_most, cell, one_line
from core.debate.material.rendering import place_of
from core.debate.ports import Source
from core.debate.script import SeatId, Topic
from core.debate.state import Debate
from core.debate.verdict import verdict
from core.debate.verdict.findings.evidence import claim_faults, opening_of, quotes_opening
from core.languages import percent, say
from core.languages.stored import say_stored
from core.words.views.course.happenings import SEARCH_FAILED, failed_searches
from core.words.views.documents.headings import AROUND, BARE_QUESTION, LOOKED_UP, fork_sentence
from core.words.views.language.grammar import quoted
from core.words.views.language.seats import (
    label_words,
    role_words,
    seat_name,
    seated,
    voice,
)
from core.words.views.verdict.decision import decision
from core.words.views.verdict.labels import document_label

_ROWS = 40


def who_was_who(debate: Debate) -> str:
    """Lists label, seat and model of all seats, if the models were hidden; nothing before
    the end.
    """
    if not debate.open.script.blind or not debate.over:
        return ""
    script = debate.open.script
    rows = [
        f"| {label_words(script.label(s))} | {role_words(script.seat(s).role)} | "
        f"{cell(voice(debate, s))} |"
        for s in seated(debate)
    ]
    head = f"| {say('Label')} | {say('Seat')} | {say('Model')} |"
    return "\n".join((head, "| --- | --- | --- |", *rows))


def evidence(debate: Debate) -> str:
    """Lists claims whose evidence could not be found, hot-seat questions that quote
    nothing, and pages that seats read.
    """
    claims = {c.id: c.text for _, statement in debate.statements() for c in statement.claims}
    lines = [
        f"- {quoted(one_line(claims.get(id, id), 160))}: {one_line(wrong)}"
        for id, wrong in claim_faults(debate).items()
    ]
    questions = [(t, statement) for t, statement in debate.statements() if t.task == "question"]
    bare = [
        t for t, statement in questions if not statement.claims and not quotes_opening(debate, t)
    ]
    lines += [
        f"- {seat_name(debate, t.seat)}: {say(BARE_QUESTION)}"
        for t in bare
        if opening_of(debate, SeatId(t.about_the(Topic.SEAT)))
    ]
    return "\n".join(at_most(lines, _ROWS))


def sources(debate: Debate) -> str:
    """Lists every page once with the seats that cited it, every place outside the change that a
    claim or an unplaced finding quotes, and the web searches that gave no result.
    """
    seats_by_source: dict[tuple[str, str], list[str]] = {}
    looked_up: list[Source] = []
    for turn, statement in debate.statements():
        looked_up += (source for source in statement.sources if source.repository)
        behind = [
            (source.url or say("the repository"), source.title) for source in statement.sources
        ]
        quotes = [claim.quote for claim in statement.claims]
        quotes += [one.quote for one in statement.findings if not one.anchored]
        for quote in quotes:
            if place := place_of(debate.open.material.around, quote):
                behind.append((place, say(AROUND)))
            elif place := next(filter(None, (place_in(s, quote) for s in looked_up)), ""):
                behind.append((place, say(LOOKED_UP)))
        for one in dict.fromkeys(behind):
            seats_by_source.setdefault(one, []).append(seat_name(debate, turn.seat))
    rows = []
    for (url, title), seats in seats_by_source.items():
        rendered = cell(url, 300).replace("`", "")
        rows.append(f"- {one_line(title, 120)} · `{rendered}` ({', '.join(dict.fromkeys(seats))})")
    for turn, statement in debate.statements():
        if failed := failed_searches(statement):
            why = one_line(say_stored(failed), 400)
            rows.append(f"- {say(SEARCH_FAILED)}: {why} ({seat_name(debate, turn.seat)})")
    return "\n".join(at_most(rows, _ROWS))


def fork_comparison(debate: Debate, parent: Mapping[str, Any] | None) -> str:
    """Compares the verdict with the parent's, and names the condition that was changed."""
    fork = debate.fork
    if fork is None:
        return ""
    line = one_line(fork_sentence(debate), 3000)
    if not parent or parent["verdict"] is None:
        return line
    before, decided = parent["verdict"], verdict(debate)
    rows = [
        (say("Decision"), document_label(parent), decision(debate).label),
        (say("Agreement"), percent(before["agreement"]), percent(decided.agreement)),
        (say("Reached"), _yes(before["reached"]), _yes(decided.reached)),
    ]
    table = [
        f"| | {fork.parent} | {debate.id} |",
        "| --- | --- | --- |",
        *(f"| {' | '.join(cell(c) for c in row)} |" for row in rows),
    ]
    return "\n".join((line, "", *table))


def _yes(holds: bool) -> str:
    return say("yes") if holds else say("no")
