"""Plugin packages as installers leave them: built by their own ``pyproject.toml`` and unpacked into
a folder that Python imports from.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

from tests.project import EXAMPLES

_SHOWN = EXAMPLES / "acme-debates"


def shown_package() -> Mapping[str, str]:
    """Returns the files of the example, by their names."""
    files = (path for path in _SHOWN.rglob("*") if path.suffix in (".py", ".toml"))
    return {path.relative_to(_SHOWN).as_posix(): path.read_text("utf-8") for path in files}


def install(files: Mapping[str, str], work: Path, site: Path) -> None:
    """Builds the wheel and unpacks it."""
    from hatchling.builders.wheel import WheelBuilder

    for name, text in files.items():
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (wheel,) = WheelBuilder(str(work)).build(directory=str(work / "dist"))
    with zipfile.ZipFile(wheel) as file:
        file.extractall(site)


def leave(site: Path, name: str, module: str, *, version: str = "1.2") -> None:
    """Leaves a distribution of one module, as an installer does."""
    info = site / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(f"[debatebot]\n{name} = {name}\n")
    (site / f"{name}.py").write_text(module, "utf-8")
