"""An option of a command as a field of a form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.application.commands.kinds import Dollars, Flag, Whole, WordKind
from core.application.commands.options import CommandOption, WrongOption
from core.debate.errors import BadInput
from core.languages import say


@dataclass(frozen=True, slots=True)
class FormField:
    """``shape`` is number, choice, flag or text; ``wrong`` describes the fault of its value."""

    name: str
    title: str
    hint: str
    shape: str
    value: str = ""
    wrong: str = ""
    choices: tuple[str, ...] = ()
    least: str = ""
    most: str = ""
    like: str = ""
    only: str = ""


def fields_of(
    options: Sequence[CommandOption], entered: Mapping[str, str], wrong: BadInput | None
) -> list[FormField]:
    """Returns the fields for options with the entered values and the error of the wrong option."""
    at = ""
    if isinstance(wrong, WrongOption):
        at = wrong.option.field
    return [
        _field_of(each, entered.get(each.field, ""), str(wrong) if each.field == at else "")
        for each in options
    ]


def _field_of(option: CommandOption, value: str, wrong: str) -> FormField:
    """Makes the field for an option; the option itself checks its value."""
    kind = option.kind
    only = ""
    if option.formats:
        only = say("only {formats}", formats=", ".join(option.formats))
    common = (option.field, option.title, option.hint)
    match kind:
        case Flag():
            return FormField(*common, "flag", value, wrong, only=only)
        case WordKind():
            return FormField(*common, "choice", value, wrong, kind.values, only=only)
        case Whole():
            least, most = str(kind.least), str(kind.most)
            return FormField(*common, "number", value, wrong, least=least, most=most, only=only)
        case Dollars():
            return FormField(*common, "text", value, wrong, like=say(kind.like), only=only)
        case _:
            return FormField(
                *common, "text", value, wrong, like=say(kind.like) or _sign(option), only=only
            )


def _sign(option: CommandOption) -> str:
    """Returns an example of a value's form, empty for a NAME."""
    return "" if option.sign.isalpha() and option.sign.isupper() else option.sign
