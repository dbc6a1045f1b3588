"""Template files: the shipped ones against the tables they were made from, each broken rule
against its message, a folder of one's own.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from random import Random

import pytest

from adapters.templates import catalogue
from adapters.templates.catalogue import broken_files, builtin, describe, find, read_catalogue
from adapters.templates.loading import TemplateError, check, load
from adapters.templates.sources import TemplateSources
from core.debate.errors import BadInput
from core.debate.formats import FORMATS, Plan
from core.debate.formats.draft import brief, goal
from core.debate.script import Duty
from core.debate.template import Evidence, Mode, Option, Phase, Role, Template
from core.words.outcome.report import report
from tests.core.table import table
from tests.project import DOCS

TABLE = """
    code_review            6  5  0.70  0.6  software_engineering  16
    design_doc             4  5  0.60  0.7  architecture          16
    incident_response      4  5  0.70  0.8  operations            13
    research_synthesis     4  5  0.60  0.7  research               9
    security_audit         5  6  0.80  0.9  security              13
    architecture_review    5  5  0.70  0.8  architecture          17
    healthcare_compliance  5  6  0.80  0.9  healthcare            17
    financial_risk         5  6  0.75  0.9  finance               14
    policy_review          6  5  0.70  0.7  governance            15
    product_strategy       6  5  0.60  0.8  product               16
"""
"""seats, rounds, threshold, difficulty, domain, turns (rounds times active roles; the chair or
judge adds one).
"""

DOC_REVIEW = """
id = "doc-review-v1"
name = "Document Review"
description = "Structured document review process"
domain = "documentation"
difficulty = 0.5
recommended_agents = 2
max_rounds = 5
consensus_threshold = 0.7
output_format = "# Review Summary\\n{findings}\\n{resolutions}"

[rubric]
issue_coverage = 0.4
resolution_quality = 0.4
consensus = 0.2

[[roles]]
name = "reviewer"
description = "Primary document reviewer"
objectives = ["Identify issues", "Suggest improvements"]
evaluation_criteria = ["Thoroughness", "Actionability"]

[[roles]]
name = "author"
description = "Document author"
objectives = ["Clarify intent", "Address feedback"]
evaluation_criteria = ["Responsiveness", "Quality of fixes"]

[[phases]]
name = "review"
description = "Initial review"
duration_rounds = 2
roles_active = ["reviewer"]
objectives = ["Identify all issues"]
outputs = ["Issue list"]

[[phases]]
name = "discussion"
description = "Author-reviewer discussion"
duration_rounds = 3
roles_active = ["reviewer", "author"]
objectives = ["Resolve issues"]
outputs = ["Resolution plan"]
"""

SMALLEST = """
id = "tea"
[[roles]]
name = "host"
[[roles]]
name = "guest"
[[phases]]
name = "talk"
roles_active = ["host", "guest"]
"""


def test_ten_templates_ship_and_one_for_each_other_format() -> None:
    assert set(builtin()) == {row.split()[0] for row in TABLE.strip().splitlines()} | set(
        FORMATS
    ) - {"phased", "contested"}
    assert len(builtin()) == 15


@pytest.mark.parametrize("row", TABLE.strip().splitlines())
def test_a_shipped_template_has_the_values_of_the_table(row: str) -> None:
    name, seats, rounds, threshold, difficulty, domain, turns = row.split()
    t = find(name)
    planned = sum(p.duration_rounds * len(p.roles_active) for p in t.phases)
    assert (t.id, t.domain) == (name, domain)
    assert (len(t.roles), t.max_rounds, planned) == (int(seats), int(rounds), int(turns))
    assert (t.consensus_threshold, t.difficulty) == (float(threshold), float(difficulty))
    assert t.evidence_policy is Evidence.ALLOW_CITED


@pytest.mark.parametrize("name", sorted(builtin()))
def test_a_shipped_template_is_complete_and_nothing_about_it_is_odd(name: str) -> None:
    checked = check(catalogue.FOLDER / f"{name}.toml")
    assert (checked.errors, checked.warnings) == ((), ())
    t = find(name)
    assert all((t.name, t.description, t.tags, t.domain))
    assert all(
        all((r.description, r.objectives, r.evaluation_criteria, r.example_prompts))
        for r in t.roles
    )
    assert all(all((p.description, p.objectives, p.outputs, p.turns)) for p in t.phases)
    assert any(o.blocks for o in t.ballot)
    assert not all(o.blocks for o in t.ballot)
    assert all(o.emoji for o in t.ballot)
    assert [o.strict for o in t.ballot] == list(range(len(t.ballot)))


@pytest.mark.parametrize("name", sorted(builtin()))
def test_what_goes_into_every_prompt_is_short(name: str) -> None:
    assert {r.name: len(brief(r)) for r in find(name).roles if len(brief(r)) > 300} == {}
    assert {p.name: len(goal(p)) for p in find(name).phases if len(goal(p)) > 200} == {}


def test_code_review_decides_by_findings_on_a_pull_request() -> None:
    t = find("code_review")
    assert (t.findings, t.material) == (True, "pull_request")
    assert t.ballot == (
        Option("approve", "white_check_mark", 0),
        Option("comment", "speech_balloon", 1),
        Option("request_changes", "x", 2, blocks=True),
    )


@pytest.mark.parametrize("name", sorted(builtin()))
def test_a_report_leaves_no_placeholder_and_no_score_open(name: str) -> None:
    """Every section written, every criterion scored: nothing is left in braces, unanswered or
    unscored.
    """
    t = find(name)
    played = table(
        seats=("a", "b", "chair:chair"),
        **{f.name: getattr(t, f.name) for f in fields(t) if f.name not in OF_THE_TABLE},
    )
    sections = dict.fromkeys(placeholders(t), "Written.")
    for turn in ("t1", "t2", "u1", "u2"):
        played.says(turn, t.ballot[0].option)
    played.says("end", sections=sections, scores=dict.fromkeys(t.rubric, 0.8)).concluded()
    text = report(played.debate).split("\n---\n")[0]
    assert not {"{", "}"} & set(text)
    assert "not answered" not in text
    assert "not scored" not in text


OF_THE_TABLE = ("format", "consensus", "consensus_threshold", "quorum", "material")


def placeholders(t: Template) -> list[str]:
    return [p for _, p, _, _ in string.Formatter().parse(t.output_format) if p]


def test_a_template_is_described_for_machines() -> None:
    described = describe(find("design_doc"))
    presentation, critique, debate = described.pop("phases")
    assert critique == {
        "name": "critique",
        "rounds": 1,
        "roles": ["devils_advocate", "stakeholder", "implementer"],
        "after": ["presentation"],
        "objectives": ["Find what fails, is missing or costs more than it says; quote the text"],
        "turns": "all",
        "rotate": False,
    }
    assert (presentation["after"], debate["after"], debate["rounds"]) == ([], ["critique"], 3)
    assert described == {
        "name": "design_doc",
        "format": "phased",
        "domain": "architecture",
        "description": (
            "Tests a design or RFC against assumptions, requirements and the effort of building it."
        ),
        "roles": ["author", "devils_advocate", "stakeholder", "implementer"],
        "rounds": 5,
        "threshold": 0.6,
        "ballot": ["accept", "accept_with_changes", "rework", "reject"],
        "difficulty": 0.7,
        "tags": ["design", "rfc", "architecture", "review"],
        "rubric": {
            "technical_soundness": 0.25,
            "requirement_coverage": 0.25,
            "feasibility": 0.2,
            "risk_assessment": 0.15,
            "alternatives_considered": 0.15,
        },
        "follow_up_days": 60,
    }


def test_a_template_without_phases_is_described_by_what_its_format_makes_of_it() -> None:
    triad = describe(find("triad"))
    assert [(p["name"], p["rounds"], sorted(p["roles"]), p["after"]) for p in triad["phases"]] == [
        ("opening", 1, ["first", "second", "third"], []),
        ("hot_seat", 3, ["first", "second", "third"], ["opening"]),
        ("closing", 1, ["first", "second", "third"], ["hot_seat"]),
    ]
    assert triad["rounds"] == 5


# names


@pytest.mark.parametrize(
    "name", ["code_review", "code-review", "code-review-v1", "Code-Review-v1", " code_review_v2 "]
)
def test_a_template_answers_to_its_aliases(name: str) -> None:
    assert find(name).id == "code_review"


def test_an_unknown_template_is_met_with_the_nearest() -> None:
    for name, says in (
        ("code_reveiw", "did you mean code_review?"),
        ("zzz", "there are adversarial, architecture_review"),
    ):
        with pytest.raises(BadInput) as caught:
            find(name)
        assert str(caught.value).startswith(f"No template is called {name!r}; {says}")


def test_asking_for_one_template_reads_one_file() -> None:
    catalogue._shipped.cache_clear()
    assert builtin()["triad"].id == "triad"
    assert "code_review" in builtin()
    assert catalogue._shipped.cache_info().currsize == 1
    with pytest.raises(KeyError):
        builtin()["../secrets"]


# a folder of one's own


def test_an_own_template_is_found_beside_the_shipped_ones_and_a_broken_one_hides_nothing(
    tmp_path: Path,
) -> None:
    (tmp_path / "doc.toml").write_text(DOC_REVIEW)
    (tmp_path / "broken.toml").write_text("id = ")
    sources = TemplateSources(tmp_path)
    assert find("doc-review", sources).id == "doc-review-v1"
    assert find("code-review", sources).id == "code_review"
    assert sorted(t.id for t in read_catalogue(sources)) == sorted([*builtin(), "doc-review-v1"])
    (broken,) = broken_files(sources)
    assert str(broken) == (
        "broken.toml: is not TOML: Invalid value (at end of document); see `debate docs templates` "
        "for an example"
    )
    with pytest.raises(TemplateError, match=r"broken\.toml"):
        find("broken", sources)


def test_an_own_template_takes_the_place_of_a_shipped_one_and_is_read_again_when_it_changes(
    tmp_path: Path,
) -> None:
    own = tmp_path / "mine.toml"
    own.write_text(SMALLEST.replace('"tea"', '"code_review"'))
    assert find("code_review", TemplateSources(tmp_path)).name == "Code Review"
    ours = find("code_review", TemplateSources(tmp_path))
    assert [r.name for r in ours.roles] == ["host", "guest"]
    assert len(read_catalogue(TemplateSources(tmp_path))) == len(builtin())
    own.write_text(SMALLEST.replace('"tea"', '"code_review"\nname = "Ours"'))
    assert find("code_review", TemplateSources(tmp_path)).name == "Ours"
    own.unlink()
    assert len(find("code_review", TemplateSources(tmp_path)).roles) == 6


def test_a_folder_that_is_not_there_is_an_empty_one(tmp_path: Path) -> None:
    assert read_catalogue(TemplateSources(tmp_path / "none")) == tuple(builtin().values())


# the custom template of the template document


def test_the_documents_own_example_loads_and_runs() -> None:
    checked = check(DOC_REVIEW)
    assert (checked.errors, checked.warnings) == ((), ())
    t = load(DOC_REVIEW)
    script = FORMATS["phased"].compile(t, Plan(), Random(0))
    assert " ".join(f"{x.seat}:{x.task}:{x.round}" for x in script) == (
        "reviewer:open:0 reviewer:debate:1 reviewer:debate:2 author:open:2 reviewer:debate:3 "
        "author:debate:3 reviewer:debate:4 author:debate:4 chair:chair:5"
    )
    assert script.seat(script.turns[-1].seat).duty is Duty.CHAIR


def test_the_documents_field_names_are_understood() -> None:
    text = DOC_REVIEW.replace(
        'id = "doc-review-v1"', 'template_id = "doc-review-v1"\ntemplate_type = "design_doc"'
    )
    checked = check(text)
    assert checked.template == load(DOC_REVIEW)
    assert [str(w) for w in checked.warnings] == [
        "template: template_type: has no effect; here only the id names a template"
    ]


def test_a_template_has_one_id_and_no_commands_name() -> None:
    both = DOC_REVIEW.replace('id = "doc-review-v1"', 'id = "doc-review-v1"\ntemplate_id = "other"')
    (problem,) = check(both).errors
    assert str(problem) == "template: template_id: is another name of id; remove one of the two"
    for name, command in (
        *(("list", "list"), ("db", "db"), ("show_v2", "show"), ("cancel", "stop")),
        *(("new", "start"), ("template", "templates"), ("schedules-v2", "schedule")),
    ):
        checked = check(DOC_REVIEW.replace("doc-review-v1", name))
        wrong = f"template: id: {name!r} is read as the command {command}; choose another"
        assert [str(error) for error in checked.errors] == [wrong]


def test_what_is_absent_has_the_value_that_the_reference_page_states() -> None:
    assert load(SMALLEST) == Template(
        id="tea",
        name="Tea",
        description="",
        domain="general",
        format="phased",
        roles=(Role("host"), Role("guest")),
        phases=(Phase("talk", "", 1, ("host", "guest")),),
        ballot=(
            Option("accept", "white_check_mark"),
            Option("revise", "pencil2", strict=1),
            Option("reject", "x", strict=2, blocks=True),
        ),
        rubric={"evidence": 0.4, "coverage": 0.3, "actionability": 0.3},
        output_format="# Summary\n\n{summary}\n\n## Open points\n\n{open_points}\n\n## Action "
        "items\n\n{action_items}\n",
        max_rounds=1,
        consensus_threshold=0.6,
        recommended_agents=2,
        consensus=Mode.MAJORITY,
    )
    usual = [o.option for o in load(SMALLEST + "[settings]\n").ballot]
    assert usual == ["accept", "revise", "reject"]
    reviewing = [o.option for o in load("findings = true\n" + SMALLEST).ballot]
    assert reviewing == ["approve", "comment", "request_changes"]
    own = load('ballot = ["go", "no"]\n' + SMALLEST).ballot
    assert own == (Option("go"), Option("no", strict=1))


# refusals

REFUSED = r"""
id = "tea"
    id = "Tea!"
        id: 'Tea!' is no identifier; use small letters, digits, _ and -, a letter first
    -
        id: is missing; add it
name = "guest"
    name = "host"
        roles: 'host' is there 2 times; names are unique
    name = "the guest"
        roles: 'the guest' is no identifier; use small letters, digits and _, a letter first
    name = "guest"\nobjectives = "be nice"
        roles[guest].objectives: is text in quotes; it must be a list
    -
        roles[2].name: is missing; add it
name = "talk"
    name = "1st"
        phases: '1st' is no identifier; use small letters, digits and _, a letter first
[[roles]]
    [rubric]\nA = 1.0\n[[roles]]
        rubric: 'A' is no identifier; use small letters, digits and _, a letter first
    [rubric]\na = 0.5\nb = 0.48\n[[roles]]
        rubric: weights sum to 0.98; they must sum to 1 within 0.01
    [rubric]\na = 1.5\nb = -0.5\n[[roles]]
        rubric.b: is -0.5; a weight is positive
    [rubric]\na = nan\n[[roles]]
        rubric.a: is nan; a weight is positive
    [rubric]\n[[roles]]
        rubric: is empty; give criteria with weights that sum to 1, or leave the table out
    [settings]\njudges = 4\n[[roles]]
        format: phased cannot play it: a panel has one to three judges, not 4; see `debate docs
        templates`
    [settings]\npresenting = ["tlak"]\n[[roles]]
        settings.presenting: ['tlak'] is no list of phases; use some of talk
"host", "guest"]
    "host", "gest"]
        phases[talk].roles_active: 'gest' is no declared role; did you mean guest?
    "host", "host"]
        phases[talk].roles_active: 'host' is there 2 times; a role speaks once a round
["host", "guest"]
    []
        phases[talk].roles_active: is empty; name who speaks; declared are host, guest
[[phases]]
    [[phases]]\nduration_rounds = 0
        phases[talk].duration_rounds: is 0; 1 or more
    [[phases]]\nafter = ["tlak"]
        phases[talk].after: 'tlak' is no phase; did you mean talk?
    [[phases]]\nafter = ["talk"]
        format: phased cannot play it: phases wait for each other in a circle: talk; see `debate
        docs templates`
    [[phases]]\nduration_rounds = 5
        phases: last 5 rounds, more than twice max_rounds (2); shorten them or set max_rounds = 5
    [[phases]]\nround = 2
        phases[talk].round: is no field of a template; known are name, description,
        duration_rounds, roles_active, objectives, outputs, turns, after, rotate
max_rounds = 2
    max_rounds = 0
        max_rounds: is 0; 1 or more
    consensus_threshold = 0
        consensus_threshold: is 0; a share of the entitled seats: more than 0, at most 1
    consensus_threshold = 1.1
        consensus_threshold: is 1.1; a share of the entitled seats: more than 0, at most 1
    quorum = 0
        quorum: is 0; a share of the entitled seats: more than 0, at most 1
    timeout = 0
        timeout: is 0; seconds, more than 0, at most 3600
    temperature = 2.1
        temperature: is 2.1; a number from 0 to 2
    follow_up_days = 0
        follow_up_days: is 0; days until the question whether the verdict held, 1 to 3650
    follow_up_days = 1234567
        follow_up_days: is 1234567; days until the question whether the verdict held, 1 to 3650
    convergence_threshold = -1
        convergence_threshold: is -1; a number from 0 to 1
    difficulty = 2
        difficulty: is 2; a number from 0 to 1
    recommended_agents = 0
        recommended_agents: is 0; 1 or more different models
    evidence_policy = "none"
        evidence_policy: invalid enum value 'none'; use one of allow-any, allow-cited,
        disallow-external
    consensus = "vote"
        consensus: invalid enum value 'vote'; use one of majority, supermajority, unanimous,
        weighted, judge, hybrid
    material = "pr"
        material: 'pr' is no kind of material; use one of pull_request, diff, document, incident,
        question, or leave it out
    output_format = "{summary"
        output_format: has a brace too few or too many (expected '}' before end of string); write
        {{ and }} for braces
    output_format = "{summary.text}"
        output_format: {summary.text} is no placeholder; a placeholder is {small_letters}
    output_format = "{summary!r}"
        output_format: {summary} is no placeholder; a placeholder is {small_letters}
    output_format = "nothing"
        output_format: has no placeholder; name at least one, like {summary}
    output_format = "{beauty_score}"
        output_format: nobody scores {beauty_score}; use risk_score or a criterion:
        evidence_score, coverage_score, actionability_score
    output_format = "{cups_count}"
        output_format: nobody counts {cups_count}; use one of low_count, medium_count, high_count,
        critical_count, findings_count
    format = "critique"\noutput_format = "{critical_count} {summary}"
        output_format: nobody fills {critical_count}: no turn of the format critique is asked for
        findings; leave it out, or choose a format that has one
    format = "phase"
        format: 'phase' is no format; did you mean phased?
    format = "triad"
        format: triad cannot play it: a triad has 3 roles, not 2; see `debate docs templates`
    rouds = 2
        rouds: is no field of a template; did you mean max_rounds?
    zzz = 2
        zzz: is no field of a template; known are id, name, description, domain, format, roles,
        phases, ballot, rubric, output_format, max_rounds, consensus_threshold, recommended_agents,
        difficulty, tags, consensus, evidence_policy, people, quorum, material, poll, findings,
        timeout, temperature, convergence_threshold, follow_up_days, settings
    max_round = 2
        max_round: is no field of a template; did you mean max_rounds?
    max_rounds = "2"
        max_rounds: is text in quotes; it must be a whole number
    ballot = ["go"]
        ballot: has 1 option(s); a choice needs two or more
    ballot = ["go", "none"]
        ballot: 'none' is how abstentions are counted; choose another word
    ballot = ["Go!", "no"]
        ballot: 'Go!' is no identifier; use small letters, digits and _, a letter first
    ballot = [{option = "go", emoji = "x"}, {option = "no", emoji = "x"}]
        ballot: the emoji 'x' has 2 options; one emoji, one option
    ballot = [{option = "go", emoji = ":x:"}, {option = "no"}]
        ballot: ':x:' is no emoji name; write it like white_check_mark, without colons
max_rounds = 2

    max_rounds = 61\n
        format: phased cannot play it: this debate would take more than the 120 turns that one may
        have: ask for fewer rounds or roles; see `debate docs templates`
"""
"""For a line of a template what takes its place, and the message about it."""


def refused() -> Iterator[tuple[str, str, str]]:
    for block in re.split(r"\n(?=\S)", REFUSED.strip()):
        old, *cases = re.split(r"\n    (?=\S)", block)
        for case in cases:
            new, *message = case.split("\n        ")
            yield old, new.removeprefix("-").replace(r"\n", "\n"), " ".join(message)


def test_a_broken_rule_is_refused_with_field_fault_and_remedy(tmp_path: Path) -> None:
    whole = "max_rounds = 2\n" + SMALLEST
    file = tmp_path / "tea.toml"
    for old, new, message in refused():
        assert old in whole
        name = 'name = "guest"'
        file.write_text(whole.replace(old, new) if old == name else whole.replace(old, new, 1))
        with pytest.raises(TemplateError) as caught:
            load(file)
        assert f"tea.toml: {message}" in str(caught.value).splitlines()


def test_all_faults_are_named_at_once() -> None:
    text = SMALLEST.replace('name = "guest"', 'name = "guest"\nobjectives = "be nice"\nage = 7')
    checked = check('rouds = 2\nmax_rounds = "2"\nconsensus_threshold = "high"\n' + text)
    assert checked.template is None
    assert sorted(problem.field for problem in checked.errors) == [
        "consensus_threshold", "max_rounds", "roles[guest].age", "roles[guest].objectives", "rouds",
    ]  # fmt: skip
    broken = check("rouds = 2\nmax_rounds = 0\ndifficulty = 7.0\n" + SMALLEST)
    assert [problem.field for problem in broken.errors] == ["rouds", "max_rounds", "difficulty"]


def test_a_number_of_hundreds_of_digits_is_a_fault_like_any_other() -> None:
    huge = "9" * 400
    checked = check(f"follow_up_days = {huge}\nrecommended_agents = -{huge}\n" + SMALLEST)
    assert [p.wrong for p in checked.errors] == [f"is {huge}", f"is -{huge}"]


def test_a_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    gone = r"none\.toml: cannot be read \(No such file or directory\); check the path"
    with pytest.raises(TemplateError, match=gone):
        load(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b'id = "caf\xe9"')
    with pytest.raises(TemplateError, match=r"latin\.toml: is not UTF-8 text; save it as UTF-8"):
        load(tmp_path / "latin.toml")
    (tmp_path / "huge.toml").write_text("#" * 300_000)
    with pytest.raises(TemplateError, match=r"huge\.toml: is larger than 262144 bytes"):
        load(tmp_path / "huge.toml")


# warnings

TWO = '[[phases]]\nname = "start"\nroles_active = ["host", "guest"]\n[[phases]]'
ODD = [
    (
        ', "guest"]',
        "]",
        "roles[guest]: is active in no phase; it gets no seat; name it in a phase's roles_active",
        "roles: only 'host' argues and votes; a debate needs two voices",
    ),
    (
        "[[roles]]",
        "[rubric]\na = 0.5\nb = 0.495\n[[roles]]",
        "rubric: weights sum to 0.995; they are scaled to 1",
    ),
    (
        "[[roles]]",
        "max_rounds = 2\n[[roles]]",
        "max_rounds: is 2, but the phases have 1 rounds; the last phase that argues is repeated",
    ),
    (
        "[[roles]]",
        "consensus_threshold = 0.5\n[[roles]]",
        "consensus_threshold: is 0.5; one half or less: a strict majority is required in any case",
    ),
    (
        "[[roles]]",
        "[settings]\ntea = 1\n[[roles]]",
        "settings.tea: is no option of the format phased; known are checks, judges, presenting",
    ),
    ("[[phases]]", TWO),
]


@pytest.mark.parametrize("case", ODD)
def test_what_is_odd_is_warned_about_and_used(case: tuple[str, ...]) -> None:
    old, new, *messages = case
    checked = check(SMALLEST.replace(old, new, 1))
    assert checked.template is not None
    assert [str(w) for w in checked.warnings] == [f"template: {m}" for m in messages]


def test_phases_may_last_twice_as_long_as_the_rounds_and_no_longer() -> None:
    twice, longer = (
        check(
            SMALLEST.replace("[[roles]]", "max_rounds = 2\n[[roles]]", 1).replace(
                "[[phases]]\n", f"[[phases]]\nduration_rounds = {rounds}\n"
            )
        )
        for rounds in (4, 5)
    )
    assert [str(w) for w in twice.warnings] == [
        "template: max_rounds: is 2, but the phases have 4 rounds; all phases are played"
    ]
    assert twice.template is not None
    assert [error.field for error in longer.errors] == ["phases"]


def test_a_closing_by_a_seat_that_took_a_side_is_warned_about_and_left_to_a_chair() -> None:
    checked = check(SMALLEST + '[[phases]]\nname = "end"\nroles_active = ["host"]\n')
    assert [str(w) for w in checked.warnings] == [
        "template: phases[end]: 'host' closes after taking a side; an added chair closes instead"
    ]
    assert checked.template is not None
    assert FORMATS["phased"].compile(checked.template, Plan(), Random(0)).turns[-1].task == "chair"


def test_weights_are_scaled_to_one() -> None:
    text = SMALLEST.replace('id = "tea"', 'id = "tea"\n[rubric]\na = 0.5\nb = 0.495')
    assert sum(load(text).rubric.values()) == pytest.approx(1.0, abs=1e-12)


# the reference page


def test_the_reference_page_states_every_field() -> None:
    text = (DOCS / "templates.md").read_text(encoding="utf-8")
    for kind in (Template, Role, Phase, Option):
        for field in fields(kind):
            assert f"`{field.name}`" in text, f"{kind.__name__}.{field.name} is not on the page"
    for name in (*FORMATS, *builtin()):
        assert f"`{name}`" in text


def test_the_pages_example_is_a_template_with_and_without_its_ballot() -> None:
    text = (DOCS / "templates.md").read_text(encoding="utf-8")
    example, ballot = (part.split("```")[0] for part in text.split("```toml\n")[1:3])
    assert (check(example).errors, check(example).warnings) == ((), ())
    checked = check(example + ballot)
    assert (checked.errors, checked.warnings) == ((), ())
    assert checked.template is not None
    assert [(one.option, one.strict, one.blocks) for one in checked.template.ballot] == [
        ("go", 0, False), ("go_with_watch", 1, False), ("hold", 2, True),
    ]  # fmt: skip
