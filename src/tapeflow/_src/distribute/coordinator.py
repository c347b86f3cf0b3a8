"""`tf.distribute.coordinator`: names that libraries look at; there are no remote workers."""

from __future__ import annotations

from typing import Any, NoReturn


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(
        f"tf.distribute.coordinator.{name} is not available: functions run in this process only. "
        "Call the function directly, or inside of strategy.run."
    )


class ClusterCoordinator:
    """Schedules functions on remote workers."""

    def __init__(self, strategy: Any) -> None:
        _refuse("ClusterCoordinator")


class PerWorkerValue:
    """Values of which each worker has one."""

    def __init__(self, values: Any) -> None:
        _refuse("PerWorkerValue")


class RemoteValue:
    """A result that a remote worker will have."""

    def __init__(self) -> None:
        _refuse("RemoteValue")
