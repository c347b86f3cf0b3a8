"""Tensors side by side, and their dot products."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.layers import sparse
from tapeflow._src.keras.layers.merging.elementwise import Merge
from tapeflow._src.keras.ops.promotion import promoted_list
from tapeflow._src.keras.utils.arrays import normalize


class Concatenate(Merge):
    """Concatenates a list of tensors along an axis.

    Call it on a list of tensors of the same rank. The output is sparse if all inputs are.

    Args:
        axis: Axis to concatenate along; all other sizes must agree.

    Raises:
        ValueError: The input is no list, or sizes along other axes differ.
        IndexError: The axis is out of range.

    Example:
        >>> tf.keras.layers.Concatenate()([tf.ones((2, 3)), tf.ones((2, 4))]).shape
        TensorShape([2, 7])
    """

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def build(self, input_shape: Any) -> None:
        if len(input_shape) < 1 or not isinstance(input_shape[0], (tuple, list)):
            raise ValueError(
                f"Concatenate '{self.name}' expected a list of inputs: call it as "
                f"`layer([a, b])`. Received the input shape {input_shape}"
            )
        self.compute_output_shape(input_shape)

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        shapes = [list(shape) for shape in input_shape]
        ranks = {len(shape) for shape in shapes}
        if len(ranks) == 1:
            self._check_axis(len(shapes[0]))
            rest = [[n for i, n in enumerate(s) if i != self.axis % len(s)] for s in shapes]
        if len(ranks) > 1 or any(
            a is not None and b is not None and a != b
            for other in rest[1:]
            for a, b in zip(rest[0], other)
        ):
            raise ValueError(
                f"Concatenate '{self.name}' expected inputs whose shapes agree on every axis but "
                f"axis={self.axis}. Received the shapes {input_shape}"
            )
        output = shapes[0]
        for shape in shapes[1:]:
            here, there = output[self.axis], shape[self.axis]
            joined = None if here is None or there is None else here + there
            output = [a if a is not None else b for a, b in zip(output, shape)]
            output[self.axis] = joined
        return tuple(output)

    def _check_axis(self, rank: int) -> None:
        if not -rank <= self.axis < rank:
            raise IndexError(
                f"Concatenate '{self.name}': axis={self.axis} is out of range for inputs of rank "
                f"{rank}; expected -{rank} to {rank - 1}."
            )

    def call(self, inputs: Any) -> Any:
        values = list(inputs)
        if any(map(sparse.is_sparse, values)):
            if all(map(sparse.is_sparse, values)):
                return tf.sparse.concat(self.axis, values)
            values = [sparse.to_dense(value) for value in values]
        if len({value.dtype for value in values}) > 1:
            values = promoted_list(values)
        return tf.concat(values, axis=self.axis)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Concatenate the masks; an input without one counts everywhere.

        Args:
            inputs: List of the inputs.
            mask: List with a mask, or None, for each input; None if there are no masks.
        """
        input_masks = self._checked_masks(inputs, mask)
        if all(each is None for each in input_masks):
            return None
        masks = []
        for x, each in zip(inputs, input_masks):
            if each is None:
                masks.append(tf.ones_like(x, dtype=tf.bool))
            elif len(each.shape) < len(x.shape):
                wide = tf.expand_dims(tf.cast(each, tf.bool), -1)
                masks.append(tf.logical_or(wide, tf.zeros_like(x, dtype=tf.bool)))
            else:
                masks.append(tf.cast(each, tf.bool))
        return tf.reduce_any(tf.concat(masks, axis=self.axis), axis=-1)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "axis": self.axis}


class Dot(Merge):
    """Batched dot product of two tensors.

    Call it on a list of two tensors. The outputs have the batch axis, then the other axes of the
    first tensor, then those of the second; if there are none, one of size 1.

    Args:
        axes: Axis to sum over in both tensors, or a pair with one per tensor.
        normalize: Whether to L2-normalize along these axes first, which computes cosine proximity.

    Raises:
        TypeError: `axes` is neither an integer nor a list.
        ValueError: `axes` has not two integers, there are not two inputs, or their sizes along
            `axes` differ.

    Example:
        >>> tf.keras.layers.Dot(axes=1)([tf.ones((2, 3)), tf.ones((2, 3))]).numpy().ravel()
        array([3., 3.], dtype=float32)
    """

    def __init__(self, axes: Any, normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(axes, int):
            if not isinstance(axes, (list, tuple)):
                raise TypeError(
                    f"Dot: `axes` must be an integer or a pair of integers, one for each input. "
                    f"Received: axes={axes!r}"
                )
            if len(axes) != 2 or not all(isinstance(axis, int) for axis in axes):
                raise ValueError(
                    f"Dot: `axes` must have two integers, one for each input. Received: "
                    f"axes={axes!r}"
                )
        self.axes = axes
        self.normalize = normalize

    def _axes_for(self, first: Any, second: Any) -> tuple[int, int]:
        axes = (self.axes,) * 2 if isinstance(self.axes, int) else self.axes
        return axes[0] % len(first), axes[1] % len(second)

    def build(self, input_shape: Any) -> None:
        if len(input_shape) != 2 or not isinstance(input_shape[0], (tuple, list)):
            raise ValueError(
                f"Dot '{self.name}' expected 2 inputs: call it as `layer([a, b])`. Received the "
                f"input shape {input_shape}"
            )
        first, second = input_shape
        axis, other = self._axes_for(first, second)
        if None not in (first[axis], second[other]) and first[axis] != second[other]:
            raise ValueError(
                f"Dot '{self.name}' expected equal sizes along axes={self.axes}. Received sizes "
                f"{first[axis]} (axis {axis} of {first}) and {second[other]} (axis {other} of "
                f"{second})."
            )

    def call(self, inputs: Any) -> Any:
        if len(inputs) != 2:
            raise ValueError(
                f"Dot '{self.name}' expected 2 inputs: call it as `layer([a, b])`. Received "
                f"{len(inputs)}: {inputs!r}"
            )
        x, y = map(sparse.to_dense, inputs)
        axis, other = self._axes_for(x.shape, y.shape)
        if self.normalize:
            x, y = normalize(x, axis=axis), normalize(y, axis=other)
        letters = "cdefghijklmnop"
        left = ["a", *letters[: x.shape.rank - 1]]
        right = ["a", *letters[x.shape.rank : x.shape.rank + y.shape.rank - 1]]
        left[axis] = right[other] = "z"
        rest = [letter for letter in left + right if letter not in "az"]
        products = tf.einsum(f"{''.join(left)},{''.join(right)}->a{''.join(rest)}", x, y)
        products = products if rest else tf.expand_dims(products, 1)
        both_sparse = all(map(sparse.is_sparse, inputs))
        return tf.sparse.from_dense(products) if both_sparse else products

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        first, second = input_shape
        axis, other = self._axes_for(first, second)
        left = [size for index, size in enumerate(first) if index not in (0, axis)]
        right = [size for index, size in enumerate(second) if index not in (0, other)]
        return (first[0], *((left + right) or [1]))

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return None

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "axes": self.axes, "normalize": self.normalize}
