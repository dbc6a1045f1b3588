"""What an argument is can be read where it is read: its type, its evidence, the areas that it
concerns.
"""

from __future__ import annotations

import asyncio

from adapters.posts.export.transcript import by_round
from adapters.posts.statement import statement as posts_of
from core.views.course.argued import AREAS, EVIDENCE
from tests.core.memory import Voice, Voices, opening, played


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
