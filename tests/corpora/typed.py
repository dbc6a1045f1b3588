"""What people type: commands, times, amounts and settings, right and wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from itertools import islice
from random import Random

from adapters.commands import parse
from adapters.commands.durations import duration, seconds
from adapters.commands.evaluate import read_evaluate
from adapters.commands.help import TOPICS, usage
from adapters.commands.named import debate_id, find_template, is_finding, place_name
from adapters.templates.catalogue import builtin
from adapters.text.nearest import did_you_mean
from bot.doctor.configured import forges
from bot.schedules.cron import rule
from bot.schedules.spoken_times import crontab_of
from bot.schedules.targets import repository_of
from bot.settings import Settings, read
from bot.shell.playing.live import StopOn, command_of, ending
from core.debate import replay
from core.errors import DebateError
from tests.corpora.courses import COUNT, course
from tests.corpora.surfaces import text_of

_TEMPLATES = {name: template.description for name, template in builtin().items()}
_LINK = "https://github.com/o/r/pull/1"
_COMMANDS = (
    "start", "new", "help", "templates", "status", "list", "debates", "search", "show", "challenge",
    "ask", "vote", "pause", "resume", "stop", "fork", "schedule", "export", "receipt", "replay",
    "leaderboard", "mirror", "post", "setup", "hooks", "hook", "compare", "held", "useful",
    "recheck",
    "follow", "bind", *sorted(_TEMPLATES), "code", "review", "panle", "reviw",
)  # fmt: skip
_WORDS = (
    _LINK, "debate-0001", "debate-1f.f3", "code.f3", "f3", "yes", "no", "real", "worse", "approve",
    "add", "remove", "run", "every weekday 09:00", '"every monday 14:30"', "md", "html", "json",
    "#general", "o/r", "github.com/o/r", "what should we delete next?", '"two words"', "'one", "-",
    '"a \\" b"', '"x\\\\"', '--assume="a b"',
    "notes.md", "x.diff", "git:main..HEAD", ".", "because it is not tested", "security_critic",
    "\u201cquoted\u201d", "--", "7d", "all", "12", "0.5", "$3", "\u2014budget", "a=b", "<@U1>",
)  # fmt: skip
_OPTIONS = (
    "--rounds", "--budget", "--models", "--consensus", "--threshold", "--format", "--quiet",
    "--search", "--vote-window", "--form", "--assume", "--without", "--at", "--priority", "--since",
    "--yes", "--help", "-h", "--judges", "--turns", "--labels", "--target-date", "--department",
    "--evidence", "--fresh", "--limit", "--tz", "--roundz", "--only-blocking", "--events", "--full",
    "--sarif", "--status", "--template",
)  # fmt: skip
_VALUES = (
    "3", "0", "-1", "999", "1.5", "$0.50", "0.5", "50%", "101%", "majority", "Judge", "triad", "2h",
    "90", "1d", "high", "2026-12-01", "2026-13-01", "a,b", "openai/gpt-5", "'x y'", "", "t3",
    "ring",
    "tomorrow", "standard",
)  # fmt: skip


def _line(rng: Random) -> str:
    parts = [rng.choice(_COMMANDS)] if rng.random() < 0.9 else []
    parts += [rng.choice(_WORDS) for _ in range(rng.choice((0, 1, 1, 2, 3)))]
    for _ in range(rng.choice((0, 0, 1, 2))):
        join = rng.choice((" ", " ", "="))
        option = f"{rng.choice(_OPTIONS)}{join}{rng.choice(_VALUES)}"
        parts.insert(rng.randint(0, len(parts)), option)
    return " ".join(parts)


def _tried(make: Callable[..., object], *given: object, **named: object) -> str:
    try:
        return text_of([type(made := make(*given, **named)).__name__, made])
    except DebateError as refused:
        return str(refused)


def _commands(number: int) -> str:
    rng, made = Random(f"typed {number}"), []
    for _ in range(150):
        line: str | Sequence[str] = _line(rng)
        if rng.random() < 0.2:
            line = str(line).split()
        attached, prefix = rng.random() < 0.3, rng.choice(("debate", "/debate"))
        given = {"templates": _TEMPLATES, "attached": attached, "prefix": prefix}
        made.append(f"{line}: {_tried(parse, line, **given)}")
    return "\n".join(made)


def _evaluations(number: int) -> str:
    rng, made = Random(f"evaluated {number}"), []
    words = ("run", "mine", "report", "compare", "cases", "folder", "x.toml", "3", "o/r", "main")
    options = ("--repeats", "--arms", "--budget", "--models", "--seed", "--since", "--yes")
    for _ in range(40):
        typed = [rng.choice(words) for _ in range(rng.randint(0, 3))]
        for _ in range(rng.randint(0, 2)):
            typed += [rng.choice(options), rng.choice(_VALUES)]
        made.append(f"{typed}: {_tried(read_evaluate, typed)}")
    return "\n".join(made)


_DAYS = ("monday", "tues", "fridays", "weekday", "working day", "weekend", "day", "saturday")
_CRONS = ("0", "9", "*/2", "*/7", "1-5", "mon-fri", "*", "60", "1,15", "last", "jan", "31", "29")


def _times(number: int) -> str:
    """Rules by words and fields, with their next firings after a day that is given."""
    rng, made, day = Random(f"times {number}"), [], datetime(2026, 3, 27, 22, 30, tzinfo=UTC)
    zones = ("", "Europe/Berlin", "america/new_york", "UTC", "Berlin", "Europe/Berlim")
    for _ in range(50):
        if rng.random() < 0.6:
            every = rng.choice(("every ", "each ", "on ", "", "every 2 ", "every 7 ", "monthly "))
            at = rng.choice(("", " 09:00", " 9", " at 2:30", " 12am", " 12 pm", " 25:00", " 9.61"))
            what = rng.choice((*_DAYS, "hour", "minutes", "month", "3rd", "31st", "0th", "hourly"))
            words = f"{every}{what}{rng.choice(('', ' and friday', ', sunday'))}{at}"
        else:
            words = " ".join(rng.choice(_CRONS) for _ in range(rng.choice((5, 5, 5, 4, 6))))
        zone = rng.choice(zones)
        made.append(f"{words} {zone} {crontab_of(words.lower())}")
        try:
            parsed = rule(words, zone)
        except DebateError as refused:
            made.append(str(refused))
            continue
        made += [parsed.words, str(parsed.shortest_pause(day))]
        made += [str(at) for at in islice(parsed.coming(day), 6)]
    return "\n".join(made)


def _amounts(number: int) -> str:
    rng, made = Random(f"amounts {number}"), []
    for _ in range(120):
        text = rng.choice(("", "1", "90", "1.5", "-3", "0"))
        text += rng.choice(("", "s", "m", " min", "h", " hours", "d", "w", "x"))
        made.append(f"{text} {seconds(text)}")
        value = rng.choice((0, 1, 59, 60, 61, 90, 3599, 3600, 5400, 86399, 86400, 90000, 604800))
        made.append(f"{value} {duration(float(value))}")
        word = rng.choice((*_COMMANDS, *_WORDS))
        cut = word[: rng.randint(1, len(word))]
        made += [did_you_mean(cut, _COMMANDS), find_template(cut, _TEMPLATES), str(is_finding(cut))]
        made += [_tried(debate_id, word), _tried(place_name, word)]
        made.append(str(repository_of(word)))
    return "\n".join(map(str, made))


_SETTINGS = (
    "0", "1", "yes", "no", "true", "x", "0.5", "1.5", "-1", "70%", "90", "2h", "30d", "8080",
    "99999",
    "https://a.example", "http://a.example/p", "a.example", "a,b , c", "a=1,b=2", "high", "debug",
    "all", "postgresql://u:p@h/db", "sqlite:///x.db", "127.0.0.1",
)  # fmt: skip


def _settings(number: int) -> str:
    rng, made = Random(f"settings {number}"), []
    names = [x.metadata["name"] for x in fields(Settings) if x.metadata.get("name")]
    for name in names[number::10]:
        for value in rng.sample(_SETTINGS, 14):
            try:
                settings = read({name: value})
                given = {x.name: getattr(settings, x.name) for x in fields(Settings)}
                made.append(
                    f"{name}={value}: {text_of(given[_field(name)])} {sorted(settings.secrets)}"
                )
            except DebateError as refused:
                made.append(f"{name}={value}: {refused}")
    hosts = {"DEBATE_GITHUB_HOSTS": "git.acme.com", "DEBATE_GITLAB_HOSTS": "code.acme.com"}
    tokens = {"GITHUB_TOKEN": "t1", "GITLAB_TOKEN": "t2", "GITHUB_TOKEN_GIT_ACME_COM": "t3"}
    made += [text_of([*forges(read(given))]) for given in ({}, hosts, tokens, hosts | tokens)]
    return "\n".join(made)


def _field(name: str) -> str:
    return next(x.name for x in fields(Settings) if x.metadata.get("name") == name)


_SAID = (
    "vote", "vote real", "vote 1 real", "vote #2 worse", "vote 9 real", "hotseat 1", "HOTSEAT 2 x",
    "hotseat", "hotseat security_critic", "pause", "pause now", "stop", "stop it", "help", "?", "",
    "   ", "pauze", "hello", "It is not tested.", "challenge", "challenge it fails", "vote for it",
    "vote 1", "vote 1234 real", "resume", "help me",
)  # fmt: skip


def _lines(number: int) -> str:
    """What a line means that is typed while a debate runs; two findings were shown."""
    line = _SAID[number]
    made = command_of(line, "ann", lambda at: f"t1.f{at}" if at <= 2 else "")
    return text_of([line, type(made).__name__, made])


def _endings(number: int) -> str:
    """The exit code of a shell, and the line that explains it."""
    debates = [replay(course(number)[: len(course(number)) - back]) for back in (0, 3)]
    return text_of([[ending(debate, check) for check in StopOn] for debate in debates])


def _help(number: int) -> str:
    topic = ["", *sorted(TOPICS)][number]
    return "\n".join(_tried(usage, topic, prefix=p) for p in ("debate", "/debate"))


CORPORA = {
    "commands": (45, _commands),
    "evaluations": (10, _evaluations),
    "times": (30, _times),
    "amounts": (15, _amounts),
    "settings": (10, _settings),
    "help": (len(TOPICS) + 1, _help),
    "lines": (len(_SAID), _lines),
    "endings": (COUNT, _endings),
}
