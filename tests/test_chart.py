"""The chart: what Helm makes of it, held to Kubernetes' own schemas, to the bot's settings and to
its queue.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import jsonschema_rs
import psycopg
import pytest
import yaml  # type: ignore[import-untyped]  # it carries no types
from sqlalchemy import make_url

from bot.settings import VARIABLES, read
from bot.shell.setup.variables import all_variables
from tests.pg import postgres_server, postgres_url
from tests.project import ROOT
from tests.standins import helm

__all__ = ["postgres_server", "postgres_url"]

SCHEMAS = json.loads((ROOT / "tests" / "schemas" / "kubernetes-min.json").read_text("utf-8"))
ELSEWHERE = {"keda.sh/v1alpha1", "monitoring.coreos.com/v1"}
"""Kinds that a cluster has only where somebody installed them; their schemas are not here."""
needs_helm = pytest.mark.skipif(
    not helm.installed(), reason="no Helm: `python -m tests.standins.helm` says why"
)


@cache
def rendered(case: str) -> list[dict[str, Any]]:
    """Returns the objects of one rendering, as they stand in ``tests/chart``."""
    text = (helm.RENDERED / f"{case}.yaml").read_text("utf-8")
    return [made for made in yaml.safe_load_all(text) if made]


def of_kind(case: str, kind: str) -> dict[str, dict[str, Any]]:
    return {m["metadata"]["name"]: m for m in rendered(case) if m["kind"] == kind}


def pods(case: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields every pod that is made, by the name of what makes it."""
    for kind in ("Deployment", "Job"):
        for name, made in of_kind(case, kind).items():
            yield name, made["spec"]["template"]["spec"]


def environment(pod: Mapping[str, Any]) -> dict[str, str]:
    (container,) = pod["containers"]
    return {each["name"]: each["value"] for each in container.get("env") or []}


@needs_helm
@pytest.mark.parametrize("case", helm.cases())
def test_helm_makes_of_it_what_stands_here(case: str) -> None:
    """After a wanted change: ``python -m tests.standins.helm``, and read the difference."""
    assert helm.render_case(case) == (helm.RENDERED / f"{case}.yaml").read_text("utf-8")
    assert helm.lint(helm.values_of(case)) == []


@pytest.mark.parametrize("version", SCHEMAS["definitions"])
@pytest.mark.parametrize("case", helm.cases())
def test_kubernetes_takes_it(case: str, version: str) -> None:
    for made in rendered(case):
        if made["apiVersion"] in ELSEWHERE:
            continue
        kind = SCHEMAS["kinds"][f"{made['apiVersion']} {made['kind']}"]
        schema = {"$ref": f"#/$defs/{kind}", "$defs": SCHEMAS["definitions"][version]}
        jsonschema_rs.validator_for(schema).validate(made)


def test_a_typing_error_in_the_chart_would_be_seen() -> None:
    made = json.loads(json.dumps(of_kind("sqlite", "Deployment")["debatebot"]))
    made["spec"]["template"]["spec"]["containers"][0]["readinesProbe"] = {}
    schema = {
        "$ref": f"#/$defs/{SCHEMAS['kinds']['apps/v1 Deployment']}",
        "$defs": SCHEMAS["definitions"]["1.30"],
    }
    assert not jsonschema_rs.validator_for(schema).is_valid(made)


@pytest.mark.parametrize("case", helm.cases())
def test_no_pod_has_a_right_that_it_does_not_need(case: str) -> None:
    for name, pod in pods(case):
        assert pod["automountServiceAccountToken"] is False, name
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        (container,) = pod["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {mount["mountPath"] for mount in container["volumeMounts"]} == {"/data", "/tmp"}  # noqa: S108  a place in the pod
        assert container["envFrom"] == [{"secretRef": {"name": "debatebot"}}]


@pytest.mark.parametrize("case", helm.cases())
def test_what_it_sets_is_what_the_bot_reads(case: str, tmp_path: Any) -> None:
    known = {variable.name for variable in VARIABLES.values()}
    for name, pod in pods(case):
        given = environment(pod)
        assert given.keys() <= known, name
        settings = read(given, tmp_path)
        if name.endswith("-migrate"):
            continue
        container = pod["containers"][0]
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        assert ports == {"http": settings.port, "watch": settings.watch_port}
        assert settings.host == "0.0.0.0"  # noqa: S104  a pod's own address
        probed = {
            container[f"{probe}Probe"]["httpGet"]["path"] for probe in ("startup", "liveness")
        }
        assert probed == {"/healthz"}, "a database that blinks restarts nothing"
        assert container["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": "watch"}
        assert given["DEBATE_WATCH_TOKEN"] == "", "the kubelet sends none"
        least = settings.drain + 10
        sleep = container.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
        assert pod["terminationGracePeriodSeconds"] >= least + sleep, "killed in mid-sentence"


def test_replicas_are_exchanged_one_after_another_and_a_drained_node_takes_one_of_them() -> None:
    deployed, budgets = (
        of_kind("replicas", "Deployment"),
        of_kind("replicas", "PodDisruptionBudget"),
    )
    assert deployed.keys() == budgets.keys() == {"debatebot-chat", "debatebot-worker"}
    for name, made in deployed.items():
        assert made["spec"]["strategy"]["rollingUpdate"] == {"maxUnavailable": 0, "maxSurge": 1}
        assert budgets[name]["spec"]["maxUnavailable"] == 1
        selector = made["spec"]["selector"]["matchLabels"]
        assert budgets[name]["spec"]["selector"]["matchLabels"] == selector
        assert selector.items() <= made["spec"]["template"]["metadata"]["labels"].items()
    parts = {environment(pod).get("DEBATE_PART") for _, pod in pods("replicas")}
    assert parts == {"chat", "worker", None}, "and the migration"
    assert all(
        environment(pod)["DEBATE_MIGRATE"] == "0"
        for name, pod in pods("replicas")
        if not name.endswith("-migrate")
    )


def test_a_file_has_one_process_that_ends_before_the_next_begins() -> None:
    (made,) = of_kind("sqlite", "Deployment").values()
    assert made["spec"]["replicas"] == 1
    assert made["spec"]["strategy"] == {"type": "Recreate"}
    ((_, pod),) = pods("sqlite")
    assert environment(pod)["DEBATE_DATABASE_URL"] == "/data/debate.db"
    (claim,) = of_kind("sqlite", "PersistentVolumeClaim")
    assert {"name": "data", "persistentVolumeClaim": {"claimName": claim}} in pod["volumes"]
    assert not of_kind("sqlite", "ScaledObject"), "nothing scales a file"


@needs_helm
def test_values_that_mean_nothing_are_refused() -> None:
    good = {"image": {"repository": "registry.example.org/x"}, "existingSecret": "debatebot"}
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"existingSecret": ""}, "existingSecret"),
        ({"image": {"repository": ""}}, "repository"),
        ({"wroker": {"replicas": 3}}, "wroker"),
        ({"keda": {"enabled": True, "minReplicas": 0}}, "minReplicas"),
        ({"ingress": {"enabled": True}}, "host"),
        ({"env": {"DEBATE_WATCH_PORT": "1"}}, "DEBATE_WATCH_PORT"),
    ]
    for values, reason in wrong:
        with pytest.raises(helm.Refused, match=reason):
            helm.render(good | values)


def test_no_secret_can_stand_in_the_values() -> None:
    schema = json.loads((helm.CHART / "values.schema.json").read_text("utf-8"))
    names = jsonschema_rs.validator_for(schema["properties"]["env"])
    for variable in all_variables():
        if variable.secret:
            assert not names.is_valid({variable.name: "x"}), variable.name
    for name in ("DEBATE_MODELS", "DEBATE_PUBLIC_URL", "DEBATE_DAILY_BUDGET", "OPENAI_API_BASE"):
        assert names.is_valid({name: "x"})


def test_the_queue_that_is_scaled_by_is_the_one_that_is_worked_off(postgres_url: str) -> None:
    (scaled,) = of_kind("scaled", "ScaledObject").values()
    query = scaled["spec"]["triggers"][0]["metadata"]["query"]
    address = make_url(postgres_url).set(drivername="postgresql")
    from procrastinate.schema import SchemaManager

    with psycopg.connect(address.render_as_string(hide_password=False)) as conn:
        conn.execute(SchemaManager.get_schema())
        job = "INSERT INTO procrastinate_jobs (queue_name, task_name, status) VALUES (%s, 'x', %s)"
        for queue, status in (("debates", "todo"), ("debates", "doing"), ("debates", "succeeded")):
            conn.execute(job, (queue, status))
        row = conn.execute(query).fetchone()
        conn.rollback()
    assert row == (2,)
    from bot.serve.runtime import procrastinate as runtime

    assert f"queue_name = '{runtime.QUEUE}'" in query
    (worker,) = (m for n, m in of_kind("scaled", "Deployment").items() if n.endswith("-worker"))
    assert "replicas" not in worker["spec"], "Helm and KEDA would pull at it"
    assert scaled["spec"]["scaleTargetRef"]["name"] == worker["metadata"]["name"]


def test_the_alerts_of_a_cluster_are_those_that_were_tried() -> None:
    (rules,) = of_kind("scaled", "PrometheusRule").values()
    tried = (ROOT / "manifests" / "watching" / "alerts.yml").read_text("utf-8")
    assert rules["spec"] == yaml.safe_load(tried)
    (monitor,) = of_kind("scaled", "PodMonitor").values()
    assert monitor["spec"]["jobLabel"] == "app.kubernetes.io/name", 'job="debatebot"'
    for made in of_kind("scaled", "Deployment").values():
        labels = made["spec"]["template"]["metadata"]["labels"]
        assert labels["app.kubernetes.io/name"] == "debatebot"


def test_what_goes_out_never_reaches_the_addresses_where_clouds_hand_out_credentials() -> None:
    (policy,) = of_kind("replicas", "NetworkPolicy").values()
    wide = [
        block["ipBlock"]
        for rule in policy["spec"]["egress"]
        for block in rule.get("to", [])
        if block.get("ipBlock", {}).get("cidr", "").endswith("/0")
    ]
    assert [block["cidr"] for block in wide] == ["0.0.0.0/0", "::/0"]
    assert all("169.254.0.0/16" in block["except"] for block in wide[:1])
    assert of_kind("sqlite", "NetworkPolicy") == {}
