# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.models.sharpness_aware import (
    SharpnessAwareMinimization as SharpnessAwareMinimization,
)
