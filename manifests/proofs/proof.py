"""Runs one test of Debatebot on one tree of this repository, in a pipeline of the team.

Copy it to `.debate/proof.py` on the default branch. The pipeline gives it the order (DEBATE_ORDER,
base64 of JSON) and the tree (DEBATE_TREE): head, base, fix or put_back. It checks that commit out,
takes the files that set up tests from the base, adds the test, runs it without this environment,
and tells the result, small and bound to the test and the commits. It needs nothing but Python 3.8
and git.
"""

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import zlib

KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "VIRTUAL_ENV", "NODE_PATH", "GOPATH", "JAVA_HOME")
CHUNK, MOST_CHUNKS = 3500, 9
OUTPUT, LARGEST_REPORT = 4000, 40_000


def main():
    order = json.loads(base64.b64decode(os.environ.pop("DEBATE_ORDER"), validate=True))
    tree = os.environ.get("DEBATE_TREE", "head")
    if tree not in order["trees"]:
        return
    result = {"id": order["id"], "tree": tree, "test": digest(order["test"]["text"].encode())}
    try:
        result.update(run(order, tree))
        if tree == "put_back" and result["code"] and not result["limit"]:  # perhaps no program
            order["seconds"] = max(1, int(order["seconds"] - result["seconds"]))
            result["whole"] = run(order, tree, whole=True)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        result["problem"] = "%s: %s" % (type(error).__name__, str(error)[:300])
    tell(json.dumps(result).encode())


def run(order, tree, whole=False):
    """Runs the test on a tree; the whole file is put back instead of the finding's lines if those
    alone make no program.
    """
    base, head = order["base"], order["head"]
    for commit in (base, head):
        if not re.fullmatch(r"[0-9a-f]{40}([0-9a-f]{24})?", commit):
            raise ValueError("no commit")
        if git("cat-file", "-t", commit, check=False).strip() != "commit":
            git("fetch", "--no-tags", "--depth=1", "origin", commit)
    git("checkout", "--force", "--detach", base if tree == "base" else head)
    ignored = []
    if tree != "base":
        setups = re.compile(order["setups"])
        listed = git("diff", "-z", "--name-status", "--no-renames", base, head).split("\0")
        for status, path in zip(listed[::2], listed[1::2]):  # noqa: B905  Python 3.8 has no strict
            if setups.search(path):
                ignored.append(path)
                if status == "A":
                    git("rm", "--force", "--quiet", "--", path)
                else:
                    git("checkout", base, "--", path)
    patch = order["trees"][tree]
    if whole:
        git("checkout", base, "--", order["path"])
    elif patch:
        git("apply", "--whitespace=nowarn", "-", sent=patch)
    path = order["test"]["path"]
    if path.startswith("/") or ".." in path.split("/") or os.path.lexists(path):
        raise ValueError("the test's path is taken or leads out")
    folder = os.path.dirname(path) or "."
    if os.path.realpath(folder) != os.path.abspath(folder):
        raise ValueError("the test's folder is a link")
    os.makedirs(folder, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(order["test"]["text"])
    try:
        ran = played(order)
    finally:
        os.remove(path)
    return {**ran, "base": base, "head": git("rev-parse", "HEAD").strip(), "ignored": ignored}


def played(order):
    """Runs the framework with a small environment, all of its output into pipes."""
    folder = tempfile.mkdtemp(prefix="debate-proof-")
    path = os.path.join(folder, "report")
    command = [part.replace(order["report"], path) for part in order["command"]]
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    environment.update(PYTHONDONTWRITEBYTECODE="1", NO_COLOR="1", CI="1")
    other = {}
    if hasattr(os, "getuid") and os.getuid() == 0:  # then it can't read this process
        os.chmod(folder, 0o777)
        other = {"user": 65534, "group": 65534, "extra_groups": []}
    began, limit, code = time.monotonic(), "", -1
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, env=environment, start_new_session=True, **other,
    ) as program:  # fmt: skip
        try:
            output = program.communicate(timeout=order["seconds"])[0]
            code = program.returncode
        except subprocess.TimeoutExpired:
            limit = "%d seconds" % order["seconds"]
            os.killpg(program.pid, 9)
            output = program.communicate()[0]
    report = b""
    if os.path.isfile(path) and not os.path.islink(path):
        with open(path, "rb") as file:
            report = file.read(LARGEST_REPORT + 1)
    return {
        "code": code,
        "limit": limit,
        "report": report[:LARGEST_REPORT].decode("utf-8", "replace"),
        "output": output[-OUTPUT:].decode("utf-8", "replace"),
        "output_digest": digest(output),
        "seconds": round(time.monotonic() - began, 2),
    }


def tell(result):
    """Writes the result to proof.json, and on GitHub as notices, which the API gives."""
    with open("proof.json", "wb") as file:
        file.write(result)
    if "GITHUB_ACTIONS" not in os.environ:
        return
    packed = base64.b64encode(zlib.compress(result, 9)).decode()
    chunks = [packed[at : at + CHUNK] for at in range(0, len(packed), CHUNK)]
    if len(chunks) > MOST_CHUNKS:
        sys.exit("the result is too large")
    for number, chunk in enumerate(chunks, 1):
        print("::notice title=debate-proof %d/%d::%s" % (number, len(chunks), chunk))


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def git(*arguments, check=True, sent=""):
    done = subprocess.run(
        ["git", "--literal-pathspecs", "-c", "core.hooksPath=/dev/null", *arguments],
        check=check, input=sent.encode(),
        stdout=subprocess.PIPE, timeout=120,
    )  # fmt: skip
    return done.stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    main()
