"""Cluster resolvers describe clusters as TensorFlow's do; the values here are TensorFlow 2.21's."""

from __future__ import annotations

import json
import os
from types import SimpleNamespace as Namespace
from typing import Any

import pytest

import tapeflow as tf
from tapeflow._src.core import devices
from tapeflow._src.distribute.slurm import expand_hostlist, expand_tasks_per_node

resolvers = tf.distribute.cluster_resolver
ClusterSpec = tf.train.ClusterSpec
SLURM = {
    "SLURM_PROCID": "3",
    "SLURM_STEP_NUM_TASKS": "5",
    "SLURM_STEP_NODELIST": "t02n13,t02n[41-43],t02n44",
    "SLURM_STEP_TASKS_PER_NODE": "1(x5)",
    "CUDA_VISIBLE_DEVICES": "0,1",
}


@pytest.fixture
def slurm(monkeypatch: pytest.MonkeyPatch) -> Any:
    for name, value in SLURM.items():
        monkeypatch.setenv(name, value)
    return monkeypatch


def test_slurm_lists_are_expanded() -> None:
    assert expand_hostlist("n[1-2],m5,o[3-4,6]") == ["n1", "n2", "m5", "o3", "o4", "o6"]
    assert expand_hostlist("n[08-10]-ib") == ["n08-ib", "n09-ib", "n10-ib"]
    assert expand_hostlist("r[1-2]n[3-4]") == ["r1n3", "r1n4", "r2n3", "r2n4"]
    assert expand_tasks_per_node("3(x2),2,1") == [3, 3, 2, 1]
    for wrong in ("n[1-", "n[a]", "a,,b", "n]1"):
        with pytest.raises(ValueError, match="host list"):
            expand_hostlist(wrong)
    with pytest.raises(ValueError, match="numbers of tasks"):
        expand_tasks_per_node("3(x")


def test_slurm_tasks_have_the_order_of_their_ranks(slurm: Any) -> None:
    resolver = resolvers.SlurmClusterResolver(jobs={"worker": 4, "ps": 1}, port_base=9000)
    assert resolver.get_task_info() == (None, None)
    hosts = ["t02n13", "t02n41", "t02n42", "t02n43", "t02n44"]
    addresses = [f"{host}:9000" for host in hosts]
    assert resolver.cluster_spec().as_dict() == {"ps": addresses[:1], "worker": addresses[1:]}
    assert resolver.get_task_info() == ("worker", 2)
    assert resolver.master() == "grpc://t02n43:9000"
    assert resolver.master("worker", 1, "test") == "test://t02n42:9000"
    assert resolver.num_accelerators() == {"GPU": 2}


def test_slurm_divides_the_gpus_of_a_node(slurm: Any) -> None:
    slurm.setenv("SLURM_STEP_NODELIST", "n[07-09]")
    slurm.setenv("SLURM_STEP_TASKS_PER_NODE", "2(x2),1")
    resolver = resolvers.SlurmClusterResolver(gpus_per_node=4, gpus_per_task=2)
    workers = ["n07:8888", "n07:8889", "n08:8888", "n08:8889", "n09:8888"]
    assert resolver.cluster_spec().as_dict() == {"worker": workers}
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "2,3"
    with pytest.raises(RuntimeError, match="GPUs"):
        resolvers.SlurmClusterResolver(gpus_per_node=1, gpus_per_task=1)
    with pytest.raises(RuntimeError, match="assigned 5"):
        resolvers.SlurmClusterResolver(jobs={"worker": 7})
    slurm.delenv("SLURM_PROCID")
    with pytest.raises(RuntimeError, match="SLURM_PROCID"):
        resolvers.SlurmClusterResolver()


def test_a_union_joins_the_tasks_of_jobs() -> None:
    of = resolvers.SimpleClusterResolver
    first = of(
        ClusterSpec({"worker": ["a:1", "b:1"]}),
        master="m",
        task_type="worker",
        task_id=1,
        rpc_layer="grpc",
        num_accelerators={"GPU": 3},
    )
    second = of(ClusterSpec({"worker": ["c:1"], "ps": ["d:1"]}))
    union = resolvers.UnionResolver(first, second)
    assert union.cluster_spec().as_dict() == {"worker": ["a:1", "b:1", "c:1"], "ps": ["d:1"]}
    assert (union.task_type, union.task_id, union.rpc_layer) == ("worker", 1, "grpc")
    assert (union.master(), union.master("worker", 0)) == ("grpc://m", "a:1")
    assert union.num_accelerators() == {"GPU": 3}
    assert second.num_accelerators() == {}
    sparse = of(ClusterSpec({"worker": {7: "y:1"}}))
    tasks = resolvers.UnionResolver(first, sparse).cluster_spec().as_dict()
    assert tasks == {"worker": {0: "a:1", 1: "b:1", 7: "y:1"}}
    same = of(ClusterSpec({"worker": {1: "y:1", 5: "z:1"}}))
    with pytest.raises(KeyError):
        resolvers.UnionResolver(first, same).cluster_spec()
    with pytest.raises(ValueError, match="takes cluster resolvers"):
        resolvers.UnionResolver()
    with pytest.raises(TypeError):
        resolvers.UnionResolver(first, 3)


def _pod(name: str, phase: str, address: str) -> Any:
    return Namespace(metadata=Namespace(name=name), status=Namespace(phase=phase, host_ip=address))


def test_kubernetes_lists_running_pods_by_name() -> None:
    pods = {
        "job-name=tensorflow": [_pod("b", "Running", "10.1.2.4"), _pod("a", "Running", "10.1.2.3")],
        "late": [_pod("c", "Pending", "10.1.2.5")],
    }
    client = Namespace(
        list_pod_for_all_namespaces=lambda label_selector: Namespace(items=pods[label_selector])
    )
    resolver = resolvers.KubernetesClusterResolver(override_client=client)
    assert resolver.cluster_spec().as_dict() == {"worker": ["10.1.2.3:8470", "10.1.2.4:8470"]}
    assert resolver.master() == ""
    resolver.task_type, resolver.task_id = "worker", 1
    assert resolver.master() == "grpc://10.1.2.4:8470"
    late = resolvers.KubernetesClusterResolver({"worker": ["late"]}, override_client=client)
    with pytest.raises(RuntimeError, match="'Pending'"):
        late.cluster_spec()


class _Compute:
    """Two pages of machines."""

    pages = (["https://x/i3", "https://x/i1"], ["https://x/i2"])

    def instanceGroups(self) -> Any:
        return self

    instances = instanceGroups

    def _page(self, index: int) -> Any:
        items = [{"instance": name} for name in self.pages[index]]
        return Namespace(execute=lambda: {"items": items}, index=index)

    def listInstances(self, **kwargs: Any) -> Any:
        return self._page(0)

    def listInstances_next(self, previous_request: Any, previous_response: Any) -> Any:
        index = previous_request.index + 1
        return self._page(index) if index < len(self.pages) else None

    def get(self, project: str, zone: str, instance: str) -> Any:
        interfaces = [{"networkIP": f"10.0.0.{instance[1:]}"}]
        return Namespace(execute=lambda: {"networkInterfaces": interfaces})


def test_compute_engine_lists_the_machines_of_all_pages() -> None:
    resolver = resolvers.GCEClusterResolver("p", "z", "group", 8470, service=_Compute())
    addresses = [f"10.0.0.{i}:8470" for i in (1, 2, 3)]
    assert resolver.cluster_spec().as_dict() == {"worker": addresses}
    assert resolver.master() == "grpc://10.0.0.1:8470"
    resolver.task_id = 2
    assert resolver.master() == "grpc://10.0.0.3:8470"
    with pytest.raises(RuntimeError, match="task_type"):
        resolver.task_type = "ps"


@pytest.mark.parametrize(
    ("create", "package"),
    [
        (lambda: resolvers.KubernetesClusterResolver(), "kubernetes"),
        (lambda: resolvers.GCEClusterResolver("p", "z", "g", 1), "google-api-python-client"),
    ],
)
def test_missing_client_libraries_are_named(create: Any, package: str) -> None:
    with pytest.raises(ImportError, match=f"pip install {package}"):
        create()


def test_without_a_tpu_there_is_a_clear_error() -> None:
    with pytest.raises(ValueError, match="no TPU on this machine"):
        resolvers.TPUClusterResolver()
    with pytest.raises(ValueError, match="no TPU on this machine"):
        tf.distribute.TPUStrategy()
    with pytest.raises(ValueError, match="by name"):
        resolvers.TPUClusterResolver("my-tpu")
    local = resolvers.TPUClusterResolver("local")
    assert (local.cluster_spec().as_dict(), local.master()) == ({}, "")
    with pytest.raises(tf.errors.NotFoundError):
        tf.tpu.experimental.initialize_tpu_system(local)
    with pytest.raises(tf.errors.NotFoundError):
        tf.distribute.TPUStrategy(local)
    remote = resolvers.TPUClusterResolver("grpc://10.0.0.1:8470")
    assert remote.cluster_spec().as_dict() == {"worker": ["10.0.0.1:8470"]}
    assert remote.master() == "grpc://10.0.0.1:8470"


def test_a_tpu_strategy_has_a_replica_on_each_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices.placement, "accelerators", lambda: ("TPU", "TPU"))
    resolver = resolvers.TPUClusterResolver.connect()
    assert resolver.num_accelerators() == {"TPU": 2}
    assert resolver.get_tpu_system_metadata().num_cores == 2
    strategy = tf.distribute.TPUStrategy(resolver)
    assert strategy.num_replicas_in_sync == 2
    assert [name[-5:] for name in strategy.extended.worker_devices] == ["TPU:0", "TPU:1"]
    with pytest.raises(NotImplementedError, match="ModelParallel"):
        tf.distribute.TPUStrategy(resolver, experimental_spmd_xla_partitioning=True)


def test_parameter_servers_are_refused_with_what_to_use_instead() -> None:
    resolver = resolvers.SimpleClusterResolver(ClusterSpec({"ps": ["a:1"], "worker": ["b:1"]}))
    with pytest.raises(NotImplementedError, match="MultiWorkerMirroredStrategy"):
        tf.distribute.ParameterServerStrategy(resolver)
    with pytest.raises(NotImplementedError, match="MultiWorkerMirroredStrategy"):
        tf.distribute.coordinator.ClusterCoordinator(None)


# -- mistakes in TF_CONFIG that MultiWorkerMirroredStrategy explains -------------------------------

TWO = ["localhost:39871", "localhost:39872"]


@pytest.mark.parametrize(
    ("cluster", "task", "words"),
    [
        ({"worker": ["host0", "host1:2222"]}, ("worker", 0), "expected a host and a port"),
        ({"worker": ["host0:port", "host1:2222"]}, ("worker", 0), "expected a host and a port"),
        ({"worker": TWO[:1] * 2}, ("worker", 0), "have the same address"),
        ({"worker": TWO}, ("worker", "first"), "the index of this task is 'first'"),
        ({"worker": TWO}, ("worker", 2), "which has 2"),
        ({"worker": TWO}, ("wrker", 0), "the cluster has the jobs"),
        ({"worker": TWO[:1], "ps": TWO[1:]}, ("ps", 0), "there are no parameter servers"),
    ],
)
def test_a_wrong_configuration_of_workers_is_explained(
    monkeypatch: pytest.MonkeyPatch, cluster: Any, task: Any, words: str
) -> None:
    job, index = task
    config = {"cluster": cluster, "task": {"type": job, "index": index}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    monkeypatch.setenv("TAPEFLOW_WORKERS_TIMEOUT", "1")
    with pytest.raises(ValueError, match=words):
        tf.distribute.MultiWorkerMirroredStrategy()
