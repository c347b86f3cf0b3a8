"""`tf.distribute.coordinator`: names that libraries look at; there are no remote workers."""

from tapeflow._src.distribute.coordinator import ClusterCoordinator as ClusterCoordinator
from tapeflow._src.distribute.coordinator import PerWorkerValue as PerWorkerValue
from tapeflow._src.distribute.coordinator import RemoteValue as RemoteValue
from tapeflow._src.distribute.coordinator import (
    experimental_get_current_worker_index as experimental_get_current_worker_index,
)
