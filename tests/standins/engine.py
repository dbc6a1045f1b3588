"""A stand-in of a container engine: it demands the walls that the bot has to ask for, and runs the
command behind bubblewrap with what the flags mount. What a real engine makes of the flags is not
shown by it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

IMAGE = "team/tests:1"
ONCE = {
    "--pull": "never",
    "--network": "none",
    "--user": "65534:65534",
    "--cap-drop": "ALL",
    "--security-opt": "no-new-privileges",
    "--log-driver": "none",
    "--ipc": "private",
    "--entrypoint": "/bin/sh",
}
LIMITS = ("--name", "--pids-limit", "--memory", "--memory-swap", "--shm-size", "--workdir")
MANY = ("--env", "--volume", "--tmpfs", "--ulimit")
FLAGS = ("--rm", "--read-only", "--init")


def install(folder: Path, name: str = "docker") -> Path:
    """Writes the engine as a program, which notes its calls in ``calls``."""
    program = folder / name
    calls = folder / "calls"
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(Path(__file__).parents[2])!r})\n"
        f"from tests.standins.engine import main\nmain(sys.argv[1:], {str(calls)!r})\n",
        "utf-8",
    )
    program.chmod(0o755)
    return calls


def main(arguments: list[str], calls: str) -> None:
    with Path(calls).open("a", encoding="utf-8") as file:
        file.write(json.dumps(arguments) + "\n")
    if arguments[0] == "rm":
        return
    given, command = _read(arguments[1:])
    wrong = [f"{k} {given.get(k)}" for k, v in ONCE.items() if given.get(k) != [v]]
    wrong += [name for name in (*LIMITS, *FLAGS, "--tmpfs") if name not in given]
    wrong += [v for v in given.get("--volume", []) if not v.endswith(":ro")]
    if given.get("--memory") != given.get("--memory-swap"):
        wrong.append("swap")
    if wrong:
        _refuse(f"unsafe: {wrong}")
    if command[0] != IMAGE:
        _refuse(f"No such image: {command[0]}")
    walls = ["bwrap", "--unshare-all", "--die-with-parent", "--clearenv", "--new-session"]
    walls += ["--unshare-user", "--uid", "65534", "--gid", "65534", "--ro-bind", "/usr", "/usr"]
    for name in ("bin", "lib", "lib64"):
        walls += ["--symlink", f"usr/{name}", f"/{name}"]
    walls += ["--proc", "/proc", "--dev", "/dev", "--setenv", "PATH", "/usr/bin"]
    for folder in given["--tmpfs"]:
        walls += ["--tmpfs", folder.partition(":")[0]]
    for pair in given["--env"]:
        walls += ["--setenv", *pair.split("=", 1)]
    for volume in given["--volume"]:
        walls += ["--ro-bind", *volume.removesuffix(":ro").split(":")]
    walls += ["--remount-ro", "/", "--chdir", *given["--workdir"], "--", *given["--entrypoint"]]
    sys.exit(subprocess.run([*walls, *command[1:]], check=False).returncode)


def _read(arguments: list[str]) -> tuple[dict[str, list[str]], list[str]]:
    given: dict[str, list[str]] = {}
    while arguments[0].startswith("-"):
        name, *arguments = arguments
        values = given.setdefault(name, [])
        if name not in FLAGS:
            if name not in (*ONCE, *LIMITS, *MANY):
                _refuse(f"unknown flag: {name}")
            value, *arguments = arguments
            values.append(value)
    return given, arguments


def _refuse(reason: str) -> None:
    print(reason, file=sys.stderr)
    sys.exit(125)
