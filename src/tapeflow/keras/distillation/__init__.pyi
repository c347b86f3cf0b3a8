# Made by `make stubs` from the table in the module of the same name.

from tapeflow.keras.distillation.distillation_losses import (
    FeatureDistillation as FeatureDistillation,
)
from tapeflow.keras.distillation.distillation_losses import DistillationLoss as DistillationLoss
from tapeflow.keras.distillation.distillation_losses import LogitsDistillation as LogitsDistillation
from tapeflow.keras.distillation.distiller import Distiller as Distiller
