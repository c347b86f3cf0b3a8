"""`VariablePolicy`: which facts of variables a SavedModel records besides their values."""

from __future__ import annotations

from enum import Enum


class VariablePolicy(Enum):
    """Which facts of variables a SavedModel records. There is one device here.

    Example:
        >>> tf.saved_model.experimental.VariablePolicy.NONE.name
        'NONE'
    """

    NONE = None
    SAVE_VARIABLE_DEVICES = "save_variable_devices"
    EXPAND_DISTRIBUTED_VARIABLES = "expand_distributed_variables"
