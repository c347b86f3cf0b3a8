"""Clusters that a service of a cloud describes: Kubernetes and Google Compute Engine.

Their client libraries are loaded when they are needed; objects with the same methods can be passed
instead.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import Any

from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.distribute.cluster_resolver import QueriedResolver
from tapeflow._src.train.clusters import ClusterSpec

_kubernetes_config = LazyModule("kubernetes.config", "KubernetesClusterResolver", "kubernetes")
_kubernetes_client = LazyModule("kubernetes.client", "KubernetesClusterResolver", "kubernetes")
_google_discovery = LazyModule(
    "googleapiclient.discovery", "GCEClusterResolver", "google-api-python-client"
)
_google_auth = LazyModule("google.auth", "GCEClusterResolver", "google-auth")


class KubernetesExecutableLocation(enum.Enum):
    """Whether a program runs in a pod of the cluster that it asks for."""

    WITHIN_CLUSTER = 0
    OFF_CLUSTER = 1


class KubernetesClusterResolver(QueriedResolver):
    """The cluster of the pods with some labels, which must be running.

    Set `task_type` and `task_id` before it is passed to a strategy: Kubernetes does not know them.

    Args:
        job_to_label_mapping: Label selectors of the pods of each job; by default the workers are
            the pods with `job-name=tensorflow`.
        tf_server_port: The port of all tasks.
        rpc_layer: The protocol in addresses.
        override_client: An object with the methods of `kubernetes.client.CoreV1Api`, instead of a
            new one.
        executable_location: Where this program runs, by which the configuration of the client is
            found.

    Raises:
        ImportError: The package `kubernetes` is not installed, and no client was passed.
        ValueError: `executable_location` is none of the two.
    """

    def __init__(
        self,
        job_to_label_mapping: Mapping[str, Sequence[str]] | None = None,
        tf_server_port: int = 8470,
        rpc_layer: str = "grpc",
        override_client: Any = None,
        executable_location: KubernetesExecutableLocation = (
            KubernetesExecutableLocation.WITHIN_CLUSTER
        ),
    ) -> None:
        self._labels = dict(job_to_label_mapping or {"worker": ["job-name=tensorflow"]})
        self._port = tf_server_port
        self.rpc_layer = rpc_layer
        if override_client is None:
            if executable_location is KubernetesExecutableLocation.WITHIN_CLUSTER:
                _kubernetes_config.load_incluster_config()
            elif executable_location is KubernetesExecutableLocation.OFF_CLUSTER:
                _kubernetes_config.load_kube_config()
            else:
                raise ValueError(
                    "executable_location must be a tf.distribute.cluster_resolver."
                    f"KubernetesExecutableLocation, received {executable_location!r}."
                )
            override_client = _kubernetes_client.CoreV1Api()
        self._client = override_client

    def cluster_spec(self) -> ClusterSpec:
        """Return the addresses of the pods, by name.

        Raises:
            RuntimeError: A pod is not running.
        """
        return ClusterSpec(
            {
                job: [address for label in labels for address in self._addresses(label)]
                for job, labels in self._labels.items()
            }
        )

    def _addresses(self, label: str) -> list[str]:
        pods = self._client.list_pod_for_all_namespaces(label_selector=label).items
        addresses = []
        for pod in sorted(pods, key=lambda pod: pod.metadata.name):
            if pod.status.phase != "Running":
                raise RuntimeError(
                    f"The pod {pod.metadata.name!r} with the label {label!r} is not running: its "
                    f"phase is {pod.status.phase!r}."
                )
            addresses.append(f"{pod.status.host_ip}:{self._port}")
        return addresses


class GCEClusterResolver(QueriedResolver):
    """The cluster of the running machines of an instance group of Google Compute Engine.

    Args:
        project: Name of the project.
        zone: Zone of the instance group.
        instance_group: Name of the instance group.
        port: The port of all tasks.
        task_type: Name of the job of the machines.
        task_id: Index of this machine in the order of addresses.
        rpc_layer: The protocol in addresses.
        credentials: Credentials for the service; "default" for those of the environment.
        service: An object like `googleapiclient.discovery.build("compute", "v1")`, instead of a
            new one.

    Raises:
        ImportError: The client library is not installed, and no service was passed.
    """

    def __init__(
        self,
        project: str,
        zone: str,
        instance_group: str,
        port: int,
        task_type: str = "worker",
        task_id: int = 0,
        rpc_layer: str = "grpc",
        credentials: Any = "default",
        service: Any = None,
    ) -> None:
        self._project, self._zone, self._group = project, zone, instance_group
        self._port = port
        self._task_type = task_type
        self.task_id = task_id
        self.rpc_layer = rpc_layer
        if service is None:
            build = _google_discovery.build
            if isinstance(credentials, str) and credentials == "default":
                credentials = _google_auth.default()[0]
            service = build("compute", "v1", credentials=credentials)
        self._service = service

    @property
    def task_type(self) -> str:  # type: ignore[override]
        """The name of the job of the machines, which cannot be changed."""
        return self._task_type

    @task_type.setter
    def task_type(self, task_type: str) -> None:
        raise RuntimeError(
            f"The task_type of a GCEClusterResolver cannot be changed to {task_type!r}: pass it "
            "when the resolver is created."
        )

    def cluster_spec(self) -> ClusterSpec:
        """Return the addresses of the machines, sorted."""
        groups = self._service.instanceGroups()
        request = groups.listInstances(
            project=self._project,
            zone=self._zone,
            instanceGroups=self._group,
            body={"instanceState": "RUNNING"},
            orderBy="name",
        )
        addresses = []
        while request is not None:
            response = request.execute()
            for item in response["items"]:
                addresses.append(self._address(item["instance"].rpartition("/")[2]))
            request = groups.listInstances_next(
                previous_request=request, previous_response=response
            )
        return ClusterSpec({self._task_type: sorted(addresses)})

    def _address(self, name: str) -> str:
        machine = (
            self._service.instances()
            .get(project=self._project, zone=self._zone, instance=name)
            .execute()
        )
        return f"{machine['networkInterfaces'][0]['networkIP']}:{self._port}"
