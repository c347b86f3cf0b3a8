"""Graphs as TensorFlow 1 programs build them: placeholders, collections, names, printing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np

from tapeflow._src.api.control_flow import python_functions
from tapeflow._src.api.random.stateful import set_seed
from tapeflow._src.api.scopes import control_dependencies
from tapeflow._src.api.scopes import device as on_device
from tapeflow._src.api.scopes import name_scope as scope_of
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core import default_session, dispatch
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.dtypes import bool as bool_dtype
from tapeflow._src.core.shape import as_dims
from tapeflow._src.core.types import DTypeLike, ShapeLike, TensorLike
from tapeflow._src.gradients import symbolic
from tapeflow._src.gradients.endpoints import UnconnectedGradients
from tapeflow._src.graph.graph import Graph
from tapeflow._src.ops.array.shape import identity
from tapeflow._src.ops.graph import nodes as graph_nodes
from tapeflow._src.sessions import default_graph


class GraphKeys:
    """The names of collections that graphs keep."""

    GLOBAL_VARIABLES = VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    CONCATENATED_VARIABLES = "concatenated_variables"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    SUMMARIES = "summaries"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    SAVERS = "savers"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    LOSSES = "losses"
    REGULARIZATION_LOSSES = "regularization_losses"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    GLOBAL_STEP = "global_step"
    EVAL_STEP = "eval_step"
    TRAIN_OP = "train_op"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"


# -- graphs and sessions -----------------------------------------------------------------------


def get_default_graph() -> Graph:
    """Return the graph that ops go into, or would if they did not run at once."""
    return default_graph.default_graph()


def reset_default_graph() -> None:
    """Start with an empty default graph."""
    default_graph.reset()


def get_default_session() -> Any:
    """Return the innermost session in force, or None."""
    return default_session.current()


# -- placeholders ------------------------------------------------------------------------------


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Any:
    """Return a tensor whose value is fed when a session runs."""
    return _building("tf.placeholder()").placeholder(as_dtype(dtype), as_dims(shape), name)


def placeholder_with_default(input: TensorLike, shape: ShapeLike, name: str | None = None) -> Any:
    """Return `input`, unless another value is fed."""
    return graph_nodes.placeholder_with_default(input, shape=as_dims(shape), name=name)


def sparse_placeholder(
    dtype: DTypeLike, shape: ShapeLike | None = None, name: str | None = None
) -> SparseTensor:
    """Return a sparse tensor whose parts are fed when a session runs."""
    graph = _building("sparse_placeholder()")
    prefix = "" if name is None else f"{name}/"
    dims = as_dims(shape)
    rank = None if dims is None else len(dims)
    parts = (
        graph.placeholder(as_dtype("int64"), (None, rank), f"{prefix}indices"),
        graph.placeholder(as_dtype(dtype), (None,), f"{prefix}values"),
        graph.placeholder(as_dtype("int64"), (rank,), f"{prefix}shape"),
    )
    return SparseTensor(*parts)


def _building(function: str) -> Graph:
    graph: Graph | None = dispatch.current_graph()
    if graph is None:
        raise RuntimeError(
            f"{function} is not compatible with eager execution. Build a graph: `with "
            f"tf.Graph().as_default():`."
        )
    return graph


# -- collections -------------------------------------------------------------------------------


def add_to_collection(name: Any, value: Any) -> None:
    """Keep `value` under `name` in the default graph."""
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Any, value: Any) -> None:
    """Keep `value` under each of `names` in the default graph."""
    get_default_graph().add_to_collections(names, value)


def colocate_with(op: Any, ignore_existing: bool = False) -> AbstractContextManager[Any]:
    """Put operations of the block where another one is; ops that run at once are there already."""
    graph = dispatch.current_graph()
    return nullcontext() if graph is None else graph.colocate_with(op, ignore_existing)


def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """Return a collection of the default graph."""
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: Any) -> list[Any]:
    """Return the list itself of a collection of the default graph."""
    return get_default_graph().get_collection_ref(key)


# -- names, seeds, devices ---------------------------------------------------------------------


class name_scope(scope_of):
    """Names made in the block start with `name/`, or with `default_name/` if `name` is None."""

    def __init__(self, name: Any, default_name: Any = None, values: Any = None) -> None:
        if name is None and default_name is None and values is not None:
            raise ValueError("At least one of name and default_name is needed.")
        chosen = default_name if name is None else name
        super().__init__("" if chosen is None else chosen)


@contextmanager
def op_scope(values: TensorLike, name: Any, default_name: Any = None) -> Iterator[str]:
    """Like `name_scope`, the values first."""
    with name_scope(name, default_name, values) as scope:
        yield scope


def device(device_name_or_function: Any) -> Any:
    """Run operations of the block on that device; in graphs, a function may choose for each."""
    if callable(device_name_or_function):
        graph = dispatch.current_graph()
        if graph is None:
            raise RuntimeError(
                "A function as the argument of tf.device works in graphs only; eagerly, pass a "
                "device name such as '/CPU:0'."
            )
        return graph.device(device_name_or_function)
    return on_device(device_name_or_function)


def set_random_seed(seed: Any) -> None:
    """Set the seed of the default graph; eagerly, that of the program."""
    graph = dispatch.current_graph()
    if graph is None:
        set_seed(seed)
    else:
        graph.seed = seed


# -- tensors -----------------------------------------------------------------------------------


def Print(
    input_: Any,
    data: Any,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Return `input_`, which, when it is computed, has `data` written to the
    standard error stream.
    """
    left = [first_n if first_n is not None and first_n >= 0 else -1]

    def write(*items: Any) -> Any:
        if left[0]:
            left[0] -= 1
            texts = [
                f"[{_first_elements(item, 3 if summarize is None else summarize)}]"
                for item in items
            ]
            sys.stderr.write("".join([message or "", *texts, "\n"]))
        return True

    tensors = [dispatch.convert(item) for item in data]
    written = python_functions.numpy_function(write, tensors, bool_dtype)
    with control_dependencies([written]):
        return identity(input_, name=name)


def _first_elements(array: Any, summarize: int) -> str:
    """Return the first elements, rows in brackets, and whether there are more."""
    most = array.size if summarize < 0 else summarize
    text = _rows(np.asarray(array), most)
    return text if array.size <= most else f"{text}..."


def _rows(array: Any, most: int, inner: bool = False) -> str:
    if array.ndim < 2:
        text = " ".join(_element(x) for x in array.reshape(-1)[:most].tolist())
        return f"{text}..." if inner and array.size > most else text
    width = max(1, array[0].size) if len(array) else 1
    rows = enumerate(array[: -(-most // width)])
    return "".join(f"[{_rows(row, most - i * width, True)}]" for i, row in rows)


def _element(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return f"{value:g}" if isinstance(value, float) else str(int(value))


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Any]:
    """Return the gradients of the sum of `ys` by each of `xs`, as tensors of the graph."""
    options = (grad_ys, name, gate_gradients, aggregation_method, stop_gradients)
    return symbolic.gradients(ys, xs, *options, unconnected_gradients)
