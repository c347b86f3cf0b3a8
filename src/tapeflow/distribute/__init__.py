"""`tf.distribute`: computations on several devices, as far as one replica goes."""

from tapeflow.distribute import coordinator as coordinator
from tapeflow.distribute import experimental as experimental
from tapeflow.distribute.mirrored import MirroredStrategy as MirroredStrategy
from tapeflow.distribute.several_replicas import (
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
)
from tapeflow.distribute.several_replicas import ParameterServerStrategy as ParameterServerStrategy
from tapeflow.distribute.several_replicas import TPUStrategy as TPUStrategy
from tapeflow.distribute.strategy import OneDeviceStrategy as OneDeviceStrategy
from tapeflow.distribute.strategy import ReplicaContext as ReplicaContext
from tapeflow.distribute.strategy import Strategy as Strategy
from tapeflow.distribute.strategy import StrategyExtended as StrategyExtended
from tapeflow.distribute.strategy import experimental_set_strategy as experimental_set_strategy
from tapeflow.distribute.strategy import get_replica_context as get_replica_context
from tapeflow.distribute.strategy import get_strategy as get_strategy
from tapeflow.distribute.strategy import has_strategy as has_strategy
from tapeflow.distribute.strategy import in_cross_replica_context as in_cross_replica_context
from tapeflow.distribute.values import DistributedDataset as DistributedDataset
from tapeflow.distribute.values import DistributedIterator as DistributedIterator
from tapeflow.distribute.values import DistributedValues as DistributedValues
from tapeflow.distribute.values import InputContext as InputContext
from tapeflow.distribute.values import InputOptions as InputOptions
from tapeflow.distribute.values import InputReplicationMode as InputReplicationMode
from tapeflow.distribute.values import ReduceOp as ReduceOp
from tapeflow.distribute.values import RunOptions as RunOptions
