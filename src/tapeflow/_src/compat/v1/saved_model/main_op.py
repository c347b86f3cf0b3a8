"""Operations that run when a SavedModel is loaded."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.control_flow.grouping import group
from tapeflow._src.api.scopes import control_dependencies
from tapeflow._src.compat.v1.variables import (
    global_variables_initializer,
    local_variables_initializer,
)


def main_op() -> Any:
    """Return an operation that initializes all variables."""
    return group(global_variables_initializer(), local_variables_initializer())


def main_op_with_restore(restore_op_name: Any) -> Any:
    """Return `main_op`, after which the operation of that name runs."""
    with control_dependencies([main_op()]):
        return group(restore_op_name)
