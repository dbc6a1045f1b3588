"""The sources of further templates and formats: the operator's folder, and plugins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.debate.errors import BadInput
from core.debate.formats import FORMATS, Format
from core.debate.template import Template


@dataclass(frozen=True, slots=True)
class TemplateSources:
    """``folder`` is the operator's, whose templates replace shipped ones of the same name;
    ``templates`` and ``more_formats`` have other names.
    """

    folder: Path | None = None
    templates: tuple[Template, ...] = ()
    more_formats: tuple[Format, ...] = ()

    @property
    def formats(self) -> Mapping[str, Format]:
        """All formats by name."""
        return {**FORMATS, **{each.name: each for each in self.more_formats}}

    def format(self, name: str) -> Format:
        """Returns the format of that name. Raises ``BadInput`` if there is none, as for a template
        of a plugin that is gone.
        """
        there = self.formats
        if name not in there:
            raise BadInput(
                "no format is called {name} here; there are {known}",
                name=repr(name),
                known=", ".join(there),
            )
        return there[name]


SHIPPED = TemplateSources()
"""Only the shipped templates."""
