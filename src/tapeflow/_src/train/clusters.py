"""`ClusterSpec`: which processes a job consists of, and where they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tapeflow._src.core import protos


class ClusterSpec:
    """Jobs by name, each with the addresses of its tasks: a list, or a dict by their numbers.

    Args:
        cluster: A dict from names of jobs to addresses, a `ClusterSpec` or a ClusterDef message.

    Raises:
        TypeError: If it is something else.

    Example:
        >>> cluster = tf.train.ClusterSpec({"worker": ["host0:2222", "host1:2222"]})
        >>> cluster.num_tasks("worker"), cluster.task_address("worker", 1)
        (2, 'host1:2222')
    """

    def __init__(self, cluster: Any) -> None:
        self._jobs: dict[str, dict[int, str]] = {}
        if isinstance(cluster, ClusterSpec):
            self._jobs = {name: dict(tasks) for name, tasks in cluster._jobs.items()}
        elif isinstance(cluster, Mapping):
            self._jobs = {name: _tasks(name, tasks) for name, tasks in cluster.items()}
        elif hasattr(cluster, "job"):
            self._jobs = {job.name: dict(job.tasks.items()) for job in cluster.job}
        else:
            raise TypeError(
                "`cluster` must be a dict from job names to addresses, a ClusterSpec or a "
                f"ClusterDef, received {cluster!r}"
            )

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._jobs)

    def as_dict(self) -> dict[str, Any]:
        """Return the jobs with their tasks: lists where the numbers have no gaps."""
        return {name: self._listed(name) for name in self._jobs}

    def _listed(self, name: str) -> Any:
        tasks = self._jobs[name]
        dense = sorted(tasks) == list(range(len(tasks)))
        return [tasks[i] for i in sorted(tasks)] if dense else dict(tasks)

    def as_cluster_def(self) -> Any:
        """Return the jobs as a ClusterDef message."""
        message = protos.ClusterDef()
        for name in sorted(self._jobs):
            job = message.job.add(name=name)
            for index, address in sorted(self._jobs[name].items()):
                job.tasks[index] = address
        return message

    def num_tasks(self, job_name: str) -> int:
        """Return how many tasks a job has.

        Args:
            job_name: The name of the job.

        Raises:
            ValueError: If there is no such job.
        """
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """Return the numbers of a job's tasks.

        Args:
            job_name: The name of the job.

        Raises:
            ValueError: If there is no such job.
        """
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """Return the address of a task.

        Args:
            job_name: The name of the job.
            task_index: The number of the task.

        Raises:
            ValueError: If there is no such job or task.
        """
        tasks = self._job(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """Return the addresses of a job's tasks by number, None where there is none.

        Args:
            job_name: The name of the job.

        Raises:
            ValueError: If there is no such job.

        Example:
            >>> tf.train.ClusterSpec({"worker": {0: "a:1", 2: "b:1"}}).job_tasks("worker")
            ['a:1', None, 'b:1']
        """
        tasks = self._job(job_name)
        return [tasks.get(i) for i in range(max(tasks, default=-1) + 1)]

    def _job(self, name: str) -> dict[int, str]:
        if name not in self._jobs:
            raise ValueError(f"No such job in cluster: {name!r}")
        return self._jobs[name]

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self._jobs == other._jobs

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        jobs = self.as_dict()
        return f"ClusterSpec({{{', '.join(f'{n!r}: {jobs[n]!r}' for n in sorted(jobs))}}})"


def _tasks(name: str, tasks: Any) -> dict[int, str]:
    if isinstance(tasks, Mapping):
        by_index = dict(tasks)
    elif isinstance(tasks, Sequence) and not isinstance(tasks, str):
        by_index = dict(enumerate(tasks))
    else:
        raise TypeError(
            f"The tasks of job {name!r} must be a list of addresses, or a dict of them by task "
            f"number; received {tasks!r}"
        )
    return {int(index): str(address) for index, address in by_index.items()}
