"""Detects statements that add nothing new."""

from __future__ import annotations

import re

from core.debate.replies import Statement
from core.debate.script import Turn
from core.debate.state import Debate
from core.languages import msgid
from core.words.views.verdict.stances import stays

NOTHING_TO_ADD = msgid("nothing to add")
_SAYS_SO = re.compile(
    r"\W*(i have )?(nothing (new |more |further |else )?to (add|say)|nothing new\b"
    r"|no (further|new|more) (comments?|points?|remarks?|objections?))",
    re.IGNORECASE,
)


def adds_nothing(debate: Debate, turn: Turn, statement: Statement) -> bool:
    """True if a seat that kept its stance states that it has nothing to add, or says nothing, and
    raises no finding either.
    """
    quiet = not statement.text.strip() or _SAYS_SO.match(statement.text)
    return bool(quiet) and not statement.findings and stays(debate, turn, statement)
