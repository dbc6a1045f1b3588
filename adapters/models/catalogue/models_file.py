"""The file that ``DEBATE_MODELS_FILE`` names: models that no table knows, most of them behind a
gateway, one ``[[models]]`` entry each.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from adapters.models.catalogue.prices import Facts, Tariff
from adapters.models.catalogue.providers import PROVIDERS, Provider
from adapters.processes.files import read_regular
from adapters.text.links import address_parts
from core.debate.errors import BadInput

ALL = "/*"
LONGEST = 1_000_000
"""The most bytes of the file."""
_MILLION = 1e6
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
FIELDS: Mapping[str, tuple[type, ...]] = {
    "name": (str,),
    "address": (str,),
    "model": (str,),
    "key": (str,),
    "speaks": (str,),
    "family": (str,),
    "window": (int,),
    "thinking": (int,),
    "price": (dict,),
    "can": (list,),
}
_PRICES = ("prompt", "completion", "cached", "written")
_CAN = ("schema", "tools")


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One model, or with ``/*`` at the end of its name all models of an address.

    ``address`` is empty for a model of a known provider that is only described here. ``model`` is
    what the server calls it, ``key`` the variable that holds the key, ``speaks`` the provider whose
    way of speaking it has. None is: not said.
    """

    name: str
    address: str = ""
    model: str = ""
    key: str = ""
    speaks: str = "openai"
    family: str = ""
    window: int | None = None
    thinking: int | None = None
    tariff: Tariff | None = None
    can: frozenset[str] | None = None

    @property
    def provider(self) -> str:
        return self.name.partition("/")[0]

    @property
    def row(self) -> Provider:
        """The provider whose way of speaking the address has."""
        like = PROVIDERS[self.speaks]
        keys = (self.key,) if self.key else ()
        shapes = like.shapes
        if self.can is not None and "schema" not in self.can:
            shapes = ()
        return replace(like, base=self.address, keys=keys, bases=(), prefix="", shapes=shapes)

    def describe(self, facts: Facts) -> Facts:
        """Returns ``facts`` with the entry's own facts in their place."""
        if self.can is not None:
            facts = replace(facts, schema="schema" in self.can, tools="tools" in self.can)
        return facts.corrected(window=self.window, tariff=self.tariff, thinking=self.thinking)


def read_models_file(env: Mapping[str, str]) -> Mapping[str, FileEntry]:
    """Returns the entries by name, none without the variable. Raises ``BadInput`` naming what is
    wrong.
    """
    named = env.get("DEBATE_MODELS_FILE", "")
    if not named:
        return {}
    path = Path(named).expanduser()
    try:
        document = tomllib.loads(read_regular(path, LONGEST).decode())
    except OSError as error:
        raise BadInput(
            f"DEBATE_MODELS_FILE names {path}, which cannot be read ({error.strerror})."
        ) from error
    except (ValueError, RecursionError) as error:  # TOML's own, bytes, numbers beyond all use
        raise BadInput(f"{path} is no TOML: {error}.") from error
    rows = document.get("models")
    if not isinstance(rows, list) or set(document) != {"models"}:
        raise BadInput(f"{path} may hold only [[models]] entries.")
    entries: dict[str, FileEntry] = {}
    for entry in (_entry(path, row) for row in rows):
        if entry.name in entries:
            raise _bad(path, entry.name, "there are two entries of this name")
        entries[entry.name] = entry
    return entries


def entry_of(entries: Mapping[str, FileEntry], name: str) -> FileEntry | None:
    """Returns the entry of a model: its own, else that of all models of its address."""
    if entry := entries.get(name):
        return replace(entry, model=entry.model or name.partition("/")[2] or name)
    whole = entries.get(name.partition("/")[0] + ALL)
    if whole is None:
        return None
    return replace(whole, model=name.partition("/")[2])


def line_for(name: str, *, address: bool) -> str:
    """Returns an example entry for the file that makes a model known, with made-up figures to
    correct.
    """
    where = ""
    if address:
        where = 'address = "https://HOST/v1"\nkey = "NAME_OF_A_VARIABLE"\n'
    return (
        f'[[models]]\nname = "{name}"\n{where}window = 128000\n'
        "price = { prompt = 1.00, completion = 3.00 }  # USD for a million tokens"
    )


def _entry(path: Path, row: Any) -> FileEntry:
    name = None
    if isinstance(row, dict):
        name = row.get("name")
    if not isinstance(name, str) or not name.strip():
        raise BadInput(f"{path}: every [[models]] entry has a name.")
    wrong = [
        key
        for key, value in row.items()
        if key not in FIELDS or type(value) not in FIELDS[key] or value in ("", [])
    ]
    if wrong:
        raise _bad(path, name, f"{wrong[0]} is not understood; it may hold {', '.join(FIELDS)}")
    _check_words(path, name, row)
    if any(row.get(key, 1) < least for key, least in (("window", 1), ("thinking", 0))):
        raise _bad(path, name, "window and thinking are numbers of tokens")
    return FileEntry(
        name,
        row.get("address", "").rstrip("/"),
        row.get("model", ""),
        row.get("key", ""),
        row.get("speaks", "openai"),
        row.get("family", ""),
        row.get("window"),
        row.get("thinking"),
        _tariff(path, name, row["price"]) if "price" in row else None,
        frozenset(row["can"]) if "can" in row else None,
    )


def _check_words(path: Path, name: str, row: Mapping[str, Any]) -> None:
    if not _is_address(row.get("address", "https://host")):
        raise _bad(
            path,
            name,
            "address is one like https://llm.example.org/v1, without a password, ? or #; "
            "key names the variable that holds a key",
        )
    if not _VARIABLE.fullmatch(row.get("key", "KEY")):
        raise _bad(path, name, "key is the name of a variable, like ACME_API_KEY")
    if name.endswith(ALL) and "address" not in row:
        raise _bad(path, name, "all models of an address need the address")
    if row.get("speaks", "openai") not in PROVIDERS:
        raise _bad(path, name, "speaks is openai, anthropic or another provider's name")
    if odd := set(map(str, row.get("can", ()))) - set(_CAN):
        raise _bad(path, name, f"can holds {' and '.join(_CAN)}, not {min(odd)}")


def _is_address(text: str) -> bool:
    address = address_parts(text)
    if address is None or address.scheme not in ("http", "https") or address.port == 0:
        return False
    # errors and the doctor show the address, and a path is put behind it
    return not {"@", "?", "#"} & set(text)


def _tariff(path: Path, name: str, row: Mapping[str, Any]) -> Tariff:
    """Prices for a million tokens as a tariff for one."""
    good = all(
        key in _PRICES and isinstance(usd, int | float) and 0 <= usd < _MILLION
        for key, usd in row.items()
    )
    if not good or not {"prompt", "completion"} <= set(row):
        raise _bad(
            path, name, "price is { prompt = USD, completion = USD, cached = USD } for a million"
        )
    return Tariff(**{key: usd / _MILLION for key, usd in row.items()})


def _bad(path: Path, name: str, what: str) -> BadInput:
    return BadInput(f"{path}, {name}: {what}.")
