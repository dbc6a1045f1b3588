"""A real repository of git that a test grows one commit at a time."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

_WHO = (
    *("-c", "user.name=Ann", "-c", "user.email=ann@example.org"),
    *("-c", "protocol.file.allow=always"),
    *("-c", "maintenance.auto=false"),
)


def run_git(folder: Path, *arguments: str) -> str:
    """Runs git in ``folder`` and returns its output."""
    done = subprocess.run(
        ["git", *_WHO, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


class Repository:
    """``folder`` is its work tree; files are named without their ``.py``. ``of`` is one to copy."""

    def __init__(self, folder: Path, of: Repository | None = None) -> None:
        self.folder = folder
        if of is not None:
            shutil.copytree(of.folder, folder, symlinks=True)
            return
        folder.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        return run_git(self.folder, *arguments)

    def commit(self, subject: str, body: str = "", **files: str) -> str:
        """Returns the commit's hash."""
        for name, text in files.items():
            (self.folder / f"{name}.py").write_text(text)
        self.git("add", "--all")
        self.git("commit", "-q", "--allow-empty", "--message", subject, "--message", body or ".")
        return self.git("rev-parse", "HEAD")

    def clone(self, folder: Path, *options: str) -> Path:
        """Returns a bare clone of it."""
        self.git("config", "uploadpack.allowFilter", "true")
        self.git("config", "uploadpack.allowAnySHA1InWant", "true")
        folder.parent.mkdir(parents=True, exist_ok=True)
        self.git("clone", "-q", "--bare", *options, self.folder.as_uri(), str(folder))
        return folder
