"""`tf.distribute.experimental`: strategies of several replicas, by name."""

from tapeflow.distribute import coordinator as coordinator
from tapeflow.distribute import partitioners as partitioners
from tapeflow.distribute.several_replicas import CentralStorageStrategy as CentralStorageStrategy
from tapeflow.distribute.several_replicas import (
    MultiWorkerMirroredStrategyExperimental as MultiWorkerMirroredStrategy,
)
from tapeflow.distribute.several_replicas import ParameterServerStrategy as ParameterServerStrategy
from tapeflow.distribute.several_replicas import TPUStrategyExperimental as TPUStrategy
from tapeflow.distribute.values import ValueContext as ValueContext

__all__ = [
    "CentralStorageStrategy",
    "MultiWorkerMirroredStrategy",
    "ParameterServerStrategy",
    "TPUStrategy",
    "ValueContext",
    "partitioners",
    "coordinator",
]
