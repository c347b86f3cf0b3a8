"""`tf.compat.v1.train`: optimizers and learning rates in graphs, the global step, savers.

What writes and reads files is loaded when it is used.
"""

from __future__ import annotations

from tapeflow._src.compat.v1.train.global_step import create_global_step as create_global_step
from tapeflow._src.compat.v1.train.global_step import get_global_step as get_global_step
from tapeflow._src.compat.v1.train.global_step import (
    get_or_create_global_step as get_or_create_global_step,
)
from tapeflow._src.compat.v1.train.global_step import global_step as global_step
from tapeflow._src.compat.v1.train.hooks import SessionRunArgs as SessionRunArgs
from tapeflow._src.compat.v1.train.hooks import SessionRunContext as SessionRunContext
from tapeflow._src.compat.v1.train.hooks import SessionRunHook as SessionRunHook
from tapeflow._src.compat.v1.train.hooks import SessionRunValues as SessionRunValues
from tapeflow._src.compat.v1.train.learning_rates import cosine_decay as cosine_decay
from tapeflow._src.compat.v1.train.learning_rates import (
    cosine_decay_restarts as cosine_decay_restarts,
)
from tapeflow._src.compat.v1.train.learning_rates import exponential_decay as exponential_decay
from tapeflow._src.compat.v1.train.learning_rates import inverse_time_decay as inverse_time_decay
from tapeflow._src.compat.v1.train.learning_rates import linear_cosine_decay as linear_cosine_decay
from tapeflow._src.compat.v1.train.learning_rates import natural_exp_decay as natural_exp_decay
from tapeflow._src.compat.v1.train.learning_rates import (
    noisy_linear_cosine_decay as noisy_linear_cosine_decay,
)
from tapeflow._src.compat.v1.train.learning_rates import piecewise_constant as piecewise_constant
from tapeflow._src.compat.v1.train.learning_rates import polynomial_decay as polynomial_decay
from tapeflow._src.compat.v1.train.optimizer import Optimizer as Optimizer
from tapeflow._src.compat.v1.train.optimizers import AdagradOptimizer as AdagradOptimizer
from tapeflow._src.compat.v1.train.optimizers import AdamOptimizer as AdamOptimizer
from tapeflow._src.compat.v1.train.optimizers import (
    GradientDescentOptimizer as GradientDescentOptimizer,
)
from tapeflow._src.compat.v1.train.optimizers import MomentumOptimizer as MomentumOptimizer
from tapeflow._src.compat.v1.train.optimizers import RMSPropOptimizer as RMSPropOptimizer
from tapeflow._src.core.lazy import later as _later

piecewise_constant_decay = piecewise_constant

_SAVING = (
    *("Saver", "checkpoint_exists", "generate_checkpoint_state_proto", "get_checkpoint_mtimes"),
    *("import_meta_graph", "remove_checkpoint", "update_checkpoint_state"),
)
# What `tf.train` has, too.
_SAME = (
    *("BytesList", "Checkpoint", "CheckpointManager", "CheckpointOptions", "ClusterDef"),
    *("ClusterSpec", "Example", "ExponentialMovingAverage", "Feature", "FeatureList"),
    *("FeatureLists", "Features", "FloatList", "Int64List", "JobDef", "SequenceExample"),
    *("ServerDef", "checkpoints_iterator", "experimental", "get_checkpoint_state"),
    *("latest_checkpoint", "list_variables", "load_checkpoint", "load_variable"),
)

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        **dict.fromkeys(_SAVING, "tapeflow._src.saved_model.saver"),
        **dict.fromkeys(_SAME, "tapeflow.train"),
        "NewCheckpointReader": "tapeflow._src.checkpoint.readers",
        "SaverDef": "tapeflow._src.core.protos",
        "export_meta_graph": "tapeflow._src.saved_model.meta_graphs",
        "init_from_checkpoint": "tapeflow._src.checkpoint.warm_start",
        "summary_iterator": "tapeflow._src.summary.file_writer",
    },
)
