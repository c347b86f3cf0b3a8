"""The ops that exist only as nodes of a graph: its inputs and its constants."""

from __future__ import annotations

from tapeflow._src.core.dtypes import as_dtype, resource
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.infer import merge_shape
from tapeflow._src.core.registry import op
from tapeflow._src.core.resource import Cell
from tapeflow._src.core.shape import as_dims
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import ARGUMENT, CONSTANT, SOURCE


@op("Placeholder", grad=None, traits=(ARGUMENT, SOURCE))
def placeholder(xp, *, dtype, shape=None):
    """Return an input of the graph, which must be fed."""
    raise InvalidArgumentError(
        None, None, "You must feed a value for placeholder tensor: it is an input of its graph."
    )


@placeholder.infer
def _(*, dtype, shape):
    return Spec(as_dims(shape), as_dtype(dtype))


@op("PlaceholderWithDefault", checked=True)
def placeholder_with_default(xp, input, *, shape):
    """Return an input of the graph that defaults to `input`."""
    return input


@placeholder_with_default.infer
def _(input, *, shape):
    dims = as_dims(shape)
    merge_shape(dims, input.shape, "The default value does not fit the shape")
    return Spec(dims, input.dtype)


@placeholder_with_default.gradient
def _(dz):
    return dz


@op("VarHandleOp", grad=None, host="makes a variable")
def var_handle(
    xp, *, dtype, shape, container="", shared_name="", debug_name="", allowed_devices=()
):
    """Return the handle of an uninitialised variable; each session has its own."""
    return Cell(None, as_dtype(dtype), as_dims(shape), shared_name or debug_name)


var_handle.owned_by_sessions = True


@var_handle.infer
def _(*, dtype, shape, container, shared_name, debug_name, allowed_devices):
    return Spec(as_dims(shape), resource)


@op("Const", grad=None, traits=(CONSTANT, SOURCE))
def const(xp, *, value, dtype):
    """Return a constant."""
    return value


@const.infer
def _(*, value, dtype):
    return Spec(value.shape, as_dtype(dtype), value)


@op("NoOp", outputs=(), grad=None)
def no_op(xp):
    """Do nothing: a node for control dependencies."""
    return ()


@no_op.infer
def _():
    return ()
