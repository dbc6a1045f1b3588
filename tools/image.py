"""``python -m tools.image`` does the steps of the Dockerfile without a daemon, in a new folder;
then it starts the command and requests the health page as the image would.

The base image is the Python that runs this, and paths of the image are below the folder. Steps that
need an image (a user, a volume) are named and skipped; an unknown instruction fails.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.project import ROOT
from tools.hygiene import tracked_files

IMAGE = ("/opt/debatebot", "/src", "/data")
"""Folders of the image that its steps name."""
_PATIENCE = 60
"""Looks at the health page, one a second as a container's start would have them."""


@dataclass
class Image:
    """The image that is built: ``root`` is the folder of its file system."""

    root: Path
    env: dict[str, str] = field(default_factory=dict)
    folder: str = "/"
    command: tuple[str, ...] = ()
    health: tuple[str, ...] = ()

    def inside(self, text: str) -> str:
        """Returns ``text`` with the image's folders as paths of this machine."""
        for folder in IMAGE:
            text = re.sub(rf"(?<![\w/.]){folder}(?![\w])", f"{self.root}{folder}", text)
        return text

    def run(self, *words: str) -> None:
        subprocess.run(words, cwd=self.inside(self.folder), env=self.environment(), check=True)

    def environment(self) -> dict[str, str]:
        """Returns the image's own, over what this machine needs to reach its packages."""
        outer = ("PATH", "HOME", "LANG", "TMPDIR", "SSL_CERT_FILE")
        kept = {n: v for n, v in os.environ.items() if n in outer or n.startswith("PIP_")}
        kept |= {n: v for n, v in os.environ.items() if n.lower().endswith("_proxy")}
        return kept | {name: self.inside(value) for name, value in self.env.items()}


def steps(text: str) -> Iterator[tuple[str, str]]:
    """Yields (instruction, its words) of a Dockerfile, without comments."""
    joined = re.sub(r"\\\n\s*", " ", text)
    for line in joined.splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, words = line.partition(" ")
            yield name, words.strip()


def context(root: Path, to: Path) -> None:
    """Copies the files that the daemon would be sent: those that ``.dockerignore`` lets in."""
    rules = [line for line in (root / ".dockerignore").read_text().splitlines() if line]
    wanted = [rule[1:] for rule in rules if rule.startswith("!")]
    for name in tracked_files(root):
        if any(name == one or name.startswith(f"{one}/") for one in wanted) and not any(
            fnmatch.fnmatch(name, rule) for rule in rules if rule.startswith("**/")
        ):
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, to / name)


def do(image: Image, name: str, words: str, sent: Path) -> str:
    """Does one step and returns a line about it."""
    match name:
        case "FROM" | "EXPOSE" | "VOLUME" | "USER":
            return "is the image's"
        case "ENV":
            for pair in shlex.split(words):
                key, _, value = pair.partition("=")
                image.env[key] = value.replace("$PATH", os.environ["PATH"])
        case "WORKDIR":
            image.folder = words
            Path(image.inside(words)).mkdir(parents=True, exist_ok=True)
        case "COPY" if words.startswith("--from=build"):
            _, source, target = words.split()
            if source != target:
                raise ValueError(f"COPY {words}: only to the same place is known here")
        case "COPY":
            *sources, _target = words.split()
            here = Path(image.inside(image.folder))
            for source in sources:
                if source == ".":
                    shutil.copytree(sent, here, dirs_exist_ok=True)
                else:
                    shutil.copy2(sent / source, here / source)
        case "RUN" if words.startswith("useradd"):
            return "needs an image: passed over"
        case "RUN":
            given = shlex.split(image.inside(words))
            image.run(*(sys.executable if word == "python" else word for word in given))
        case "HEALTHCHECK":
            image.health = tuple(json.loads(words.partition("CMD ")[2]))
        case "CMD":
            image.command = tuple(json.loads(words))
        case _:
            raise ValueError(f"{name}: an instruction that is not known here")
    return "done"


def start(image: Image) -> None:
    """Runs the command, waits until it is healthy, and checks that SIGTERM ends it."""
    image.env |= {"DEBATE_HOST": "127.0.0.1", "DEBATE_PORT": "18765"}
    program = shutil.which(image.command[0], path=image.environment()["PATH"])
    if program is None:
        raise ValueError(f"{image.command[0]} is not in the image")
    with subprocess.Popen(
        (program, *image.command[1:]), cwd=image.inside(image.folder), env=image.environment()
    ) as running:
        for _ in range(_PATIENCE):
            command = (sys.executable, *image.health[1:])
            if not subprocess.run(
                command, env=image.environment(), stderr=subprocess.DEVNULL, check=False
            ).returncode:
                break
            if running.poll() is not None:
                raise ValueError(f"{image.command} ended with {running.returncode}")
            subprocess.run(("sleep", "1"), check=True)
        else:
            raise ValueError("it never was healthy")
        running.send_signal(signal.SIGTERM)
        if running.wait(60) != 0:
            raise ValueError(f"it ended with {running.returncode}")


def megabytes(folder: Path) -> float:
    """Returns the size of the files in it; links to a file do not count it again."""
    files = (one for one in folder.rglob("*") if one.is_file() and not one.is_symlink())
    return sum(one.stat().st_size for one in files) / 1e6


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="image-") as folder:
        root, sent = Path(folder) / "root", Path(folder) / "sent"
        context(ROOT, sent)
        image = Image(root)
        before = 0.0
        for name, words in steps((ROOT / "Dockerfile").read_text("utf-8")):
            outcome, after = do(image, name, words, sent), megabytes(root)
            grown = f", {after - before:.0f} MB" if after - before >= 1 else ""
            print(f"{name} {words[:90]}: {outcome}{grown}", flush=True)
            before = after
        start(image)
        kept = megabytes(Path(image.inside("/opt/debatebot")))
        print(f"healthy, and ended when it was told to; {kept:.0f} MB over its base image")
    return 0


if __name__ == "__main__":
    sys.exit(main())
