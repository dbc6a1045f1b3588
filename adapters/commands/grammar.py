"""Each command behind its first word: how many words it takes, of what kind, which options, and the
``Request`` they make.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from adapters.commands import requests as r
from adapters.commands.arguments import Arguments, CommandLine, WrongUsage, split_options
from adapters.commands.named import (
    debate_id,
    find_template,
    is_finding,
    is_id,
    may_be_id,
    place_name,
    repository_name,
)
from adapters.commands.options import CommandOption, WrongOption, options_of
from adapters.commands.tokens import TypedToken, tokenize
from adapters.text.nearest import did_you_mean, nearest
from core.errors import BadInput

_SCHEDULE = (*options_of(r.Start), *options_of(r.Filters), *options_of(r.ScheduleAdd))
EVERY_OPTION = frozenset(each.name for each in (*_SCHEDULE, *options_of(r.ForkRequest)))
_VERBS = ("run", "pause", "resume", "remove")
_SHOWN = 200
"""The most characters of a target that an error repeats."""
_QUESTION = 3
"""The fewest words of a question."""
_BARE = re.compile(r"[\w./:@%+=,~-]+")
"""What a shell takes as one word without quotes."""


@dataclass(frozen=True, slots=True)
class CommandGrammar:
    """A command and its grammar. ``options`` are its options; a ``raw`` command reads its words and
    options itself, or takes its words as text.
    """

    read: Callable[[CommandLine, Arguments], r.Request]
    options: tuple[CommandOption, ...] = ()
    raw: bool = False


def read_start(typed: CommandLine, template: str, tokens: Sequence[TypedToken]) -> r.Start:
    """Reads a start of ``template`` from the words of ``tokens``. Raises ``WrongUsage``."""
    target = ""
    try:
        given = split_options(typed.line, tokens, options_of(r.Start), EVERY_OPTION)
        target = given.text()
        return given.fill(r.Start(template, target))
    except WrongOption as wrong:
        raise WrongUsage("start", str(wrong), _line(typed, template, target), wrong.form) from None
    except BadInput as wrong:
        raise WrongUsage("start", str(wrong)) from None


def start_on(template: str, target: str) -> r.Start:
    """Returns a start on ``target``; options that end the text are read as on a typed line, for a
    surface whose form lacks room for all. Raises ``WrongUsage``.
    """
    line, options = tokenize(target), options_of(r.Start)
    names = {each.name for each in options}
    first = next((n for n, token in enumerate(line.tokens) if token.option in names), None)
    if first is None or split_options(line, line.tokens[first:], options, EVERY_OPTION).words:
        return r.Start(template, target)  # a text that only mentions an option
    return read_start(CommandLine(line, ()), template, line.tokens)


def _line(typed: CommandLine, template: str, target: str) -> str:
    """Returns the line that starts a debate about ``target``, "" if it can't be shown whole or is
    too short for a question.
    """
    if not target:
        return template * typed.attached
    short = template == "panel" and len(target.split()) < _QUESTION
    if short or len(target) > _SHOWN or not target.isprintable() or set(target) & set('"\\$`!'):
        return ""
    return f"{template} {target}" if _BARE.fullmatch(target) else f'{template} "{target}"'


def _help(typed: CommandLine, given: Arguments) -> r.Help:
    return r.Help(given.text())


def _templates(typed: CommandLine, given: Arguments) -> r.Templates:
    if given.words and given.words[0].text.lower() == "check":
        if len(given.words) != 2:
            raise BadInput("check needs the file of one template.")
        return given.fill(r.Templates(check=given.words[1].text))
    (name, *_) = (*given.exactly(0, 1, "at most the name of a template"), "")
    template = find_template(name, typed.templates)
    if name and not template:
        meant = did_you_mean(name, typed.templates, 0.8)
        if meant:
            form = f"templates {nearest(name, typed.templates, 0.8)}"
            raise WrongUsage("templates", f"There is no template {name[:40]!r}.{meant}", form)
    return given.fill(r.Templates(template or name))  # a word to find some by, where it is no name


def _status(typed: CommandLine, given: Arguments) -> r.Status:
    given.exactly(0, 0, "no further words (one debate: show ID)")
    return given.fill(r.Status())


def _list(typed: CommandLine, given: Arguments) -> r.Listing:
    given.exactly(0, 0, "no further words (one debate: show ID)")
    return given.fill(r.Listing())


def _search(typed: CommandLine, given: Arguments) -> r.SearchRequest:
    if not given.words:
        raise BadInput("It needs the words to look for.")
    return given.fill(r.SearchRequest(given.text()))


def _show(typed: CommandLine, given: Arguments) -> r.Show:
    return given.fill(r.Show(debate_id(*given.exactly(1, 1, "the id of one debate"))))


def _challenge(typed: CommandLine, given: Arguments) -> r.Challenge:
    """Reads a challenge: everything behind the id is the objection, word for word."""
    debate, text = "", given.text()
    if given.words and is_id(given.words[0].text):
        debate, text = debate_id(given.words[0].text), given.text(1)
    if not text:
        raise BadInput("A challenge needs words: what is wrong, and with which point?")
    return r.Challenge(text, debate)


def _hot_seat(typed: CommandLine, given: Arguments) -> r.HotSeat:
    words = [t.text for t in given.words]
    debate = ""
    if len(words) > 1 and (is_id(words[0]) or (may_be_id(words[0]) and is_finding(words[-1]))):
        debate = debate_id(words.pop(0))
    if not words:
        raise BadInput("The hot seat needs the number of a finding, or the name of a seat.")
    return r.HotSeat(" ".join(words).lower().removeprefix("#"), debate)


def _prove(typed: CommandLine, given: Arguments) -> r.Prove:
    words = [t.text for t in given.words]
    debate = ""
    if words and not is_finding(words[0]) and (is_id(words[0]) or may_be_id(words[0])):
        debate = debate_id(words.pop(0))
    if len(words) > 1:
        raise BadInput("Prove takes one finding, by its number.")
    return r.Prove(debate, words[0].lower().removeprefix("#") if words else "")


def _vote(typed: CommandLine, given: Arguments) -> r.Vote:
    words = [t.text for t in given.words]
    debate = finding = ""
    if words and (is_id(words[0]) or (len(words) > 1 and may_be_id(words[0]))):
        debate = debate_id(words.pop(0))
    if len(words) > 1 and is_finding(words[0]):
        finding = words.pop(0).lower().removeprefix("#")
    if not words:
        raise BadInput("A vote needs an option of the ballot.")
    return r.Vote(" ".join(words), debate, finding)


def _control(verb: str) -> Callable[[CommandLine, Arguments], r.Control]:
    def read(typed: CommandLine, given: Arguments) -> r.Control:
        named = given.exactly(0, 1, "the id of one debate, or none inside its thread")
        debate = next(map(debate_id, named), "")
        return given.fill(r.Control(verb, debate))

    return read


def _fork(typed: CommandLine, given: Arguments) -> r.ForkRequest:
    return given.fill(r.ForkRequest(debate_id(*given.exactly(1, 1, "the id of one debate"))))


def _schedule(typed: CommandLine, given: Arguments) -> r.ScheduleAdd | r.ScheduleDo:
    tokens = given.words
    verb = tokens[0].text.lower() if tokens else "list"
    if verb == "add":
        return _schedule_add(typed, tokens[1:])
    if verb not in ("list", "ls", *_VERBS):
        meant = did_you_mean(verb, ("add", "list", *_VERBS), 0.5, before="schedule ")
        raise BadInput(f"A schedule cannot {verb[:40]!r}.{meant}")
    rest = split_options(typed.line, tokens[1:], options_of(r.ScheduleDo))
    if verb in _VERBS:
        (schedule,) = rest.exactly(1, 1, f"the id of the schedule to {verb}")
        return rest.fill(r.ScheduleDo(verb, schedule))
    rest.exactly(0, 0, "no further words")
    return rest.fill(r.ScheduleDo("list"))


def _schedule_add(typed: CommandLine, tokens: Sequence[TypedToken]) -> r.ScheduleAdd:
    """Reads a new schedule; ``when`` needs no quotes, because it ends at the template."""
    given = split_options(typed.line, tokens, _SCHEDULE, EVERY_OPTION)
    words = given.words
    at = next((i for i, t in enumerate(words) if i and find_template(t.text, typed.templates)), 0)
    when, target = typed.line.text(words[:at]), typed.line.text(words[at + 1 :])
    if not (at and when and target):
        meant = ""
        if not at:
            guesses = (did_you_mean(t.text, typed.templates, 0.7) for t in words[1:])
            meant = next(filter(None, guesses), "")
        raise BadInput(f"It needs when, then a template and what to debate.{meant}")
    start = given.fill(r.Start(find_template(words[at].text, typed.templates), target))
    return given.fill(r.ScheduleAdd(when, start, given.fill(r.Filters())))


def _export(typed: CommandLine, given: Arguments) -> r.Export:
    what = "the id of one debate and md, json, html, play or sarif"
    debate, form = (*given.exactly(1, 2, what), "md")[:2]
    if form.lower() not in ("md", "json", "html", "play", "sarif"):
        raise BadInput(f"{form[:40]!r} is no form: md, json, html, play or sarif.")
    return r.Export(debate_id(debate), form.lower())


def _receipt(typed: CommandLine, given: Arguments) -> r.ReceiptRequest:
    return r.ReceiptRequest(debate_id(*given.exactly(1, 1, "the id of one debate")))


def _replay(typed: CommandLine, given: Arguments) -> r.ReplayRequest:
    return r.ReplayRequest(debate_id(*given.exactly(1, 1, "the id of one debate")))


def _leaderboard(typed: CommandLine, given: Arguments) -> r.Leaderboard:
    given.exactly(0, 0, "no further words")
    return given.fill(r.Leaderboard())


def _mirror(typed: CommandLine, given: Arguments) -> r.Mirror:
    what = "the id of one debate and a place like slack:CHANNEL or discord:CHANNEL"
    debate, place = given.exactly(2, 2, what)
    named = place_name(place)
    return r.Mirror(debate_id(debate), named)


def _setup(typed: CommandLine, given: Arguments) -> r.Setup:
    service, *rest = given.exactly(1, 3, "github or gitlab, OWNER/REPO and perhaps off")
    forge = service.lower()
    if forge not in ("github", "gitlab"):
        raise BadInput(f"Only github and gitlab can be set up here, not {service[:40]!r}.")
    name = repository_name(rest[0], forge) if rest else ""
    switch = rest[1].lower() if rest[1:] else "on"
    if switch not in ("on", "off"):
        raise BadInput(f"The last word is off or nothing, not {rest[1][:40]!r}.")
    request = given.fill(r.Setup(name, off=switch == "off", forge=forge))
    if request.app and (forge != "github" or rest):
        raise BadInput("--app stands alone behind github: it makes the App, for all repositories.")
    return request


def _hooks(typed: CommandLine, given: Arguments) -> r.HookRequest:
    verb, *rest = (*(t.text for t in given.words[:4]), "list")[: len(given.words) or 1]
    verb = verb.lower()
    if verb not in r.HOOK_VERBS:
        meant = did_you_mean(verb, r.HOOK_VERBS, 0.5, before="hooks ")
        raise BadInput(f"A webhook cannot {verb[:40]!r}.{meant}")
    target, debate = (*rest[:2], "", "")[:2]
    return checked_hook(given.fill(r.HookRequest(verb, target, debate)), len(rest))


def checked_hook(request: r.HookRequest, words: int) -> r.HookRequest:
    """Checks a webhook request with ``words`` words after its verb. Raises ``BadInput``."""
    most = {"list": 0, "replay": 2}.get(request.verb, 1)
    least = int(request.verb != "list")
    if not least <= words <= most:
        behind = {
            "list": "nothing",
            "add": "one address",
            "replay": "an id, and perhaps a debate's",
        }
        raise BadInput(f"hooks {request.verb} is followed by {behind.get(request.verb, 'one id')}.")
    if request.verb == "replay" and bool(request.debate) == (request.since is not None):
        raise BadInput("What is to be replayed: a debate's id, or --since 2d?")
    if request.debate:
        debate_id(request.debate)
    if request.verb != "add" and (request.kinds or request.full):
        raise BadInput("--kinds and --full are said when a webhook is added.")
    return request


def _post(typed: CommandLine, given: Arguments) -> r.PostReview:
    return given.fill(r.PostReview(debate_id(*given.exactly(1, 1, "the id of one debate"))))


def _compare(typed: CommandLine, given: Arguments) -> r.Compare:
    words = [t.text for t in given.words]
    if len(words) == 2 and all(map(may_be_id, words)):
        return given.fill(compare_debates(*words))
    return given.fill(compare_forms(given.fill(r.Start("panel", given.text()))))


def compare_debates(first: str, second: str) -> r.Compare:
    """Returns the request that compares two debates. Raises ``BadInput``."""
    return r.Compare(debate_id(first), debate_id(second))


def compare_forms(start: r.Start) -> r.Compare:
    """Returns the request that debates a question in both forms and compares them. Raises
    ``BadInput``.
    """
    if len(start.target.split()) < _QUESTION:
        raise BadInput("It needs the ids of two debates, or a question of three words or more.")
    return r.Compare(start=start)


def _held(typed: CommandLine, given: Arguments) -> r.Held:
    """Reads whether a verdict held; everything after the answer is the reason, word for word."""
    if len(given.words) < 2:
        raise BadInput("It needs the id of one debate and yes or no.")
    debate, answer = (token.text for token in given.words[:2])
    if answer.lower() not in ("yes", "no"):
        raise BadInput(f"Did the verdict hold? yes or no, not {answer[:40]!r}.")
    return r.Held(debate_id(debate), answer.lower() == "yes", given.text(2))


def _useful(typed: CommandLine, given: Arguments) -> r.Useful:
    *named, answer = given.exactly(1, 2, "yes or no, perhaps behind the id of one debate")
    if answer.lower() not in ("yes", "no"):
        raise BadInput(f"Was the verdict useful? yes or no, not {answer[:40]!r}.")
    return r.Useful(answer.lower() == "yes", next(map(debate_id, named), ""))


COMMANDS: Mapping[str, CommandGrammar] = {
    "help": CommandGrammar(_help, raw=True),
    "templates": CommandGrammar(_templates, options_of(r.Templates)),
    "status": CommandGrammar(_status, options_of(r.Status)),
    "list": CommandGrammar(_list, options_of(r.Listing)),
    "search": CommandGrammar(_search, options_of(r.SearchRequest)),
    "show": CommandGrammar(_show, options_of(r.Show)),
    "challenge": CommandGrammar(_challenge, raw=True),
    "hotseat": CommandGrammar(_hot_seat),
    "prove": CommandGrammar(_prove),
    "vote": CommandGrammar(_vote),
    "pause": CommandGrammar(_control("pause"), options_of(r.Control)),
    "resume": CommandGrammar(_control("resume"), options_of(r.Control)),
    "stop": CommandGrammar(_control("stop"), options_of(r.Control)),
    "fork": CommandGrammar(_fork, options_of(r.ForkRequest)),
    "schedule": CommandGrammar(_schedule, _SCHEDULE, raw=True),
    "export": CommandGrammar(_export),
    "receipt": CommandGrammar(_receipt),
    "replay": CommandGrammar(_replay),
    "leaderboard": CommandGrammar(_leaderboard, options_of(r.Leaderboard)),
    "mirror": CommandGrammar(_mirror),
    "post": CommandGrammar(_post, options_of(r.PostReview)),
    "setup": CommandGrammar(_setup, options_of(r.Setup)),
    "hooks": CommandGrammar(_hooks, options_of(r.HookRequest)),
    "compare": CommandGrammar(_compare, options_of(r.Start)),
    "held": CommandGrammar(_held, raw=True),
    "useful": CommandGrammar(_useful),
}
