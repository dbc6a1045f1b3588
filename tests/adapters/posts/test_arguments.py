"""What an argument is can be read where it is read: its type, its evidence, the areas that it
concerns.
"""

from __future__ import annotations

import asyncio

from adapters.posts.export.transcript import by_round
from adapters.posts.statement import statement as posts_of
from core.debate.finding import Category
from core.debate.verdict.findings import merge_findings
from core.words.views.course.argued import EVIDENCE, proven_quotes
from core.words.views.verdict.findings import AREAS, finding_view
from tests.core.memory import Voice, Voices, opening, played
from tests.core.table import finding as a_finding
from tests.core.table import table


def test_type_evidence_and_areas_are_in_the_thread_and_in_the_transcript() -> None:
    voices = Voices((Voice(seed=2), Voice("voice-b", "b", 5)))
    debate, _ = asyncio.run(played(opening("adversarial", voices=voices, seed=2), voices))
    argued = [(t, s) for t, s in debate.statements() if s.argument and s.argument.evidence]
    assert argued
    transcript = "\n".join(by_round(debate).values())
    for turn, statement in argued:
        assert statement.argument is not None
        (post,) = posts_of(debate, 1, turn)
        assert post.title.startswith(statement.argument.type.value.capitalize())
        fields = dict(post.fields)
        assert statement.argument.evidence[0] in fields[EVIDENCE]
        for area in statement.argument.impact_areas:
            assert area in fields[AREAS]
        assert f"- {EVIDENCE}: {'; '.join(statement.argument.evidence)}" in transcript


def test_what_a_panels_claims_quote_is_in_the_thread_and_in_the_transcript() -> None:
    voices = Voices((Voice(seed=2),))
    debate, _ = asyncio.run(played(opening("panel", voices=voices, seed=2), voices))
    transcript, quoted = "\n".join(by_round(debate).values()), 0
    for turn, statement in debate.statements():
        quotes = proven_quotes(debate, turn, statement)
        for post in posts_of(debate, 1, turn):
            assert (EVIDENCE in dict(post.fields)) is bool(quotes)
        for claim in statement.claims:
            assert f"(quotes “{claim.quote}”)" in transcript
            quoted += 1
    assert quoted


def test_a_finding_says_what_it_concerns() -> None:
    finding = a_finding("Slow", category=Category.PERFORMANCE)
    debate = table().says("t1", "comment", findings=[finding]).debate
    (merged,) = merge_findings(debate)
    assert (AREAS, "performance") in finding_view(debate, merged).facts
