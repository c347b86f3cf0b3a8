# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.checkpoint.checkpoint import Checkpoint as Checkpoint
from tapeflow._src.checkpoint.manager import CheckpointManager as CheckpointManager
from tapeflow._src.checkpoint.options import CheckpointOptions as CheckpointOptions
from tapeflow._src.checkpoint.readers import list_variables as list_variables
from tapeflow._src.checkpoint.readers import load_checkpoint as load_checkpoint
from tapeflow._src.checkpoint.readers import load_variable as load_variable
from tapeflow._src.checkpoint.states import checkpoints_iterator as checkpoints_iterator
from tapeflow._src.checkpoint.states import get_checkpoint_state as get_checkpoint_state
from tapeflow._src.checkpoint.states import latest_checkpoint as latest_checkpoint
from tapeflow._src.checkpoint.views import CheckpointView as CheckpointView
from tapeflow._src.checkpoint.views import TrackableView as TrackableView
from tapeflow._src.core.protos import BytesList as BytesList
from tapeflow._src.core.protos import ClusterDef as ClusterDef
from tapeflow._src.core.protos import Example as Example
from tapeflow._src.core.protos import Feature as Feature
from tapeflow._src.core.protos import FeatureList as FeatureList
from tapeflow._src.core.protos import FeatureLists as FeatureLists
from tapeflow._src.core.protos import Features as Features
from tapeflow._src.core.protos import FloatList as FloatList
from tapeflow._src.core.protos import Int64List as Int64List
from tapeflow._src.core.protos import JobDef as JobDef
from tapeflow._src.core.protos import SequenceExample as SequenceExample
from tapeflow._src.core.protos import ServerDef as ServerDef
from tapeflow._src.train.averages import ExponentialMovingAverage as ExponentialMovingAverage
from tapeflow._src.train.clusters import ClusterSpec as ClusterSpec
from tapeflow.train import experimental as experimental
