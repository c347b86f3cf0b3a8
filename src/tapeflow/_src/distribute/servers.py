"""Servers that other processes send operations to: names that raise an error.

See `docs/decisions/0058-no-parameter-servers.md`.
"""

from __future__ import annotations

from typing import Any, NoReturn

_REASON = (
    "is not available: processes take no operations and no functions from others. Run the same "
    "program in each, with tf.distribute.MultiWorkerMirroredStrategy: the workers meet by "
    "TF_CONFIG, and need no server."
)


class Server:
    """A process that runs the operations of others; not available: creating one raises.

    Args:
        server_or_cluster_def: Description of the cluster.
        job_name: Job of the process.
        task_index: Number of the process.
        protocol: How they communicate.
        config: Configuration of the session.
        start: Whether to start it.

    Raises:
        NotImplementedError: Always. Use `tf.distribute.MultiWorkerMirroredStrategy`.
    """

    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: Any = None,
        start: bool = True,
    ) -> None:
        raise NotImplementedError(f"tf.distribute.Server {_REASON}")

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> NoReturn:
        """Raise an error.

        Args:
            config: Configuration of the session.
            start: Whether to start it.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(f"tf.distribute.Server {_REASON}")
