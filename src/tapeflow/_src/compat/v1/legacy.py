"""Functions of TensorFlow 1 that are called otherwise now, or by other parameters."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapeflow import linalg, math, nn, random, strings
from tapeflow._src.api import arrays
from tapeflow._src.api.math import casting
from tapeflow._src.api.random.stateful import op_seeds
from tapeflow._src.compat.v1.functions import tables_initializer
from tapeflow._src.compat.v1.graphs import GraphKeys, get_collection, get_default_graph
from tapeflow._src.compat.v1.reordered import reordered
from tapeflow._src.compat.v1.variable_scope import get_variable
from tapeflow._src.compat.v1.variables import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    variables_initializer,
)
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.composite.sparse_tensor import SparseTensor, SparseTensorValue
from tapeflow._src.core import dispatch, dtypes, random_state
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.types import DTypeLike, ShapeLike, TensorLike
from tapeflow._src.gradients import symbolic
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.indexed_slices import IndexedSlices
from tapeflow._src.ops.math.counting import list_diff
from tapeflow._src.ops.sparse.convert import sparse_to_dense as sparse_to_dense_op
from tapeflow._src.ops.strings.split import string_split as string_split_op

# -- numbers -----------------------------------------------------------------------------------

bincount = reordered(math.bincount, "arr weights minlength maxlength dtype")
confusion_matrix = reordered(
    math.confusion_matrix, "labels predictions num_classes dtype name weights"
)
in_top_k = reordered(math.in_top_k, "predictions targets k name")
_COUNTED = {"input_tensor": "input", "reduction_indices": "axis", "keep_dims": "keepdims"}
count_nonzero = reordered(
    math.count_nonzero,
    "input_tensor axis keepdims dtype name reduction_indices keep_dims input",
    _COUNTED,
)
softmax = reordered(nn.softmax, "logits axis name dim", {"dim": "axis"})
log_softmax = reordered(nn.log_softmax, "logits axis name dim", {"dim": "axis"})
norm = reordered(linalg.norm, "tensor ord axis keepdims name keep_dims", {"keep_dims": "keepdims"})
multinomial = reordered(
    random.categorical, "logits num_samples seed name output_dtype", {"output_dtype": "dtype"}
)
random_poisson = reordered(random.poisson, "lam shape dtype seed name")
stateless_multinomial = reordered(
    random.stateless_categorical,
    "logits num_samples seed output_dtype name",
    {"output_dtype": "dtype"},
)
arg_max = reordered(math.argmax, "input dimension output_type name", {"dimension": "axis"})
arg_min = reordered(math.argmin, "input dimension output_type name", {"dimension": "axis"})
floor_div = math.floordiv


def to_bfloat16(x: TensorLike, name: str = "ToBFloat16") -> Any:
    """Return `x` as bfloat16."""
    return casting.cast(x, dtypes.bfloat16, name)


def to_complex64(x: TensorLike, name: str = "ToComplex64") -> Any:
    """Return `x` as complex64."""
    return casting.cast(x, dtypes.complex64, name)


def to_complex128(x: TensorLike, name: str = "ToComplex128") -> Any:
    """Return `x` as complex128."""
    return casting.cast(x, dtypes.complex128, name)


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Any:
    """Return `t` scaled so that its L2 norm divided by its size is at most `clip_norm`."""
    t = convert(t)
    count = casting.cast(arrays.size(t), t.dtype)
    average = math.sqrt(math.reduce_sum(t * t)) / count
    limit = convert(clip_norm, None, t.dtype)
    return arrays.identity(t * limit / math.maximum(average, limit), name)


def get_seed(op_seed: Any) -> tuple[int | None, int | None]:
    """Return the two seeds of an op: that of the graph, and its own."""
    mode = dispatch.state.mode
    graph = mode.graph
    outer = random_state.global_seed() if graph is None else graph.seed
    if outer is None and op_seed is None:
        return None, None
    seeds = op_seeds(op_seed)
    return seeds["seed"], seeds["seed2"]


# -- arrays ------------------------------------------------------------------------------------

reverse_sequence = reordered(
    arrays.reverse_sequence,
    "input seq_lengths seq_axis batch_axis name seq_dim batch_dim",
    {"seq_dim": "seq_axis", "batch_dim": "batch_axis"},
)
depth_to_space = reordered(nn.depth_to_space, "input block_size name data_format")
space_to_depth = reordered(nn.space_to_depth, "input block_size name data_format")


def _block(block_size: Any, block_shape: Any) -> Any:
    if (block_size is None) == (block_shape is None):
        raise ValueError(
            f"Expected one of block_size and block_shape, received block_size={block_size!r} and "
            f"block_shape={block_shape!r}."
        )
    side = block_size if block_shape is None else block_shape
    return [side, side]


def batch_to_space(
    input: TensorLike,
    crops: Any,
    block_size: Any = None,
    name: str | None = None,
    block_shape: Any = None,
) -> Any:
    """Move blocks of the batch axis into the axes of space, and crop these."""
    return arrays.batch_to_space(input, _block(block_size, block_shape), crops, name)


def batch_to_space_nd(
    input: TensorLike, block_shape: Any, crops: Any, name: str | None = None
) -> Any:
    """Move blocks of the batch axis into the axes of space, and crop these."""
    return arrays.batch_to_space(input, block_shape, crops, name)


def space_to_batch(
    input: TensorLike,
    paddings: Any,
    block_size: Any = None,
    name: str | None = None,
    block_shape: Any = None,
) -> Any:
    """Pad the axes of space, and move blocks of them into the batch axis."""
    return arrays.space_to_batch(input, _block(block_size, block_shape), paddings, name)


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Any:
    """Return slices of `params` along the last axis of `indices`, batch by batch."""
    indices = convert(indices)
    batch = len(indices.shape) - 1
    axis = convert(batch, dtypes.int32)
    return gather_v2(convert(params), indices, axis, batch_dims=batch, name=name)


def convert_to_tensor_or_sparse_tensor(
    value: Any, dtype: DTypeLike | None = None, name: str | None = None
) -> Any:
    """Return a SparseTensor as it is, or the arrays of one as tensors; else a tensor."""
    if isinstance(value, SparseTensorValue):
        value = SparseTensor(*value)
    if not isinstance(value, SparseTensor):
        return arrays.convert_to_tensor(value, dtype, name=name)
    if dtype is not None and dtypes.as_dtype(dtype) is not value.dtype:
        raise RuntimeError(
            f"Expected a SparseTensor of dtype {dtypes.as_dtype(dtype).name}, received one of "
            f"{value.dtype.name}: use tf.cast."
        )
    return value


def convert_to_tensor_or_indexed_slices(
    value: Any, dtype: DTypeLike | None = None, name: str | None = None
) -> Any:
    """Return IndexedSlices as they are; anything else as a tensor."""
    if isinstance(value, IndexedSlices):
        return value
    return arrays.convert_to_tensor(value, dtype, name=name)


def setdiff1d(
    x: TensorLike, y: TensorLike, index_dtype: Any = dtypes.int32, name: str | None = None
) -> Any:
    """Return the values of `x` that are not in `y`, and their indices."""
    return list_diff(convert(x), convert(y), out_idx=index_dtype, name=name)


def sparse_to_dense(
    sparse_indices: Any,
    output_shape: ShapeLike,
    sparse_values: Any,
    default_value: Any = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Any:
    """Return a tensor with values at some indices, and `default_value` everywhere else."""
    values = convert(sparse_values)
    indices = convert(sparse_indices)
    return sparse_to_dense_op(
        indices,
        convert(output_shape, None, indices.dtype),
        values,
        convert(default_value, None, values.dtype),
        validate_indices=validate_indices,
        name=name,
    )


# -- strings -----------------------------------------------------------------------------------

string_length = reordered(strings.length, "input name unit")
substr = reordered(strings.substr, "input pos len name unit")
_JOINED = {"reduction_indices": "axis", "keep_dims": "keepdims"}
reduce_join = reordered(
    strings.reduce_join,
    "inputs axis keep_dims separator name reduction_indices keepdims",
    _JOINED,
)
_STRING = {"string_tensor": "input"}
string_to_hash_bucket = reordered(
    strings.to_hash_bucket, "string_tensor num_buckets name input", _STRING
)
string_to_number = reordered(strings.to_number, "string_tensor out_type name input", _STRING)


def string_split(
    source: Any,
    sep: Any = None,
    skip_empty: bool = True,
    delimiter: Any = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> Any:
    """Split strings at each of the characters of `sep`, a space if it is None."""
    chosen = next((d for d in (sep, delimiter) if d is not None), " ")
    parts = SparseTensor(
        *string_split_op(convert(source), convert(chosen), skip_empty=skip_empty, name=name)
    )
    return RaggedTensor.from_sparse(parts) if result_type == "RaggedTensor" else parts


# -- graphs ------------------------------------------------------------------------------------

hessians = reordered(
    symbolic.hessians, "ys xs name colocate_gradients_with_ops gate_gradients aggregation_method"
)


@contextmanager
def container(container_name: str) -> Iterator[str]:
    """Place resources that operations of the block create in a container."""
    with get_default_graph().container(container_name) as name:
        yield name


# -- variables ---------------------------------------------------------------------------------

all_variables = global_variables
initialize_all_variables = global_variables_initializer
initialize_local_variables = local_variables_initializer
initialize_variables = variables_initializer


def moving_average_variables(scope: str | None = None) -> list[Any]:
    """Return the variables that have moving averages."""
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def get_local_variable(name: str, shape: ShapeLike | None = None, *args: Any, **kwargs: Any) -> Any:
    """Return a variable as `get_variable` does, but one of the local variables."""
    kwargs["trainable"] = False
    kwargs["collections"] = [*(kwargs.get("collections") or ()), GraphKeys.LOCAL_VARIABLES]
    return get_variable(name, shape, *args, **kwargs)


initialize_all_tables = tables_initializer


def no_regularizer(_: Any) -> None:
    """Return no loss: prevents the regularizer of a scope from being used."""


def _scatter(method: str) -> Any:
    def scatter(
        ref: Any,
        indices: TensorLike,
        updates: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
    ) -> Any:
        slices = IndexedSlices(convert(updates, None, ref.dtype), convert(indices))
        return getattr(ref, method)(slices, use_locking, name)

    scatter.__name__ = scatter.__qualname__ = method
    scatter.__doc__ = f"Change rows of a variable, as its method `{method}` does."
    return scatter


scatter_sub = _scatter("scatter_sub")
scatter_mul = _scatter("scatter_mul")
scatter_div = _scatter("scatter_div")
scatter_min = _scatter("scatter_min")
scatter_max = _scatter("scatter_max")
batch_scatter_update = _scatter("batch_scatter_update")


def scatter_nd_update(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    name: str | None = None,
) -> Any:
    """Replace slices of a variable."""
    return ref.scatter_nd_update(indices, updates, name)


def scatter_nd_add(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Add to slices of a variable."""
    return ref.scatter_nd_add(indices, updates, name)


def scatter_nd_sub(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Subtract from slices of a variable."""
    return ref.scatter_nd_sub(indices, updates, name)
