"""Commands are understood in all the ways in which people type them, and a wrong one is answered
with the right form.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.application.commands import (
    Challenge,
    Compare,
    Control,
    Export,
    ForkRequest,
    Held,
    Help,
    HotSeat,
    Leaderboard,
    Listing,
    Mirror,
    PricedRequest,
    ReceiptRequest,
    ReplayRequest,
    Request,
    ScheduleAdd,
    ScheduleDo,
    Setup,
    Show,
    Start,
    Status,
    Templates,
    Useful,
    Vote,
    parse,
)
from core.application.commands.help import TOPICS
from core.application.commands.kinds import (
    Day,
    Dollars,
    Duration,
    Each,
    Flag,
    Kind,
    Names,
    ShareKind,
    Whole,
    WordKind,
)
from core.application.commands.options import WrongOption, options_of
from core.application.commands.requests import Filters
from core.application.commands.requests.operating import HookRequest, Language
from core.application.commands.requests.taking_part import Prove
from core.application.commands.row import commands
from core.application.commands.stored import from_stored, start_from_stored, to_stored
from core.application.commands.tokens import tokenize
from core.debate.errors import BadInput
from tests.drawn import drawn

TEMPLATES = ("code_review", "design_doc", "incident_postmortem", "panel", "triad", "doc-review-v1")
PR = "https://github.com/o/r/pull/1"


def parsed(text: str | list[str], *, attached: bool = False) -> Request:
    return parse(text, templates=TEMPLATES, attached=attached)


@pytest.mark.parametrize(
    ("typed", "ask"),
    [
        ("", Help()),
        ("help schedule", Help("schedule")),
        ("fork --help", Help("fork")),
        (f"code_review {PR}", Start("code_review", PR)),
        (f"start code_review {PR}", Start("code_review", PR)),
        (f"Code-Review-v1 <{PR}|o/r#1>", Start("code_review", PR)),
        ("doc_review notes.md", Start("doc-review-v1", "notes.md")),
        (
            f"code_review --rounds 2 —models a, b,c {PR}",
            Start("code_review", PR, rounds=2, models=("a", "b", "c")),
        ),
        (
            f"code_review {PR} --threshold 70% --budget $2,50",
            Start("code_review", PR, threshold=0.7, budget=2.5),
        ),
        (
            f"code_review {PR} --consensus Judge --format triad",
            Start("code_review", PR, consensus="judge", format="triad"),
        ),
        (
            f"code_review {PR} --vote-window=10m --quiet --yes",
            Start("code_review", PR, vote_window=600.0, quiet=True, yes=True),
        ),
        (
            f"code_review {PR} --vote_window off --check --json",
            Start("code_review", PR, vote_window=0.0, check=True, json=True),
        ),
        ("panel -- --force or not", Start("panel", "--force or not")),
        (
            'panel "is --force ok here?" --search',
            Start("panel", "is --force ok here?", search=True),
        ),
        (
            "panel is it 'safe' or don't we care --form extended",
            Start("panel", "is it 'safe' or don't we care", form="extended"),
        ),
        (
            "panel two\nlines --importance high here",
            Start("panel", "two\nlines here", importance="high"),
        ),
        ("should we move it?", Start("panel", "should we move it?")),
        (PR, Start("code_review", PR)),
        ("change.diff", Start("code_review", "change.diff")),
        ('"my change.diff" --rounds 1', Start("code_review", "my change.diff", rounds=1)),
        ("a/b.patch --quiet", Start("code_review", "a/b.patch", quiet=True)),
        ("-", Start("code_review", "-")),
        (".", Start("code_review", ".")),
        ("git:main...HEAD path:src/", Start("code_review", "git:main...HEAD path:src/")),
        ("is this —really— slow?", Start("panel", "is this —really— slow?")),
        ("templates", Templates()),
        ("templates code-review --json", Templates("code_review", json=True)),
        ("templates check my.toml", Templates(check="my.toml")),
        ("status --json", Status(json=True)),
        ("list", Listing()),
        ("show #d4k7q2xy --json", Show("d4k7q2xy", json=True)),
        ("challenge the --force flag isn't 'safe'", Challenge("the --force flag isn't 'safe'")),
        ("challenge d4k7q2xy line 3\nis wrong", Challenge("line 3\nis wrong", "d4k7q2xy")),
        ("challenge database migrations are fine", Challenge("database migrations are fine")),
        ("hotseat t2.F1", HotSeat("t2.f1")),
        ("hotseat Security critic", HotSeat("security critic")),
        ("hotseat d4k7q2xy the author", HotSeat("the author", "d4k7q2xy")),
        ("vote request changes", Vote("request changes")),
        ("vote d4k7q2xy t2.f1 not_real", Vote("not_real", "d4k7q2xy", "t2.f1")),
        ("vote #2 real", Vote("real", "", "2")),
        ("vote abcdefgh approve", Vote("approve", "abcdefgh")),
        ("vote code.f3 worse", Vote("worse", "", "code.f3")),
        ("pause", Control("pause")),
        ("resume d4k7q2xy --json", Control("resume", "d4k7q2xy", json=True)),
        ("cancel d4k7q2xy", Control("stop", "d4k7q2xy")),
        (
            "fork d4k7q2xy --at 5 --without security",
            ForkRequest("d4k7q2xy", at=5, without="security"),
        ),
        (
            "fork d4k7q2xy --assume “ten million rows” --models a",
            ForkRequest("d4k7q2xy", assume="ten million rows", models=("a",)),
        ),
        ("schedule", ScheduleDo("list")),
        (
            (
                "schedule add “0 9 * * mon-fri” --tz Europe/Berlin code_review o/r --label a "
                "--label b --since 7d --at-most 3"
            ),
            ScheduleAdd(
                "0 9 * * mon-fri",
                Start("code_review", "o/r"),
                Filters(label=("a", "b"), since=604_800.0, at_most=3),
                "Europe/Berlin",
            ),
        ),
        (
            "schedule add weekdays at 9 panel is it time?",
            ScheduleAdd("weekdays at 9", Start("panel", "is it time?")),
        ),
        (
            "schedule add 0 9 * * mon panel what now --rounds 2",
            ScheduleAdd("0 9 * * mon", Start("panel", "what now", rounds=2)),
        ),
        ("export d4k7q2xy", Export("d4k7q2xy")),
        ("export d4k7q2xy HTML", Export("d4k7q2xy", "html")),
        ("receipt d4k7q2xy", ReceiptRequest("d4k7q2xy")),
        ("replay d4k7q2xy", ReplayRequest("d4k7q2xy")),
        ("leaderboard", Leaderboard()),
        ("mirror d4k7q2xy <#C012|general>", Mirror("d4k7q2xy", "slack:C012")),
        ("setup github a/b off", Setup("a/b", off=True)),
        ("compare d4k7q2xy d9m3x1ab", Compare("d4k7q2xy", "d9m3x1ab")),
        (
            "compare should we do it --budget 2",
            Compare(start=Start("panel", "should we do it", budget=2.0)),
        ),
        (
            'fork d4k7q2xy --assume="ten million" --at 5',
            ForkRequest("d4k7q2xy", at=5, assume="ten million"),
        ),
        ("prove", Prove()),
        ("prove #2", Prove("", "2")),
        ("prove d4k7q2xy", Prove("d4k7q2xy")),
        ("prove d4k7q2xy 2", Prove("d4k7q2xy", "2")),
        ("hooks", HookRequest("list")),
        ("hooks replay 3f2a91bc d4k7q2xy", HookRequest("replay", "3f2a91bc", "d4k7q2xy")),
        ("language", Language()),
        ("language CS --me", Language("cs", me=True)),
        ("shop/backend/api!7", Start("code_review", "shop/backend/api!7")),
        ("acme/shop#7 path:src/", Start("code_review", "acme/shop#7 path:src/")),
        ("acme/shop#7 breaks the build", Start("panel", "acme/shop#7 breaks the build")),
        ("held d4k7q2xy no", Held("d4k7q2xy", held=False)),
        ("useful d4k7q2xy NO", Useful(False, "d4k7q2xy")),
        ("challenge The -h option is missing", Challenge("The -h option is missing")),
        ("chlnge of heart", Start("panel", "chlnge of heart")),
        (
            "held d4k7q2xy no The cache --budget served old rights.",
            Held("d4k7q2xy", held=False, why="The cache --budget served old rights."),
        ),
    ],
)
def test_reads(typed: str, ask: Request) -> None:
    assert parsed(typed) == ask


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("statsu", "There is no 'statsu' here. Did you mean status? Like this: /debate status"),
        (
            f"codereview {PR} --rounds 2",
            (
                "There is no 'codereview' here. Did you mean code_review? Like this: /debate "
                f"code_review {PR} --rounds 2"
            ),
        ),
        (
            "chalenge that is not so",
            (
                "There is no 'chalenge' here. Did you mean challenge? Like this: /debate challenge "
                "that is not so"
            ),
        ),
        (
            "good morning",
            (
                "'good morning' is neither a command nor a template, and too short for a question. "
                "Like this: /debate help"
            ),
        ),
        ("code_review", "code_review needs something to debate: a link, a file or a text."),
        ("panel", 'or a text. Like this: /debate panel "Should we move the queue to PostgreSQL?"'),
        ("github.com/o/r/pull/7 --yes", "Like this: /debate https://github.com/o/r/pull/7 --yes"),
        ("total.py", "'total.py' is not a diff, so name the template to use for it."),
        ("doc.md --rounds 2", "'doc.md' is not a diff, so name the template to use for it."),
        ("--quiet doc.md", "Like this: /debate design_doc doc.md"),
        ('"my doc.md"', "Like this: /debate design_doc 'my doc.md'"),
        ("total.py", "Like this: /debate code_review total.py"),
        ("chlnge us", "Did you mean challenge? Like this: /debate challenge us"),
        ("chlnge d4k7q2xy it is wrong", "/debate challenge d4k7q2xy it is wrong"),
        ("dsgn_dc notes.md --rounds 2", "Like this: /debate design_doc notes.md --rounds 2"),
        ("reveiw a.diff", "Did you mean code_review? Like this: /debate code_review a.diff"),
        (
            f"code_review {PR} --rounds 12",
            (
                "--rounds takes a whole number from 1 to 9, not '12'. Like this: /debate "
                f"code_review {PR} --rounds 9"
            ),
        ),
        ('panel "Which of them?" --rounds 0', '/debate panel "Which of them?" --rounds 1'),
        ("list --target-date 3", "Like this: /debate list --target-date 2027-01-31"),
        (f"code_review {PR} --rounds", "from 1 to 9. Like this: /debate code_review"),
        (f"code_review {PR} --rounds --quiet", "--rounds needs a whole number from 1 to 9."),
        (f"code_review {PR} --round 2", "There is no option --round. Did you mean --rounds?"),
        (f"code_review {PR} --at 2", "--at does not belong here."),
        (
            f"code_review {PR} --threshold 0",
            "--threshold takes a share above 0 and at most 1, like 0.7 or 70%, not '0'.",
        ),
        (
            f"code_review {PR} --budget -1",
            "--budget takes US dollars above 0, at most 10,000, like 2.50, not '-1'.",
        ),
        (f"code_review {PR} --consensus magority", f"code_review {PR} --consensus majority"),
        (
            f"code_review {PR} --vote-window soon",
            "--vote-window takes a time up to 7d, like 90s, 10m, 2h or off, not 'soon'.",
        ),
        ("templates code_revew", "There is no template 'code_revew'. Did you mean code_review?"),
        ("show", "It needs the id of one debate. Like this: /debate show d4k7q2xy"),
        ("useful", "It needs yes or no, perhaps behind the id of one debate."),
        ("useful yes d4k7q2xy no", "perhaps behind the id of one debate, nothing more."),
        ("useful maybe", "Was the verdict useful? yes or no, not 'maybe'."),
        ("show ../etc", "'../etc' is no debate's id: list shows them."),
        ("challenge", "A challenge needs words"),
        ("vote", "A vote needs an option of the ballot. Like this: /debate vote approve"),
        ("doctor", "'doctor' is only for a shell on my machine. Like this: /debate help"),
        ("tokens list", "'tokens list' is only for a shell on my machine."),
        ("tokens add x", "'tokens add x' is only for a shell on my machine."),
        ("tokens add x --budget 5", "is only for a shell on my machine."),
        ("audit --since 7d", "'audit --since 7d' is only for a shell on my machine."),
        ("forget d4k7q2xy --copies --yes", "is only for a shell on my machine."),
        ("docs slack please", "'docs slack please' is only for a shell on my machine."),
        ("schedule ad x", "Did you mean schedule add?"),
        ("schedule run", "of the schedule to run. Like this: /debate schedule run ID"),
        ("schedule pause", "Like this: /debate schedule pause s3f8a1"),
        ("hooks test", "hooks test is followed by one id. Like this: /debate hooks test ID"),
        ("hooks replay 3f2a91bc", "Like this: /debate hooks replay 3f2a91bc --since 2d"),
        ("hooks replay 3f2a91bc --since x", "not 'x'. Like this: /debate hooks replay 3f2a91bc"),
        ("hooks list x", "hooks list is followed by nothing. Like this:"),
        ("hooks add https://a.example x", "hooks add is followed by one address. Like this:"),
        ("hooks replay", "hooks replay is followed by an id, and perhaps a debate's. Like this:"),
        ("language cs de", "It takes one of"),
        ("prove 1 2", "Prove takes one finding, by its number."),
        ("templates check", "check needs the file of one template."),
        ("templates check a.toml b.toml", "check needs the file of one template."),
        ("templates code_review panel", "It takes at most the name of a template, nothing more."),
        ("compare d4k7q2xy other", "It needs the ids of two debates, or a question of three words"),
        ("schedule edit s1", "'edit' is none of add, list, run, pause, resume, remove. Like this:"),
        (
            "schedule add 08:00 code_review github:o/r --base a --base b",
            "--base was given twice: which one?",
        ),
        ("schedule add monday code_revie x", "Did you mean code_review?"),
        (
            "mirror d4k7q2xy teams:x",
            "'teams:x' is no place: write slack:CHANNEL or discord:CHANNEL.",
        ),
        ("setup gitea a/b", "Only github and gitlab can be set up here, not 'gitea'."),
        ("held d4k7q2xy maybe", "Did the verdict hold? yes or no, not 'maybe'."),
        ("export d4k7q2xy pdf", "'pdf' is no form: md, json, html, play, sarif or adr."),
    ],
)
def test_says_what_would_be_right(typed: str, sentence: str) -> None:
    with pytest.raises(BadInput) as wrong:
        parsed(typed)
    assert sentence in str(wrong.value)
    assert "Like this: /debate " in str(wrong.value)
    named = re.findall(r" --[a-z-]+", str(wrong.value).rpartition("Like this: ")[2])
    assert len(named) == len(set(named)), "no option twice"


def test_a_template_may_stand_alone_where_the_surface_brings_the_material() -> None:
    assert parsed("panel", attached=True) == Start("panel", "")


def test_a_small_diff_in_a_long_text_is_text() -> None:
    diff = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b"
    text = f"panel {'We have seen this for a while. ' * 30}\n{diff}\n"
    for typed in (text, text.replace("\n", "\r")):
        start = parse(typed, templates=TEMPLATES)
        assert isinstance(start, Start)
        assert "--git a/x.py" in start.target


def test_a_shell_has_cut_its_arguments_already() -> None:
    assert parsed(["panel", "is --force a 'good' idea?", "--rounds", "2"]) == Start(
        "panel", "is --force a 'good' idea?", rounds=2
    )
    for typed in (["--assume", "two words"], ["--assume=two words"]):
        assert parsed(["fork", "d4k7q2xy", *typed]) == ForkRequest("d4k7q2xy", assume="two words")


def test_other_surfaces_have_commands_of_their_own_to_suggest() -> None:
    with pytest.raises(BadInput, match="Did you mean doctor"):
        parse("docter", templates=TEMPLATES, also=("doctor",), prefix="debate")


WORDS = st.text(st.sampled_from("ab cd\"'`“”‘\\-—=<>|@#\n\t.,:/?!1é$€{}[]()*&%"), max_size=40)
TYPED = (
    *TEMPLATES, *TOPICS, "--rounds", "2", "--models", "a,", "--json", "--at", "d4k7q2xy", "check",
    "add", "“", "'", '"', "--", "-", PR, "off",
)  # fmt: skip
LINES = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(TYPED) | WORDS, max_size=8).map(" ".join),
)


@given(LINES)
def test_whatever_is_typed_becomes_an_ask_or_a_hint(typed: str) -> None:
    for text in (typed, typed.split(" ")):
        with suppress(BadInput):
            assert isinstance(parsed(text), Request)


def values(kind: Kind) -> st.SearchStrategy[Any]:
    """Returns every value that a kind of option takes."""
    names = st.sampled_from(["openai/gpt-5", "ollama/qwen3:8b", "a b", "a"])
    match kind:
        case Flag():
            return st.just(True)
        case Whole(least, most):
            return st.integers(least, most)
        case ShareKind():
            return st.integers(1, 100).map(lambda n: n / 100)
        case Dollars(most):
            return st.integers(1, most * 100).map(lambda n: n / 100)
        case Duration(longest):
            return st.integers(1, int(longest)).map(float)
        case WordKind(known):
            return st.sampled_from(known)
        case Names():
            return st.lists(names.map(lambda n: n.replace(" ", "")), min_size=1).map(tuple)
        case Day():
            return st.dates().map(str)
        case Each():
            return st.just(("one",))
        case _:
            return names


@pytest.mark.parametrize("name", ["start", *commands()])
def test_the_line_that_an_error_about_an_option_shows_can_be_typed(name: str) -> None:
    options = options_of(Start) if name == "start" else commands()[name].options
    for option in options:
        if option.takes_value:
            assert parsed(f"{TOPICS[name].examples[0]} {option.form('-1')}") is not None


@pytest.mark.parametrize("request_type", [Start, ForkRequest, Filters, ScheduleAdd])
@drawn(16)
@given(data=st.data())
def test_every_option_is_typed_entered_and_stored_alike(request_type: type, data: Any) -> None:
    """An option has the same value whether it is typed on a line, entered in a field or read from
    the store.
    """
    for option in options_of(request_type):
        value = data.draw(values(option.kind), label=option.name)
        text = option.write(value)
        assert option.read([text]) == value
        assert option.take(text) == value
        assert option.take(value) == value
        if isinstance(option.kind, Whole):
            with pytest.raises(WrongOption, match=f"^{option.name} takes a whole number"):
                option.take(option.kind.most + 1)


STARTS = st.fixed_dictionaries(
    {}, optional={each.field: values(each.kind) for each in options_of(Start)}
)


@given(STARTS)
def test_a_start_with_any_options_is_understood_from_a_line(entered: dict[str, Any]) -> None:
    known = {each.field: each for each in options_of(Start)}
    typed = ["code_review", PR]
    for name, value in entered.items():
        typed += [f"--{known[name].name}"]
        typed += [known[name].write(value)] * known[name].takes_value
    assert parsed(typed) == replace(Start("code_review", PR), **entered)


@pytest.mark.parametrize(
    "request_",
    [
        Start("panel", "why?", rounds=2, models=("a",), form="extended", text="x"),
        ForkRequest("d4k7q2xy", at=3, assume="x", yes=True),
        ScheduleAdd("daily", Start("panel", "why?"), Filters(label=("a", "b"), at_most=3), "UTC"),
    ],
)
def test_what_waits_is_stored_and_read_back(request_: PricedRequest) -> None:
    assert from_stored(json.loads(json.dumps(to_stored(request_)))) == request_


def test_what_is_no_stored_request_is_refused() -> None:
    for wrong in ({}, {"kind": "vote", "request": {}}, {"kind": "start", "request": {"target": 1}}):
        with pytest.raises(ValueError, match=r"request|Expected|missing"):
            from_stored(wrong)


def test_schedules_of_earlier_versions_load() -> None:
    """Earlier versions stored the options of single formats as pairs of texts."""
    extras = [["form", "extended"], ["importance", "high"], ["debate-anyway", "yes"]]
    stored = {"template": "panel", "target": "why?", "rounds": 2, "vote_window": 600.0}
    stored |= {"extras": extras}
    more: dict[str, Any] = {"form": "extended", "importance": "high", "debate_anyway": True}
    assert start_from_stored(stored) == Start("panel", "why?", rounds=2, vote_window=600.0, **more)


def test_a_quoted_piece_may_hold_its_own_marks() -> None:
    line = tokenize(r'panel "say \"no\" and \\ twice" x')
    assert [token.text for token in line.tokens] == ["panel", r'say "no" and \ twice', "x"]


def test_many_open_quotes_cost_no_time() -> None:
    assert isinstance(parsed("panel " + "'a " * 30_000), Start)
