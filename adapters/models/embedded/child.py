"""The process in which the embedded model lives, so that a crash or an out-of-memory kill takes
nothing else along.

Run as a program, never imported: it reads one JSON line from standard input (weights, key, threads,
context), prints one JSON line when the server on the loopback is ready, and ends when its standard
input closes, which happens whenever its parent is gone, however it went.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def serve(order: dict[str, Any]) -> Any:
    """Starts the server: one slot (parallel slots would each read the shared prefix again),
    loopback, random port, key required.
    """
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = order["weights"]
    params.model_alias = {order["name"]}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [order["key"]]
    params.n_ctx = order["context"]
    params.n_parallel = 1
    params.cpuparams.n_threads = order["threads"]
    params.cpuparams_batch.n_threads = order["threads"]
    # whole prompts read before: turns that read the change whole come back after others that do not
    params.cache_ram_mib = 512
    params.endpoint_slots = False
    params.ui = False
    params.verbosity = 1
    return xllamacpp.Server(params)


def main() -> None:
    order = json.loads(sys.stdin.readline())
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # the native code prints; what it prints is a log and no answer
    server = serve(order)
    answers.write(json.dumps({"base": f"{server.listening_address}/v1"}) + "\n")
    answers.flush()
    while sys.stdin.readline():
        continue
    os._exit(
        0
    )  # no farewell to a parent that may be gone; the system takes the memory back at once


if __name__ == "__main__":
    main()
