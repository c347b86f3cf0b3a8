"""`tf.distribute.experimental.coordinator`: names that libraries look at, from before 2.12."""

from tapeflow._src.distribute.coordinator import ClusterCoordinator as ClusterCoordinator
from tapeflow._src.distribute.coordinator import PerWorkerValues as PerWorkerValues
from tapeflow._src.distribute.coordinator import RemoteValue as RemoteValue
