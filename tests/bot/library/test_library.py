"""The library is used as by a program: the scripts of the README and of its page run, and its
public names are written down.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import inspect
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import debatebot
import debatebot.plugins
import pytest
from debatebot import (
    BadInput,
    CouldNotFinish,
    Debate,
    DebateRole,
    DebateTemplate,
    Prompt,
    Refused,
    ScriptedSeats,
    debate,
    fork,
    get_template,
    list_debates,
    list_templates,
    resume,
)

from adapters.templates.catalogue import find
from bot.library.templates import template_of
from tests.project import ROOT

PUBLIC = Path(__file__).with_name("public_names.txt")
PAGES = ("README.md", "docs/library.md")
FENCES = [
    pytest.param(code, id=f"{page}-{n}")
    for page in PAGES
    for n, code in enumerate(
        re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    )
]
DIFF = "examples/01-retry-payments.diff"
QUESTION = "Rewrite the importer?"


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Makes an empty working folder with the examples beside it, as in the checkout."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    yield
    assert {path.name for path in tmp_path.iterdir()} <= {"examples", "named.db", "named.db.lock"}


@pytest.mark.parametrize("code", FENCES)
def test_what_is_shown_runs_and_prints_what_is_shown(code: str) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "page", "exec"), {"__name__": "page"})  # noqa: S102  our own pages
    assert printed.getvalue().splitlines() == re.findall(r"# ?> (.*)", code)


def test_a_panel_opens_in_a_named_store_too(tmp_path: Path) -> None:
    store = str(tmp_path / "named.db")
    held = debate("Should we move?", models=ScriptedSeats(stance="for"), store=store)
    assert (held.status, held.verdict.decision) == ("finished", "for")


def test_a_named_store_keeps_what_memory_would_forget(tmp_path: Path) -> None:
    kept = debate(DIFF, models=ScriptedSeats(), store="named.db")
    assert (tmp_path / "named.db").exists()
    held = debate(DIFF, models=ScriptedSeats())
    assert kept.id != held.id
    assert kept.verdict == held.verdict
    assert [turn.text for turn in kept.turns] == [turn.text for turn in held.turns]


def test_seats_say_what_is_written_in_its_order() -> None:
    replies = [{"text": "First.", "stance": "reject"}, {"text": "Later.", "stance": "reject"}]

    def adaptable(prompt: Prompt) -> dict[str, str]:
        return {"text": f"asked to {prompt.task}", "stance": "rework"}

    seats = ScriptedSeats({"devils_advocate": replies, "author": adaptable})
    result = debate(QUESTION, template="design_doc", models=seats, rounds=3)
    words = {role: [t.text for t in result.turns if t.role == role] for role in seats.says}
    assert words["devils_advocate"][:1] == ["First."]
    assert set(words["devils_advocate"][1:]) == {"Later."}
    assert words["author"][0] == "asked to open"
    assert {p.role for p in seats.prompts} >= {"devils_advocate", "author"}


ROLE = (
    "No seat has the role 'devils_advocat'; the roles are author, devils_advocate, stakeholder, "
    "implementer, chair. Did you mean devils_advocate?"
)
FIELD = (
    "A reply has no field 'staance'; it has text, stance, claims, findings, untold, answers, test, "
    "withdraw, sections, actions, scores, ruling, argument, metrics, estimate, called, grades. Did "
    "you mean stance?"
)
NO_REPLY = "author answers with a reply's fields, a list of them or a function."
STANCE = (
    "The ballot has no option 'rejct'; it has accept, accept_with_changes, rework, reject. Did you "
    "mean reject?"
)


@pytest.mark.parametrize("store", ["", "named.db"])
@pytest.mark.parametrize(
    ("seats", "message"),
    [
        (ScriptedSeats({"devils_advocat": {"stance": "reject"}}), ROLE),
        (ScriptedSeats({"author": [{"stance": "reject"}, {"staance": "reject"}]}), FIELD),
        (ScriptedSeats({"author": 5}), NO_REPLY),  # type: ignore[dict-item]
        (ScriptedSeats(stance="rejct"), STANCE),
    ],
    ids=["role", "field", "no reply", "stance"],
)
def test_written_answers_that_nobody_would_give_are_refused(
    seats: ScriptedSeats, message: str, store: str
) -> None:
    with pytest.raises(BadInput) as refused:
        debate(QUESTION, template="design_doc", models=seats, store=store)
    assert str(refused.value) == message
    if store:
        assert list_debates(store=store) == []
        first = debate(QUESTION, template="design_doc", models=ScriptedSeats(), store=store)
        for again in (fork, resume):
            with pytest.raises(BadInput) as refused:
                again(first.id, models=seats, store=store)
            assert str(refused.value) == message
        assert len(list_debates(store=store)) == 1


BOUNDS = {
    "budget": "budget takes US dollars above 0, at most 10,000, like 2.50, not '{}'.",
    "rounds": "rounds takes a whole number from 1 to 9, not '{}'.",
}


def test_a_budget_and_rounds_have_the_bounds_of_the_command() -> None:
    wrong: list[tuple[str, Any]] = [
        *(("budget", value) for value in (-1, 0, 1e9, float("nan"), "x")),
        *(("rounds", value) for value in (0, 10, 1.5)),
    ]
    for name, value in wrong:
        with pytest.raises(BadInput) as refused:
            debate(QUESTION, template="design_doc", models=ScriptedSeats(), **{name: value})
        assert str(refused.value) == BOUNDS[name].format(value)


async def test_no_model_is_asked_while_a_turn_is_held() -> None:
    seats = ScriptedSeats({"devils_advocate": {"stance": "reject"}})
    tasks = set[str]()
    async with Debate(QUESTION, template="design_doc", models=seats) as d:
        assert seats.prompts == []
        async for turn in d:
            tasks.add(turn.task)
            assert {prompt.task for prompt in seats.prompts} == tasks, "nor for the next round"
            count = len(seats.prompts)
            await asyncio.sleep(0.02)
            assert len(seats.prompts) == count
        await d.finish()
        with pytest.raises(Refused, match="over"):
            await d.challenge("Too late?")


async def _raises(prompt: Prompt) -> str:
    raise ValueError("it is ours")


async def _cancels(prompt: Prompt) -> str:
    raise asyncio.CancelledError


def _waits_for_nothing(prompt: Prompt) -> str:
    return "Fine."


@pytest.mark.parametrize("template", ["design_doc", "panel"])
@pytest.mark.parametrize(
    ("model", "why"),
    [
        (_raises, "ValueError: it is ours"),
        (_cancels, "CancelledError"),
        (_waits_for_nothing, "own:_waits_for_nothing is no async function."),
    ],
    ids=["raises", "cancels", "not async"],
)
def test_a_model_of_ones_own_that_fails_costs_its_turns(
    model: Any, why: str, template: str
) -> None:
    held = debate("Should we rewrite the importer?", template=template, models=model)
    assert held.status == "failed"
    assert {turn.failed for turn in held.turns} == {why}


def test_what_is_no_target_no_template_or_no_model_is_refused(tmp_path: Path) -> None:
    given: Any
    for given in (None, 5, [5]):
        with pytest.raises(BadInput, match="models are names, async functions or ScriptedSeats"):
            debate(QUESTION, models=given)
    for given in (None, 5, b"x"):
        with pytest.raises(BadInput, match="target is a link, a file or a text"):
            debate(given, models=ScriptedSeats())
    with pytest.raises(BadInput, match="There is no file"):
        debate(tmp_path / "nothing.diff", models=ScriptedSeats())
    with pytest.raises(BadInput, match=r"^openai/gpt-5 needs a key"):
        debate(QUESTION, models="openai/gpt-5, anthropic/x", environ={})
    with pytest.raises(BadInput, match="No template is called"):
        debate("Rewrite it?", template="nothing_like_it", models=ScriptedSeats())
    with pytest.raises((BadInput, CouldNotFinish), match="OPENAI_API_KEY"):
        debate(QUESTION, template="panel", models="openai/gpt-5", environ={})


async def test_a_loop_that_runs_is_told_the_other_way() -> None:
    with pytest.raises(BadInput, match="async with Debate"):
        debate(QUESTION, models=ScriptedSeats())


@pytest.mark.parametrize(
    ("module", "file"),
    [(debatebot, PUBLIC), (debatebot.plugins, PUBLIC.with_name("plugin_names.txt"))],
    ids=["debatebot", "debatebot.plugins"],
)
def test_what_is_public_is_written_down(module: ModuleType, file: Path) -> None:
    """A change of these files is a change that users notice: it wants a line in the changelog."""
    assert "\n".join(_public(module)) + "\n" == file.read_text("utf-8")


def _public(module: ModuleType) -> Iterator[str]:
    for name in sorted(module.__all__):
        thing = getattr(module, name)
        if not inspect.isclass(thing):
            named = inspect.isfunction(thing) or name == "hookimpl"
            yield f"{name}{inspect.signature(thing)}" if named else name
            continue
        fields = (
            [f"{f.name}: {f.type}" for f in dataclasses.fields(thing)]
            if dataclasses.is_dataclass(thing)
            else []
        )
        yield f"class {name}({', '.join(base.__name__ for base in thing.__bases__)})"
        yield from (f"    {field}" for field in fields)
        if issubclass(thing, Exception):
            continue
        for member, value in sorted(vars(thing).items()):
            made = member == "__init__" and not fields and not getattr(thing, "_is_protocol", False)
            public = not member.startswith("_") or made
            function = getattr(value, "__func__", value)
            if public and inspect.isfunction(function):
                yield f"    {member}{inspect.signature(function)}"


def test_importing_the_names_imports_little() -> None:
    heavy = ("aiohttp", "sqlalchemy", "msgspec", "cryptography", "re2", "discord", "slack_sdk")
    looks = (
        "import sys, json; from debatebot import debate, Debate, ScriptedSeats, Result;"
        f"print(json.dumps([m for m in {heavy} if m in sys.modules]))"
    )
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", looks], capture_output=True, text=True, check=True
    )
    assert json.loads(ran.stdout) == []


async def test_own_template_and_own_material(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A file of one's own says who sits and what can be decided; a text of several lines is what
    they debate.
    """
    folder = tmp_path_factory.mktemp("ours")
    shipped = (ROOT / "core" / "debate" / "templates" / "design_doc.toml").read_text("utf-8")
    ours = folder / "our-review.toml"
    ours.write_text(shipped.replace('id = "design_doc"', 'id = "our_review"', 1), "utf-8")
    seats = ScriptedSeats(stance="rework")
    text = "# Importer\n\nIt reads each file twice.\nNobody knows why.\n"
    async with Debate(text, template=str(ours), models=seats) as held:
        result = await held.finish()
    assert result.verdict.decision == "rework"
    assert result.document["template"] == "our_review"
    read = "\n".join(prompt.text for prompt in seats.prompts)
    assert "It reads each file twice." in read


async def test_a_seat_is_put_in_the_hot_seat() -> None:
    seats = ScriptedSeats({"devils_advocate": {"stance": "reject"}}, stance="accept")
    tasks: list[tuple[str, str]] = []
    opened: dict[str, str] = {}
    async with Debate(QUESTION, template="design_doc", models=seats) as d:
        async for turn in d:
            tasks.append((turn.role, turn.task))
            opened.setdefault(turn.role, turn.id)
            if len(opened) == 3 and len(tasks) == 3:
                await d.hot_seat(opened["devils_advocate"])
        result = await d.finish()
    asking = [role for role, task in tasks if task == "cross"]
    assert len(asking) == 2
    assert "devils_advocate" not in asking
    assert ("devils_advocate", "stand") in tasks[tasks.index((asking[-1], "cross")) :]
    assert result.document["hot_seats"][0]["state"] == "answered"


def test_every_shipped_template_comes_back_as_it_is_in_its_file() -> None:
    for each in list_templates():
        assert template_of(get_template(each["name"])) == find(each["name"])


def test_a_template_that_cannot_be_played_names_each_problem() -> None:
    roles = [DebateRole("reviewer"), DebateRole("reviewer")]
    wrong = DebateTemplate(template_id="ours", roles=roles, consensus="loudest")
    with pytest.raises(BadInput, match="loudest") as refused:
        debate("Is it clear?", template=wrong, models=ScriptedSeats())
    assert "consensus" in str(refused.value)
    with pytest.raises(BadInput, match="code_review"):
        get_template("code_revew")


async def test_a_debate_that_was_left_goes_on_from_where_it_stopped() -> None:
    seats = ScriptedSeats(stance="accept")
    async with Debate(QUESTION, template="design_doc", models=seats, store="named.db") as left:
        async for _ in left:
            break
    first = len(seats.prompts)
    async with Debate.resume(left.id, models=seats, store="named.db") as again:
        result = await again.finish()
    assert (result.id, result.status) == (left.id, "finished")
    assert len({(p.role, p.task, p.text) for p in seats.prompts}) >= len(result.turns) - first
    with pytest.raises(BadInput, match="nothing_there"):
        async with Debate.fork("nothing_there", store="named.db"):
            pass
