"""The public namespace `tf.keras.optimizers`."""

from tapeflow.keras.optimizers import experimental as experimental
from tapeflow.keras.optimizers import legacy as legacy
from tapeflow.keras.optimizers import schedules as schedules
from tapeflow.keras.optimizers.adadelta import Adadelta as Adadelta
from tapeflow.keras.optimizers.adafactor import Adafactor as Adafactor
from tapeflow.keras.optimizers.adagrad import Adagrad as Adagrad
from tapeflow.keras.optimizers.adam import Adam as Adam
from tapeflow.keras.optimizers.adamax import Adamax as Adamax
from tapeflow.keras.optimizers.adamw import AdamW as AdamW
from tapeflow.keras.optimizers.ftrl import Ftrl as Ftrl
from tapeflow.keras.optimizers.lamb import Lamb as Lamb
from tapeflow.keras.optimizers.lion import Lion as Lion
from tapeflow.keras.optimizers.lookup import deserialize as deserialize
from tapeflow.keras.optimizers.lookup import get as get
from tapeflow.keras.optimizers.lookup import serialize as serialize
from tapeflow.keras.optimizers.loss_scale_optimizer import LossScaleOptimizer as LossScaleOptimizer
from tapeflow.keras.optimizers.multi_optimizer import MultiOptimizer as MultiOptimizer
from tapeflow.keras.optimizers.multi_optimizer import OptimizerMap as OptimizerMap
from tapeflow.keras.optimizers.muon import Muon as Muon
from tapeflow.keras.optimizers.nadam import Nadam as Nadam
from tapeflow.keras.optimizers.optimizer import Optimizer as Optimizer
from tapeflow.keras.optimizers.rmsprop import RMSprop as RMSprop
from tapeflow.keras.optimizers.schedule_free_adamw import ScheduleFreeAdamW as ScheduleFreeAdamW
from tapeflow.keras.optimizers.sgd import SGD as SGD
