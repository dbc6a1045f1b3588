"""The formats' scripts of their templates: who speaks when, reading which turns.

The golden text "scripts" holds those of all shipped templates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.templates.catalogue import builtin, find, in_format
from core.debate.due.guards import FOLLOWS, GUARDS, may_follow
from core.debate.errors import BadInput
from core.debate.events import (
    DebateOpened,
    DebateRequest,
    DebateRequested,
    Terms,
    TurnFailed,
    TurnFinished,
)
from core.debate.formats import FORMATS, PanelSize, Plan
from core.debate.formats.phased import ancestors, in_order
from core.debate.material import Material, MaterialKind
from core.debate.replies import Answer, ArgumentType, Claim, Position, Statement
from core.debate.replies.tasks import TASKS
from core.debate.script import About, Duty, Script, SeatId, Topic, Turn
from core.debate.state import Debate, replay
from core.debate.template import Mode, Phase, Role, Template, Turns
from core.debate.usage import Usage
from tests.core.table import START


def compiled(name: str, plan: Plan | None = None, seed: int = 1, **changes: object) -> Script:
    """Returns a shipped template's script; the review's as its phases have it."""
    shipped = find(name)
    if shipped.phases:
        shipped = in_format(shipped, "phased")
    template = replace(shipped, **changes)  # type: ignore[arg-type]  # tests name the fields as they need them
    return FORMATS[template.format].compile(template, plan or Plan(), Random(seed))


def test_seats_that_only_close_steer_or_judge_do_not_vote() -> None:
    assert " ".join(compiled("code_review").voters) == (
        "author correctness_critic security_critic performance_critic maintainability_critic"
    )
    extended = compiled("panel", Plan(form=PanelSize.EXTENDED))
    assert extended.voters == ("proponent", "opponent", "advocate", "critic")
    assert compiled("adversarial").voters == ("proposer", "adversary")


@given(st.sampled_from(sorted(builtin())), st.integers(0, 2**32))
def test_the_same_seed_gives_the_same_script(name: str, seed: int) -> None:
    assert compiled(name, seed=seed) == compiled(name, seed=seed)


def test_blind_labels_are_drawn_anew_for_each_debate() -> None:
    drawn = {compiled("code_review", seed=s).aliases for s in range(20)}
    assert len(drawn) > 10
    for labels in drawn:
        assert sorted(label for _, label in labels) == [
            "Chair",
            "Judge",
            *(f"P{n}" for n in range(1, 6)),
        ]


@pytest.mark.parametrize(
    ("wanted", "rounds"),
    [
        (None, {"initial_review": 1, "author_response": 1, "debate": 2, "synthesis": 1}),
        (7, {"initial_review": 1, "author_response": 1, "debate": 4, "synthesis": 1}),
        (4, {"initial_review": 1, "author_response": 1, "debate": 1, "synthesis": 1}),
        (1, {"initial_review": 1, "author_response": 1, "debate": 1, "synthesis": 1}),
    ],
)
def test_rounds_wanted_lengthen_or_shorten_the_debate_but_drop_no_phase(
    wanted: int | None, rounds: Mapping[str, int]
) -> None:
    script = compiled("code_review", Plan(rounds=wanted))
    played = [r.phase for r in script.rounds if r.phase]
    assert {p: played.count(p) for p in played} == rounds


def test_max_rounds_above_the_phases_repeats_the_last_phase_that_argues() -> None:
    titles = [r.title for r in compiled("code_review", max_rounds=6).rounds]
    assert titles[2:-1] == ["Debate 1/3", "Debate 2/3", "Debate 3/3", "Synthesis"]
    shortened = compiled("incident_response", Plan(rounds=4))
    phases = ["timeline", "root_cause", "root_cause", "remediation", ""]
    assert [r.phase for r in shortened.rounds] == phases, "the longest phase is shortened first"


@pytest.mark.parametrize(
    "name", ["code_review", "panel", "critique", "gauntlet", "adversarial", "triad"]
)
def test_a_number_of_rounds_that_cannot_be_is_refused_in_a_sentence(name: str) -> None:
    """A triad has three hot seats at most, however many are wanted."""
    for wanted in (0, -1, 1000)[: 2 if name == "triad" else 3]:
        with pytest.raises(BadInput, match="round"):
            compiled(name, Plan(rounds=wanted))


def test_a_contested_review_argues_in_two_rounds_at_most() -> None:
    contested, review = FORMATS["contested"].compile, find("code_review")
    assert all(contested(review, Plan(rounds=n), Random(1)).turns for n in (1, 2))
    for wanted in (0, 3):
        with pytest.raises(BadInput, match=f"2 rounds at most, not {wanted}"):
            contested(review, Plan(rounds=wanted), Random(1))


def custom(turns: Turns | None, roles: int = 4, rounds: int = 3, **phase: object) -> Template:
    names = tuple("abcdefgh"[:roles])
    made = Phase("talk", duration_rounds=rounds, roles_active=names, turns=turns, **phase)  # type: ignore[arg-type]  # as needed
    base = find("code_review")
    return replace(
        base,
        id="own",
        roles=tuple(Role(n, f"Role {n}") for n in names),
        phases=(made,),
        max_rounds=rounds,
    )


def reads_of(template: Template) -> list[str]:
    return [
        " ".join(t.reads)
        for t in FORMATS["phased"].compile(template, Plan(), Random(0))
        if not t.closing
    ]


def test_all_reads_the_round_before() -> None:
    assert reads_of(custom(Turns.ALL, roles=3, rounds=2)) == [*[""] * 3, *["t1 t2 t3"] * 3]


def test_four_roles_speak_in_turn_by_default_and_three_at_once() -> None:
    assert reads_of(custom(None, roles=4, rounds=2))[4:] == [
        "t1 t2 t3 t4",
        "t1 t2 t3 t4 t5",
        "t1 t2 t3 t4 t5 t6",
        "t1 t2 t3 t4 t5 t6 t7",
    ]
    assert reads_of(custom(None, roles=3, rounds=2)) == reads_of(
        custom(Turns.ALL, roles=3, rounds=2)
    )
    research = replace(custom(None, roles=4, rounds=2), id="research-synthesis-v1")
    assert reads_of(research) == reads_of(custom(Turns.ALL, roles=4, rounds=2))


def test_nobody_hears_a_neighbour_before_the_first_statement_even_in_turn() -> None:
    assert reads_of(custom(Turns.ROUND_ROBIN, rounds=1)) == ["", "", "", ""]


def test_a_one_round_phase_in_turn_is_in_turn_for_seats_that_have_spoken() -> None:
    base = custom(Turns.ALL, roles=3, rounds=1)
    second = Phase("again", roles_active=("a", "b", "c"), turns=Turns.ROUND_ROBIN)
    assert reads_of(replace(base, phases=(*base.phases, second), max_rounds=2))[3:] == [
        "t1 t2 t3",
        "t1 t2 t3 t4",
        "t1 t2 t3 t4 t5",
    ]


def test_a_ring_reads_itself_and_two_neighbours() -> None:
    assert reads_of(custom(Turns.RING, roles=5, rounds=2))[5:] == [
        "t1 t2 t5",
        "t1 t2 t3",
        "t2 t3 t4",
        "t3 t4 t5",
        "t1 t4 t5",
    ]
    assert reads_of(custom(Turns.RING, roles=3, rounds=2)) == reads_of(
        custom(Turns.ALL, roles=3, rounds=2)
    )


def test_rotation_gives_each_seat_another_role_in_later_rounds() -> None:
    script = FORMATS["phased"].compile(
        custom(Turns.ALL, roles=3, rounds=3, rotate=True), Plan(), Random(0)
    )
    spoken = [(t.seat, t.task, str(t.about or "")) for t in script if not t.closing]
    assert spoken == [
        *(("a", "open", ""), ("b", "open", ""), ("c", "open", "")),
        *(
            ("b", "stand_in", "A: Role a."),
            ("c", "stand_in", "B: Role b."),
            ("a", "stand_in", "C: Role c."),
        ),
        *(
            ("c", "stand_in", "A: Role a."),
            ("a", "stand_in", "B: Role b."),
            ("b", "stand_in", "C: Role c."),
        ),
    ]


@pytest.mark.parametrize(
    ("phases", "named", "independent"),
    [
        ("a bc", None, "t1 t2 t3"),
        ("a bc ab", None, "t1 t2 t3"),
        ("a bc", [], "t1"),
        ("ab ac", None, "t1 t2"),
        ("ab ac", ["p0"], "t1 t2 t4"),
    ],
)
def test_what_one_role_presents_first_is_material_that_the_others_open_on(
    phases: str, named: list[str] | None, independent: str
) -> None:
    made = [Phase(f"p{n}", roles_active=tuple(roles)) for n, roles in enumerate(phases.split())]
    settings = {} if named is None else {"presenting": named}
    base = custom(Turns.ALL, roles=3, rounds=1)
    template = replace(base, phases=tuple(made), max_rounds=1, settings=settings)
    script = FORMATS["phased"].compile(template, Plan(), Random(0))
    assert " ".join(turn.id for turn in script if turn.independent) == independent


def test_phases_branch_and_join() -> None:
    base = custom(Turns.ALL, roles=3, rounds=1)
    phases = (
        Phase("start", roles_active=("a", "b")),
        Phase("left", roles_active=("a",), after=("start",)),
        Phase("right", roles_active=("b",), after=("start",)),
        Phase("aside", roles_active=("c",), after=()),
        Phase("join", roles_active=("a", "b"), after=("left", "right")),
    )
    script = FORMATS["phased"].compile(
        replace(base, phases=phases, max_rounds=5), Plan(), Random(0)
    )
    assert {
        r.phase: [" ".join(t.reads) for t in script if t.round == i]
        for i, r in enumerate(script.rounds)
        if r.phase
    } == {
        "start": ["", ""],
        "left": ["t1 t2"],
        "right": ["t1 t2"],
        "aside": [""],
        "join": ["t1 t2 t3 t4", "t1 t2 t3 t4"],
    }
    assert script.turns[-1].reads == ("t1", "t2", "t3", "t4", "t5", "t6", "t7")


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Phase, ...]:
    """Phases in any order, each after some of those drawn before it: never a circle."""
    names = [f"p{i}" for i in range(draw(st.integers(1, 5)))]
    phases = []
    for i, name in enumerate(names):
        after = draw(st.lists(st.sampled_from(names[:i]), unique=True)) if i else []
        roles = draw(st.lists(st.sampled_from("abcd"), min_size=1, unique=True))
        turns = draw(st.sampled_from([None, *Turns]))
        phases.append(
            Phase(
                name,
                "",
                draw(st.integers(1, 3)),
                tuple(roles),
                (),
                (),
                turns,
                tuple(after),
                draw(st.booleans()),
            )
        )
    return tuple(draw(st.permutations(phases)))


@given(graphs(), st.integers(0, 99))
def test_any_graph_of_phases_makes_a_script_in_which_phases_read_what_they_come_after(
    phases: tuple[Phase, ...], seed: int
) -> None:
    template = replace(custom(Turns.ALL), phases=phases, max_rounds=1)
    script = FORMATS["phased"].compile(template, Plan(), Random(seed))
    phase_of = {t.id: script.rounds[t.round].phase for t in script}
    for turn in script:
        if turn.closing:
            continue
        phase = phase_of[turn.id]
        allowed = {*ancestors(phases, phase), phase}
        assert {phase_of[r] for r in turn.reads} <= allowed
        assert all(t.id in turn.reads for t in script if phase_of[t.id] in allowed - {phase})
    assert [t.id for t in script] == [f"t{n}" for n in range(1, len(script.turns) + 1)]
    assert all(turn.task in TASKS for turn in script)


def test_a_phase_that_names_nothing_comes_after_the_one_before_it_in_the_file() -> None:
    last, first = Phase("last", after=("first",)), Phase("first", after=())
    assert [(p.name, p.after) for p in in_order((last, Phase("after_last"), first))] == [
        ("first", ()), ("last", ("first",)), ("after_last", ("last",)),
    ]  # fmt: skip


@given(graphs(), st.data())
def test_a_circle_of_phases_is_refused(phases: tuple[Phase, ...], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([p.name for p in phases]))
    circle = tuple(replace(p, after=(p.name,)) if p.name == name else p for p in phases)
    with pytest.raises(BadInput, match="circle"):
        in_order(circle)


@pytest.mark.parametrize("name", ["code_review", "design_doc", "triad", "critique"])
def test_a_judged_mode_seats_judges_who_rule_twice_with_the_order_swapped(name: str) -> None:
    script = compiled(name, Plan(mode=Mode.JUDGE), settings={"judges": 2})
    judging = [(t.seat, t.swapped, t.closing, t.reads) for t in script if t.task == "judge"]
    debate = tuple(
        t.id for t in script if script.seat(t.seat).duty is Duty.DEBATER or t.task == "close"
    )
    assert judging == [
        ("judge", False, True, debate),
        ("judge", True, True, debate),
        ("judge_2", False, True, debate),
        ("judge_2", True, True, debate),
    ]


def test_a_role_called_judge_keeps_its_name_and_the_judge_gets_another() -> None:
    base = custom(Turns.ALL, roles=2)
    named = replace(
        base,
        roles=(Role("judge"), Role("chair")),
        phases=(Phase("talk", roles_active=("judge", "chair")),),
    )
    script = FORMATS["phased"].compile(named, Plan(mode=Mode.JUDGE), Random(0))
    assert [(s.id, s.duty) for s in script.seats] == [
        ("judge", Duty.DEBATER),
        ("chair", Duty.DEBATER),
        ("judge_2", Duty.JUDGE),
        ("chair_2", Duty.CHAIR),
    ]


# triad


@given(st.integers(0, 2**32))
def test_a_triad_puts_each_participant_once_into_the_hot_seat(seed: int) -> None:
    script = compiled("triad", seed=seed)
    openings = {t.seat: t.id for t in script if t.task == "open"}
    assert all(t.independent and not t.reads for t in script if t.task == "open")
    answers = [t for t in script if t.task == "answer"]
    assert sorted(t.seat for t in answers) == ["first", "second", "third"]
    for answer in answers:
        questions = [t for t in script if t.task == "question" and t.round == answer.round]
        assert sorted([*(t.seat for t in questions), answer.seat]) == ["first", "second", "third"]
        assert all(
            t.about == About(Topic.SEAT, answer.seat) and openings[answer.seat] in t.reads
            for t in questions
        )
        assert {t.id for t in questions} < set(answer.reads)
        assert script.rounds[answer.round].title == f"Hot seat: {script.label(answer.seat)}"
    *_, chair = script
    assert (chair.task, script.seat(chair.seat).votes, len(chair.reads)) == ("chair", False, 15)
    assert script.blind
    assert not any(seat in r.title + r.goal for r in script.rounds for seat in openings)


def test_the_order_of_hot_seats_and_askers_is_drawn() -> None:
    scripts = [compiled("triad", seed=s) for s in range(60)]
    assert len({tuple(t.seat for t in s if t.task == "answer") for s in scripts}) == 6
    assert len({tuple(t.seat for t in s if t.task == "question") for s in scripts}) > 20


def test_a_triad_can_ask_more_and_hold_fewer_hot_seats() -> None:
    assert [
        t.task for t in compiled("triad", Plan(rounds=3), settings={"questions": 2}) if t.round == 1
    ] == [
        "question",
        "question",
        "answer",
    ] * 2
    assert len(compiled("triad", Plan(rounds=3)).rounds) == 4
    with pytest.raises(BadInput, match="one to 3 questions"):
        compiled("triad", settings={"questions": 4})


# critique


@pytest.mark.parametrize(
    ("voices", "rounds", "seats"),
    [(None, 9, 3), (2, 9, 3), (5, 9, 5), (6, 9, 6), (7, 9, 6), (7, 8, 7), (40, 2, 37), (40, 1, 40)],
)
def test_critique_takes_as_many_voices_as_its_turns_allow(
    voices: int | None, rounds: int, seats: int
) -> None:
    script = compiled("critique", Plan(rounds=rounds, voices=voices))
    assert len(script.voters) == seats


def test_own_ways_of_thinking_replace_the_nine() -> None:
    questions = {"lawyer": "What is allowed?", "accountant": "What does it cost?"}
    lenses = [{"name": name, "looks_for": text} for name, text in questions.items()]
    script = compiled("critique", settings={"lenses": lenses}, max_rounds=2)
    assert [(r.title, r.goal) for r in script.rounds] == [
        ("Proposals", "What is allowed?"),
        ("Accountant", "What does it cost?"),
        ("Verdict", ""),
    ]
    with pytest.raises(BadInput, match="list of"):
        compiled("critique", settings={"lenses": ["lawyer"]})


# adversarial


def test_only_the_next_kind_of_argument_by_the_other_side_is_accepted() -> None:
    allowed = {
        None: "proposal",
        "proposal": "challenge",
        "challenge": "defense",
        "defense": "counter resolution",
        "counter": "resolution",
        "resolution": "challenge",
    }
    assert {k: " ".join(sorted(v)) for k, v in FOLLOWS.items()} == allowed
    for last, new in product((None, *ArgumentType), ArgumentType):
        previous = [(last, SeatId("a"))] if last else []
        assert may_follow(previous, new, SeatId("b")) is (new in allowed[last].split())
        if last:
            assert not may_follow(previous, new, SeatId("a"))


# panel


def test_the_extended_panel_adds_three_seats_and_a_round() -> None:
    script = compiled("panel", Plan(form=PanelSize.EXTENDED, mode=Mode.MAJORITY))
    spoken = [
        " ".join(f"{t.seat}:{t.task}" for t in script if t.round == r)
        for r in range(len(script.rounds))
    ]
    discussion = (
        "moderator:steer proponent:debate opponent:debate advocate:debate critic:debate "
        "refiner:refine"
    )
    assert spoken == [
        "proponent:open opponent:open advocate:open critic:open refiner:refine",
        discussion,
        discussion,
        "chair:chair",
    ]


def test_a_panel_without_the_roles_of_its_form_is_refused() -> None:
    roles = find("panel").roles[:3]
    assert len(compiled("panel", roles=roles).seats) == 5
    with pytest.raises(BadInput, match="missing: advocate, critic, refiner"):
        compiled("panel", Plan(form=PanelSize.EXTENDED), roles=roles)


# gauntlet


def test_the_gauntlet_attacks_each_category_and_presses_only_what_is_open() -> None:
    script = compiled(
        "gauntlet", settings={"categories": ["abuse", {"name": "cost", "asks": "who pays"}]}, seed=4
    )
    first, second = (t.seat for t in script if t.task == "attack")
    assert [
        (t.round, t.seat, t.task, str(t.about or ""), t.when, " ".join(t.reads)) for t in script
    ] == [
        (0, "defender", "claim", "", "", ""),
        (1, first, "attack", "abuse", "", "t1"),
        (1, second, "attack", "cost: who pays", "", "t1"),
        (1, "defender", "defend", "abuse", "", "t1 t2"),
        (1, "defender", "defend", "cost: who pays", "", "t1 t3"),
        (2, first, "press", "abuse", "not_resolved", "t1 t2 t4"),
        (2, second, "press", "cost: who pays", "not_resolved", "t1 t3 t5"),
        (3, "judge", "grade", "", "", "t1 t2 t3 t4 t5 t6 t7"),
    ]
    assert first != second


@pytest.mark.parametrize("categories", [None, [], ["a", "a"], [1], [{"asks": "x"}], ["a"] * 13])
def test_categories_must_be_a_list_of_names(categories: object) -> None:
    with pytest.raises(BadInput, match="categories"):
        compiled("gauntlet", settings={"categories": categories})


# guards


def debate(script: Script, statements: Mapping[str, Statement]) -> Debate:
    """Returns a debate with exactly these statements; the other turns before them failed."""
    request = DebateRequest("panel", "?", "shell:me", "shell")
    opened = DebateOpened(
        find("panel"),
        script,
        {},
        Material(MaterialKind.QUESTION, "?", "?"),
        Terms("majority", 0.6, 1),
        START,
    )
    return replay(
        (DebateRequested("d", request, START), opened, *(_settled(t, statements) for t in script))
    )


def _settled(turn: Turn, statements: Mapping[str, Statement]) -> TurnFinished | TurnFailed:
    if turn.id in statements:
        return TurnFinished(turn.id, statements[turn.id], Usage(), "m")
    return TurnFailed(turn.id, "no answer")


@pytest.mark.parametrize(
    ("called", "speaking"),
    [
        (("P2", " p4 "), {"P2", "P4"}),
        (("Proponent",), {"the proponent"}),
        ((), {"P1", "P2", "P3", "P4"}),
        (("P9", "everybody"), {"P1", "P2", "P3", "P4"}),
        (None, {"P1", "P2", "P3", "P4"}),
    ],
)
def test_who_is_called_on_speaks_and_a_moderator_who_calls_nobody_silences_nobody(
    called: tuple[str, ...] | None, speaking: set[str]
) -> None:
    script = compiled("panel", Plan(form=PanelSize.EXTENDED))
    steer = next(t for t in script if t.task == "steer")
    state = debate(script, {} if called is None else {steer.id: Statement("go", called=called)})
    questions = [t for t in script if t.round == steer.round and t.when]
    expected = {script.alias(SeatId("proponent"))} if speaking == {"the proponent"} else speaking
    assert {script.alias(t.seat) for t in questions if GUARDS[t.when](t, state)} == expected


ATTACK = Statement("it breaks", claims=(Claim("t2.c1", "it breaks"),))


def answer(*positions: Position) -> Statement:
    return Statement("answered", answers=tuple(Answer("t2.c1", p) for p in positions))


@pytest.mark.parametrize(
    ("attack", "defence", "open_still"),
    [
        (ATTACK, answer(Position.DISPUTE), True),
        (ATTACK, answer(Position.ANSWERED), True),
        (ATTACK, answer(Position.CONCEDE, Position.DISPUTE), True),
        (ATTACK, answer(), True),
        (ATTACK, answer(Position.CONCEDE), False),
        (ATTACK, answer(Position.AGREE, Position.CONCEDE), False),
        (ATTACK, None, False),
        (Statement("nothing to attack"), answer(Position.DISPUTE), False),
        (None, answer(Position.DISPUTE), False),
    ],
)
def test_an_attack_is_pressed_only_while_it_is_not_resolved(
    attack: Statement | None, defence: Statement | None, open_still: bool
) -> None:
    script = compiled("gauntlet", settings={"categories": ["abuse"]})
    press = next(t for t in script if t.task == "press")
    statements = {id: s for id, s in (("t2", attack), ("t3", defence)) if s is not None}
    assert GUARDS[press.when](press, debate(script, statements)) is open_still


def test_a_taken_back_press_is_not_defended_again() -> None:
    script = compiled("gauntlet", Plan(rounds=3), settings={"categories": ["abuse"]})
    again = next(t for t in script if t.task == "defend" and t.when)
    statements = {"t2": ATTACK, "t3": answer(Position.DISPUTE)}
    assert GUARDS[again.when](again, debate(script, statements | {"t4": answer(Position.DISPUTE)}))
    assert not GUARDS[again.when](
        again, debate(script, statements | {"t4": answer(Position.WITHDRAW)})
    )
    assert not GUARDS[again.when](again, debate(script, statements))


# one template in another format


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_every_template_can_be_played_in_every_format(form: str) -> None:
    for name, shipped in builtin().items():
        moved = in_format(shipped, form)
        assert FORMATS[form].compile(moved, Plan(), Random(0)).format == form
        kept = (moved.id, moved.rubric, moved.output_format)
        assert kept == (name, shipped.rubric, shipped.output_format)
        assert moved.findings == (shipped.findings and form in ("phased", "contested"))


def test_an_unknown_format_is_met_with_the_nearest() -> None:
    with pytest.raises(BadInput, match=r"no format is called 'triads'; did you mean triad\?"):
        in_format(find("code_review"), "triads")
