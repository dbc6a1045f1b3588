"""The line that is put into a posted review when an objection to its verdict was answered, or
people's votes or a proof changed the verdict.
"""

from __future__ import annotations

from collections.abc import Mapping

from adapters.review import hidden
from adapters.review.text import foreign_line
from core.debate.state import Debate
from core.languages import say
from core.words.views.course.happenings import VOTES_CHANGED, changed_line
from core.words.views.language.grammar import capital
from core.words.views.language.people import with_names
from core.words.views.verdict.objection import (
    EXCHANGE,
    ObjectionView,
    objections,
    reopening_line,
    reopenings,
    whose_objection,
)

NO_NAMES: Mapping[str, str] = {}


def answered_objections(debate: Debate) -> list[ObjectionView]:
    """Returns the objections that seats answered, and those that changed the verdict."""
    return [v for v in objections(debate) if v.now and (v.answered or v.changed)]


def objectors(debate: Debate) -> list[str]:
    """Returns the people whose objections were answered."""
    views = answered_objections(debate)
    return list(dict.fromkeys(author for view in views for author in view.authors))


def objection_lines(debate: Debate, names: Mapping[str, str]) -> list[str]:
    """Returns what each objection that changed the verdict came to, and the last one if it held;
    ``names`` are people's display names.
    """
    answered = answered_objections(debate)
    views = [view for view in answered if view.changed or view is answered[-1]]
    lines = (f"{capital(with_names(view.line, names))}." for view in views)
    return [foreign_line(line, 300) for line in lines]


def amendment_lines(debate: Debate, names: Mapping[str, str]) -> list[str]:
    """Returns what changed the verdict or was said against it: objections, a proof, votes."""
    lines = objection_lines(debate, names)
    by_objection = {view.cause for view in objections(debate)}
    last = reopenings(debate)[-1:]
    lines += [
        f"{capital(reopening_line(debate))}."
        for one in last
        if one.changed and one.cause not in by_objection
    ]
    if debate.closed is not None and debate.closed.changed:
        lines.append(f"{say(VOTES_CHANGED)}: {changed_line(debate, debate)}.")
    return lines


def changed_words(debate: Debate, names: Mapping[str, str]) -> str:
    """Returns the end of a check's title if an objection changed the verdict; "" if none did."""
    last = next((v for v in reversed(objections(debate)) if v.changed), None)
    if last is None:
        return ""
    line = say("; changed by {whose}", whose=whose_objection(last.authors))
    return with_names(line, names)


def amendment(debate: Debate, names: Mapping[str, str], link: str) -> str:
    """Returns the line for a posted review; "" if nothing happened to its verdict since."""
    lines = amendment_lines(debate, names)
    if not lines:
        return ""
    where = ""
    if link and objection_lines(debate, names):
        where = f" [{say(EXCHANGE)}]({link})"
    return f"**{' '.join(lines)}**{where}"


def amended(body: str, debate: str, line: str) -> str:
    """Returns the body of a posted review with the line after its headline, instead of an earlier
    one.
    """
    mark = hidden("amended", debate)
    first, *rest = [part for part in body.split("\n\n") if mark not in part]
    return "\n\n".join((first, f"{line} {mark}", *rest))
