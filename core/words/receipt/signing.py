"""Signs receipts and verifies them. The verifier brings the public key: a receipt can't vouch for
its own key.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from core.debate.errors import BadInput
from core.debate.issued import key_bytes
from core.words.receipt import SYSTEM
from core.words.receipt.canonical import canonical_json
from core.words.receipt.rules import broken_rules
from core.words.receipt.verdicts import broken_entries

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

Doc = dict[str, Any]
_MOST = 20
"""The most signatures of one key that are checked, each over the whole receipt."""


@dataclass(frozen=True, slots=True)
class ReceiptCheck:
    """One check and its result."""

    name: str
    ok: bool
    detail: str = ""


def odr_digest(document: Mapping[str, Any]) -> str:
    """Returns SHA-256 in hex over the canonical receipt without its signatures."""
    return hashlib.sha256(
        canonical_json({k: v for k, v in document.items() if k != "signatures"})
    ).hexdigest()


def key_id(public_key: bytes) -> str:
    """Returns the name of a raw 32-byte public key."""
    return f"ed25519-{hashlib.sha256(public_key).hexdigest()[:16]}"


def sign(document: Mapping[str, Any], private_key: bytes | str, *, signed_at: str) -> Doc:
    """Returns the receipt with one more signature. ``private_key`` is PEM, or 32 bytes raw, in
    base64 or hex. Raises ``BadInput`` for a bad key.

    The signature covers its own issuer, role and time, so that nobody can turn a reviewer's
    signature into an attestor's.
    """
    key = _private(private_key)
    name = key_id(key.public_key().public_bytes_raw())
    entry: Doc = {
        "alg": "Ed25519",
        "key_id": name,
        "issuer": SYSTEM,
        "role": "emitter",
        "signed_at": signed_at,
    }
    signature = key.sign(_signed_bytes(document, entry))
    signed = {**entry, "signature": base64.b64encode(signature).decode("ascii")}
    return {**document, "signatures": [*document.get("signatures", ()), signed]}


def verify(
    document: Mapping[str, Any], public_key: bytes | str, *, now: datetime | None = None
) -> list[ReceiptCheck]:
    """Returns every check, failed ones included; the receipt is good when all are ok.

    A bad receipt never raises, a bad key does (``BadInput``). ``now`` (aware) also refuses expired
    signatures. An unsigned receipt fails: without a signature by this key nothing is proved.
    """
    key = _public(public_key)
    try:
        rules = broken_rules(document)
    except (AttributeError, TypeError):
        rules = ["a member holds another kind of value than it must"]
    checks = [ReceiptCheck("structure", not rules, "; ".join(rules))]
    if not rules:
        checks += _consistent(document)
    try:
        checks.append(ReceiptCheck("digest", True, odr_digest(document)))
    except (ValueError, RecursionError) as error:
        return [*checks, ReceiptCheck("digest", False, f"not canonical JSON: {error}")]
    entries = document.get("signatures")
    listed = [e for e in entries if isinstance(e, Mapping)] if isinstance(entries, list) else []
    name = key_id(key.public_bytes_raw())
    ours = [e for e in listed if e.get("key_id") == name]
    checks.append(
        ReceiptCheck("signed by this key", bool(ours), "" if ours else f"no signature by {name}")
    )
    if len(ours) > _MOST:
        return [*checks, ReceiptCheck("signatures", False, f"more than {_MOST} by one key")]
    checks += [_checked(document, entry, key) for entry in ours]
    if now is not None:
        checks += [_unexpired(entry, now) for entry in ours if entry.get("expires_at") is not None]
    return checks


def _consistent(document: Mapping[str, Any]) -> list[ReceiptCheck]:
    mechanism = document["attestation"].get("mechanism")
    if not isinstance(mechanism, Mapping) or not mechanism.get("verdicts"):
        return []
    try:
        wrong = broken_entries(document)
    except (AttributeError, KeyError, TypeError):
        wrong = "one holds another kind of value than it must"
    return [ReceiptCheck("verdicts", not wrong, wrong)]


def _checked(
    document: Mapping[str, Any], entry: Mapping[str, Any], key: Ed25519PublicKey
) -> ReceiptCheck:
    from cryptography.exceptions import InvalidSignature

    name = f"signature of {entry.get('issuer', 'unnamed')}"
    if entry.get("alg") != "Ed25519":
        return ReceiptCheck(name, False, f"unknown algorithm {entry.get('alg')!r}")
    try:
        key.verify(_decoded(str(entry.get("signature", "")), 64), _signed_bytes(document, entry))
    except InvalidSignature:
        return ReceiptCheck(name, False, "the receipt or the signature was changed")
    except ValueError as error:
        return ReceiptCheck(name, False, str(error))
    return ReceiptCheck(name, True, f"as {entry.get('role', 'no role')}")


def _unexpired(entry: Mapping[str, Any], now: datetime) -> ReceiptCheck:
    try:
        until = datetime.fromisoformat(str(entry["expires_at"]))
    except ValueError:
        return ReceiptCheck("expiry", False, f"{entry['expires_at']!r} is no time")
    if until.tzinfo is None:
        return ReceiptCheck("expiry", False, "expires_at has no time zone")
    return ReceiptCheck("expiry", now <= until, f"until {until.isoformat()}")


def _signed_bytes(document: Mapping[str, Any], entry: Mapping[str, Any]) -> bytes:
    """Returns the signed bytes. Version 0.1 signs only the digest, 0.2 the digest together with
    everything else in the entry.
    """
    digest = odr_digest(document)
    if document.get("odr_version") == "0.1":
        return bytes.fromhex(digest)
    protected = {k: v for k, v in entry.items() if k != "signature"}
    return canonical_json(
        {"odr_digest": digest, "odr_signature_input": "0.2", "protected": protected}
    )


def _decoded(text: str, size: int) -> bytes:
    """Returns bytes written in hex, in base64 or as a key that the bot made. Raises ``ValueError``
    unless there are ``size`` of them.
    """
    bare = "".join(text.split())
    if (made := key_bytes(bare)) is not None:
        return made
    try:
        if re.fullmatch(rf"[0-9a-fA-F]{{{2 * size}}}", bare):
            raw = bytes.fromhex(bare)
        else:
            raw = base64.b64decode(bare, validate=True)
    except binascii.Error as error:
        raise ValueError("neither hex nor base64") from error
    if len(raw) != size:
        raise ValueError(f"{len(raw)} bytes where {size} belong")
    return raw


def _private(given: bytes | str) -> Ed25519PrivateKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        if _pem(given):
            key = load_pem_private_key(_bytes(given), password=None)
            if not isinstance(key, Ed25519PrivateKey):
                raise ValueError("not an Ed25519 key")
            return key
        return Ed25519PrivateKey.from_private_bytes(_raw(given))
    except (ValueError, TypeError) as error:
        raise BadInput(
            "The signing key is not an Ed25519 private key (PEM, or 32 bytes in base64 or hex)."
        ) from error


def _public(given: bytes | str) -> Ed25519PublicKey:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import (
        load_der_public_key,
        load_pem_public_key,
    )

    try:
        if _pem(given):
            key = load_pem_public_key(_bytes(given))
        elif isinstance(given, bytes) and given[:1] == b"\x30" and len(given) > 32:
            key = load_der_public_key(given)
        else:
            return Ed25519PublicKey.from_public_bytes(_raw(given))
        if not isinstance(key, Ed25519PublicKey):
            raise ValueError("not an Ed25519 key")
        return key
    except (ValueError, UnsupportedAlgorithm) as error:
        raise BadInput(
            "The public key is not an Ed25519 key (PEM, DER, or 32 bytes raw, in base64 or hex)."
        ) from error


def public_key(private_key: bytes | str) -> str:
    """Returns the public half of a private key, in base64, for people who verify."""
    return base64.b64encode(_private(private_key).public_key().public_bytes_raw()).decode("ascii")


def private_bytes(private_key: bytes | str) -> bytes:
    """Returns the 32 bytes of a private key, however it is written. Raises ``BadInput``."""
    return _private(private_key).private_bytes_raw()


def _pem(given: bytes | str) -> bool:
    return _bytes(given).lstrip().startswith(b"-----BEGIN")


def _bytes(given: bytes | str) -> bytes:
    if isinstance(given, bytes):
        return given
    return given.encode("utf-8")


def _raw(given: bytes | str) -> bytes:
    if isinstance(given, bytes) and len(given) == 32:
        return given
    return _decoded(_bytes(given).decode("ascii"), 32)
