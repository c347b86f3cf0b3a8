"""`Input`: the KerasTensors that models begin with."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, ShapeLike, TensorLike
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.config import standardize_dtype
from tapeflow._src.keras.generation import is_keras_2
from tapeflow._src.keras.keras_tensor import KerasTensor, standardize_shape
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.operation import Node


class InputLayer(Layer):
    """Entry point of a model; created by `keras.Input`.

    Its `output` is a KerasTensor, which layers can be called on.

    Args:
        shape: Shape without the batch axis; None for sizes that vary.
        batch_size: Static batch size; None if it varies.
        dtype: Dtype of the data; `float32` if None.
        sparse: Whether the data are sparse tensors.
        ragged: Whether the data are ragged tensors.
        batch_shape: Shape with the batch axis, instead of `shape` and `batch_size`.
        input_tensor: A KerasTensor to use instead of a new one.
        optional: Whether the model may be called with None for this input.
        **kwargs: Arguments of Keras 2: `input_shape`, `batch_input_shape`, `type_spec`.

    Raises:
        ValueError: There is no shape, or arguments contradict each other.

    Example:
        >>> layer = tf.keras.layers.InputLayer(shape=(4,))
        >>> layer.output.shape
        (None, 4)
    """

    def __init__(
        self,
        shape: Any = None,
        batch_size: int | None = None,
        dtype: Any = None,
        sparse: bool | None = None,
        ragged: bool | None = None,
        batch_shape: Any = None,
        input_tensor: Any = None,
        optional: bool = False,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        # The names of the shapes in Keras 2.
        if "input_shape" in kwargs and not is_keras_2():
            warn_user("The argument `input_shape` of InputLayer is deprecated: pass `shape`.")
        shape = kwargs.pop("input_shape", None) if shape is None else shape
        batch_shape = kwargs.pop("batch_input_shape", None) if batch_shape is None else batch_shape
        type_spec = kwargs.pop("type_spec", None)
        if type_spec is not None:
            batch_shape, dtype, sparse, ragged = _described(type_spec)
        super().__init__(name=name, **kwargs)
        if sparse and ragged:
            raise ValueError(
                "An Input is sparse=True or ragged=True or dense, but not sparse and ragged at "
                "once: leave one of the two out."
            )
        if input_tensor is not None:
            _check_against(input_tensor, shape, batch_size, batch_shape, dtype, sparse, ragged)
            shape, batch_shape, batch_size = None, input_tensor.shape, None
            sparse, ragged = input_tensor.sparse, input_tensor.ragged
        if shape is not None and batch_shape is not None:
            raise ValueError(
                f"Pass `shape` (without the batch dimension) or `batch_shape` (with it), not "
                f"both. Received: shape={shape}, batch_shape={batch_shape}"
            )
        if batch_size is not None and batch_shape is not None:
            raise ValueError(
                f"`batch_shape` already has the batch size: leave `batch_size` out. Received: "
                f"batch_size={batch_size}, batch_shape={batch_shape}"
            )
        if shape is None and batch_shape is None:
            raise ValueError("You must pass a `shape` argument.")
        if batch_shape is None:
            # `Input(shape=(3))` is a number: Keras 2 takes it for a shape of one axis.
            shape = (shape,) if isinstance(shape, int) else shape
            batch_shape = (batch_size, *standardize_shape(shape))
        self._batch_shape = standardize_shape(batch_shape)
        self._dtype = "float32" if dtype is None else dtype
        self.sparse = bool(sparse)
        self.ragged = bool(ragged)
        self.optional = optional
        self.supports_masking = True
        output = input_tensor
        if output is None:
            kind = (self.sparse, self.ragged)
            output = KerasTensor(self._batch_shape, self._dtype, *kind, name=name)
        self._dtype = output.dtype
        Node(self, (), {}, output)
        self.built = True

    def call(self) -> None:
        """Compute nothing: the output of the layer exists once it is constructed."""

    @property
    def batch_shape(self) -> tuple[int | None, ...]:
        """The shape of the input, the batch first."""
        return self._batch_shape

    @property
    def dtype(self) -> str:
        return self._dtype

    def get_config(self) -> dict[str, Any]:
        return {
            "batch_shape": self.batch_shape,
            "dtype": self.dtype,
            "sparse": self.sparse,
            "ragged": self.ragged,
            "name": self.name,
            "optional": self.optional,
        }


def _described(spec: Any) -> tuple[Any, Any, bool, bool]:
    """The shape and dtype of a spec, and whether it is of sparse or of ragged tensors."""
    sparse = isinstance(spec, tf.SparseTensorSpec)
    return spec.shape, spec.dtype, sparse, isinstance(spec, tf.RaggedTensorSpec)


def _check_against(
    tensor: Any,
    shape: Any,
    batch_size: int | None,
    batch_shape: Any,
    dtype: Any,
    sparse: bool | None,
    ragged: bool | None,
) -> None:
    """Check that the other arguments of an InputLayer agree with its `input_tensor`."""
    if not isinstance(tensor, KerasTensor):
        raise ValueError(
            f"`input_tensor` must be a KerasTensor, as `keras.Input` and layers return. "
            f"Received: {tensor!r} of type {type(tensor).__name__}"
        )
    received = {
        "shape": shape if shape is None else standardize_shape(shape),
        "batch_size": batch_size,
        "batch_shape": batch_shape if batch_shape is None else standardize_shape(batch_shape),
        "dtype": dtype if dtype is None else standardize_dtype(dtype),
        "sparse": sparse,
        "ragged": ragged,
    }
    expected = {
        "shape": tensor.shape[1:],
        "batch_size": tensor.shape[0] if tensor.shape else None,
        "batch_shape": tensor.shape,
        "dtype": tensor.dtype,
        "sparse": bool(tensor.sparse),
        "ragged": bool(tensor.ragged),
    }
    for name, value in received.items():
        if value is not None and value != expected[name]:
            raise ValueError(
                f"With `input_tensor`, `{name}` can be left out; an incompatible `{name}` is an "
                f"error. Expected: {name}={expected[name]!r}. Received: {name}={value!r}"
            )


def Input(
    shape: ShapeLike | None = None,
    batch_size: int | None = None,
    dtype: DTypeLike | None = None,
    sparse: bool | None = None,
    ragged: bool | None = None,
    batch_shape: ShapeLike | None = None,
    name: str | None = None,
    tensor: TensorLike | None = None,
    optional: bool = False,
    type_spec: Any = None,
) -> KerasTensor:
    """Create a symbolic input (a `KerasTensor`) to build a functional model from.

    Args:
        shape: Shape without the batch axis; None for sizes that vary.
        batch_size: Static batch size, if it is fixed.
        dtype: Data type; `float32` unless set.
        sparse: Whether the model receives `tf.SparseTensor`s.
        ragged: Whether the model receives `tf.RaggedTensor`s.
        batch_shape: Shape with the batch axis, instead of `shape` and `batch_size`.
        name: Name of the input, by which dicts of data are matched.
        tensor: A KerasTensor to use; in Keras 2, also a tensor with values.
        optional: Whether the model may be called with None for this input.
        type_spec: Type of the input with the batch axis (Keras 2): a `tf.TensorSpec`, or the spec
            of a sparse or ragged tensor.

    Returns:
        A KerasTensor, which layers and operators accept.

    >>> inputs = tf.keras.Input(shape=(4,))
    >>> outputs = tf.keras.layers.Dense(2)(inputs)
    >>> tf.keras.Model(inputs, outputs).output_shape
    (None, 2)

    Raises:
        ValueError: There is no shape, or arguments contradict each other.
    """
    if is_keras_2() and isinstance(tensor, tf.Tensor) and not isinstance(tensor, KerasTensor):
        shape, batch_shape, batch_size = None, tensor.shape, None
        dtype, tensor = tensor.dtype, None
    layer = InputLayer(
        shape=shape,
        batch_size=batch_size,
        dtype=dtype,
        sparse=sparse,
        ragged=ragged,
        batch_shape=batch_shape,
        input_tensor=tensor,
        optional=optional,
        name=name,
        type_spec=type_spec,
    )
    return layer.output
