"""The rules that a template must keep, and the oddities that are reported: pure functions from a
template to problems.

The rules on weights, phase sums and roles come from the template document that the project grew
from; the rest keeps a price showable before the run and numbers in the report out of models' hands.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from math import fsum
from random import Random

from core.debate.errors import BadInput
from core.debate.finding import Severity
from core.debate.formats import Format, Plan
from core.debate.material import MaterialKind
from core.debate.replies.sections import is_computed, placeholders
from core.debate.replies.tasks import TASKS
from core.debate.script import CONTESTED, MAX_TURNS
from core.debate.template import Mode, Phase, Template

NAME = re.compile(r"[a-z][a-z0-9_]*")
ID = re.compile(r"[a-z][a-z0-9_-]*")
_EMOJI = re.compile(r"[^\s:`<>@*|]+")
_COUNTED = (*(s.value for s in Severity), "findings")
_LONGEST_WAIT = 3650
"""Days after which nobody remembers the subject of a verdict."""
_LONGEST_NAME = 80
_WEIGHTS_WITHIN = 0.01
_WEIGHTS_EXACTLY = 1e-9
SETTINGS = {
    "phased": frozenset({"checks", "judges", "presenting"}),
    CONTESTED: frozenset({"checks", "judges", "presenting"}),
    "triad": frozenset({"judges", "questions"}),
    "critique": frozenset({"judges", "lenses"}),
    "adversarial": frozenset({"judges"}),
    "panel": frozenset({"judges", "form"}),
    "gauntlet": frozenset({"categories"}),
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a template. ``field`` is empty if it concerns the whole file, ``line`` is 0 if
    it is unknown.
    """

    field: str
    wrong: str
    right: str
    line: int = 0
    file: str = ""

    def __str__(self) -> str:
        return ": ".join(p for p in (self.file, self.field, f"{self.wrong}; {self.right}") if p)


def errors(template: Template, formats: Mapping[str, Format]) -> Iterator[Problem]:
    """Yields the problems that keep the template from being used.

    Only a template without any of the plain problems is compiled to find the rest.
    """
    plain = [
        *_names(template),
        *_phases(template, formats),
        *_rubric(template),
        *_ranges(template),
        *_ballot(template),
        *_report(template),
        *_settings(template),
    ]
    yield from plain
    if not plain:
        yield from _playable(template, formats)


def warnings(template: Template, formats: Mapping[str, Format]) -> Iterator[Problem]:
    """Yields the oddities of a template that can be used."""
    total, weights = sum(p.duration_rounds for p in template.phases), fsum(template.rubric.values())
    active = {r for p in template.phases for r in p.roles_active}
    for role in template.roles:
        if template.phases and role.name not in active:
            yield Problem(
                f"roles[{role.name}]",
                "is active in no phase",
                "it gets no seat; name it in a phase's roles_active",
            )
    if abs(weights - 1) > _WEIGHTS_EXACTLY:
        yield Problem("rubric", f"weights sum to {weights:g}", "they are scaled to 1")
    if template.phases and total != template.max_rounds:
        more = "all phases are played"
        if total < template.max_rounds:
            more = "the last phase that argues is repeated"
        yield Problem(
            "max_rounds", f"is {template.max_rounds}, but the phases have {total} rounds", more
        )
    if template.consensus_threshold <= 0.5 and template.consensus is not Mode.UNANIMOUS:
        yield Problem(
            "consensus_threshold",
            f"is {template.consensus_threshold:g}",
            "one half or less: a strict majority is required in any case",
        )
    yield from _odd_closing(template)
    script = formats[template.format].compile(template, Plan(), Random(0))
    if len(script.voters) < 2:
        yield Problem(
            "roles", f"only {script.voters[0]!r} argues and votes", "a debate needs two voices"
        )
    examined = template.format == CONTESTED  # phased has a judge, and the same template
    if not examined and not any("scores" in TASKS[t.task].asks for t in script):
        yield Problem("rubric", "is scored by no turn of this format", "it has no effect")
    known = SETTINGS.get(
        template.format, frozenset(template.settings)
    )  # a plugin's own are its own
    for key in sorted(set(template.settings) - known):
        yield Problem(
            f"settings.{key}",
            f"is no option of the format {template.format}",
            f"known are {', '.join(sorted(known))}",
        )


def _names(t: Template) -> Iterator[Problem]:
    if not ID.fullmatch(t.id):
        yield Problem(
            "id", f"{t.id!r} is no identifier", "use small letters, digits, _ and -, a letter first"
        )
    from core.application.commands.help import TOPICS
    from core.application.commands.named import find_template
    from core.application.commands.parsing import SYNONYMS

    for word in (*TOPICS, *SYNONYMS):
        if find_template(word, (t.id,)):
            command = SYNONYMS.get(word, word)
            yield Problem("id", f"{t.id!r} is read as the command {command}", "choose another")
    for table, names in (
        ("roles", [r.name for r in t.roles]),
        ("phases", [p.name for p in t.phases]),
        ("rubric", list(t.rubric)),
    ):
        yield from _identifiers(table, names)


def _identifiers(table: str, names: Iterable[str]) -> Iterator[Problem]:
    for name, count in Counter(names).items():
        if not NAME.fullmatch(name):
            yield Problem(
                table,
                f"{name!r} is no identifier",
                "use small letters, digits and _, a letter first",
            )
        if count > 1:
            yield Problem(table, f"{name!r} is there {count} times", "names are unique")


def _phases(t: Template, formats: Mapping[str, Format]) -> Iterator[Problem]:
    if t.format not in formats:
        yield Problem("format", f"{t.format!r} is no format", nearest_of(t.format, formats))
    if not t.roles:
        yield Problem("roles", "is empty", "add a [[roles]] table for each seat")
    if t.format == "phased" and not t.phases:
        yield Problem(
            "phases",
            "is empty",
            "add a [[phases]] table; roles_active names the roles that speak in it",
        )
    for phase in t.phases:
        yield from _phase(t, phase)
    total = sum(p.duration_rounds for p in t.phases)
    if t.max_rounds < 1:
        yield Problem("max_rounds", f"is {t.max_rounds}", "1 or more")
    elif total > 2 * t.max_rounds:
        wrong = f"last {total} rounds, more than twice max_rounds ({t.max_rounds})"
        yield Problem("phases", wrong, f"shorten them or set max_rounds = {total}")
    turns = sum(p.duration_rounds * len(p.roles_active) for p in t.phases)
    if turns > MAX_TURNS:
        yield Problem("phases", f"make {turns} turns", f"a debate has at most {MAX_TURNS}")


def _phase(t: Template, phase: Phase) -> Iterator[Problem]:
    field, roles, phases = (
        f"phases[{phase.name}]",
        [r.name for r in t.roles],
        [p.name for p in t.phases],
    )
    if not phase.roles_active:
        yield Problem(
            f"{field}.roles_active", "is empty", f"name who speaks; declared are {', '.join(roles)}"
        )
    for role, count in Counter(phase.roles_active).items():
        if role not in roles:
            yield Problem(
                f"{field}.roles_active", f"{role!r} is no declared role", nearest_of(role, roles)
            )
        elif count > 1:
            yield Problem(
                f"{field}.roles_active",
                f"{role!r} is there {count} times",
                "a role speaks once a round",
            )
    if phase.duration_rounds < 1:
        yield Problem(f"{field}.duration_rounds", f"is {phase.duration_rounds}", "1 or more")
    for name in phase.after or ():
        if name not in phases:
            yield Problem(f"{field}.after", f"{name!r} is no phase", nearest_of(name, phases))


def nearest_of(name: str, known: Iterable[str]) -> str:
    """Returns what would be right in place of an unknown name."""
    names = list(known)
    near = get_close_matches(name[:_LONGEST_NAME], names, 1)
    if near:
        return f"did you mean {near[0]}?"
    return f"known are {', '.join(names)}"


def _rubric(t: Template) -> Iterator[Problem]:
    if not t.rubric:
        yield Problem(
            "rubric", "is empty", "give criteria with weights that sum to 1, or leave the table out"
        )
    for name, weight in t.rubric.items():
        if not weight > 0:
            yield Problem(f"rubric.{name}", f"is {weight:g}", "a weight is positive")
    total = fsum(t.rubric.values())
    if t.rubric and not abs(total - 1) <= _WEIGHTS_WITHIN:
        yield Problem(
            "rubric", f"weights sum to {total:g}", f"they must sum to 1 within {_WEIGHTS_WITHIN}"
        )


def _ranges(t: Template) -> Iterator[Problem]:
    share = "a share of the entitled seats: more than 0, at most 1"
    days = f"days until the question whether the verdict held, 1 to {_LONGEST_WAIT}"
    for field, good, right in (
        ("consensus_threshold", 0 < t.consensus_threshold <= 1, share),
        ("difficulty", 0 <= t.difficulty <= 1, "a number from 0 to 1"),
        (
            "timeout",
            t.timeout is None or 0 < t.timeout <= 3600,
            "seconds, more than 0, at most 3600",
        ),
        ("temperature", 0 <= (t.temperature or 0) <= 2, "a number from 0 to 2"),
        (
            "follow_up_days",
            t.follow_up_days is None or 1 <= t.follow_up_days <= _LONGEST_WAIT,
            days,
        ),
        ("convergence_threshold", 0 <= (t.convergence_threshold or 0) <= 1, "a number from 0 to 1"),
        ("quorum", 0 < t.quorum <= 1, share),
        ("recommended_agents", t.recommended_agents >= 1, "1 or more different models"),
    ):
        if not good:
            yield Problem(field, f"is {_plain(getattr(t, field))}", right)
    if t.material and t.material not in tuple(MaterialKind):
        yield Problem(
            "material",
            f"{t.material!r} is no kind of material",
            f"use one of {', '.join(MaterialKind)}, or leave it out",
        )


def _plain(number: float) -> str:
    """Writes a number; a whole one with all its digits, because it may be too long for a float."""
    return f"{number}" if isinstance(number, int) else f"{number:g}"


def _ballot(t: Template) -> Iterator[Problem]:
    if len(t.ballot) < 2:
        yield Problem("ballot", f"has {len(t.ballot)} option(s)", "a choice needs two or more")
    yield from _identifiers("ballot", [o.option for o in t.ballot])
    for option in t.ballot:
        if option.option == "none":
            yield Problem("ballot", "'none' is how abstentions are counted", "choose another word")
        if option.emoji and not _EMOJI.fullmatch(option.emoji):
            yield Problem(
                "ballot",
                f"{option.emoji!r} is no emoji name",
                "write it like white_check_mark, without colons",
            )
    for emoji, count in Counter(o.emoji for o in t.ballot if o.emoji).items():
        if count > 1:
            yield Problem(
                "ballot", f"the emoji {emoji!r} has {count} options", "one emoji, one option"
            )


def _report(t: Template) -> Iterator[Problem]:
    """Yields problems of placeholders that nobody fills: neither the closing reply, nor the engine,
    nor (scores) the judge.
    """
    try:
        parts = list(string.Formatter().parse(t.output_format))
    except ValueError as error:
        yield Problem(
            "output_format",
            f"has a brace too few or too many ({error})",
            "write {{ and }} for braces",
        )
        return
    names = [name for _, name, _, _ in parts if name is not None]
    for _, name, spec, conversion in parts:
        if name is not None and (not NAME.fullmatch(name) or spec or conversion):
            yield Problem(
                "output_format", f"{{{name}}} is no placeholder", "a placeholder is {small_letters}"
            )
    if not names:
        yield Problem("output_format", "has no placeholder", "name at least one, like {summary}")
    for name in dict.fromkeys(names):
        if name.endswith("_score") and name != "risk_score" and not scored(name, t.rubric):
            yield Problem(
                "output_format",
                f"nobody scores {{{name}}}",
                f"use risk_score or a criterion: {', '.join(f'{c}_score' for c in t.rubric)}",
            )
        if name.endswith("_count") and name.removesuffix("_count") not in _COUNTED:
            yield Problem(
                "output_format",
                f"nobody counts {{{name}}}",
                f"use one of {', '.join(f'{c}_count' for c in _COUNTED)}",
            )


def _playable(t: Template, formats: Mapping[str, Format]) -> Iterator[Problem]:
    """Yields the reason why the format cannot play the template, or the problems of placeholders
    whose field no turn of the debate is asked for.
    """
    try:
        script = formats[t.format].compile(t, Plan(), Random(0))
    except BadInput as error:
        yield Problem(
            "format", f"{t.format} cannot play it: {error}", "see `debate docs templates`"
        )
        return
    fields = {field for turn in script for field in TASKS[turn.task].asks}
    if t.format == CONTESTED:
        fields |= {
            "scores",
            "sections",
        }  # "not assessed" without a judge; else code's or closing
    for name in placeholders(t.output_format):
        needs = _needs(name)
        if needs and needs not in fields:
            yield Problem(
                "output_format",
                f"nobody fills {{{name}}}: no turn of the format {t.format} is asked for {needs}",
                "leave it out, or choose a format that has one",
            )


def _needs(name: str) -> str:
    """Returns the field of a reply that a placeholder is filled from; "" if code fills it by
    itself.
    """
    if name in ("risk_score", "risk_level", "risk_rating", "critical_issues"):
        return "findings"
    if name.endswith("_count"):
        return "findings"
    if name.endswith("_score"):
        return "scores"
    if is_computed(name):
        return ""
    return "sections"


def scored(name: str, criteria: Iterable[str]) -> str:
    """Returns the criterion whose score a placeholder like ``security_score`` shows: the first that
    begins like it, or "" if none does.
    """
    stem = name.removesuffix("_score")
    return next(
        (c for c in criteria if c.startswith((stem, stem.rstrip("s"))) or stem.startswith(c)), ""
    )


def _settings(t: Template) -> Iterator[Problem]:
    presenting = t.settings.get("presenting", [])
    phases = [p.name for p in t.phases]
    if not isinstance(presenting, list) or any(p not in phases for p in presenting):
        yield Problem(
            "settings.presenting",
            f"{presenting!r} is no list of phases",
            f"use some of {', '.join(phases)}",
        )
    if "checks" not in t.settings:
        return
    from core.debate.checks import CHECKS

    checks = t.settings["checks"]
    if not isinstance(checks, list) or any(c not in CHECKS for c in checks):
        yield Problem(
            "settings.checks",
            f"{checks!r} is no list of checks",
            f"use some of {', '.join(CHECKS)}",
        )


def _odd_closing(t: Template) -> Iterator[Problem]:
    if len(t.phases) < 2 or len(t.phases[-1].roles_active) != 1:
        return
    role = t.phases[-1].roles_active[0]
    if any(role in p.roles_active for p in t.phases[:-1]):
        yield Problem(
            f"phases[{t.phases[-1].name}]",
            f"{role!r} closes after taking a side",
            "an added chair closes instead",
        )
