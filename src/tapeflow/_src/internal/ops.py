"""Functions about variables and weights, for libraries."""

from __future__ import annotations

from typing import Any

from tapeflow._src.eager.variable import Variable
from tapeflow._src.internal.metric_weights import broadcast_weights as broadcast_weights


def is_resource_variable(var: Any) -> bool:
    """Whether a value is a variable, or acts as one."""
    return isinstance(var, Variable) or hasattr(var, "_should_act_as_resource_variable")
