"""`tf.distribute`: computations on several devices."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.distribute.cross_device import CrossDeviceOps as CrossDeviceOps
from tapeflow._src.distribute.cross_device import (
    HierarchicalCopyAllReduce as HierarchicalCopyAllReduce,
)
from tapeflow._src.distribute.cross_device import NcclAllReduce as NcclAllReduce
from tapeflow._src.distribute.cross_device import ReductionToOneDevice as ReductionToOneDevice
from tapeflow._src.distribute.extended import StrategyExtended as StrategyExtended
from tapeflow._src.distribute.input import DistributedDataset as DistributedDataset
from tapeflow._src.distribute.input import DistributedIterator as DistributedIterator
from tapeflow._src.distribute.mirrored import MirroredStrategy as MirroredStrategy
from tapeflow._src.distribute.multi_worker import (
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
)
from tapeflow._src.distribute.parameter_server import (
    ParameterServerStrategy as ParameterServerStrategy,
)
from tapeflow._src.distribute.per_replica import DistributedValues as DistributedValues
from tapeflow._src.distribute.servers import Server as Server
from tapeflow._src.distribute.strategy import OneDeviceStrategy as OneDeviceStrategy
from tapeflow._src.distribute.strategy import ReplicaContext as ReplicaContext
from tapeflow._src.distribute.strategy import Strategy as Strategy
from tapeflow._src.distribute.strategy import experimental_set_strategy as experimental_set_strategy
from tapeflow._src.distribute.strategy import get_replica_context as get_replica_context
from tapeflow._src.distribute.strategy import get_strategy as get_strategy
from tapeflow._src.distribute.strategy import has_strategy as has_strategy
from tapeflow._src.distribute.strategy import in_cross_replica_context as in_cross_replica_context
from tapeflow._src.distribute.tpu import TPUStrategy as TPUStrategy
from tapeflow._src.distribute.values import InputContext as InputContext
from tapeflow._src.distribute.values import InputOptions as InputOptions
from tapeflow._src.distribute.values import InputReplicationMode as InputReplicationMode
from tapeflow._src.distribute.values import ReduceOp as ReduceOp
from tapeflow._src.distribute.values import RunOptions as RunOptions
from tapeflow.distribute import cluster_resolver as cluster_resolver
from tapeflow.distribute import coordinator as coordinator
from tapeflow.distribute import experimental as experimental

_explain_missing(__name__)
