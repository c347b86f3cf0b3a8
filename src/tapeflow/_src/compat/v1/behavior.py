"""Switches between the behaviour of TensorFlow 1 and 2."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.scopes import executing_eagerly as executing_eagerly
from tapeflow._src.core import dispatch
from tapeflow._src.ops.operators import compare_values
from tapeflow._src.sessions import default_graph


def disable_eager_execution() -> None:
    """Put ops outside of functions into the default graph, in this thread."""
    default_graph.build_by_default()


def enable_eager_execution(
    config: Any = None, device_policy: Any = None, execution_mode: Any = None
) -> None:
    """Run ops outside of functions at once, as is the case at the start of a program."""
    if not default_graph.building_by_default():
        return
    if default_graph.program_graph().nodes:
        raise ValueError(
            "enable_eager_execution must come first in a program: the default graph has "
            "operations already."
        )
    default_graph.run_by_default()


def disable_v2_behavior() -> None:
    """Build graphs for sessions, as TensorFlow 1 programs do."""
    disable_eager_execution()


def enable_v2_behavior() -> None:
    """Run eagerly, as is the case at the start of a program."""
    enable_eager_execution()


def executing_eagerly_outside_functions() -> bool:
    """Whether ops run at once where no function is being traced."""
    return dispatch.plain_graph() is None


def enable_tensor_equality() -> None:
    """Compare the elements of tensors with `==`, as is the case at the start of a program."""
    compare_values(True)


def disable_tensor_equality() -> None:
    """Compare tensors and variables with `==` by identity; variables can be keys of dicts."""
    compare_values(False)


# -- what has one behaviour here ---------------------------------------------------------------


def enable_resource_variables() -> None:
    """Do nothing: all variables are resources."""


def disable_resource_variables() -> None:
    """Raise: variables are always resources."""
    raise NotImplementedError("Variables are resource variables here; there are no others.")


def resource_variables_enabled() -> bool:
    """Return True: all variables are resources."""
    return True


def enable_control_flow_v2() -> None:
    """Do nothing: branches and loops are functions."""


def disable_control_flow_v2() -> None:
    """Raise: branches and loops are always functions."""
    raise NotImplementedError("Branches and loops hold functions here; there are no others.")


def control_flow_v2_enabled() -> bool:
    """Return True: branches and loops are functions."""
    return True


def enable_v2_tensorshape() -> None:
    """Do nothing: the sizes of shapes are numbers."""


def disable_v2_tensorshape() -> None:
    """Raise: the sizes of shapes are always numbers."""
    raise NotImplementedError(
        "The sizes of shapes are numbers here: use tf.compat.v1.Dimension(size) where code needs "
        "`.value`, or tf.compat.dimension_at_index(shape, index)."
    )
