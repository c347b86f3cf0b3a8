# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.layers.preprocessing.feature_columns import (
    SequenceFeatures as SequenceFeatures,
)
from tapeflow._src.keras.models.premade import LinearModel as LinearModel
from tapeflow._src.keras.models.premade import WideDeepModel as WideDeepModel
from tapeflow._src.keras.utils.sidecar_evaluator import SidecarEvaluator as SidecarEvaluator
from tapeflow.keras.optimizers.schedules import CosineDecay as CosineDecay
from tapeflow.keras.optimizers.schedules import CosineDecayRestarts as CosineDecayRestarts
