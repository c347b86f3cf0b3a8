"""The cluster of a Slurm job step, from the variables that Slurm sets in the environment."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from typing import Any

from tapeflow._src.distribute.cluster_resolver import QueriedResolver
from tapeflow._src.train.clusters import ClusterSpec

# `name`, `n[1-3,7]` or `rack[1-2]n[1-4]`, up to a comma outside of brackets.
_HOSTS = re.compile(r"(?:[^,\[\]]|\[[^\[\]]+\])+")
_RANGE = re.compile(r"(\d+)(?:-(\d+))?$")
_TASKS = re.compile(r"(\d+)(?:\(x(\d+)\))?$")


def expand_hostlist(hostlist: str) -> list[str]:
    """Return the names of the hosts of a Slurm host list, in its order.

    >>> expand_hostlist("n[08-10],m5")
    ['n08', 'n09', 'n10', 'm5']
    """
    parts = _HOSTS.findall(hostlist)
    if ",".join(parts) != hostlist:
        raise ValueError(
            f"{hostlist!r} is no Slurm host list. Expected a form like 'n[1-3],m5,o[3,6-9]'."
        )
    return [host for part in parts for host in _expanded(part, hostlist)]


def _expanded(pattern: str, hostlist: str) -> list[str]:
    """Return the names of a pattern, whose ranges in brackets may be several."""
    prefix, bracket, rest = pattern.partition("[")
    if not bracket:
        return [prefix]
    ranges, _, rest = rest.partition("]")
    numbers: list[str] = []
    for part in ranges.split(","):
        match = _RANGE.match(part)
        if match is None:
            raise ValueError(
                f"{part!r} in the Slurm host list {hostlist!r} is no number and no range."
            )
        first, last = match[1], match[2] or match[1]
        numbers += [str(n).zfill(len(first)) for n in range(int(first), int(last) + 1)]
    ends = _expanded(rest, hostlist)
    return [prefix + number + end for number in numbers for end in ends]


def expand_tasks_per_node(tasks_per_node: str) -> list[int]:
    """Return the number of tasks of each node.

    >>> expand_tasks_per_node("3(x2),1")
    [3, 3, 1]
    """
    counts: list[int] = []
    for part in tasks_per_node.split(","):
        match = _TASKS.match(part)
        if match is None:
            raise ValueError(
                f"{tasks_per_node!r} is no list of numbers of tasks. Expected a form like "
                f"'3(x2),1'."
            )
        counts += [int(match[1])] * int(match[2] or 1)
    return counts


def _variable(name: str) -> str:
    value = os.environ.get(f"SLURM_{name}")
    if value is None:
        raise RuntimeError(
            f"SLURM_{name} is not set in the environment: SlurmClusterResolver works in a process "
            f"that `srun` has started."
        )
    return value


def _num_gpus() -> int:
    """Return how many GPUs of this machine may be used."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        return len([gpu for gpu in visible.split(",") if gpu])
    try:
        listed = subprocess.run(
            ["nvidia-smi", "--list-gpus"], capture_output=True, text=True, check=True
        ).stdout
    except FileNotFoundError:
        return 0
    except subprocess.CalledProcessError as error:
        raise RuntimeError(
            f"nvidia-smi failed, and the number of GPUs is not known: pass gpus_per_node. It "
            f"wrote: {error.stderr}"
        ) from error
    return sum(line.startswith("GPU ") for line in listed.splitlines())


class SlurmClusterResolver(QueriedResolver):
    """The cluster of a Slurm job step: one task per process that `srun` has started.

    Tasks have the order of their ranks in Slurm; the tasks of a node have ports one after the
    other.

    Args:
        jobs: Number of tasks of each job; by default all tasks are workers.
        port_base: Port of the first task of each node.
        gpus_per_node: Number of GPUs of a node; by default those that `nvidia-smi` lists.
        gpus_per_task: Number of GPUs of a task; by default those of a node are divided evenly.
        tasks_per_node: Number of tasks of every node, or of each node by its name; by default what
            Slurm says.
        auto_set_gpu: Whether `cluster_spec` sets `CUDA_VISIBLE_DEVICES` to the GPUs of this task.
        rpc_layer: The protocol in addresses.

    Raises:
        RuntimeError: A variable of Slurm is missing, or there are not as many tasks or GPUs as
            needed.
        ValueError: A variable of Slurm is malformed.
    """

    def __init__(
        self,
        jobs: Mapping[str, int] | None = None,
        port_base: int = 8888,
        gpus_per_node: int | None = None,
        gpus_per_task: int | None = None,
        tasks_per_node: int | Mapping[str, int] | None = None,
        auto_set_gpu: bool = True,
        rpc_layer: str = "grpc",
    ) -> None:
        self._rank = int(_variable("PROCID"))
        self._jobs = {"worker": int(_variable("STEP_NUM_TASKS"))} if jobs is None else dict(jobs)
        self._port_base = port_base
        self._tasks = _tasks_by_host(tasks_per_node)
        largest = max(self._tasks.values())
        self._gpus_per_node = _num_gpus() if gpus_per_node is None else gpus_per_node
        self._gpus_per_task = (
            self._gpus_per_node // largest if gpus_per_task is None else gpus_per_task
        )
        self._auto_set_gpu = auto_set_gpu
        self.rpc_layer = rpc_layer
        if largest * self._gpus_per_task > self._gpus_per_node:
            raise RuntimeError(
                f"{largest} tasks of a node with {self._gpus_per_task} GPUs each need more than "
                f"its {self._gpus_per_node} GPUs."
            )
        if sum(self._jobs.values()) != sum(self._tasks.values()):
            raise RuntimeError(
                f"The jobs {self._jobs} have {sum(self._jobs.values())} tasks, and Slurm has "
                f"assigned {sum(self._tasks.values())}: {self._tasks}."
            )

    def cluster_spec(self) -> ClusterSpec:
        """Return the jobs and the addresses of their tasks; sets `task_type` and `task_id`."""
        tasks = [(host, i) for host, count in self._tasks.items() for i in range(count)]
        cluster: dict[str, list[str]] = {}
        start = 0
        for job, count in sorted(self._jobs.items()):
            own = tasks[start : start + count]
            cluster[job] = [f"{host}:{self._port_base + index}" for host, index in own]
            if start <= self._rank < start + count:
                self.task_type, self.task_id = job, self._rank - start
            start += count
        if self._auto_set_gpu and self._gpus_per_task:
            first = tasks[self._rank][1] * self._gpus_per_task
            gpus = range(first, first + self._gpus_per_task)
            os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, gpus))
        return ClusterSpec(cluster)

    def get_task_info(self) -> tuple[str | None, int | None]:
        """Return the job and the index of this task, once `cluster_spec` was called.

        Returns:
            The name of the job and the index of the task.
        """
        return self.task_type, self.task_id

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        return {"GPU": self._gpus_per_task}


def _tasks_by_host(tasks_per_node: int | Mapping[str, int] | None) -> dict[str, int]:
    """Return the number of tasks of each host, in the order of ranks."""
    if isinstance(tasks_per_node, Mapping):
        return dict(tasks_per_node)
    hosts = expand_hostlist(_variable("STEP_NODELIST"))
    if tasks_per_node is not None:
        return dict.fromkeys(hosts, int(tasks_per_node))
    counts = expand_tasks_per_node(_variable("STEP_TASKS_PER_NODE"))
    return dict(zip(hosts, counts))
