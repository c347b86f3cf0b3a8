# Made by `make stubs` from the table in the module of the same name.

from tapeflow.core.protos import BytesList as BytesList
from tapeflow.core.protos import ClusterDef as ClusterDef
from tapeflow.core.protos import Example as Example
from tapeflow.core.protos import Feature as Feature
from tapeflow.core.protos import FeatureList as FeatureList
from tapeflow.core.protos import FeatureLists as FeatureLists
from tapeflow.core.protos import Features as Features
from tapeflow.core.protos import FloatList as FloatList
from tapeflow.core.protos import Int64List as Int64List
from tapeflow.core.protos import JobDef as JobDef
from tapeflow.core.protos import SequenceExample as SequenceExample
from tapeflow.core.protos import ServerDef as ServerDef
from tapeflow.saving.checkpoint import Checkpoint as Checkpoint
from tapeflow.saving.manager import CheckpointManager as CheckpointManager
from tapeflow.saving.options import CheckpointOptions as CheckpointOptions
from tapeflow.saving.readers import list_variables as list_variables
from tapeflow.saving.readers import load_checkpoint as load_checkpoint
from tapeflow.saving.readers import load_variable as load_variable
from tapeflow.saving.states import checkpoints_iterator as checkpoints_iterator
from tapeflow.saving.states import get_checkpoint_state as get_checkpoint_state
from tapeflow.saving.states import latest_checkpoint as latest_checkpoint
from tapeflow.saving.views import CheckpointView as CheckpointView
from tapeflow.saving.views import TrackableView as TrackableView
from tapeflow.train import experimental as experimental
from tapeflow.train.averages import ExponentialMovingAverage as ExponentialMovingAverage
from tapeflow.train.clusters import ClusterSpec as ClusterSpec
