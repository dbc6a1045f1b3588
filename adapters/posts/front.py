"""What a reader of a document sees first: the decision, the findings that it rests on, who
disagrees, and what to know before relying on it. Code writes all of it; foreign words are inert.
"""

from __future__ import annotations

from adapters.posts.brevity import shortened
from adapters.posts.card import state_words
from adapters.posts.decision import deciding, decision_sentence
from adapters.posts.names import spelled_out
from adapters.posts.words import (
    holder,
    listed,
    option_words,
    seat_name,
    spent_line,
    state_line,
    title_of,
    votes_count,
)
from core.debate import Debate
from core.material.addresses import source_url
from core.material.plaintext import neutral, one_line
from core.outcome.appendix import linked_place
from core.verdict import verdict
from core.verdict.dissent import NOT_STATED, dissents
from core.verdict.findings import MergedFinding, merge_findings
from core.verdict.votes import NONE, final_votes

_TITLE = 200


def head(debate: Debate) -> str:
    """Title, decision, and where it all comes from."""
    parts = [f"# {neutral(shortened(title_of(debate), _TITLE))}"]
    if debate.concluded is not None:
        parts.append(f"**{neutral(decision_sentence(debate))}**")
    return "\n\n".join([*parts, _origin(debate)])


def _origin(debate: Debate) -> str:
    votes = " (votes still count)" if debate.over and votes_count(debate) else ""
    state = state_line(debate) if debate.concluded is None else f"{debate.status}{votes}"
    told = [f"Debate `{debate.id}`", option_words(debate.request.template), state]
    if debate.opened is not None:
        material = debate.open.material
        url = source_url(material)
        if url:
            told.append(f"[what was debated]({url})")
        if material.revision and not material.revision.startswith("sha256:"):
            told.append(f"revision `{material.revision[:12]}`")
        told.append(spent_line(debate))
    return " · ".join(told)


def first(debate: Debate, warnings: str) -> dict[str, str]:
    """Title and text of what comes first; "" is nothing to say. ``warnings`` is Markdown."""
    return {
        "What it rests on": _findings(debate),
        "To do": _actions(debate),
        "Who disagrees": _dissent(debate),
        "Before you rely on it": warnings,
    }


def _findings(debate: Debate) -> str:
    if not debate.open.template.findings:
        return ""
    found = deciding(debate)
    return "\n".join(_finding(debate, n, m) for n, m in enumerate(found, 1)) or (
        "No finding is open."
    )


def _finding(debate: Debate, number: int, m: MergedFinding) -> str:
    f = m.shown
    title = f"{number}. **{f.severity.value.capitalize()}: {one_line(f.title)}**"
    facts = [
        ("When", spelled_out(debate, f.trigger)),
        ("Fix", spelled_out(debate, f.advice)),
        ("Held by", listed([holder(debate, seat) for seat in m.by])),
        *((f"Disputed by {holder(debate, s)}", _why(debate, m, s)) for s in m.disputed_by),
    ]
    where = " · ".join(filter(None, (linked_place(debate, m), state_words(m))))
    told = (f"   - {label}: {one_line(text, 600)}" for label, text in facts if text)
    return "\n".join((f"{title}  \n   {where}", *told))


def _why(debate: Debate, m: MergedFinding, seat: str) -> str:
    because = next((a.because for s, a in m.reasons.items() if s == seat), "")
    return spelled_out(debate, because) or "no reason given"


def _actions(debate: Debate) -> str:
    """Not where findings are in the way: each says what mends it."""
    if any(m.blocking for m in deciding(debate)):
        return ""
    return "\n".join(f"- {action}" for action in verdict(debate).actions)


def _dissent(debate: Debate) -> str:
    if all(option == NONE for option in final_votes(debate).values()):
        return ""  # nobody took a stance, so nobody could disagree
    lines = []
    stances = debate.stances()
    for d in dissents(debate, verdict(debate), merge_findings(debate)):
        sure = ""
        if d.seat in stances:
            sure = f", {stances[d.seat][1].confidence:.0%} sure"
        stated = "no reason given"
        if d.because != NOT_STATED:
            stated = d.because
        who = f"**{_capital(seat_name(debate, d.seat))}** ({option_words(d.stance)}{sure})"
        lines.append(f"- {who}: {one_line(spelled_out(debate, stated), 600)}")
        settle = one_line(spelled_out(debate, d.would_resolve_if), 300)
        if settle != NOT_STATED:
            lines.append(f"  - Would settle it: {settle}")
    return "\n".join(lines) or "Nobody."


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]
