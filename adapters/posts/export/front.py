"""The beginning of a document: the decision, the findings behind it, the dissenters, and the
warnings. Code writes all of it; foreign words are inert.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import indent

from adapters.posts.export.transcript import fenced
from core.debate.material.addresses import source_url
from core.debate.material.plaintext import neutral, one_line
from core.debate.state import Debate
from core.debate.verdict.action_items import action_items
from core.debate.verdict.findings import MergedFinding
from core.languages import say
from core.words.outcome.appendix import dissent, linked_place
from core.words.views.course.cost import spent_line
from core.words.views.course.progress import STATUS, state_line
from core.words.views.documents.heading import labels_line, title_of
from core.words.views.documents.headings import BEFORE_RELYING, DISAGREES, RESTS_ON, TO_DO
from core.words.views.language.grammar import option_words, shortened
from core.words.views.verdict.decision import deciding, decision
from core.words.views.verdict.dissent import could_disagree
from core.words.views.verdict.facts import first_facts
from core.words.views.verdict.findings import (
    NOTHING_OPEN,
    finding_numbers,
    finding_view,
    finding_word,
)

_TITLE = 200


def head(debate: Debate, notes: Sequence[str] = ()) -> str:
    """Returns the heading of a document: decision, ``notes`` that must be read with it, the first
    finding that decides, title and origin. A debate without a decision has its title first.
    """
    title = neutral(shortened(title_of(debate), _TITLE))
    warned = [f"> **{note}**" for note in notes]
    parts = [f"# {title}"]
    if debate.concluded is not None:
        headline = f"# {neutral(decision(debate).headline)}"
        facts = [f"{label}: {one_line(text)}" for label, text in first_facts(debate)]
        parts = [headline, *warned, *_reason(debate), *facts, f"**{title}**"]
    return "\n\n".join([*parts, _origin(debate)])


def _reason(debate: Debate) -> Iterator[str]:
    """Yields the first finding that decides, with its place, and how many more there are."""
    findings = deciding(debate) if debate.open.template.findings else ()
    if findings:
        heading = f"**{one_line(finding_view(debate, findings[0]).heading)}**"
        more = say("and {count} more", count=len(findings) - 1) if len(findings) > 1 else ""
        yield " · ".join(filter(None, (heading, linked_place(debate, findings[0]), more)))


def _origin(debate: Debate) -> str:
    state = state_line(debate) if debate.concluded is None else STATUS[debate.status]
    parts = [say("Debate `{id}`", id=debate.id), option_words(debate.request.template), state]
    if labels := labels_line(debate.request.labels):
        parts.append(neutral(labels))
    if debate.opened is not None:
        material = debate.open.material
        url = source_url(material)
        if url:
            parts.append(say("[what was debated]({url})", url=url))
        if material.revision and not material.revision.startswith("sha256:"):
            parts.append(say("revision `{revision}`", revision=material.revision[:12]))
        parts.append(spent_line(debate))
    return " · ".join(parts)


def first(debate: Debate, warnings: str) -> dict[str, str]:
    """Returns the title and text of each section at the beginning; an empty text is left out.
    ``warnings`` is Markdown.
    """
    return {
        say(RESTS_ON): _findings(debate),
        say(TO_DO): _actions(debate),
        say(DISAGREES): dissent(debate) if could_disagree(debate) else "",
        say(BEFORE_RELYING): warnings,
    }


def _findings(debate: Debate) -> str:
    if debate.lost or not debate.open.template.findings:
        return ""
    findings = deciding(debate)
    return "\n".join(_finding(debate, m) for m in findings) or say(NOTHING_OPEN)


def _finding(debate: Debate, m: MergedFinding) -> str:
    view, number = finding_view(debate, m), finding_word(finding_numbers(debate)[m.id])
    where = " · ".join(filter(None, (linked_place(debate, m), view.status, number)))
    parts = (
        f"  - {label}{' ' if label.endswith(' by') else ': '}{one_line(text, 600)}"
        for label, text in view.facts
    )
    patch = f"\n\n{indent(fenced(view.patch), '  ')}\n" if view.patch else ""
    return "\n".join((f"- **{one_line(view.heading)}**  \n  {where}", *parts)) + patch


def _actions(debate: Debate) -> str:
    """Returns the action items; none if findings block, because each of those names its fix."""
    if any(m.blocking for m in deciding(debate)):
        return ""
    return "\n".join(f"- {action}" for action in action_items(debate))
