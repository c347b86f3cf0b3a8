"""Functions of `tf` in the models of Keras 2 files, where they are layers of their own.

Keras 2 makes a `TFOpLambda` layer of a function that is applied to the tensors of a model, and a
`SlicingOpLambda` of an index. A file names the function; the table below lists those that can be
named, all of which only compute.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.operation import Operation

_ELEMENTWISE = """
    abs acos acosh add asin asinh atan atan2 atanh ceil conj cos cosh cumprod cumsum digamma divide
    divide_no_nan equal erf erfc exp expm1 floor floordiv floormod greater greater_equal imag
    is_finite is_inf is_nan less less_equal lgamma log log1p log_sigmoid logical_and logical_not
    logical_or logical_xor maximum minimum mod multiply multiply_no_nan negative not_equal pow real
    reciprocal reciprocal_no_nan rint round rsqrt sigmoid sign sin sinh softplus sqrt square
    squared_difference subtract tan tanh truediv xlogy
"""
_REDUCING = """
    accumulate_n add_n argmax argmin l2_normalize reduce_all reduce_any reduce_euclidean_norm
    reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_std reduce_sum
    reduce_variance scalar_mul segment_max segment_mean segment_min segment_sum top_k
    unsorted_segment_sum
"""
_SHAPING = """
    boolean_mask broadcast_to cast clip_by_norm clip_by_value concat convert_to_tensor expand_dims
    eye fill gather gather_nd identity linspace norm one_hot ones ones_like pad range rank repeat
    reshape reverse reverse_sequence roll searchsorted sequence_mask shape size slice sort split
    squeeze stack stop_gradient strided_slice tensordot tile transpose unique unstack where zeros
    zeros_like
"""
_NN = """
    avg_pool avg_pool2d bias_add conv1d conv2d depth_to_space depthwise_conv2d dropout elu gelu
    l2_loss l2_normalize leaky_relu log_softmax max_pool max_pool2d moments relu relu6 selu sigmoid
    sigmoid_cross_entropy_with_logits silu softmax softmax_cross_entropy_with_logits softplus
    softsign space_to_depth sparse_softmax_cross_entropy_with_logits swish tanh top_k
"""
_LINALG = """
    adjoint band_part cholesky cross det diag diag_part eye global_norm inv l2_normalize matmul
    matrix_transpose matvec norm set_diag solve tensor_diag tensordot trace triangular_solve
"""
_IMAGE = """
    adjust_brightness adjust_contrast adjust_hue adjust_saturation central_crop convert_image_dtype
    crop_and_resize crop_to_bounding_box extract_patches flip_left_right flip_up_down
    grayscale_to_rgb hsv_to_rgb pad_to_bounding_box per_image_standardization resize
    resize_with_crop_or_pad rgb_to_grayscale rgb_to_hsv rot90 transpose
"""


def _getitem(tensor: Any, slice_spec: Any) -> Any:
    """`tensor[slice_spec]`, in which slices are dicts."""

    def part(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        if value.get("class_name") == "__ellipsis__":
            return Ellipsis
        return slice(value.get("start"), value.get("stop"), value.get("step"))

    parts = slice_spec if isinstance(slice_spec, (list, tuple)) else [slice_spec]
    return tensor[tuple(map(part, parts))]


# Members of sparse and ragged tensors that KerasTensors have, too.
SPARSE_MEMBERS = frozenset({"dense_shape", "indices", "values"})
RAGGED_MEMBERS = frozenset({"flat_values", "nested_row_splits", "row_splits", "values"})
RAGGED_METHODS = frozenset(
    {"bounding_shape", "nrows", "row_lengths", "row_limits", "row_starts", "value_rowids"}
)
_MEMBERS = "__members__."


def _member(name: str) -> Callable[..., Any]:
    if name in RAGGED_METHODS:
        return lambda tensor, *args, **kwargs: getattr(tensor, name)(*args, **kwargs)
    return operator.attrgetter(name)


def member_of(tensor: Any, name: str) -> Any:
    """A member of the sparse or ragged tensor that a KerasTensor stands for.

    Raises:
        AttributeError: Tensors of its kind have no such member.
    """
    members = SPARSE_MEMBERS if tensor.sparse else RAGGED_MEMBERS if tensor.ragged else ()
    if name in members:
        return TFFunction(_MEMBERS + name)(tensor)
    if tensor.ragged and name in RAGGED_METHODS:
        return functools.partial(TFFunction(_MEMBERS + name), tensor)
    raise AttributeError(f"'{type(tensor).__name__}' object has no attribute '{name}'")


_OPERATORS: dict[str, Callable[..., Any]] = {
    **{_MEMBERS + name: _member(name) for name in SPARSE_MEMBERS | RAGGED_MEMBERS},
    **{_MEMBERS + name: _member(name) for name in RAGGED_METHODS},
    "__operators__.add": lambda x, y: x + y,
    "__operators__.getitem": _getitem,
    "__operators__.ragged_getitem": _getitem,
}
# The names that can stand in a file, and where `tf` has the functions.
_BELOW = {
    "": f"{_ELEMENTWISE} {_REDUCING} {_SHAPING} matmul",
    "math": f"{_ELEMENTWISE} {_REDUCING}",
    "nn": _NN,
    "linalg": _LINALG,
    "image": _IMAGE,
    "compat.v1": f"{_SHAPING} {_REDUCING}",
}


def function_named(path: Any) -> Callable[..., Any]:
    """The function that a file names, such as `math.multiply`; ValueError unless listed."""
    if isinstance(path, str):
        if path in _OPERATORS:
            return _OPERATORS[path]
        home, _, name = path.rpartition(".")
        if name in _BELOW.get(home, "").split():
            # The functions of TensorFlow 1 are called with names that those of `tf` have, too.
            namespace = tf if home in ("", "compat.v1") else getattr(tf, home)
            function = getattr(namespace, name, None) or getattr(tf.math, name, None)
            if function is not None:
                return function  # type: ignore[no-any-return]
    raise ValueError(
        f"Expected a function of `tf` that can be part of a model in a file. Received: {path!r}. "
        f"Pass a layer that does the same as `custom_objects`."
    )


class TFFunction(Operation):
    """A call of a function of `tf`, which a file of Keras 2 names."""

    def __init__(self, function: str, name: str | None = None) -> None:
        super().__init__(name)
        self.function = function
        self._call = function_named(function)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        kwargs.pop("name", None)
        return self._call(*args, **kwargs)

    def get_config(self) -> dict[str, Any]:
        return {"function": self.function, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> TFFunction:
        """The operation of a config, of this library or of Keras 2."""
        return cls(config.get("function", ""), config.get("name"))
