"""`ParameterServerStrategy`: a name for `isinstance`, which cannot be created.

See `docs/decisions/0058-no-parameter-servers.md`.
"""

from __future__ import annotations

from typing import Any

from tapeflow._src.distribute.strategy import Strategy

INSTEAD = (
    "Variables are not kept on servers, and functions are not sent to other processes. Use "
    "tf.distribute.MultiWorkerMirroredStrategy to train on several machines, and "
    "keras.distribution.ModelParallel or tf.experimental.dtensor to divide large tables over "
    "devices."
)


class ParameterServerStrategy(Strategy):
    """Variables on servers that workers change without waiting; not available: creating one raises.

    Args:
        cluster_resolver: Description of the cluster.
        variable_partitioner: How variables are cut.

    Raises:
        NotImplementedError: Always. Use `tf.distribute.MultiWorkerMirroredStrategy`, and divide
            large tables by `keras.distribution.ModelParallel` or `tf.experimental.dtensor`.
    """

    def __init__(self, cluster_resolver: Any, variable_partitioner: Any = None) -> None:
        raise NotImplementedError(
            f"tf.distribute.ParameterServerStrategy is not available. {INSTEAD}"
        )
