"""The system's own Chromium: found, or installed from the system's packages where that is allowed.

``python -m tests.browser.chromium`` prints where it is, or why it can't be had and what to do; then
the browser tests are skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--force-color-profile=srgb",
    "--font-render-hinting=none",
)  # fmt: skip
"""Without a sandbox because tests may run as root; the rest keeps it from asking the network."""
PACKAGES = ("chromium", "fonts-dejavu-core", "fonts-noto-color-emoji")


def find() -> str:
    """Returns the program's path, empty where there is none. ``CHROMIUM`` names one of your own."""
    return next((path for n in (os.environ.get("CHROMIUM", ""), *NAMES) if (path := which(n))), "")


def which(name: str) -> str:
    return shutil.which(name) or "" if name else ""


def install() -> str:
    """Installs Chromium; returns why it can't be installed here, empty when it was."""
    if shutil.which("apt-get") is None:
        return "this system has no apt-get"
    if os.geteuid() != 0:
        return "only root may install packages"
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for words in (
        ["apt-get", "update", "-qq"],
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *PACKAGES],
    ):
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
            return f"{' '.join(words[:2])} failed: {last[0]}"
    return ""


def main() -> None:
    why_not = "" if find() else install()
    if path := find():
        print(path)
        return
    print(
        "The browser tests are SKIPPED: there is no Chromium here, and "
        f"{why_not or 'its package brought none'}. Install it (Debian: apt-get install chromium) "
        "or set CHROMIUM to its path, then: make test-browser",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
