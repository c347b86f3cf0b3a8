# Made by `make stubs` from the table in the module of the same name.

from tapeflow.keras.models.sharpness_aware import (
    SharpnessAwareMinimization as SharpnessAwareMinimization,
)
