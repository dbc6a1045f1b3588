"""A reader during the attack: it requests one page after the other, and at the end prints how long
the longest answer took, in seconds.
"""

from __future__ import annotations

import http.client
import json
import sys
import threading
import time

PATHS = ("/", "/healthz", "/new", "/schedules", "/templates")
_PAUSE = 0.02


def main(host: str, port: int, cookie: str, debate: str) -> None:
    ended = threading.Event()

    def until_told() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=until_told, daemon=True).start()
    waits: list[tuple[float, str]] = []
    sizes: list[int] = []
    wrong: list[str] = []
    paths = (*PATHS, f"/d/{debate}")
    while not ended.wait(_PAUSE):
        path = paths[len(waits) % len(paths)]
        began = time.monotonic()
        try:
            connection = http.client.HTTPConnection(host, port, timeout=60)
            connection.request("GET", path, headers={"Cookie": cookie})
            answer = connection.getresponse()
            size = len(answer.read())
            connection.close()
            if path == paths[-1]:
                sizes.append(size)
            if answer.status != 200:
                wrong.append(f"{path}: {answer.status}")
        except (OSError, http.client.HTTPException) as error:
            wrong.append(f"{path}: {type(error).__name__}")
        waits.append((time.monotonic() - began, path))
    slowest = {path: max([wait for wait, at in waits if at == path], default=0.0) for path in paths}
    waits.sort()
    report = {
        "asked": len(waits),
        "longest": waits[-1] if waits else (0.0, ""),
        "usual": waits[len(waits) // 2][0] if waits else 0.0,
        "most": waits[int(len(waits) * 0.99)][0] if waits else 0.0,
        "slowest": slowest,
        "sizes": (sizes[0], sizes[-1]) if sizes else (0, 0),
        "wrong": wrong[:5],
        "failed": len(wrong),
    }
    print(json.dumps(report), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4])
