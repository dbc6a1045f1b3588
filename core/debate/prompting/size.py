"""The size of what a turn reads, which its price is made of."""

from __future__ import annotations

from dataclasses import dataclass

from core.debate.material import Material
from core.debate.material.rendering import texts_beside
from core.debate.prompting.frame import MARK
from core.debate.replies.tasks import TASKS
from core.debate.script import Topic, Turn
from core.debate.state import Debate, once_for

ALWAYS_WHOLE = 1500
"""The characters up to which the material is repeated in every prompt; beyond it only whole tasks
read all of it.
"""
EXCERPT = 1000
"""The characters of disputed places that the turns in between read."""
_MOST_ROOM = 24_000
"""The most characters that named places may take in a change that is read in parts, and as many for
the parts' findings.
"""


@dataclass(frozen=True, slots=True)
class Size:
    """The characters of a material: ``whole`` is for every turn that judges the whole of it,
    ``parts`` adds each part of a large change for the turns that read that part. Every turn that
    argues reads ``code`` whole.
    """

    whole: int
    parts: tuple[int, ...] = ()
    code: bool = False

    def read_in(self, turn: Turn) -> int:
        """Returns the characters of it that ``turn`` reads."""
        number = turn.about_the(Topic.PART)
        added = self.parts[int(number) - 1] if number else 0
        task = TASKS[turn.task]
        short = (self.code and task.argues) or self.whole <= ALWAYS_WHOLE
        if task.whole or (short and not self.parts):
            return self.whole + added
        return EXCERPT


def material_chars(material: Material, around: int = 0) -> Size:
    """Returns the characters that the material takes in prompts, with ``around`` as those of the
    code around a change that is still to be read.
    """
    own = (material.title, material.body, material.guidelines, material.text)
    whole = sum(map(_marked_chars, (*own, *texts_beside(material))))
    cited = cited_room(material) if material.parts else 0
    parts = tuple(_marked_chars(part.text) for part in material.parts)
    return Size(cited + whole + around, parts, bool(material.hunks))


@once_for("opened")
def size_read(debate: Debate) -> Size:
    """Returns ``material_chars`` of a debate's material."""
    return material_chars(debate.open.material)


def _marked_chars(text: str) -> int:
    if text:
        return len(text) + len(MARK) * (1 + text.count("\n"))
    return 0


def cited_room(material: Material) -> int:
    """Returns how many characters the places that findings name may take in a later turn. In a
    change that is read in parts, the findings of the parts may take as many.
    """
    return max(EXCERPT, min(_MOST_ROOM, (heard_room(material) or 0) // 4))


def heard_room(material: Material) -> int | None:
    """Returns how many characters the statements of others may take in a turn on a change that is
    read in parts; None for any other material.
    """
    return max((len(part.text) for part in material.parts), default=None)
