"""The public namespace `tf.keras.optimizers.schedules`."""

from tapeflow._src.keras.optimizers.schedules.cosine import CosineDecay as CosineDecay
from tapeflow._src.keras.optimizers.schedules.cosine import (
    CosineDecayRestarts as CosineDecayRestarts,
)
from tapeflow._src.keras.optimizers.schedules.decay import ExponentialDecay as ExponentialDecay
from tapeflow._src.keras.optimizers.schedules.decay import InverseTimeDecay as InverseTimeDecay
from tapeflow._src.keras.optimizers.schedules.decay import (
    PiecewiseConstantDecay as PiecewiseConstantDecay,
)
from tapeflow._src.keras.optimizers.schedules.decay import PolynomialDecay as PolynomialDecay
from tapeflow._src.keras.optimizers.schedules.lookup import deserialize as deserialize
from tapeflow._src.keras.optimizers.schedules.lookup import serialize as serialize
from tapeflow._src.keras.optimizers.schedules.schedule import (
    LearningRateSchedule as LearningRateSchedule,
)
