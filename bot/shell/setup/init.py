"""``debate init``: five questions become a ``.env`` file with new keys, and the next step.

The answers are stored in the file, so the next run asks only for missing answers, and tokens that
were set by hand imply their answers. Nothing is written before every question is answered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_urlsafe

from adapters.terminal.printing import ask, ask_hidden, put, put_folded
from bot import env_file
from bot.env_file import Trust
from bot.settings import Settings, read
from bot.shell.setup import answers
from bot.shell.setup.answers import QUESTIONS, Given, SetupQuestion
from core.application.commands.help import example
from core.debate.errors import BadInput
from core.debate.issued import new_secret
from core.languages import ENGLISH, msgid, say, speaking
from core.words.views.language.grammar import did_you_mean

_LEFT = msgid("leaves it empty")
_HOW = msgid(
    "init takes --yes and --talk, --model, --forge, --budget, --whom with an answer each. Like "
    "this: {form}"
)


@dataclass(slots=True)
class EnvDraft:
    """The new file: its ``lines`` as they were, ``values`` by name, ``given`` answers by question.
    ``notes`` name the values that were made or taken without a question.
    """

    lines: list[str]
    values: dict[str, str]
    given: Given
    notes: list[str] = field(default_factory=list)

    def set(self, name: str, value: str) -> None:
        """Sets a value in its line, else at the end."""
        line = f"{name}={answers.quoted(value)}"
        for number, there in enumerate(self.lines):
            if there.partition("=")[0].strip().removeprefix("export ").strip() == name:
                self.lines[number] = line
                break
        else:
            self.lines.append(line)
        self.values[name] = value

    def text(self) -> str:
        """Returns the file's text, with the answers on a separate line."""
        kept = [line for line in self.lines if not line.startswith(answers.MARK)]
        return "\n".join([answers.as_line(self.given), *kept]).rstrip("\n") + "\n"


def init(typed: Sequence[str], settings: Settings) -> int:
    """Asks, writes and examines; returns 0 if nothing is missing or broken, else 2."""
    sure, given = _options(typed)
    path = settings.folder / ".env"
    text = answers.read(path)
    draft = EnvDraft(text.splitlines(), dict(env_file.parsed(text)), answers.noted(text))
    environ = {k: v for k, v in settings.env.items() if v and k not in settings.from_file}
    try:
        missing = _completed(draft, environ, given, sure=sure, known=answers.MARK in text)
    except KeyboardInterrupt:
        raise BadInput(
            say("Nothing was written. When you have what it asks for: debate init")
        ) from None
    read({**environ, **draft.values}, settings.folder)  # refuses what ``serve`` would refuse
    answers.write(path, draft.text())
    _tell(draft, path, missing)
    code = _examined(settings.folder, environ)
    if empty := answers.needed(missing):
        still = say(
            "Still empty in {file}: {names}. Then again: debate init",
            file=path.name,
            names=", ".join(empty),
        )
        put_folded(f"\n{still}")
        return 2
    put_folded(f"\n{answers.last_step(draft.given, good=code == 0)}")
    return code


def _completed(
    draft: EnvDraft,
    environ: Mapping[str, str],
    replies: Mapping[str, str],
    *,
    sure: bool,
    known: bool,
) -> list[str]:
    """Asks the open questions and returns the secrets that are still missing. ``known`` is a file
    that an earlier run wrote; its empty secrets are asked for.
    """
    if sure:
        _take(draft, environ)
    _answer(draft, {**environ, **draft.values}, replies, sure=sure)
    _fill(draft, environ)
    _empty_misfits(draft)
    missing = _missing(draft, environ)
    if sure or not known:
        return missing
    if missing:
        put(say("What you paste now is not shown."), error=True)
    for name in missing:
        draft.set(name, _secret(name))
    return _missing(draft, environ)


def _secret(name: str) -> str:
    """Asks for a secret until it can be the one, or is left empty."""
    without = say(answers.OPTIONAL.get(name, _LEFT))
    hint = say(answers.HINTS[name])
    while True:
        typed = ask_hidden(f"{name} ({hint}; Enter {without}):")
        if not typed or answers.fits(name, typed):
            return typed
        put(
            say("That is not a valid {name}: check what you copied.", name=name),
            error=True,
        )


def _options(typed: Sequence[str]) -> tuple[bool, dict[str, str]]:
    given: dict[str, str] = {}
    left = [word for word in typed if word != "--yes"]
    names = {f"--{one.name}": one for one in QUESTIONS}
    while left:
        option, *left = left
        if option not in names or not left:
            odd = say("init does not understand {word}.", word=repr(option[:40]))
            how = say(_HOW, form=example("init", prefix="debate"))
            raise BadInput(f"{odd} {how}")
        question = names[option]
        value, *left = left
        answer = question.read(value)
        if answer is None:
            raise BadInput(f"{_misread(question, value)} {question.text}")
        given[question.name] = answer
    return "--yes" in typed, given


def _misread(question: SetupQuestion, typed: str) -> str:
    wrong = say("{word} is no answer to that.", word=repr(typed[:40]))
    return f"{wrong}{did_you_mean(typed, question.choices)}"


def _take(draft: EnvDraft, environ: Mapping[str, str]) -> None:
    """Copies, for ``--yes``, the relevant variables of the environment into the file."""
    taken = [n for n in answers.WORTH_KEEPING if environ.get(n) and not draft.values.get(n)]
    for name in taken:
        draft.set(name, environ[name])
    if taken:
        draft.notes.append(say("From the environment: {names}.", names=", ".join(taken)))


def _answer(
    draft: EnvDraft, there: Mapping[str, str], given: Mapping[str, str], *, sure: bool
) -> None:
    for number, question in enumerate(QUESTIONS, start=1):
        name = question.name
        if name in given:
            draft.given[name] = given[name]
        elif name in draft.given:
            continue
        elif implied := question.told_by(there):
            draft.given[name] = implied
        elif sure:
            draft.given[name] = question.usual
        else:
            draft.given[name] = _asked(question, number)


def _asked(question: SetupQuestion, number: int) -> str:
    while True:
        at = say("{done} of {all}", done=number, all=len(QUESTIONS))
        typed = ask(f"{at}  {question.text} [{question.usual}]:")
        if typed is None:
            raise BadInput(
                say("Nobody answers, and nothing was written. Without questions: debate init --yes")
            )
        answer = question.read(typed or question.usual)
        if answer is not None:
            return answer
        put(_misread(question, typed), error=True)


def _fill(draft: EnvDraft, environ: Mapping[str, str]) -> None:
    for name, value in answers.settings_of(draft.given).items():
        if name not in draft.values and not environ.get(name):
            draft.set(name, value)
    made = {
        "DEBATE_SIGNING_KEY": new_secret(token_urlsafe),
        "DEBATE_SECRET_KEY": new_secret(token_urlsafe),
    }
    if draft.given["whom"] != "me":
        made["DEBATE_WATCH_TOKEN"] = new_secret(token_urlsafe)
    new = [name for name in made if not draft.values.get(name) and not environ.get(name)]
    for name in new:
        draft.set(name, made[name])
    if new:
        draft.notes.append(
            say("Made: {names}. Keep a copy of them elsewhere.", names=", ".join(new))
        )


def _missing(draft: EnvDraft, environ: Mapping[str, str]) -> list[str]:
    """Returns the secrets that only a person can bring."""
    empty = [name for name, value in answers.settings_of(draft.given).items() if not value]
    return [name for name in empty if not draft.values.get(name) and not environ.get(name)]


def _empty_misfits(draft: EnvDraft) -> None:
    """Empties secrets that are plainly something else, so that they are asked for again."""
    for name, value in list(draft.values.items()):
        if name in answers.HINTS and value and not answers.fits(name, value):
            put(
                say("The value of {name} is not valid, so it was removed.", name=name),
                error=True,
            )
            draft.set(name, "")


def _tell(draft: EnvDraft, path: Path, missing: Sequence[str]) -> None:
    put(say("Wrote {path}, which only you can read.", path=path))
    for note in draft.notes:
        put_folded(note)
    if answers.would_be_committed(path):
        put_folded(
            say("This folder is a git repository that does not ignore it: echo .env >> .gitignore")
        )
    put()
    for line in answers.next_steps(draft.given, draft.values, missing):
        put_folded(line)
    put()


def _examined(folder: Path, environ: Mapping[str, str]) -> int:
    from bot.shell.setup.doctor import doctor

    with speaking(ENGLISH):  # as the doctor always is
        return doctor((), read(environ, folder, trust=Trust.CAREFUL, say=put))
