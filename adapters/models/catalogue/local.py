"""Finds model servers that already run on this machine: Ollama, LM Studio, llama-server.

All get a request at once and have a fifth of a second, so that looking costs nothing when there are
none. The standard library is enough for one small request each; nothing heavy is imported for a
question whose answer is mostly "no".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from urllib.parse import urlsplit

from adapters.network import reach_of
from adapters.network.blocking import opener
from adapters.text.documents import read_object

SECONDS = 0.2
LONGEST = 1_000_000
"""Bytes read of a list of models."""

OLLAMA = "ollama"
_LM_STUDIO = "lm_studio"
LLAMA_SERVER = "llama_server"
PREFIXES = (OLLAMA, _LM_STUDIO, LLAMA_SERVER)


def addresses(env: Mapping[str, str]) -> dict[str, str]:
    """Returns the address of each kind of server, from its own variable if that is set, else with
    its usual port.
    """
    ollama = env.get("OLLAMA_HOST") or env.get("OLLAMA_API_BASE") or "127.0.0.1:11434"
    return {
        OLLAMA: _rooted(ollama, 11434),
        _LM_STUDIO: _rooted(env.get("LM_STUDIO_API_BASE") or "127.0.0.1:1234", 1234),
        LLAMA_SERVER: _rooted(env.get("LLAMA_SERVER_API_BASE") or "127.0.0.1:8080", 8080),
    }


def detect(env: Mapping[str, str], seconds: float = SECONDS) -> Mapping[str, Sequence[str]]:
    """Returns the names of the models of each kind of server that answers within ``seconds`` and
    holds any, in the order of ``addresses``. Blocks that long at most.
    """
    places = addresses(env)
    with ThreadPoolExecutor(len(places)) as pool:
        held = pool.map(lambda kind: _probe(kind, places[kind], seconds), places)
        return {kind: names for kind, names in zip(places, held, strict=True) if names}


def _rooted(host: str, port: int) -> str:
    """Returns ``host``, ``host:port`` or an address with scheme and path as a plain
    ``scheme://host:port``. 0.0.0.0 means this machine.
    """
    if "//" not in host:
        host = f"http://{host}"
    split = urlsplit(host)
    name = split.hostname
    if name in (None, "0.0.0.0"):  # noqa: S104  compared, never bound
        name = "127.0.0.1"
    elif ":" in name:
        name = f"[{name}]"
    return f"{split.scheme}://{name}:{split.port or port}"


def _probe(kind: str, root: str, seconds: float) -> Sequence[str]:
    """Returns the names of a server's models with its prefix; none if it does not answer."""
    listed, member, named = "/v1/models", "data", "id"
    if kind == OLLAMA:
        listed, member, named = "/api/tags", "models", "name"
    try:
        with opener(reach_of(root)).open(root + listed, timeout=seconds) as answer:
            body = read_object(answer.read(LONGEST))
    except (OSError, ValueError, HTTPException):  # no answer, or none of such a server
        return ()
    rows = body.get(member)
    if not isinstance(rows, list):
        return ()
    names = [str(r.get(named, "")) for r in rows if isinstance(r, dict)]
    return [f"{kind}/{name}" for name in names if name and "embed" not in name]
