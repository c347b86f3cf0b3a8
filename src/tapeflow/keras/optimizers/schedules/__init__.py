"""The public namespace `tf.keras.optimizers.schedules`."""

from tapeflow.keras.optimizers.schedules.cosine import CosineDecay as CosineDecay
from tapeflow.keras.optimizers.schedules.cosine import CosineDecayRestarts as CosineDecayRestarts
from tapeflow.keras.optimizers.schedules.decay import ExponentialDecay as ExponentialDecay
from tapeflow.keras.optimizers.schedules.decay import InverseTimeDecay as InverseTimeDecay
from tapeflow.keras.optimizers.schedules.decay import (
    PiecewiseConstantDecay as PiecewiseConstantDecay,
)
from tapeflow.keras.optimizers.schedules.decay import PolynomialDecay as PolynomialDecay
from tapeflow.keras.optimizers.schedules.lookup import deserialize as deserialize
from tapeflow.keras.optimizers.schedules.lookup import serialize as serialize
from tapeflow.keras.optimizers.schedules.schedule import (
    LearningRateSchedule as LearningRateSchedule,
)
