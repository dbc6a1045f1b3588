"""Runs one program of strangers in a sandbox: bubblewrap, or a container engine with an image.

The program sees the system's programs and libraries, one tree that it can't change, and a small
temporary folder. It has no network, no home, no process but its own, and nothing of the environment
of this one. Time, memory, processes, disk and output are limited. If neither program is here,
nothing is run.
"""

from __future__ import annotations

import asyncio
import mmap
import os
import secrets
import shutil
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from adapters.processes.environment import child_environment, search_path
from adapters.processes.files import write_file
from adapters.processes.starting import PIPE, Child, read_upto, start
from core.debate.errors import CouldNotFinish

REPORT = "/tmp/report/report"
"""The file in which a test framework reports; it is read as soon as the framework has ended."""
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC = (
    *("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types"),
    "ssl/openssl.cnf",
)
_OF_SYSTEM = {
    "passwd": "test:x:{uid}:{uid}::/tmp/home:/bin/sh\n",
    "group": "test:x:{uid}:\n",
    "hosts": "127.0.0.1 localhost sandbox\n",
}
"""Files of ``/etc`` in which programs look up themselves and this host."""
_OUTLIVES = 5.0
"""Seconds that an engine gets to remove a container."""
_TICK = 0.1
_THEN_REPORT = (
    'mkdir -p /tmp/home /tmp/report; "$@" </dev/null 1>&2; code=$?; '
    f'test -f {REPORT} && head -c "$REPORT_BYTES" {REPORT}; exit $code'
)
"""Runs the framework, with all of its output on the second pipe, and then writes its report to the
first.
"""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that one run may take. ``memory`` is for all its processes together, ``disk`` for
    its temporary folder, ``output`` for what it prints.
    """

    seconds: float = 60.0
    memory: int = 1_500_000_000
    processes: int = 128
    disk: int = 200_000_000
    output: int = 200_000
    report: int = 400_000


@dataclass(frozen=True, slots=True)
class Box:
    """The files of a program: ``tree`` is mounted at ``at``, ``reads`` at their own paths; all
    read-only. ``environment`` is its whole environment.
    """

    tree: Path
    at: Path
    reads: Sequence[Path] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ran:
    """The end of a program: its exit code and its output, all as bytes that a stranger wrote.
    ``limit`` names the limit at which it was ended.
    """

    code: int
    report: bytes = b""
    output: bytes = b""
    limit: str = ""
    seconds: float = 0.0


Sandbox = Callable[[Box, Sequence[str], Limits], Awaitable[Ran]]
"""Runs a program to its end, or to one of its limits."""


def find_sandbox(image: str = "") -> Sandbox:
    """Returns the sandbox of this machine. Raises ``CouldNotFinish`` with the next step if there is
    none.
    """
    path = search_path()
    if image:
        for name in ("docker", "podman"):
            if engine := shutil.which(name, path=path):
                return partial(_in_container, engine, image)
        raise CouldNotFinish(
            f"Tests run in the image {image} only if docker or podman is installed: install one, "
            "or set DEBATE_PROVE=sandbox to use bubblewrap. Nothing was run."
        )
    programs = {name: shutil.which(name, path=path) for name in ("bwrap", "prlimit", "setpriv")}
    missing = [name for name, path_found in programs.items() if not path_found]
    if missing:
        packages = "bubblewrap and util-linux"
        if missing == ["bwrap"]:
            packages = "bubblewrap"
        raise CouldNotFinish(
            f"Tests run only in a sandbox, and {' and '.join(missing)} is not here: install "
            f"{packages} (apt install bubblewrap), or name an image for docker or podman with "
            "DEBATE_PROVE=sandbox:IMAGE. Nothing was run."
        )
    bwrap, prlimit, setpriv = (str(program) for program in programs.values())
    return partial(in_bubblewrap, bwrap, prlimit, setpriv)


async def in_bubblewrap(
    bwrap: str, prlimit: str, setpriv: str, box: Box, command: Sequence[str], limits: Limits
) -> Ran:
    """Runs a program in namespaces by bubblewrap, within limits of the kernel; its memory is looked
    at ten times a second.
    """
    uid = os.getuid() or 300_000_000 + secrets.randbelow(1_000_000)
    system: list[str] = []
    for name, text in _OF_SYSTEM.items():
        file = box.tree.parent / f"{box.tree.name}.{name}"
        write_file(file, text.format(uid=uid))
        file.chmod(0o644)
        system += _mounted(file, Path("/etc") / name)
    other: tuple[str, ...] = ()
    if not os.getuid():  # the kernel limits no process of root, so it becomes another user
        other = (
            *(setpriv, f"--reuid={uid}", f"--regid={uid}", "--clear-groups"),
            *("--inh-caps=-all", "--bounding-set=-all", "--no-new-privs", "--"),
        )
    try:
        child = await start(
            bwrap,
            *_walls(box, limits, system),
            *other,
            *(prlimit, f"--nproc={limits.processes}", f"--data={limits.memory}", "--core=0"),
            *(f"--fsize={limits.disk}", f"--cpu={int(limits.seconds) * 2 + 1}", "--"),
            *("/bin/sh", "-c", _THEN_REPORT, "sh", *command),
            env={},
            stderr=PIPE,
        )
    except OSError as error:
        raise CouldNotFinish(f"bwrap could not be started: {error}. Nothing was run.") from None
    ran = await _watched(child, limits, memory=limits.memory)
    if ran.output.startswith(b"bwrap: "):
        reason = ran.output[7:200].decode("utf-8", "replace").strip()
        raise CouldNotFinish(
            f"bwrap could not build a sandbox here ({reason}): allow user namespaces, or name "
            "an image for docker or podman with DEBATE_PROVE=sandbox:IMAGE. Nothing was run."
        )
    return ran


def _walls(box: Box, limits: Limits, system: Sequence[str]) -> Sequence[str]:
    namespaces = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"]
    namespaces += ["--unshare-cgroup-try", "--hostname", "sandbox", "--new-session"]
    caps = ["--cap-drop", "ALL"]
    if os.getuid():
        namespaces += ["--unshare-user", "--disable-userns"]
    else:  # root needs these to become another user
        for name in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):
            caps += ["--cap-add", name]
    mounts = [Path("/etc") / name for name in _ETC]
    mounts += [path for path in box.reads if not path.is_relative_to(box.at)]
    reads = [part for path in mounts if path.exists() for part in _mounted(path, path)]
    tree = _mounted(box.tree, box.at)
    for path in box.reads:
        if path.is_relative_to(box.at):  # its place is in the tree
            tree += ["--ro-bind", str(path), str(path)]
    values = {"HOME": "/tmp/home", "TMPDIR": "/tmp", "LANG": "C.UTF-8", "TZ": "UTC"}
    values |= {"REPORT_BYTES": str(limits.report + 1), "PATH": "/usr/local/bin:/usr/bin:/bin"}
    values |= box.environment
    return (
        *(*namespaces, *caps, "--die-with-parent", "--clearenv"),
        *(part for name, text in values.items() for part in ("--setenv", name, text)),
        *("--proc", "/proc", "--dev", "/dev"),
        *("--perms", "1777", "--size", str(limits.disk // 4), "--tmpfs", "/dev/shm"),
        *("--remount-ro", "/dev"),
        *("--perms", "1777", "--size", str(limits.disk), "--tmpfs", "/tmp"),
        *system,
        *_system(),
        *reads,
        *tree,
        *("--remount-ro", "/", "--chdir", str(box.at), "--"),
    )


async def _in_container(
    engine: str, image: str, box: Box, command: Sequence[str], limits: Limits
) -> Ran:
    """Runs a program in a container of an image that is on this machine already: nothing is
    downloaded.
    """
    name = f"debate-proof-{secrets.token_hex(8)}"
    child = await start(
        *(engine, "run", "--rm", "--name", name, "--pull", "never"),
        *("--network", "none", "--read-only", "--user", "65534:65534", "--cap-drop", "ALL"),
        *("--security-opt", "no-new-privileges", "--ipc", "private", "--init"),
        *("--pids-limit", str(limits.processes), "--memory", str(limits.memory)),
        *("--memory-swap", str(limits.memory), "--ulimit", f"fsize={limits.disk}"),
        *("--ulimit", "core=0", "--log-driver", "none", "--shm-size", str(limits.disk // 4)),
        *("--tmpfs", f"/tmp:rw,nosuid,nodev,size={limits.disk},mode=1777"),
        *("--volume", f"{box.tree}:{box.at}:ro"),
        *(part for path in box.reads for part in ("--volume", f"{path}:{path}:ro")),
        *("--env", "HOME=/tmp/home", "--env", f"REPORT_BYTES={limits.report + 1}"),
        *(part for pair in box.environment.items() for part in ("--env", "=".join(pair))),
        *("--workdir", str(box.at), "--entrypoint", "/bin/sh", image),
        *("-c", _THEN_REPORT, "sh", *command),
        env=child_environment(),
        stderr=PIPE,
    )
    try:
        ran = await _watched(child, limits, memory=None)
    finally:
        removing = await start(engine, "rm", "--force", name, env=child_environment())
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(_OUTLIVES):
                    await removing.wait()
        finally:
            await removing.end()
    if ran.code == 125:  # the engine's own code: the program never began
        reason = ran.output[:300].decode("utf-8", "replace").strip()
        raise CouldNotFinish(f"No container could be started ({reason}). Nothing was run.")
    return ran


async def _watched(child: Child, limits: Limits, *, memory: int | None) -> Ran:
    """Reads a program's output until it ends or reaches a limit, and kills what is left of it."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    pipes = (
        asyncio.create_task(read_upto(child.stdout, limits.report + 1)),
        asyncio.create_task(read_upto(child.stderr, limits.output + 1)),
    )
    waiting: set[asyncio.Task[bytes]] = set(pipes)
    limit = ""
    try:
        while waiting and not limit:
            _, waiting = await asyncio.wait(waiting, timeout=_TICK)
            if pipes[0].done() and len(pipes[0].result()) > limits.report:
                limit = f"{limits.report // 1000} kB of report"
            elif pipes[1].done() and len(pipes[1].result()) > limits.output:
                limit = f"{limits.output // 1000} kB of output"
            elif loop.time() - began > limits.seconds:
                limit = f"{limits.seconds:g} seconds"
            elif memory is not None and await asyncio.to_thread(_used_memory, child.pid) > memory:
                limit = f"{memory // 1_000_000} MB of memory"
        if limit:
            child.kill()
        report, output = await asyncio.gather(*pipes)
        with suppress(TimeoutError):
            async with asyncio.timeout(_OUTLIVES):  # its pipes are closed
                await child.wait()
    finally:
        for pipe in pipes:
            pipe.cancel()
        await child.end()
    code = await child.wait()
    took = loop.time() - began
    return Ran(code, report[: limits.report], output[: limits.output], limit, took)


def _system() -> list[str]:
    """Returns how the folders of programs and libraries are mounted: as links if they are links."""
    made: list[str] = []
    for path in map(Path, _SYSTEM):
        if path.is_symlink():
            made += ("--symlink", str(path.readlink()), str(path))
        elif path.is_dir():
            made += ("--ro-bind", str(path), str(path))
    return made


def _mounted(source: Path, target: Path) -> list[str]:
    """Returns how something is mounted, with the folders above it: bubblewrap itself makes those
    readable by root only.
    """
    above = [str(path) for path in reversed(target.parents) if len(path.parts) > 1]
    dirs = [part for path in above for part in ("--perms", "0755", "--dir", path)]
    return [*dirs, "--ro-bind", str(source), str(target)]


def _used_memory(pid: int) -> int:
    """Returns the bytes of memory that a process and its descendants hold; pages that two of them
    share count twice.
    """
    children: dict[int, list[int]] = {}
    held: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            # the name of the program comes in brackets, and may hold any character
            stat = (folder / "stat").read_text("utf-8", errors="replace").rpartition(")")[2].split()
            children.setdefault(int(stat[1]), []).append(int(folder.name))
            held[int(folder.name)] = int(stat[21]) * mmap.PAGESIZE
    total, left = 0, [pid]
    while left:
        one = left.pop()
        total += held.get(one, 0)
        left += children.get(one, [])
    return total
