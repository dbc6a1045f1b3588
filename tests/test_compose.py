"""``compose.yaml`` and the image: everything pinned, and a health check that means it."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # it carries no types

from bot.settings import VARIABLES
from tests.patience import PATIENCE
from tests.project import ROOT

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
BOT, DB = COMPOSE["services"]["bot"], COMPOSE["services"]["db"]
PINNED = re.compile(r"[a-z0-9./-]+:[\w.-]+@sha256:[0-9a-f]{64}")


def test_every_image_is_pinned_by_its_digest() -> None:
    bases = re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    for image in (*bases, DB["image"]):
        assert PINNED.fullmatch(image), image


def test_what_it_sets_is_what_the_bot_reads(tmp_path: Path) -> None:
    assert set(BOT["environment"]) <= {variable.name for variable in VARIABLES.values()}
    database = BOT["environment"]["DEBATE_DATABASE_URL"]
    password = DB["environment"]["POSTGRES_PASSWORD"]
    user, name = DB["environment"]["POSTGRES_USER"], DB["environment"]["POSTGRES_DB"]
    assert database == f"postgresql+psycopg://{user}:{password}@db/{name}"


def test_it_reads_one_file_keeps_its_data_and_comes_back_by_itself() -> None:
    assert BOT["env_file"] == [{"path": ".env", "required": False}]
    for service in (BOT, DB):
        assert service["restart"] == "unless-stopped"
        assert service["healthcheck"]["test"]
        assert service["volumes"]
        for volume in service["volumes"]:
            assert volume.partition(":")[0] in COMPOSE["volumes"]
    assert BOT["depends_on"]["db"]["condition"] == "service_healthy"


def test_nothing_but_the_room_is_reached_from_outside_and_that_from_this_machine() -> None:
    assert all(port.startswith("127.0.0.1:") for port in BOT["ports"])
    assert "ports" not in DB
    assert COMPOSE["networks"]["store"]["internal"] is True
    assert DB["networks"] == ["store"]


def test_figures_have_a_port_of_their_own_that_is_not_published() -> None:
    own = BOT["environment"]["DEBATE_WATCH_PORT"]
    assert own != BOT["environment"]["DEBATE_PORT"]
    assert not any(own in port for port in BOT["ports"])


@pytest.mark.parametrize(
    ("status", "code", "token"), [("200 OK", 0, "s3cret"), ("503 Service Unavailable", 1, "")]
)
def test_a_bot_is_healthy_when_it_is_ready(status: str, code: int, token: str) -> None:
    kind, program, *rest = BOT["healthcheck"]["test"]
    assert (kind, program) == ("CMD", "python")
    request, ended = asking(rest, "DEBATE_WATCH_PORT", status, DEBATE_WATCH_TOKEN=token)
    assert request.startswith("GET /readyz HTTP/1.1\r\n")
    assert f"Authorization: Bearer {token}\r\n" in request
    assert ended == code


@pytest.mark.parametrize(("status", "code"), [("200 OK", 0), ("503 Service Unavailable", 1)])
def test_an_image_is_healthy_while_its_process_lives(status: str, code: int) -> None:
    docker = (ROOT / "Dockerfile").read_text("utf-8")
    health = re.search(r"^HEALTHCHECK [^\n]*\\\n\s+CMD (.*)$", docker, re.MULTILINE)
    assert health
    program, *rest = json.loads(health[1])
    assert program == "python"
    request, ended = asking(rest, "DEBATE_PORT", status)
    assert request.startswith("GET /healthz HTTP/1.1\r\n")
    assert ended == code


def asking(words: list[str], port: str, status: str, **more: str) -> tuple[str, int]:
    """Returns the request that a health check sends to the port that this variable names, and the
    check's exit code.
    """
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE)
        env = {"DEBATE_PORT": "1", port: str(server.getsockname()[1]), **more}
        env |= {"HTTP_PROXY": "http://127.0.0.1:1", "PATH": os.environ["PATH"]}
        with subprocess.Popen(
            [sys.executable, *words], env=env, stderr=subprocess.DEVNULL
        ) as process:
            client, _ = server.accept()
            with client:
                text = client.recv(1000).decode()
                head = f"HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                client.sendall(head.encode())
            return text, process.wait(timeout=PATIENCE)
