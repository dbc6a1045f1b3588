"""The catalogue of templates: the shipped ones, each parsed on first use, those in the operator's
folder, and those of plugins.

A broken file of the operator's is reported and never hides the others. Their template of a shipped
one's name takes its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from random import Random
from typing import Any

from adapters.templates.loading import TemplateError, load, shipped
from adapters.templates.sources import SHIPPED, TemplateSources
from core.debate.errors import BadInput
from core.debate.formats import FORMATS, Format, Plan
from core.debate.formats.phased import predecessors, turns_of
from core.debate.script import CONTESTED
from core.debate.template import Template
from core.languages import msgid

FOLDER = Path(str(resources.files(Template.__module__.rpartition(".")[0]) / "templates"))
_CONTESTED = "Only if the openings contest something"
_VERSION = re.compile(r"[-_]v\d+$")


class _Shipped(Mapping[str, Template]):
    """Name -> template, each file read on first use."""

    def __getitem__(self, name: str) -> Template:
        if name not in _names():
            raise KeyError(name)
        return _shipped(name)

    def __contains__(self, name: object) -> bool:
        return name in _names()

    def __iter__(self) -> Iterator[str]:
        return iter(_names())

    def __len__(self) -> int:
        return len(_names())


def builtin() -> Mapping[str, Template]:
    """Returns the shipped templates by name. Looking one up reads that file only."""
    return _Shipped()


def plain(name: str) -> str:
    """Returns a name in the form in which names are compared: ``Code-Review-v1`` and
    ``code_review`` are the same.
    """
    return _VERSION.sub("", name.strip().lower()).replace("-", "_")


def find(name: str, sources: TemplateSources = SHIPPED) -> Template:
    """Returns the template of that name or alias.

    Raises ``TemplateError`` when its file is broken, ``BadInput`` with a suggestion when there is
    none.
    """
    wanted = plain(name)
    own, broken = _own(sources)
    for template in own:
        if wanted == plain(template.id):
            return template
    for error in broken:
        if wanted == plain(Path(error.problems[0].file).stem):
            raise error
    if wanted in _names():
        return _shipped(wanted)
    for template in sources.templates:
        if wanted == plain(template.id):
            return template
    raise _unknown(_NO_TEMPLATE, name, wanted, sorted(names(sources)))


def names(sources: TemplateSources = SHIPPED) -> list[str]:
    """Returns the ids of all templates; no shipped file is read for that."""
    own, _ = _own(sources)
    return list(dict.fromkeys((*_names(), *(t.id for t in (*own, *sources.templates)))))


_NO_TEMPLATE = (
    msgid("No template is called {name}; did you mean {near}?"),
    msgid("No template is called {name}; there are {known}"),
)
_NO_FORMAT = (
    msgid("no format is called {name}; did you mean {near}?"),
    msgid("no format is called {name}; there are {known}"),
)


def _unknown(texts: tuple[str, str], name: str, wanted: str, known: Sequence[str]) -> BadInput:
    """Returns the error for an unknown name, with the nearest known one or all of them."""
    if near := get_close_matches(wanted, known, 1, cutoff=0.5):
        return BadInput(texts[0], name=repr(name), near=near[0])
    return BadInput(texts[1], name=repr(name), known=", ".join(known))


def broken_files(sources: TemplateSources) -> Sequence[TemplateError]:
    """Returns the reasons why the user's own template files cannot be used."""
    return _own(sources)[1]


def read_catalogue(sources: TemplateSources = SHIPPED) -> Sequence[Template]:
    """Returns all templates that can be debated by name, your own first if names are equal."""
    own, _ = _own(sources)
    taken = {plain(t.id) for t in own}
    shipped = (t for name, t in builtin().items() if name not in taken)
    plugged = (t for t in sources.templates if plain(t.id) not in taken)
    return (*shipped, *own, *plugged)


def in_format(template: Template, name: str) -> Template:
    """Returns the template played in another format: question, ballot, rubric and report stay,
    seats and turns are the other format's.

    ``phased`` and ``contested`` share a template's phases. In the others no turn is owed
    findings, so they do not decide; a gauntlet's verdict has its own scale. Raises ``BadInput``.
    """
    if name not in FORMATS:
        raise _unknown(_NO_FORMAT, name, name, tuple(FORMATS))
    if name == template.format:
        return template
    if CONTESTED in (name, template.format) and "phased" in (name, template.format):
        return replace(template, format=name)
    if name in ("phased", CONTESTED):
        return replace(template, format=name, phases=(), settings={}, max_rounds=3)
    other = _shipped(name)
    moved = replace(
        template,
        format=name,
        roles=other.roles,
        phases=(),
        settings=other.settings,
        max_rounds=other.max_rounds,
        recommended_agents=other.recommended_agents,
        findings=False,
    )
    if name == "gauntlet":
        return replace(moved, ballot=other.ballot)
    return moved


def describe(template: Template, sources: TemplateSources = SHIPPED) -> dict[str, Any]:
    """Returns one item of ``templates --json``.

    A template without phases is described by the rounds that its format makes of it.
    """
    phases: list[dict[str, Any]] = [
        {
            "name": p.name,
            "rounds": p.duration_rounds,
            "roles": list(p.roles_active),
            "after": list(predecessors(template.phases, p.name)),
            "objectives": list(p.objectives),
            "turns": turns_of(template, p).value,
            "rotate": p.rotate,
        }
        for p in template.phases
    ]
    if template.format == CONTESTED:
        for later in phases[1:]:
            later["objectives"].insert(0, _CONTESTED)
    made = phases or _made(template, sources)
    rounds = sum(p["rounds"] for p in made)
    if phases:
        rounds = max(rounds, template.max_rounds)
    return {
        "name": template.id,
        "format": template.format,
        "domain": template.domain,
        "description": template.description,
        "roles": [r.name for r in template.roles],
        "phases": made,
        "rounds": rounds,
        "threshold": template.consensus_threshold,
        "ballot": [o.option for o in template.ballot],
        "difficulty": template.difficulty,
        "tags": list(template.tags),
        "rubric": dict(template.rubric),
        "follow_up_days": template.follow_up_days,
    }


def about(template: Template, word: str) -> bool:
    """True if a template is found by the word: a tag, its subject area, its name."""
    texts = (*template.tags, template.domain, template.name)
    known = {each for text in texts for each in re.split(r"[\W_]+", text.casefold())}
    return word.strip().casefold() in known | {tag.casefold() for tag in template.tags}


def _made(template: Template, sources: TemplateSources) -> list[dict[str, Any]]:
    script = sources.format(template.format).compile(template, Plan(), Random(0))
    phases: dict[str, dict[str, Any]] = {}
    for at, round in enumerate(script.rounds):
        if not round.phase:
            continue
        if round.phase not in phases:
            phases[round.phase] = {
                "name": round.phase,
                "rounds": 0,
                "roles": [],
                "after": list(phases)[-1:],
                "objectives": [*filter(None, [round.goal])],
                "turns": None,
                "rotate": False,
            }
        entry = phases[round.phase]
        entry["rounds"] += 1
        speakers = [script.seat(t.seat).role for t in script if t.round == at]
        entry["roles"] = list(dict.fromkeys([*entry["roles"], *speakers]))
    return list(phases.values())


@cache
def _names() -> tuple[str, ...]:
    return tuple(sorted(p.stem for p in FOLDER.glob("*.toml")))


@cache
def _shipped(name: str) -> Template:
    return shipped(FOLDER / f"{name}.toml")


@lru_cache(maxsize=256)
def _read(
    path: Path, changed: int, size: int, more_formats: tuple[Format, ...]
) -> Template | TemplateError:
    """Reads a template file; the result, or its error, is kept until the file changes (``changed``
    in ns).
    """
    try:
        return load(path, TemplateSources(more_formats=more_formats).formats)
    except TemplateError as error:
        return error


def _own(sources: TemplateSources) -> tuple[Sequence[Template], Sequence[TemplateError]]:
    folder = sources.folder
    if folder is None or not folder.is_dir():
        return (), ()
    templates: dict[str, Template] = {}
    broken: list[TemplateError] = []
    for path in sorted(folder.glob("*.toml")):
        stat = path.stat()
        read = _read(path, stat.st_mtime_ns, stat.st_size, sources.more_formats)
        if isinstance(read, TemplateError):
            broken.append(read)
        else:
            templates.setdefault(plain(read.id), read)
    return tuple(templates.values()), tuple(broken)
