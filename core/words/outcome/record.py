"""Writes a decision as a decision record (MADR): context, options, outcome, dissent, votes.

The same debate always gives the same text, in English, because a person approves its digest before
it goes into a repository. Everything that a model or a stranger wrote is made inert.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from core.debate.commands.challenges import refuse_reopened
from core.debate.errors import Refused
from core.debate.material import MaterialKind
from core.debate.material.plaintext import cell, neutral, one_line
from core.debate.state import Debate
from core.debate.verdict import same_option, verdict
from core.debate.verdict.action_items import action_items
from core.debate.verdict.condition import is_what_if
from core.debate.verdict.findings import merge_findings
from core.languages import ENGLISH, speaking
from core.words.outcome.unwritten import listed_findings
from core.words.views.documents import record as say
from core.words.views.language.grammar import capital, option_words
from core.words.views.verdict.decision import decision
from core.words.views.verdict.dissent import SETTLES, because_line, dissent_views
from core.words.views.verdict.stances import vote_rows

_CONTEXT = 1500
_TITLE = 120
_NUMBER = re.compile(r"^\S+[#!]\d+\s+")
"""Matches the name of a pull request at the beginning of a material's title."""


def record_title(debate: Debate) -> str:
    """Returns what was decided, and how, on one line: "Prices are integers: adopt"."""
    with speaking(ENGLISH):
        subject = _NUMBER.sub("", debate.open.material.title).strip().rstrip(".?!:") or "Decision"
        return f"{one_line(subject, _TITLE)}: {option_words(verdict(debate).decision)}"


def record_slug(debate: Debate) -> str:
    """Returns the title as a part of a file's name."""
    plain = unicodedata.normalize("NFKD", record_title(debate)).encode("ascii", "ignore").decode()
    words = re.findall(r"[a-z0-9]+", plain.lower())
    return "-".join(words)[:60].strip("-") or f"decision-{debate.id}"


def decision_record(debate: Debate, link: str) -> str:
    """Returns the record, with the debate's own address if there is one. Raises ``Refused`` for a
    debate without a decision, a demonstration and a what-if.
    """
    refuse_reopened(debate)
    if debate.opened is None or not debate.over or not decision(debate).reached:
        raise Refused(say.NO_DECISION)
    if debate.open.terms.demo:
        raise Refused(say.OF_DEMO)
    if is_what_if(debate):
        raise Refused(say.OF_WHAT_IF)
    with speaking(ENGLISH):
        return "\n\n".join(_parts(debate, link)) + "\n"


def _parts(debate: Debate, link: str) -> Iterator[str]:
    material = debate.open.material
    ended = debate.closed or debate.concluded
    day = f"date: {ended.at:%Y-%m-%d}\n" if ended is not None else ""
    yield f"---\nstatus: accepted\n{day}---\n\n# {record_title(debate)}"
    yield f"{say.CONTEXT}\n\n{_context(debate)}"
    options = "\n".join(f"- {option_words(o.option)}" for o in debate.open.template.ballot)
    yield f"## Considered Options\n\n{options}"
    yield f"## Decision Outcome\n\n{_outcome(debate)}"
    if actions := action_items(debate):
        yield "### Consequences\n\n" + "\n".join(f"- {one_line(each, 400)}" for each in actions)
    if findings := [m for m in merge_findings(debate) if m.evident]:
        yield f"### Findings\n\n{listed_findings(findings)}"
    yield "## Dissent\n\n" + ("\n".join(_dissent(debate)) or "Nobody dissents.")
    if rows := vote_rows(debate):
        lines = [
            f"| {cell(row.option)} | {row.before} | {row.now} | {row.people or 0} |" for row in rows
        ]
        yield "## Votes\n\n" + "\n".join((say.VOTES, *lines))
    about = material.source if material.kind is MaterialKind.PULL_REQUEST else ""
    more = (
        f"- About: {about}" if about else "",
        f"- Debate: {link or debate.id}",
        say.receipt_line(debate.id),
    )
    yield "## More Information\n\n" + "\n".join(filter(None, more))


def _context(debate: Debate) -> str:
    material = debate.open.material
    words = material.body.strip()
    if not words and not material.hunks:
        words = material.text.strip()
    if words.startswith(material.title):
        return neutral(words, _CONTEXT)
    return f"{one_line(material.title)}\n\n{neutral(words, _CONTEXT)}".strip()


def _outcome(debate: Debate) -> str:
    chosen = option_words(verdict(debate).decision)
    because = one_line(because_line(debate) or decision(debate).headline, 900).rstrip(".")
    return f'Chosen option: "{chosen}", because {because}.'


def _dissent(debate: Debate) -> Iterator[str]:
    for view in dissent_views(debate):
        if same_option(view.option, option_words(verdict(debate).decision)):
            continue
        yield f"- **{capital(view.who)}** ({view.stance}): {one_line(view.because, 600)}"
        if view.settles:
            yield f"  - {SETTLES}: {one_line(view.settles, 300)}"
