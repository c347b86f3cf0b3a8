"""The public namespace `tf.keras.optimizers`."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.optimizers.adadelta import Adadelta as Adadelta
from tapeflow._src.keras.optimizers.adafactor import Adafactor as Adafactor
from tapeflow._src.keras.optimizers.adagrad import Adagrad as Adagrad
from tapeflow._src.keras.optimizers.adam import Adam as Adam
from tapeflow._src.keras.optimizers.adamax import Adamax as Adamax
from tapeflow._src.keras.optimizers.adamw import AdamW as AdamW
from tapeflow._src.keras.optimizers.ftrl import Ftrl as Ftrl
from tapeflow._src.keras.optimizers.lamb import Lamb as Lamb
from tapeflow._src.keras.optimizers.lion import Lion as Lion
from tapeflow._src.keras.optimizers.lookup import deserialize as deserialize
from tapeflow._src.keras.optimizers.lookup import get as get
from tapeflow._src.keras.optimizers.lookup import serialize as serialize
from tapeflow._src.keras.optimizers.loss_scale_optimizer import (
    LossScaleOptimizer as LossScaleOptimizer,
)
from tapeflow._src.keras.optimizers.multi_optimizer import MultiOptimizer as MultiOptimizer
from tapeflow._src.keras.optimizers.multi_optimizer import OptimizerMap as OptimizerMap
from tapeflow._src.keras.optimizers.muon import Muon as Muon
from tapeflow._src.keras.optimizers.nadam import Nadam as Nadam
from tapeflow._src.keras.optimizers.optimizer import Optimizer as Optimizer
from tapeflow._src.keras.optimizers.rmsprop import RMSprop as RMSprop
from tapeflow._src.keras.optimizers.schedule_free_adamw import (
    ScheduleFreeAdamW as ScheduleFreeAdamW,
)
from tapeflow._src.keras.optimizers.sgd import SGD as SGD
from tapeflow.keras.optimizers import experimental as experimental
from tapeflow.keras.optimizers import legacy as legacy
from tapeflow.keras.optimizers import schedules as schedules

_explain_missing(__name__)
