"""`tf.data.experimental.service`: servers that produce the elements of datasets for others."""

from tapeflow._src.data.service.api import CrossTrainerCache as CrossTrainerCache
from tapeflow._src.data.service.api import distribute as distribute
from tapeflow._src.data.service.api import from_dataset_id as from_dataset_id
from tapeflow._src.data.service.api import register_dataset as register_dataset
from tapeflow._src.data.service.policies import ShardingPolicy as ShardingPolicy
from tapeflow._src.data.service.servers import DispatcherConfig as DispatcherConfig
from tapeflow._src.data.service.servers import DispatchServer as DispatchServer
from tapeflow._src.data.service.servers import WorkerConfig as WorkerConfig
from tapeflow._src.data.service.servers import WorkerServer as WorkerServer
