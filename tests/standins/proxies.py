"""Real nginx and Caddy with the configurations in ``manifests``."""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.project import ROOT
from tests.standins.programs import answers, find, free_port

NAME = "debates.example.org"
"""What the configurations call the room's host."""
PROXIES = ("nginx", "caddy")


def written(name: str) -> str:
    """Returns that configuration."""
    return (ROOT / "manifests" / name).read_text("utf-8")


@dataclass(frozen=True)
class Proxied:
    """A proxy that runs: ``port`` speaks TLS under ``NAME``, ``plain`` does not."""

    port: int
    plain: int
    trust: ssl.SSLContext

    @property
    def address(self) -> str:
        return f"https://{NAME}:{self.port}"


@dataclass(frozen=True)
class Ports:
    tls: int
    plain: int

    @classmethod
    def free(cls) -> Ports:
        tls = plain = free_port()
        while plain == tls:  # a port that was given back may be given again
            plain = free_port()
        return cls(tls, plain)


@asynccontextmanager
async def in_front(program: str, folder: Path, ports: Ports, bot: str) -> AsyncIterator[Proxied]:
    """Runs the program with its configuration before the bot at ``bot`` (host and port).
    Only changed are ports, the certificate, the bot's address, and that a stop waits for nobody.
    """
    certificate, key = certificate_of(NAME, folder)
    words = {"nginx": _nginx, "caddy": _caddy}[program](folder, ports, bot, certificate, key)
    async with _running(program, words, folder, ports.tls):
        yield Proxied(ports.tls, ports.plain, ssl.create_default_context(cafile=certificate))


@asynccontextmanager
async def passing_on(folder: Path, bot: str) -> AsyncIterator[str]:
    """Runs nginx with one line, the bot's address, as many a first try has it."""
    port = Ports.free().plain
    text = f"server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://{bot}; }} }}\n"
    async with _running("nginx", _nginx_with(folder, text), folder, port):
        yield f"http://127.0.0.1:{port}"


@asynccontextmanager
async def _running(program: str, words: list[str], folder: Path, port: int) -> AsyncIterator[None]:
    log = folder / f"{program}.log"
    with log.open("wb") as out:
        process = await asyncio.create_subprocess_exec(
            find(program), *words, cwd=folder, stdout=out, stderr=out,
            env={"PATH": os.environ["PATH"], "HOME": str(folder)},
        )  # fmt: skip
    try:
        await answers(process, port, log)
        yield
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


def _nginx(folder: Path, ports: Ports, bot: str, certificate: Path, key: Path) -> list[str]:
    text = _changed(
        written("nginx.conf"),
        ("listen 80;", f"listen 127.0.0.1:{ports.plain};"),
        ("    listen [::]:80;\n", ""),
        ("listen 443 ssl http2;", f"listen 127.0.0.1:{ports.tls} ssl http2;"),
        ("    listen [::]:443 ssl http2;\n", ""),
        ("/etc/ssl/debatebot/fullchain.pem", str(certificate)),
        ("/etc/ssl/debatebot/privkey.pem", str(key)),
        ("http://127.0.0.1:8765", f"http://{bot}"),
    )
    return _nginx_with(folder, text)


def _nginx_with(folder: Path, text: str) -> list[str]:
    """Returns the command that starts it with these servers and without the system's own
    configuration.
    """
    (folder / "debatebot.conf").write_text(text)
    for name in ("body", "proxy", "fastcgi", "uwsgi", "scgi"):
        (folder / name).mkdir()
    user = "user root;\n" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(
        f"{user}daemon off;\nworker_processes 1;\npid {folder}/nginx.pid;\n"
        f"error_log {folder}/nginx.log;\nevents {{ worker_connections 256; }}\n"
        f"http {{\naccess_log off;\nclient_body_temp_path {folder}/body;\n"
        f"proxy_temp_path {folder}/proxy;\nfastcgi_temp_path {folder}/fastcgi;\n"
        f"uwsgi_temp_path {folder}/uwsgi;\nscgi_temp_path {folder}/scgi;\n"
        f"include {folder}/debatebot.conf;\n}}\n"
    )
    return ["-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "nginx.log")]


def _caddy(folder: Path, ports: Ports, bot: str, certificate: Path, key: Path) -> list[str]:
    bound = f"http_port {ports.plain}\n\thttps_port {ports.tls}\n\tdefault_bind 127.0.0.1"
    own = f"admin off\n\t{bound}\n\t"
    text = _changed(
        written("Caddyfile"),
        ("{\n\t# Pages that", "{\n\t" + own + "# Pages that"),
        (f"{NAME} {{\n", f"{NAME} {{\n\ttls {certificate} {key}\n"),
        ("127.0.0.1:8765", bot),
        ("grace_period 5s", "grace_period 1ms"),
    )
    (folder / "Caddyfile").write_text(text)
    return ["run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


def _changed(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        if text.count(old) != 1:
            raise AssertionError(f"The configuration has {text.count(old)} times {old!r}")
        text = text.replace(old, new)
    return text


def certificate_of(host: str, folder: Path) -> tuple[Path, Path]:
    """Returns a certificate for a host that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, secret = folder / "fullchain.pem", folder / "privkey.pem"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return certificate, secret
