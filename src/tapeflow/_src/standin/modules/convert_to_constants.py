"""`tensorflow.python.framework.convert_to_constants`: functions and graphs without variables."""

from __future__ import annotations

from typing import Any

from tapeflow._src.compat.v1.graph_util import convert_variables_to_constants
from tapeflow._src.function.concrete import ConcreteFunction
from tapeflow._src.function.freezing import frozen


def convert_variables_to_constants_v2(
    func: Any, lower_control_flow: bool = True, aggressive_inlining: bool = False
) -> ConcreteFunction:
    """Return `func`, a ConcreteFunction, with the present values of its variables as constants.

    Args:
        func: A concrete function; it is left as it is.
        lower_control_flow: Have `graph.as_graph_def()` write branches and loops as `Switch`,
            `Merge` and frames, instead of `If` and `While` with functions.
        aggressive_inlining: Makes no difference: functions that are called are inlined when a
            function is traced.

    Returns:
        A function of the tensors of the arguments, one by one, that returns a list of tensors.

    Raises:
        TypeError: `func` is no ConcreteFunction.
        ValueError: it assigns to a variable.
    """
    if not isinstance(func, ConcreteFunction):
        raise TypeError(
            f"Expected a ConcreteFunction, received {type(func).__name__}: pass "
            f"`f.get_concrete_function(...)`, or a signature of a loaded model."
        )
    return frozen(func, lower_control_flow)


def convert_variables_to_constants_v2_as_graph(
    func: Any, lower_control_flow: bool = True, aggressive_inlining: bool = False
) -> tuple[ConcreteFunction, Any]:
    """Return what `convert_variables_to_constants_v2` returns, and its GraphDef."""
    frozen = convert_variables_to_constants_v2(func, lower_control_flow, aggressive_inlining)
    return frozen, frozen.graph.as_graph_def()


def convert_var_to_const_function_in_v1(
    func: Any, lower_control_flow: bool = True, aggressive_inlining: bool = False
) -> ConcreteFunction:
    """Return the same as `convert_variables_to_constants_v2`."""
    return convert_variables_to_constants_v2(func, lower_control_flow, aggressive_inlining)


def convert_variables_to_constants_from_session_graph(
    session: Any,
    graph_def: Any,
    output_node_names: Any,
    variable_names_allowlist: Any = None,
    variable_names_denylist: Any = None,
) -> Any:
    """Return a GraphDef of what the outputs need, with a session's values of its variables."""
    return convert_variables_to_constants(
        session, graph_def, output_node_names, variable_names_allowlist, variable_names_denylist
    )
