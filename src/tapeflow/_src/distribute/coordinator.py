"""`tf.distribute.coordinator`: names that libraries look at; there are no remote workers."""

from __future__ import annotations

from typing import Any, NoReturn

from tapeflow._src.distribute.parameter_server import INSTEAD


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(f"tf.distribute.coordinator.{name} is not available. {INSTEAD}")


class ClusterCoordinator:
    """Schedules functions on remote workers, which are not available: creating one raises.

    Args:
        strategy: A `ParameterServerStrategy`.

    Raises:
        NotImplementedError: Always. Functions run in this process: call them directly.
    """

    def __init__(self, strategy: Any) -> None:
        _refuse("ClusterCoordinator")


class PerWorkerValue:
    """Values of which each worker has one; not available, as there are no remote workers.

    Args:
        values: The values.

    Raises:
        NotImplementedError: Always.
    """

    def __init__(self, values: Any) -> None:
        _refuse("PerWorkerValue")


# The name of the namespace `experimental`.
PerWorkerValues = PerWorkerValue


class RemoteValue:
    """A result that a remote worker will have; not available, as there are none.

    Raises:
        NotImplementedError: Always.
    """

    def __init__(self) -> None:
        _refuse("RemoteValue")


def experimental_get_current_worker_index() -> NoReturn:
    """Raise an error: functions run in this process, not on remote workers.

    Raises:
        NotImplementedError: Always.
    """
    _refuse("experimental_get_current_worker_index")
