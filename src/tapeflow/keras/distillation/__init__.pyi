# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.distillation.distillation_losses import (
    DistillationLoss as DistillationLoss,
)
from tapeflow._src.keras.distillation.distillation_losses import (
    FeatureDistillation as FeatureDistillation,
)
from tapeflow._src.keras.distillation.distillation_losses import (
    LogitsDistillation as LogitsDistillation,
)
from tapeflow._src.keras.distillation.distiller import Distiller as Distiller
