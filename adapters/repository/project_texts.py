"""Texts of a project that seats read next to a change: rules for reviewers, decision records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adapters.redaction.texts import Cleaned, cleaned, one_line
from adapters.repository.decision_records import records_for
from adapters.repository.project_rules import CONTRIBUTING, rules_for
from core.debate.material import DecisionRecord
from core.debate.material.coverage import tokens_in
from core.debate.stored import stored

_LEAST_RULE = 100
"""The least tokens of room in which a further file of rules is begun."""
MOST_RECORDS = 5
RECORD_SHARE = 0.5
"""The share of the rules' room that records may take."""
_RECORD = 700
"""The most tokens of one record."""


@dataclass(frozen=True, slots=True)
class ProjectTexts:
    """``rules`` is one text, from the files ``names``; ``notes`` are for people."""

    rules: str = ""
    names: tuple[str, ...] = ()
    records: tuple[DecisionRecord, ...] = ()
    secrets: int = 0
    notes: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        """An upper estimate of the tokens of all texts."""
        texts = (self.rules, *(f"{one.title} {one.text}" for one in self.records))
        return sum(map(tokens_in, texts))


def project_texts(
    files: Sequence[tuple[str, str]], changed: Sequence[str], share: int
) -> ProjectTexts:
    """Returns what applies to the changed paths among ``files``, (path, text) of the base: rules
    within ``share`` tokens, those nearest to a changed file first, and records within a part of it.
    """
    rules, names, notes = _rules(files, changed, share)
    records, secrets, about_records = _records(files, changed, int(share * RECORD_SHARE))
    return ProjectTexts(
        "\n\n".join(text.text for text in rules),
        names,
        records,
        sum(text.secrets for text in rules) + secrets,
        (*notes, *about_records),
    )


def _rules(
    files: Sequence[tuple[str, str]], changed: Sequence[str], share: int
) -> tuple[Sequence[Cleaned], tuple[str, ...], tuple[str, ...]]:
    texts: list[Cleaned] = []
    names: list[str] = []
    left: list[str] = []
    room = share
    for rule in rules_for(files, changed):
        title = one_line(rule.title).text
        if room < _LEAST_RULE and names:
            left.append(title)
            continue
        texts.append(cleaned(f"{title}:\n{rule.text}", room))
        room -= tokens_in(texts[-1].text)
        names.append(title)
    notes = []
    if any(path == CONTRIBUTING for path, _ in files) and not any(
        name.startswith(CONTRIBUTING) for name in (*names, *left)
    ):
        notes.append(
            stored("{path} says nothing of reviews or of the changed files.", path=CONTRIBUTING)
        )
    if not names:
        return (), (), tuple(notes)
    notes.insert(0, stored("Read of the project's rules: {why}.", why=", ".join(names)))
    if texts[-1].cut:
        notes.append(stored("{why} was too long and shortened.", why=names[-1]))
    if left:
        notes.append(stored("No room for these rules: {why}.", why=", ".join(left)))
    return texts, tuple(names), tuple(notes)


def _records(
    files: Sequence[tuple[str, str]], changed: Sequence[str], room: int
) -> tuple[tuple[DecisionRecord, ...], int, tuple[str, ...]]:
    records: list[DecisionRecord] = []
    left: list[str] = []
    secrets = 0
    for held in records_for(files, changed):
        title = one_line(held.title)
        if room < _LEAST_RULE or len(records) == MOST_RECORDS:
            left.append(held.number)
            continue
        text = cleaned(held.text, min(room, _RECORD))
        room -= tokens_in(f"{title.text} {text.text}")
        secrets += title.secrets + text.secrets
        records.append(DecisionRecord(held.number, title.text, one_line(held.path).text, text.text))
    if not records:
        return (), 0, ()
    listed = ", ".join(f"{one.number} ({one.title})" for one in records)
    notes = [stored("Decision records read: {records}.", records=listed)]
    if left:
        more = ", ".join(left[:10]) + (" …" if len(left) > 10 else "")
        notes.append(stored("No room for the decision records {numbers}.", numbers=more))
    return tuple(records), secrets, tuple(notes)
