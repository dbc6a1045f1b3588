"""A template is shown to a person with its criteria, the purpose of its phases and its
difficulty.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from adapters.templates.catalogue import builtin
from adapters.templates.sources import TemplateSources
from bot.desk.reading.templates import show_templates
from core.application.commands import Templates, parse
from core.application.desk import Caller
from core.debate.errors import BadInput
from core.languages import speaking

ANN = Caller("shell:ann", "shell:ann", "test:1")


def test_rubric_objectives_phases_and_difficulty_are_shown() -> None:
    for name in sorted(builtin()):
        text = show_templates(Templates(name), ANN).text
        template = builtin()[name]
        for criterion, weight in template.rubric.items():
            assert f"{criterion.replace('_', ' ')} {weight:.0%}" in text
        for phase in template.phases:
            assert f"- {phase.name.replace('_', ' ')}: {phase.duration_rounds} round" in text
            assert all(objective in text for objective in phase.objectives)
        assert f"Difficulty: {template.difficulty:g}, from 0 to 1" in text


def test_the_difficulty_is_a_number_of_the_readers_language() -> None:
    with speaking("de"):
        text = show_templates(Templates("code_review"), ANN).text
    assert "Schwierigkeit: 0,6" in text


def test_a_folder_that_is_not_there_is_told_in_a_shell(tmp_path: Path) -> None:
    gone = TemplateSources(tmp_path / "gone")
    line = f"- broken: {tmp_path / 'gone'} is no folder. Correct DEBATE_TEMPLATES_DIR."
    assert show_templates(Templates(), ANN, gone).text.split("\n")[-1] == line
    assert "broken" not in show_templates(Templates(), replace(ANN, place="slack:T1/C1"), gone).text


def test_a_review_is_shown_as_it_is_held() -> None:
    text = show_templates(Templates("code_review"), ANN).text
    assert text == (
        "**code_review** (contested, software engineering): Reviews a change for correctness, "
        "security, performance and maintainability; what the openings contest is argued, with the "
        "author answering.\n"
        "Seats: author, correctness critic, security critic, performance critic, maintainability "
        "critic, synthesizer\n"
        "How it goes:\n"
        "- initial review: 1 round, correctness critic, security critic, performance critic, "
        "maintainability critic. Objectives: Find the defects that would hurt most, each with "
        "place and quotation.\n"
        "- author response: 1 round, author. Objectives: Only if the openings contest something; "
        "Answer each finding: concede, or dispute with evidence.\n"
        "- debate: 2 rounds, author, correctness critic, security critic, performance critic, "
        "maintainability critic. Objectives: Only if the openings contest something; Keep, "
        "withdraw or dispute each open finding; leave settled ones alone.\n"
        "- synthesis: 1 round, synthesizer. Objectives: Only if the openings contest something; "
        "Rank the findings that remain, say what is disputed and by whom.\n"
        "5 seats open. If nothing that would change the decision is contested, the debate ends "
        "there. Else the author answers, 3 seats argue in two rounds at most and decide again: 14 "
        "calls at most. --format phased plays all phases.\n"
        "Judged by: security coverage 30%, performance impact 20%, maintainability 20%, "
        "actionability 20%, consensus 10%\n"
        "Verdict: approve, comment, request changes; one rule over findings and votes decides "
        "(`debate docs judgement`)\n"
        "Difficulty: 0.6, from 0 to 1\n"
        "Tags: code, review, security, performance"
    )


def test_templates_are_found_by_their_tags() -> None:
    cases: list[tuple[str, list[str]]] = [
        ("HIPAA", ["healthcare_compliance"]),
        ("postmortem", ["incident_response"]),
        ("stress-test", ["financial_risk"]),
        ("governance", ["policy_review"]),
        ("security", ["architecture_review", "code_review", "security_audit"]),
    ]
    for word, ids in cases:
        request = parse(f"templates {word}", templates=tuple(builtin()))
        assert isinstance(request, Templates)
        text = show_templates(request, ANN).text
        assert [line.split("`")[1] for line in text.splitlines()] == ids


def test_a_word_that_no_template_is_about_is_said_to_be_none() -> None:
    with pytest.raises(BadInput, match="No template is called 'gardening'; there are "):
        show_templates(Templates("gardening"), ANN)
    assert "Tags: healthcare, hipaa" in show_templates(Templates("healthcare_compliance"), ANN).text
