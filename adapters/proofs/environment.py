"""Finds the programs and libraries with which a project's tests run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from adapters.processes.environment import search_path
from adapters.proofs.frameworks import Framework
from adapters.repository.snapshots import Project
from core.debate.errors import CouldNotFinish

_ENVIRONMENTS = (".venv", "venv", "env")
_PROGRAMS = ("bash", "cmake", "g++", "gcc", "git", "go", "java", "make", "ninja", "pkg-config")
"""Programs of the system whose absence surprises the author of a test."""
_FOLDERS = ("/usr/local/bin", "/usr/bin", "/bin")
_MOST_PACKAGES = 60
_PACKAGE = re.compile(r"([\w.-]+?)(?:-[^-]*)?\.(?:dist|egg)-info", re.ASCII)
_MODULE = re.compile(r"(?:@[\w.-]+/)?[\w.-]+", re.ASCII)


def tool_of(
    framework: Framework, project: Project, image: str
) -> tuple[Sequence[str], tuple[Path, ...]]:
    """Returns the program that runs a framework, and the folders it needs; in a container its
    ``image`` holds the interpreter. Raises ``CouldNotFinish`` with the next step.
    """
    if framework.language == "Python":
        if image:
            return (("python3",), ())
        program, reads = _python(project)
        if framework.name == "pytest" and not _has_pytest(project, Path(program)):
            raise CouldNotFinish(
                "pytest is not installed for the project: make .venv in the project's folder "
                "first, with pytest and what its tests need."
            )
        return (program,), reads
    node = Path("node") if image else _on_path("node")
    if node is None:
        raise CouldNotFinish("node is not installed here: install it to run the project's tests.")
    modules = _installed(project, "node_modules")
    reads = (*(() if image else _around(node)), *((modules,) if modules else ()))
    if framework.tool == "node":
        return (str(node),), reads
    if modules is not None and (modules.parent / framework.tool).is_file():
        return (str(node), str(modules.parent / framework.tool)), reads
    if framework.tool in project.base:
        return (str(node), framework.tool), reads
    raise CouldNotFinish(
        f"{framework.name} is not installed in the project's folder: run npm ci there first."
    )


def _installed(project: Project, name: str) -> Path | None:
    """Returns a folder of the project's environment; None if there is none, or if git holds it,
    because then the change may have made it, with links to anywhere.
    """
    trees = (project.base, project.head)
    if any(path == name or path.startswith(f"{name}/") for tree in trees for path in tree):
        return None
    if project.home and (project.home / name).is_dir():
        return project.home / name
    return None


def _python(project: Project) -> tuple[str, tuple[Path, ...]]:
    if (folder := _virtual_environment(project)) is not None:
        program = folder / "bin" / "python"
        return str(program), (folder, *_around(program.resolve()))
    python = _on_path("python3")
    if python is None:
        raise CouldNotFinish("Python is not installed here: install it to run the project's tests.")
    return str(python), _around(python.resolve())


def _has_pytest(project: Project, program: Path) -> bool:
    """Return whether pytest is installed for a project's Python, in its environment or not."""
    folder, roots = _virtual_environment(project), [program.resolve().parents[1]]
    if folder is not None:
        settings = (folder / "pyvenv.cfg").read_text("utf-8", errors="replace").lower()
        if not re.search(r"^include-system-site-packages\s*=\s*true", settings, re.MULTILINE):
            roots = []
        roots.append(folder)
    packages = "lib*/python*/*-packages/pytest-[0-9]*-info"
    return any(any(root.glob(f"{at}{packages}")) for root in roots for at in ("", "local/"))


def _virtual_environment(project: Project) -> Path | None:
    for name in _ENVIRONMENTS:
        folder = _installed(project, name)
        if folder is not None and (folder / "pyvenv.cfg").is_file():
            return folder
    return None


def _around(program: Path) -> tuple[Path, ...]:
    """Returns the folder of an interpreter that is not the system's."""
    if program.is_relative_to("/usr"):
        return ()
    return (program.parents[1],)


def _on_path(name: str) -> Path | None:
    """Returns a program; scripts that only choose one (of pyenv, nvm) are passed over."""
    for folder in search_path().split(":"):
        found_at = Path(folder) / name
        if found_at.is_file():
            with found_at.open("rb") as file:
                if file.read(4) == b"\x7fELF":
                    return found_at.resolve()
    return None


def tools_of(framework: Framework, project: Project, image: str) -> str:
    """Lists what a test finds in its environment: the libraries of the project's environment, and
    programs; those of an image are not known here.
    """
    if image:
        return f"what the container image {image} holds"
    packages = sorted(set(_packages(framework, project)), key=str.casefold)
    more = ""
    if len(packages) > _MOST_PACKAGES:
        more = f" and {len(packages) - _MOST_PACKAGES} more"
    libraries = ""
    if packages:
        libraries = f"the packages {', '.join(packages[:_MOST_PACKAGES])}{more}"
    here = [x for x in _PROGRAMS if any(Path(folder, x).exists() for folder in _FOLDERS)]
    missing = [x for x in _PROGRAMS if x not in here]
    programs = ""
    if here:
        programs = f"the programs {', '.join(here)}"
    lacks = ""
    if missing:
        lacks = f"but not {', '.join(missing)}"
    return "; ".join(filter(None, (libraries, programs, lacks)))


def _packages(framework: Framework, project: Project) -> Iterator[str]:
    """Yields the names of the installed packages of a project's own environment."""
    if framework.language != "Python":
        if (modules := _installed(project, "node_modules")) is not None:
            listed = [*modules.glob("[!.@]*"), *modules.glob("@*/*")]
            names = (path.relative_to(modules).as_posix() for path in listed)
            yield from filter(_MODULE.fullmatch, names)
    elif (folder := _virtual_environment(project)) is not None:
        for path in folder.glob("lib/python*/site-packages/*-info"):
            if match := _PACKAGE.fullmatch(path.name):
                yield match[1]
