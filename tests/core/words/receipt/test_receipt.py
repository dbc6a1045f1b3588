"""Receipts that others can verify, and that nobody can change unnoticed."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.debate.errors import BadInput, Refused
from core.debate.material import Material, MaterialKind
from core.debate.verdict.families import family
from core.words.outcome import outcome
from core.words.receipt import receipt
from core.words.receipt.canonical import canonical_json, chained, digest, head
from core.words.receipt.reading import read_receipt
from core.words.receipt.signing import ReceiptCheck, key_id, odr_digest, public_key, sign, verify
from tests.core.table import Table, finding, stance, table, template

SEED = hashlib.sha256(b"fixed test key, never use").digest()
PUBLIC = "u2avU1Im3QfjUVVmPwYu32uiIiYmCzKS4Znr7rUo8fY="
LATER = "2026-11-21T20:40:00Z"

VECTOR = json.loads("""
{"odr_version":"0.2","profile":"https://aragora.ai/specs/open-decision-receipt/v0.2","receipt_id":"debate-0001",
 "issued_at":"2026-11-21T20:30:00Z",
 "subject":{"identifier":"github:acme/shop#42@0123abcd","digest":{"status":"present","alg":"sha-256",
   "value":"73e2a41f8b41dc1b4e92baec694cf0a376f2504e8ef88fb48073074e4a73786d"},"summary":"PR 42: retry on timeout",
   "repository":"acme/shop","pr_number":42,"head_sha":"0123abcd"},
 "claim":{"verdict":"CONDITIONAL","statement":"Merge after the retry has a ceiling."},
 "reasoning":{"status":"present","summary":"Two of three seats accept; one asks for a bounded retry."},
 "quorum":{"status":"present","method":"majority","reached":true,"supporting_agents":["author","judge","slack:U0123"],
  "participants":[{"agent":"author","model_family":"openai","model_id":"m1"},{"agent":"critic","model_family":"anthropic","model_id":"m2"},
   {"agent":"judge","model_family":"google","model_id":"m3"},{"agent":"slack:U0123","model_family":"human","model_id":"human"}],
  "independence":{"disclosed":true,"distinct_model_families":3,"model_families":["anthropic","google","openai"]},
  "dissent":{"present":true,"dissenting_agents":["critic"],"views":["Unbounded retry can pile up."],
   "findings":[{"issuer":"critic","severity":"P2","blocking":false,"text":"Retry has no ceiling.","location":"shop/http.py:31"}],
   "severity_max":"P2","blocking":false}},
 "confidence":{"status":"present","value":0.67,"scale":"unit_interval",
  "calibration":{"status":"absent","reason":"no resolved outcomes yet"}},
 "cruxes":{"status":"present","items":[{"point":"Can retries pile up?","would_resolve_if":"a load test at 10x"}]},
 "attestation":{"disposition":"human_attested","attestor":{"id":"slack:U0123","role":"voter"},"execution_identity":{"id":"debatebot"},
  "mechanism":{"type":"slack_reaction","ref":"C01/1732221000.000100"}},
 "routing":{"status":"reserved"},
 "source":{"system":"debatebot","schema":"debatebot.outcome.v1","receipt_id":"debate-0001"},
 "signatures":[{"alg":"Ed25519","key_id":"ed25519-45ed77843ececf68","issuer":"debatebot","role":"emitter","signed_at":"2026-11-21T20:30:01Z",
  "signature":"zhagJZmDr9ylu5cnCEBwewBmeAz9NKhEJ8klPVd1rf09E6YLTsoNmwHq4GQHvLZ8sZFJQuvfvvuxtFfQBhzTCg=="}]}
""")


def good(document: dict[str, Any], key: bytes | str = PUBLIC) -> bool:
    return all(check.ok for check in verify(document, key))


def test_the_known_receipt_verifies_and_is_signed_again_byte_by_byte() -> None:
    assert odr_digest(VECTOR) == "8acd07972e812f9fceb61822ac5bb903e289965b7273ad5d6fb1773cffcfcd83"
    assert verify(VECTOR, PUBLIC) == [
        ReceiptCheck("structure", True),
        ReceiptCheck(
            "digest", True, "8acd07972e812f9fceb61822ac5bb903e289965b7273ad5d6fb1773cffcfcd83"
        ),
        ReceiptCheck("signed by this key", True),
        ReceiptCheck("signature of debatebot", True, "as emitter"),
    ]
    unsigned = {**VECTOR, "signatures": []}
    assert sign(unsigned, SEED, signed_at="2026-11-21T20:30:01Z") == VECTOR
    assert public_key(SEED) == PUBLIC


def changed(path: str, value: Any, of: Mapping[str, Any] = VECTOR) -> dict[str, Any]:
    document = copy.deepcopy(dict(of))
    *parents, last = path.split(".")
    at = part(document, parents)
    at[int(last) if isinstance(at, list) else last] = value
    return document


def part(document: Any, names: Iterable[str]) -> Any:
    for name in names:
        document = document[int(name)] if isinstance(document, list) else document[name]
    return document


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("quorum.dissent", {"present": False, "dissenting_agents": [], "views": []}),
        ("quorum.reached", False),
        ("claim.statement", "Merge at once."),
        ("confidence.value", 0.68),
        ("signatures.0.role", "attestor"),
        ("signatures.0.issuer", "somebody"),
        ("signatures.0.signature", "AAAA"),
        ("signatures.0.alg", "none"),
        ("receipt_id", "debate-0002"),
    ],
)
def test_defect_37_no_change_goes_unnoticed(path: str, value: Any) -> None:
    assert not good(changed(path, value))


@pytest.mark.parametrize(
    ("path", "value", "complaint"),
    [
        ("verdict", "PASS", "verdict is no member of a receipt"),
        ("quorum", [], "quorum is not an object"),
        ("quorum.supporting_agents", ["author", "ghost"], "supporter 'ghost' is not a participant"),
        ("quorum.dissent.dissenting_agents", ["ghost"], "dissenter 'ghost' is not a participant"),
        ("quorum.dissent.findings.0.severity", "P1", "a finding of P1 has blocking False"),
        ("quorum.dissent.severity_max", "P0", "severity_max is P0, the findings' is P2"),
        ("quorum.dissent.blocking", True, "blocking does not match the findings"),
        ("attestation.attestor.id", "debatebot", "who attests and what executed are the same"),
        ("odr_version", "0.3", "odr_version is '0.3', not 0.1 or 0.2"),
        (
            "odr_version",
            "0.1",
            "subject holds members of 0.2: ['head_sha', 'pr_number', 'repository']",
        ),
        ("receipt_id", "", "receipt_id is empty"),
        ("receipt_id", 7, "receipt_id is empty"),
        ("claim", {}, "the claim has no verdict"),
        (
            "profile",
            "https://aragora.ai/specs/open-decision-receipt/v0.1",
            "the profile is another version's",
        ),
        ("quorum", {"status": "absent"}, "an absent quorum needs a reason"),
        ("quorum.verdicts", [{"issuer": "ghost"}], "issuer 'ghost' is not a participant"),
        ("quorum.dissent.findings.0.issuer", "ghost", "the issuer 'ghost' of a finding is not"),
        ("quorum.dissent.findings.0.blocking", True, "a finding of P2 has blocking True"),
        ("attestation.disposition", "machine", "the disposition is 'machine'"),
        ("attestation.attestor", {}, "human_attested without an attestor"),
    ],
)
def test_a_receipt_that_breaks_the_format_is_refused_even_when_signed(
    path: str, value: Any, complaint: str
) -> None:
    resigned = sign({**changed(path, value), "signatures": []}, SEED, signed_at=LATER)
    first = verify(resigned, PUBLIC)[0]
    assert (first.name, first.ok) == ("structure", False)
    assert complaint in first.detail


MILD = VECTOR["quorum"]["dissent"]["findings"][0]
GRAVE = MILD | {"severity": "P1", "blocking": True}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("adjudication", {}),
        ("quorum", {"status": "absent", "reason": "one seat spoke"}),
        ("quorum.dissent", {"dissenting_agents": ["critic"], "findings": [GRAVE]}),
        ("quorum.dissent", {"findings": [GRAVE, MILD], "severity_max": "P1", "blocking": True}),
        ("quorum.verdicts", [{"issuer": "critic"}]),
        ("attestation", {"disposition": "autonomous", "execution_identity": {}, "attestor": {}}),
    ],
)
def test_what_the_format_leaves_open_may_be_left_out(path: str, value: Any) -> None:
    resigned = sign({**changed(path, value), "signatures": []}, SEED, signed_at=LATER)
    assert [check for check in verify(resigned, PUBLIC) if not check.ok] == []


@pytest.mark.parametrize("member", sorted(VECTOR))
def test_every_member_of_a_receipt_is_there_except_its_source(member: str) -> None:
    document = {name: value for name, value in VECTOR.items() if name != member}
    structure = verify(document, PUBLIC)[0]
    assert structure.ok is (member == "source")
    if member not in ("source", "odr_version"):
        assert structure.detail == f"{member} is missing"


@pytest.mark.parametrize(("times", "fine"), [(20, True), (21, False)])
def test_signatures_of_one_key_are_checked_up_to_a_limit(times: int, fine: bool) -> None:
    assert good({**VECTOR, "signatures": VECTOR["signatures"] * times}) is fine


@pytest.mark.parametrize("signatures", [None, {}, "", [None, "x"]])
def test_signatures_in_another_form_are_none(signatures: Any) -> None:
    unsigned = {**VECTOR, "signatures": signatures}
    failed = [check.name for check in verify(unsigned, PUBLIC) if not check.ok]
    assert failed == ["signed by this key"]


def test_an_unsigned_receipt_or_another_key_proves_nothing() -> None:
    assert not good({**VECTOR, "signatures": []})
    assert not good(VECTOR, hashlib.sha256(b"another").digest())
    with pytest.raises(BadInput):
        verify(VECTOR, "not a key")
    with pytest.raises(BadInput):
        sign(VECTOR, b"short", signed_at=LATER)


def test_version_0_1_signs_the_digest_alone() -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    old = {k: v for k, v in changed("odr_version", "0.1").items() if k != "signatures"}
    old["profile"] = "https://aragora.ai/specs/open-decision-receipt/v0.1"
    old["subject"] = {
        k: v for k, v in old["subject"].items() if k in ("identifier", "digest", "summary")
    }
    signature = Ed25519PrivateKey.from_private_bytes(SEED).sign(bytes.fromhex(odr_digest(old)))
    entry = {
        "alg": "Ed25519",
        "key_id": VECTOR["signatures"][0]["key_id"],
        "signature": signature.hex(),
    }
    assert good({**old, "signatures": [entry]})
    [structure, *_] = verify({**old, "signatures": [], "adjudication": {}}, PUBLIC)
    assert structure.detail == "adjudication is no member of a receipt"
    assert (
        sign({**old, "signatures": []}, SEED, signed_at=LATER)["signatures"][0]["signature"] != ""
    )


def test_an_expired_signature_fails_when_the_time_is_given() -> None:
    at = datetime(2026, 11, 21, tzinfo=UTC)
    for expires, fine in (
        ("2026-12-01T00:00:00Z", True),
        ("2026-11-21T00:00:00Z", True),
        ("2026-11-01T00:00:00Z", False),
        ("2026-12-01T00:00:00", False),
        ("soon", False),
    ):
        document = changed("signatures.0.expires_at", expires)
        (check,) = [c for c in verify(document, PUBLIC, now=at) if c.name == "expiry"]
        assert check.ok is fine
        assert "expiry" not in {c.name for c in verify(document, PUBLIC)}
    without = changed("signatures.0.expires_at", None)
    assert "expiry" not in {c.name for c in verify(without, PUBLIC, now=at)}


@pytest.mark.parametrize("form", ["raw", "base64", "hex", "pem", "der"])
def test_keys_in_every_usual_form(form: str) -> None:
    from cryptography.hazmat.primitives import serialization as s
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    public = Ed25519PrivateKey.from_private_bytes(SEED).public_key()
    written: dict[str, Callable[[], bytes | str]] = {
        "raw": public.public_bytes_raw,
        "base64": lambda: PUBLIC,
        "hex": lambda: public.public_bytes_raw().hex(),
        "pem": lambda: public.public_bytes(
            s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo
        ).decode(),
        "der": lambda: public.public_bytes(s.Encoding.DER, s.PublicFormat.SubjectPublicKeyInfo),
    }
    assert good(VECTOR, written[form]())
    assert key_id(public.public_bytes_raw()) == "ed25519-45ed77843ececf68"


# -- canonical JSON


def test_defect_38_numbers_and_keys_are_canonical_and_not_what_json_dumps_writes() -> None:
    value = {
        "b": 1.0, "a": 1e-5, "c": 1e21, "d": -0.0, "e": 333333333.33333329, "f": 1e-7,
        "g": 5e-324, "h": 100, "i": 0.1 + 0.2,
    }  # fmt: skip
    assert canonical_json(value) == (
        b'{"a":0.00001,"b":1,"c":1e+21,"d":0,"e":333333333.3333333,"f":1e-7,"g":5e-324,"h":100,"i":0.30000000000000004}'
    )
    assert (
        canonical_json({"\ufb33": 1, "\U0001f600": 2, "\u20ac": 3})
        == '{"\u20ac":3,"\U0001f600":2,"\ufb33":1}'.encode()
    )


def test_what_canonical_json_cannot_hold_is_kept_or_refused() -> None:
    assert (
        canonical_json({"seed": 2**60, "text": "a\ud800b"})
        == '{"seed":"1152921504606846976","text":"a\ufffdb"}'.encode()
    )
    assert canonical_json([10**20, 10**400]) == b'[100000000000000000000,"1' + b"0" * 400 + b'"]'
    for wrong in (float("nan"), float("inf"), b"bytes", {1: 2}, {"x": object()}):
        with pytest.raises(ValueError):
            canonical_json(wrong)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(JSON)
def test_canonical_bytes_are_json_that_reads_back_and_is_a_fixed_point(value: Any) -> None:
    once = canonical_json(value)
    assert canonical_json(json.loads(once)) == once


# -- the chain over the events


def broken_link(made: Iterable[Mapping[str, Any]]) -> int | None:
    """Returns the position of the first link whose hash is not that of its content or that does not
    follow the one before; None if all hold.
    """
    before = ""
    for n, link in enumerate(made):
        content = {k: v for k, v in link.items() if k != "entry_hash"}
        if link.get("prev_hash") != before or link.get("entry_hash") != digest(content):
            return n
        before = str(link["entry_hash"])
    return None


@given(
    st.lists(st.dictionaries(st.text(max_size=3), JSON, max_size=2), min_size=1, max_size=5),
    st.data(),
)
def test_the_chain_covers_every_event_and_their_order(
    events: list[dict[str, Any]], data: st.DataObject
) -> None:
    whole = head(map(digest, events))
    made = chained(map(digest, events))
    assert broken_link(made) is None
    at = data.draw(st.integers(0, len(events) - 1))
    changed = [*events[:at], {**events[at], "changed": True}, *events[at + 1 :]]
    assert head(map(digest, changed)) != whole
    assert head(map(digest, events[:-1])) != whole
    torn = [dict(link) for link in made]
    torn[at]["event_hash"] = digest("something else")
    assert broken_link(torn) == at


def test_no_events_make_no_chain() -> None:
    assert head([]) == ""


# -- our own receipts


def decided() -> Table:
    t = table()
    dead = stance("approve", because="It is dead code", would_resolve_if="a caller")
    t.says("t1", "comment").says("t2", "comment").says("t3", dead)
    small = finding("A name says nothing", severity="low", line=90)
    t.says("u3", dead, findings=[finding(severity="medium"), small])
    return (
        t.fails("u1")
        .challenges("And under load?", author="slack:U1")
        .votes("bob", "approve")
        .concluded()
    )


@cache
def decided_outcome() -> Mapping[str, Any]:
    return outcome(decided().debate)


def test_a_receipt_says_what_the_outcome_says() -> None:
    made = receipt(outcome(decided().debate), issued_at=LATER, chain="ab" * 32)
    assert made["claim"] == {
        "verdict": "comment",
        "statement": "Comments only: nothing must be fixed, but only 1 of 3 seats approve. 2 "
        "findings were raised late, and nobody answered.",
    }
    assert made["quorum"]["supporting_agents"] == ["security_critic", "performance_critic"]
    assert made["quorum"]["dissent"]["findings"] == [{
        "issuer": "maintainability_critic", "severity": "P2", "blocking": False,
        "text": "The query is built from user input", "location": "app/db.py:12",
    }, {
        "issuer": "maintainability_critic", "severity": "P3", "blocking": False,
        "text": "A name says nothing", "location": "app/db.py:90",
    }]  # fmt: skip
    assert made["quorum"]["dissent"]["severity_max"] == "P2"
    detail = "u1 (security_critic): timeout: no answer in 90 s"
    timeout = {"kind": "timeout", "family": "openai", "detail": detail}
    assert made["reasoning"]["observations"] == [timeout]
    assert [c["point"] for c in made["cruxes"]["items"]] == ["It is dead code", "And under load?"]
    assert made["attestation"]["disposition"] == "autonomous"
    assert made["attestation"]["mechanism"]["chain_head"] == "ab" * 32
    assert made["attestation"]["mechanism"]["people_votes"] == {"approve": 1}
    assert good(sign(made, SEED, signed_at=LATER))


@pytest.mark.parametrize(
    ("path", "value", "place", "made"),
    [
        ("material.source", "https://git.acme.test/a/b/-/merge_requests/7", "subject.pr_number", 7),
        ("material.source", "https://git.acme.test/a/b/-/merge_requests/7", "subject.repository", "a/b"),
        ("material.revision", "", "subject.identifier", "https://github.com/acme/shop/pull/42"),
        ("material", {"revision": "", "source": "", "title": "A plan"}, "subject.identifier", "A plan"),
        ("material", {"revision": "", "source": "", "title": ""}, "subject.identifier", "untitled"),
        ("rounds.1.turns.0.failed", "refused", "reasoning.observations.0.kind", "failure"),
        ("rounds.1.turns.0.failed", "Timeout", "reasoning.observations.0.kind", "timeout"),
        ("seats.0.model", "", "quorum.independence.disclosed", True),
        ("seats.0", {"seat": "x", "model": "", "stance": None}, "quorum.independence.disclosed", False),
        ("seats.0", {"seat": "x", "model": "", "stance": "none"}, "quorum.participants.0", {
            "agent": "x", "model_family": "undisclosed", "model_id": "undisclosed"}),
        ("findings", [{"by": ["code"]}, {"by": []}], "quorum.participants.4", {
            "agent": "code", "model_family": "deterministic", "model_id": "debatebot"}),
        ("findings.0.line", None, "quorum.dissent.findings.0.location", "app/db.py"),
        ("findings.0.severity", "high", "quorum.dissent.blocking", True),
        ("dissent", [], "cruxes.items.0.point", "And under load?"),
        ("challenges.0.state", "answered", "cruxes.items", [{
            "point": "It is dead code", "would_resolve_if": "a caller",
            "raised_by": "maintainability_critic"}]),
    ],
)  # fmt: skip
def test_each_part_of_a_receipt_follows_from_the_outcome(
    path: str, value: Any, place: str, made: Any
) -> None:
    document = receipt(changed(path, value, decided_outcome()), issued_at=LATER)
    assert part(document, place.split(".")) == made


def test_every_dissenter_is_among_the_findings_that_verifiers_print() -> None:
    t = table().says("t1", "approve").says("t2", "approve").says("t3", "approve")
    stated = stance("request_changes", because="No test covers it", would_resolve_if="a test")
    document = outcome(t.says("u3", stated).concluded().debate)
    [dissenter] = [d for d in document["dissent"] if d["stance"] == "request_changes"]
    dissent = receipt(document, issued_at=LATER)["quorum"]["dissent"]
    seat = dissenter["seat"]
    text = f"{seat} (request_changes): No test covers it"
    named = {"issuer": seat, "severity": "P3", "blocking": False, "text": text}
    assert named in dissent["findings"]
    assert {f["issuer"] for f in dissent["findings"]} == {d["seat"] for d in document["dissent"]}
    assert (dissent["severity_max"], dissent["blocking"]) == ("P3", False)
    assert good(sign(receipt(document, issued_at=LATER), SEED, signed_at=LATER))


def test_the_receipt_covers_everything_that_was_shown() -> None:
    document = outcome(decided().debate)
    made = receipt(document, issued_at=LATER)
    assert made["source"]["artifact_hash"] == digest(document)


def test_a_person_can_stand_for_it_and_the_machine_cannot() -> None:
    made = receipt(
        outcome(decided().debate),
        issued_at=LATER,
        attestor={"id": "slack:U1", "role": "maintainer"},
    )
    assert made["attestation"]["disposition"] == "human_attested"
    assert good(sign(made, SEED, signed_at=LATER))
    with pytest.raises(ValueError, match="person with an id"):
        receipt(outcome(decided().debate), issued_at=LATER, attestor={"id": "debatebot"})


def test_there_is_no_receipt_of_a_debate_that_still_runs() -> None:
    with pytest.raises(Refused):
        receipt(outcome(table().debate), issued_at=LATER)


def test_defect_15_a_receipt_of_failed_seats_approves_nothing() -> None:
    t = table().fails("t1").fails("t2").fails("t3").fails("end").concluded()
    made = receipt(outcome(t.debate), issued_at=LATER)
    quorum = made["quorum"]
    assert (made["claim"]["verdict"], quorum["reached"]) == ("failed", False)
    assert quorum["supporting_agents"] == []
    assert len(made["reasoning"]["observations"]) == 4
    assert good(sign(made, SEED, signed_at=LATER))


def test_a_content_digest_stands_in_the_subject_where_there_is_one() -> None:
    content = Material(MaterialKind.DOCUMENT, "A plan", "…", "plan.md", "ab" * 32)
    t = table(material=content, findings=template().findings).says("t1", "approve").says("end")
    t.concluded()
    assert receipt(outcome(t.debate), issued_at=LATER)["subject"] == {
        "identifier": f"plan.md@{'ab' * 32}",
        "digest": {"status": "present", "alg": "sha-256", "value": "ab" * 32},
        "summary": "A plan",
    }


@pytest.mark.parametrize(
    ("model", "maker"),
    [
        ("openai/gpt-5-mini", "openai"),
        ("gpt-4o", "openai"),
        ("openai/o3", "openai"),
        ("anthropic/claude-sonnet-4", "anthropic"),
        ("openrouter/anthropic/claude-sonnet-4", "anthropic"),
        ("gemini/gemini-2.5-pro", "google"),
        ("ollama/qwen3:1.7b", "alibaba"),
        ("ollama/llama3.1", "meta"),
        ("local/smollm2", "local"),
        ("scripted", "scripted"),
    ],
)
def test_a_model_is_known_by_its_maker_wherever_it_is_served(model: str, maker: str) -> None:
    assert family(model) == maker


@pytest.mark.parametrize(
    "text",
    [
        '{"claim": {"verdict": "approve"}, "claim": {"verdict": "reject"}}',
        '{"claim": {"verdict": "approve", "verdict": "reject"}}',
        '{"a": [{"b": 1, "b": 1}]}',
        '{"a": ' * 50_000,
        "[" * 50_000,
        '{"a": ' + '{"a": ' * 600 + "1" + "}" * 601,
        '{"a": ' + "9" * 5_000 + "}",
        '{"a": NaN}',
        '{"a": -Infinity}',
        "[]",
        '"x"',
        "",
        "\ud800",
        b"\xff\xfe{",
        b"\xe4",
    ],
    ids=lambda text: ascii(text[:30]),
)
def test_what_two_readers_read_in_two_ways_is_no_receipt(text: str | bytes) -> None:
    with pytest.raises(BadInput, match="no receipt"):
        read_receipt(text)


def test_a_receipt_that_is_nested_too_deeply_is_not_good_and_never_raises() -> None:
    deep: dict[str, Any] = {}
    for _ in range(900):
        deep = {"a": deep}
    assert not all(check.ok for check in verify(deep, public_key("QUFB" * 10 + "QUE=")))


def test_raw_keys_are_read_whatever_byte_they_begin_with() -> None:
    """A key in DER begins with 0x30, and one raw key in 256 does so too."""
    unsigned = {**VECTOR, "signatures": []}
    for private in (b"0" * 32, b"-" * 32, next(filter(_is_like_der, map(_key, range(5000))))):
        signed = sign(unsigned, private, signed_at=LATER)
        for public in (text := public_key(private), raw := base64.b64decode(text), raw.hex()):
            assert [check.name for check in verify(signed, public) if not check.ok] == []


def _key(number: int) -> bytes:
    return hashlib.sha256(f"{number}".encode()).digest()


def _is_like_der(private: bytes) -> bool:
    return base64.b64decode(public_key(private))[0] == 0x30
