"""The published kinds of secrets, by their forms, as forges and scanners list them; every value is
made up while the program runs.

    python -m tests.adapters.redaction.kinds [RULES.toml|RULES.json …]

prints how many kinds the rules catch (without names: those that ship), and which they miss.
"""

from __future__ import annotations

import re
import string
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random

from adapters import redaction

_LOWER = string.ascii_lowercase
_ALPHABETS = {
    "A": string.ascii_letters + string.digits,  # letters and digits
    "a": _LOWER + string.digits,
    "l": _LOWER,
    "L": string.ascii_letters,
    "H": "0123456789abcdef",
    "X": "0123456789ABCDEF",
    "U": string.ascii_uppercase + string.digits,
    "T": string.ascii_uppercase + "234567",  # base32
    "D": string.digits,
    "B": string.ascii_letters + string.digits + "_-",
    "S": string.ascii_letters + string.digits + "+/",
}
_PART = re.compile(r"\{([AalLHXUTDBS])(\d+)\}")
FORMS = Path(__file__).with_suffix(".txt").read_text("utf-8")


def kinds() -> Mapping[str, str]:
    """Returns the form of each kind."""
    return dict(line.split("=", 1) for line in FORMS.strip().split("\n"))


def made(form: str, chance: Random) -> tuple[str, tuple[str, ...]]:
    """Returns a text of a form, and its drawn parts."""
    drawn: list[str] = []

    def draw(part: re.Match[str]) -> str:
        drawn.append("".join(chance.choice(_ALPHABETS[part[1]]) for _ in range(int(part[2]))))
        return drawn[-1]

    return _PART.sub(draw, form).replace("|", "\n"), tuple(drawn)


def missed(each: int = 20) -> Iterator[str]:
    """Yields the kinds of which a made value passes, with the longest drawn part in it."""
    for name, form in kinds().items():
        chance = Random(name)
        for _ in range(each):
            text, drawn = made(form, chance)
            longest = max(drawn, key=len, default=text)
            if longest in redaction.redact(f"x = 1\n{text}\ny = 2\n")[0]:
                yield name
                break


def main(*names: str) -> None:
    if names:
        vars(redaction)["_RULE_FILES"] = names
    passing = list(missed())
    print(f"{len(kinds()) - len(passing)} of {len(kinds())} kinds are caught")
    print("pass:", ", ".join(passing) or "none")


if __name__ == "__main__":
    main(*sys.argv[1:])
