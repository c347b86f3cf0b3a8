"""What a SavedModel records of its variables besides their values."""

from __future__ import annotations

from enum import Enum


class VariablePolicy(Enum):
    """What a SavedModel says of its variables besides their values. There is one device here."""

    NONE = None
    SAVE_VARIABLE_DEVICES = "save_variable_devices"
    EXPAND_DISTRIBUTED_VARIABLES = "expand_distributed_variables"
