"""The line that is put into a posted review when an objection to its verdict was answered."""

from __future__ import annotations

from collections.abc import Mapping

from adapters.review import hidden
from adapters.review.text import foreign_line
from core.debate.material.plaintext import one_line
from core.debate.state import Debate
from core.languages import say
from core.words.views.language.grammar import capital
from core.words.views.language.people import person_name
from core.words.views.verdict.objection import EXCHANGE, ObjectionView, objections

NO_NAMES: Mapping[str, str] = {}


def answered_objections(debate: Debate) -> list[ObjectionView]:
    """Returns the objections that seats answered, and those that changed the verdict."""
    return [v for v in objections(debate) if v.now and (v.answered or v.changed)]


def objectors(debate: Debate) -> list[str]:
    """Returns the people whose objections were answered."""
    return list(dict.fromkeys(view.challenge.author for view in answered_objections(debate)))


def objection_lines(debate: Debate, names: Mapping[str, str]) -> list[str]:
    """Returns what each objection that changed the verdict came to, and the last one if it held;
    ``names`` are people's display names.
    """
    answered = answered_objections(debate)
    views = [view for view in answered if view.changed or view is answered[-1]]
    lines = (f"{capital(named(view.line, view.challenge.author, names))}." for view in views)
    return [foreign_line(line, 300) for line in lines]


def changed_words(debate: Debate, names: Mapping[str, str]) -> str:
    """Returns the end of a check's title if an objection changed the verdict; "" if none did."""
    last = next((v for v in reversed(objections(debate)) if v.changed), None)
    if last is None:
        return ""
    author = last.challenge.author
    return named(
        say("; changed by {author}'s objection", author=person_name(author)), author, names
    )


def named(line: str, person: str, names: Mapping[str, str]) -> str:
    """Returns a line about a person with their display name instead of their platform's id."""
    name = one_line(names.get(person, ""), 60) or person_name(person)
    return line.replace(person_name(person), name, 1)


def amendment(debate: Debate, names: Mapping[str, str], link: str) -> str:
    """Returns the line for a posted review; "" if no objection was answered since."""
    lines = objection_lines(debate, names)
    if not lines:
        return ""
    where = f" [{say(EXCHANGE)}]({link})" if link else ""
    return f"**{' '.join(lines)}**{where}"


def amended(body: str, debate: str, line: str) -> str:
    """Returns the body of a posted review with the line after its headline, instead of an earlier
    one.
    """
    mark = hidden("amended", debate)
    first, *rest = [part for part in body.split("\n\n") if mark not in part]
    return "\n\n".join((first, f"{line} {mark}", *rest))
