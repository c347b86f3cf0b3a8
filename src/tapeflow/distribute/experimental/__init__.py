"""`tf.distribute.experimental`: strategies of several replicas, by name."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.distribute import partitioners as partitioners
from tapeflow._src.distribute import rpc as rpc
from tapeflow._src.distribute.cross_device import CollectiveHints as CollectiveHints
from tapeflow._src.distribute.cross_device import (
    CommunicationImplementation as CommunicationImplementation,
)
from tapeflow._src.distribute.cross_device import CommunicationOptions as CommunicationOptions
from tapeflow._src.distribute.mirrored import CentralStorageStrategy as CentralStorageStrategy
from tapeflow._src.distribute.multi_worker import (
    MultiWorkerMirroredStrategyExperimental as MultiWorkerMirroredStrategy,
)
from tapeflow._src.distribute.parameter_server import (
    ParameterServerStrategy as ParameterServerStrategy,
)
from tapeflow._src.distribute.preemption import (
    PreemptionCheckpointHandler as PreemptionCheckpointHandler,
)
from tapeflow._src.distribute.preemption import PreemptionWatcher as PreemptionWatcher
from tapeflow._src.distribute.preemption import TerminationConfig as TerminationConfig
from tapeflow._src.distribute.tpu import TPUStrategyExperimental as TPUStrategy
from tapeflow._src.distribute.values import ValueContext as ValueContext
from tapeflow.distribute.experimental import coordinator as coordinator

CollectiveCommunication = CommunicationImplementation

__all__ = [
    "CentralStorageStrategy",
    "CollectiveCommunication",
    "CollectiveHints",
    "CommunicationImplementation",
    "CommunicationOptions",
    "MultiWorkerMirroredStrategy",
    "ParameterServerStrategy",
    "PreemptionCheckpointHandler",
    "PreemptionWatcher",
    "TPUStrategy",
    "TerminationConfig",
    "ValueContext",
    "partitioners",
    "coordinator",
    "rpc",
]

_explain_missing(__name__)
_explain_missing("tapeflow.distribute.experimental.partitioners", partitioners)
_explain_missing("tapeflow.distribute.experimental.rpc", rpc)
