"""`tf.compat.v1.train`: optimizers that add their steps to a graph, and the global step."""

from tapeflow.compat.v1.train.global_step import create_global_step as create_global_step
from tapeflow.compat.v1.train.global_step import get_global_step as get_global_step
from tapeflow.compat.v1.train.global_step import (
    get_or_create_global_step as get_or_create_global_step,
)
from tapeflow.compat.v1.train.global_step import global_step as global_step
from tapeflow.compat.v1.train.optimizer import Optimizer as Optimizer
from tapeflow.compat.v1.train.optimizers import AdagradOptimizer as AdagradOptimizer
from tapeflow.compat.v1.train.optimizers import AdamOptimizer as AdamOptimizer
from tapeflow.compat.v1.train.optimizers import (
    GradientDescentOptimizer as GradientDescentOptimizer,
)
from tapeflow.compat.v1.train.optimizers import MomentumOptimizer as MomentumOptimizer
from tapeflow.compat.v1.train.optimizers import RMSPropOptimizer as RMSPropOptimizer
