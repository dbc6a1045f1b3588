"""Each command behind its first word: how many words it takes, of what kind, and the ``Request``
they make.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from adapters.commands.options import Given, sift
from adapters.commands.requests import (
    Challenge,
    Compare,
    Control,
    Export,
    ForkRequest,
    Held,
    Help,
    Leaderboard,
    Listing,
    Mirror,
    ReceiptRequest,
    Request,
    ScheduleAdd,
    ScheduleDo,
    Setup,
    Show,
    Start,
    Status,
    Templates,
    Vote,
)
from adapters.commands.starting import (
    EVERY,
    FILTERS,
    FORK,
    SCHEDULE,
    START,
    Said,
    Wrong,
    started,
    template_named,
)
from adapters.commands.tokens import Token
from adapters.text.nearest import nearest
from core.errors import BadInput

_JSON = {"json": ""}
OPTIONS: Mapping[str, Mapping[str, str]] = {
    "templates": _JSON, "status": _JSON, "list": _JSON, "show": _JSON, "pause": _JSON,
    "resume": _JSON, "stop": _JSON,
    "fork": FORK, "leaderboard": _JSON, "compare": START,
}  # fmt: skip
"""The options of each command; those that are not here take none."""
RAW = frozenset({"challenge", "schedule", "help"})
"""Their words are text, or they decide themselves which options they take."""

_ID = re.compile(r"(?=[a-z]*[0-9])[a-z0-9]{8}")
"""A debate's id as it can be told from a word of a sentence; after ``#`` anything that an id may be
is one.
"""
_DRAWN = re.compile(r"[a-hjkmnp-z2-9]{8}")
"""Any id that is ever drawn, with a digit in it or without: enough where no sentence can stand."""
_FINDING = re.compile(r"(?:code|[a-z]\d{1,4}(?:\.\d{1,2})?)\.f\d{1,3}")
_QUESTION = 3


def _exactly(given: Given, least: int, most: int, what: str) -> tuple[str, ...]:
    if len(given.words) < least:
        raise BadInput(f"It needs {what}.")
    if len(given.words) > most:
        raise BadInput(f"It takes {what}, nothing more.")
    return tuple(t.text for t in given.words)


def _help(said: Said, given: Given) -> Help:
    return Help(given.text())


def _templates(said: Said, given: Given) -> Templates:
    if given.words and given.words[0].text.lower() == "check":
        if len(given.words) != 2:
            raise BadInput("check needs the file of one template.")
        return Templates(check=given.words[1].text, json=given.flag("json"))
    name = (*_exactly(given, 0, 1, "at most the name of a template"), "")[0]
    if name and not template_named(name, said.templates):
        near = nearest(name, said.templates)
        raise BadInput(
            f"There is no template {name[:40]!r}." + (f" Did you mean {near}?" if near else "")
        )
    return Templates(template_named(name, said.templates) if name else "", json=given.flag("json"))


def _status(said: Said, given: Given) -> Status:
    _exactly(given, 0, 0, "no further words (one debate: show ID)")
    return Status(given.flag("json"))


def _list(said: Said, given: Given) -> Listing:
    _exactly(given, 0, 0, "no further words (one debate: show ID)")
    return Listing(given.flag("json"))


def _show(said: Said, given: Given) -> Show:
    return Show(_id(*_exactly(given, 1, 1, "the id of one debate")), given.flag("json"))


def _challenge(said: Said, given: Given) -> Challenge:
    """Everything behind the id is the objection, word for word, whatever it looks like."""
    named = bool(given.words) and _is_id(given.words[0].text)
    text = given.text(1 if named else 0)
    if not text:
        raise BadInput("A challenge needs words: what is wrong, and with which point?")
    return Challenge(text, _id(given.words[0].text) if named else "")


def _vote(said: Said, given: Given) -> Vote:
    words = [t.text for t in given.words]
    debate = (
        _id(words.pop(0))
        if words and (_is_id(words[0]) or (len(words) > 1 and _DRAWN.fullmatch(words[0])))
        else ""
    )
    finding = (
        words.pop(0).lower() if len(words) > 1 and _FINDING.fullmatch(words[0].lower()) else ""
    )
    if not words:
        raise BadInput("A vote needs an option of the ballot.")
    return Vote(" ".join(words), debate, finding)


def _control(verb: str) -> Callable[[Said, Given], Control]:
    def read(said: Said, given: Given) -> Control:
        named = _exactly(given, 0, 1, "the id of one debate, or none inside its thread")
        return Control(verb, _id(named[0]) if named else "", given.flag("json"))

    return read


def _fork(said: Said, given: Given) -> ForkRequest:
    debate = _id(*_exactly(given, 1, 1, "the id of one debate"))
    return ForkRequest(
        debate,
        at=given.number("at", 1, 99_999),
        without=given.plain("without"),
        assume=given.plain("assume"),
        models=given.names("models"),
        json=given.flag("json"),
        yes=given.flag("yes"),
    )


def _schedule(said: Said, given: Given) -> ScheduleAdd | ScheduleDo:
    tokens = given.words
    verb = tokens[0].text.lower() if tokens else ""
    if verb in ("", "list", "ls"):
        rest = sift(said.line, tokens[1:], _JSON)
        _exactly(rest, 0, 0, "no further words")
        return ScheduleDo("list", json=rest.flag("json"))
    if verb in ("run", "pause", "resume", "remove"):
        rest = sift(said.line, tokens[1:], _JSON)
        return ScheduleDo(
            verb, _exactly(rest, 1, 1, f"the id of the schedule to {verb}")[0], rest.flag("json")
        )
    if verb != "add":
        near = nearest(verb, ("add", "list", "run", "pause", "resume", "remove"), 0.5)
        raise BadInput(
            f"A schedule cannot {verb[:40]!r}."
            + (f" Did you mean schedule {near}?" if near else "")
        )
    return _schedule_add(said, tokens[1:])


def _schedule_add(said: Said, tokens: Sequence[Token]) -> ScheduleAdd:
    """``when`` may stand without quotes: it ends where a template begins."""
    try:
        given = sift(said.line, tokens, SCHEDULE, EVERY)
        words = given.words
        at = next(
            (i for i, t in enumerate(words) if i and template_named(t.text, said.templates)), 0
        )
        if not at:
            near = next((n for t in words[1:] if (n := nearest(t.text, said.templates, 0.7))), "")
            raise BadInput(
                "It needs when, then a template and what to debate."
                + (f" Did you mean {near}?" if near else "")
            )
        when, target = said.line.text(words[:at]), said.line.text(words[at + 1 :])
        if not when or not target:
            raise BadInput("It needs when, then a template and what to debate.")
        if given.flag("since") and not given.seconds("since", 366 * 86400.0):
            raise BadInput("--since takes a time like 7d.")
        most = given.number("at-most", 1, 50)
        start = started(Start(template_named(words[at].text, said.templates), target), given)
        filters = [
            (name, value.strip())
            for name in FILTERS
            if name != "at-most"
            for value in given.options.get(name, ())
            if value.strip()
        ]
        return ScheduleAdd(
            when,
            start,
            given.plain("tz"),
            tuple(filters) + ((("at-most", str(most)),) if most else ()),
        )
    except BadInput as wrong:
        raise Wrong("schedule", str(wrong)) from None


def _export(said: Said, given: Given) -> Export:
    debate, form = (*_exactly(given, 1, 2, "the id of one debate and md, json or html"), "md")[:2]
    if form.lower() not in ("md", "json", "html"):
        raise BadInput(f"{form[:40]!r} is no form: md, json or html.")
    return Export(_id(debate), form.lower())


def _receipt(said: Said, given: Given) -> ReceiptRequest:
    return ReceiptRequest(_id(*_exactly(given, 1, 1, "the id of one debate")))


def _leaderboard(said: Said, given: Given) -> Leaderboard:
    _exactly(given, 0, 0, "no further words")
    return Leaderboard(given.flag("json"))


def _mirror(said: Said, given: Given) -> Mirror:
    debate, place = _exactly(
        given, 2, 2, "the id of one debate and a place like slack:CHANNEL or discord:CHANNEL"
    )
    if channel := re.fullmatch(
        r"<#([A-Z0-9]+)(?:\|[^>]*)?>", place
    ):  # a channel picked from the platform's own list
        place = f"{'discord' if channel[1].isdigit() else 'slack'}:{channel[1]}"
    if not re.fullmatch(r"(?:slack|discord):\S+", place):
        raise BadInput(f"{place[:60]!r} is no place: write slack:CHANNEL or discord:CHANNEL.")
    return Mirror(_id(debate), place)


def _setup(said: Said, given: Given) -> Setup:
    words = _exactly(given, 2, 3, "github, OWNER/REPO and perhaps off")
    if words[0].lower() != "github":
        raise BadInput(f"Only github can be set up here, not {words[0][:40]!r}.")
    repository = re.sub(r"^https?://[^/]+/", "", words[1]).removesuffix(".git").strip("/")
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository, re.ASCII):
        raise BadInput(f"{words[1][:60]!r} is no repository: write OWNER/REPO.")
    if words[2:] and words[2].lower() not in ("on", "off"):
        raise BadInput(f"The last word is off or nothing, not {words[2][:40]!r}.")
    return Setup(repository, words[2:] != () and words[2].lower() == "off")


def _compare(said: Said, given: Given) -> Compare:
    words = [t.text for t in given.words]
    if len(words) == 2 and all(_is_id(word) or _DRAWN.fullmatch(word) for word in words):
        return Compare(_id(words[0]), _id(words[1]), json=given.flag("json"))
    if len(given.text().split()) < _QUESTION:
        raise BadInput("It needs the ids of two debates, or a question of three words or more.")
    start = started(Start("panel", given.text()), given)
    typed = {
        n: ",".join(v) if n == "models" else v[-1].strip()
        for n, v in given.options.items()
        if n != "json"
    }
    return Compare("", question=start.target, options=tuple(typed.items()), json=start.json)


def _held(said: Said, given: Given) -> Held:
    debate, answer = _exactly(given, 2, 2, "the id of one debate and yes or no")
    if answer.lower() not in ("yes", "no"):
        raise BadInput(f"Did the verdict hold? yes or no, not {answer[:40]!r}.")
    return Held(_id(debate), answer.lower() == "yes")


def _is_id(text: str) -> bool:
    return bool(_ID.fullmatch(text) or re.fullmatch(r"#[a-z0-9]{4,}", text))


def _id(text: str) -> str:
    """An id as typed; ``#`` before it and what no id holds are not passed on."""
    bare = text.removeprefix("#").strip("`").lower()
    if not re.fullmatch(r"[0-9a-z][0-9a-z_-]{0,63}", bare):
        raise BadInput(f"{text[:40]!r} is no debate's id: list shows them.")
    return bare


COMMANDS: Mapping[str, Callable[[Said, Given], Request]] = {
    "help": _help, "templates": _templates, "status": _status, "list": _list, "show": _show,
    "challenge": _challenge, "vote": _vote,
    "pause": _control("pause"), "resume": _control("resume"), "stop": _control("stop"),
    "fork": _fork, "schedule": _schedule,
    "export": _export, "receipt": _receipt, "leaderboard": _leaderboard, "mirror": _mirror,
    "setup": _setup, "compare": _compare,
    "held": _held,
}  # fmt: skip
