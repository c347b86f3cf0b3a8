"""`tf.distribute.experimental.rpc`: calls of functions in other processes, which are refused.

See `docs/decisions/0058-no-parameter-servers.md`.
"""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["Client", "Server"]


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(
        f"tf.distribute.experimental.rpc.{name} is not available: processes take no functions from "
        f"others. Run the same program in each, with tf.distribute.MultiWorkerMirroredStrategy; "
        f"tf.data.experimental.service distributes input pipelines."
    )


class Client:
    """A connection to a server of functions; not available: `create` raises."""

    @staticmethod
    def create(rpc_layer: Any, address: Any, name: str = "", timeout_in_ms: int = 0) -> NoReturn:
        """Raise an error.

        Args:
            rpc_layer: How the processes communicate.
            address: Address of the server.
            name: Name of the client.
            timeout_in_ms: How long to wait.

        Raises:
            NotImplementedError: Always.
        """
        _refuse("Client")


class Server:
    """A process that runs functions for others; not available: `create` raises."""

    @staticmethod
    def create(rpc_layer: Any, address: Any) -> NoReturn:
        """Raise an error.

        Args:
            rpc_layer: How the processes communicate.
            address: Address of the server.

        Raises:
            NotImplementedError: Always.
        """
        _refuse("Server")
