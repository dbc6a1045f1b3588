"""What an operator answers when a bot is set up, and the file and the steps that follow."""

from __future__ import annotations

from random import Random

from bot.evaluation.plan import plan
from bot.shell.setup.answers import (
    QUESTIONS,
    as_line,
    needed,
    next_steps,
    noted,
    quoted,
    settings_of,
)
from core.evaluation import Arm, Case
from tests.core.table import template
from tests.corpora.surfaces import text_of

_WORDS = (
    "slack", "Discord", "both", "none", "openai", "anthropic", "local", "embedded", "openai/gpt-5",
    "openai/gpt-5, local", "a/b,c/d@e", "gpt-5", "github", "GITLAB", "5", "$10", "0.5", "1.234",
    "123456", "12345.67", "-1", "me", "team", "https://debates.example/", "http://d.example:8080",
    "https://d.example/?a=1", "ftp://d.example", "d.example", "", " ", "it's", "a b", "x#y", "a\\b",
)  # fmt: skip
_THERE = {
    "SLACK_BOT_TOKEN": "xoxb-1", "SLACK_APP_TOKEN": "xapp-1", "SLACK_CLIENT_ID": "1.2",
    "DISCORD_TOKEN": "MTIzNDU2Nzg5MDEyMzQ1Njc4.x.y", "GITHUB_TOKEN": "t", "GITHUB_APP_ID": "7",
    "GITLAB_TOKEN": "t", "DEBATE_MODELS": "openai/gpt-5, local", "OPENAI_API_KEY": "k",
    "ANTHROPIC_API_KEY": "k", "DEBATE_DAILY_BUDGET": "5", "DEBATE_PUBLIC_URL": "https://d.example",
}  # fmt: skip


def _answers(number: int) -> str:
    rng, made = Random(f"answers {number}"), []
    made += [text_of([one.name, [[x, one.read(x)] for x in _WORDS]]) for one in QUESTIONS]
    for _ in range(12):
        there = {name: value for name, value in _THERE.items() if rng.random() < 0.3}
        before = {one.name: one.told_by(there) for one in QUESTIONS}
        given = {
            one.name: rng.choice([word for word in map(one.read, _WORDS) if word is not None])
            for one in QUESTIONS
        }
        settings = settings_of(given)
        missing = [name for name, value in settings.items() if not value and name not in there]
        text = f"# a file\n{as_line(given)}\nDEBATE_PORT=1\n"
        made.append(text_of([sorted(there), before, given, settings, needed(missing)]))
        made.append(text_of([*next_steps(given, settings | there, missing)]))
        made.append(text_of([noted(text) == given, noted(text.replace("=", "=x", 1)), noted("")]))
    made += [f"{word}: {quoted(word)}" for word in _WORDS]
    return "\n".join(made)


def _plans(number: int) -> str:
    """The runs of a measurement, for drawn arms and repeats."""
    rng, made = Random(f"plan {number}"), []
    cases = [Case(f"c{n}", f"Change {n}", "", f"+{n}".encode()) for n in range(2)]
    for _ in range(12):
        arms = [arm for arm in Arm if rng.random() < 0.5]
        repeats, models = rng.randint(0, 3), rng.choice((("a",), ("a", "b")))
        runs = plan(cases, arms, repeats, template(), models)
        rows = [
            [x.case.id, x.arm, x.arms, x.repeat, x.seed, x.name, x.wider, x.template.roles]
            for x in runs
        ]
        made.append(text_of([arms, repeats, models, rows]))
    return "\n".join(made)


CORPORA = {"answers": (5, _answers), "plans": (3, _plans)}
