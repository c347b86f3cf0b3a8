"""Sums, products and the like of several tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.layers import sparse
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.masks import get_mask


class Merge(Layer):
    """One tensor of a list of tensors, whose shapes broadcast."""

    _tpf_keeps_sparsity = True
    # What merges two tensors of which at least one is sparse.
    _merge_sparse: Any = None

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        if not isinstance(input_shape, (tuple, list)) or not isinstance(
            input_shape[0], (tuple, list)
        ):
            raise ValueError(
                f"{type(self).__name__} '{self.name}' merges a list of inputs: call it as "
                f"`layer([a, b])`. Received a single input of shape {input_shape}"
            )
        if len(input_shape) < 1:
            raise ValueError(
                f"{type(self).__name__} '{self.name}' needs at least one input. Received an empty "
                f"list."
            )
        batches = {shape[0] for shape in input_shape if shape} - {None}
        if len(batches) > 1:
            raise ValueError(
                f"{type(self).__name__} '{self.name}' expected inputs of one batch size. Received "
                f"the shapes {input_shape}"
            )
        self.compute_output_shape(input_shape)

    def _merge_function(self, inputs: list[Any]) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not say how it merges tensors.")

    def call(self, inputs: Any) -> Any:
        if not isinstance(inputs, (list, tuple)):
            raise ValueError(
                f"{type(self).__name__} '{self.name}' merges a list of inputs: call it as "
                f"`layer([a, b])`. Received: {inputs!r}"
            )
        values = _of_one_rank(list(inputs))
        if any(map(sparse.is_sparse, values)):
            return self._merge_sparse_ones(values)
        return self._merge_function(values)

    def _merge_sparse_ones(self, inputs: list[Any]) -> Any:
        if self._merge_sparse is None:
            return self._merge_function([sparse.to_dense(x) for x in inputs])
        return functools.reduce(self._merge_sparse, inputs)

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        output = tuple(input_shape[0])
        for shape in input_shape[1:]:
            output = self._broadcast(output, tuple(shape))
        batches = {shape[0] for shape in input_shape} - {None}
        return (batches.pop() if len(batches) == 1 else None, *output[1:])

    def _broadcast(self, first: Any, second: Any) -> tuple[int | None, ...]:
        longer, shorter = (first, second) if len(first) >= len(second) else (second, first)
        if not shorter:
            return longer
        # Missing axes come after the batch.
        padded = (shorter[0], *[1] * (len(longer) - len(shorter)), *shorter[1:])
        dims: list[int | None] = []
        for i, j in zip(longer, padded):
            if i is None or j is None:
                dims.append(None)
            elif i == 1 or j == 1 or i == j:
                dims.append(max(i, j))
            else:
                raise ValueError(
                    f"A merging layer cannot broadcast its inputs: the shapes {first[1:]} and "
                    f"{second[1:]} (without the batch) are incompatible, as {i} and {j} differ and "
                    f"neither is 1."
                )
        return tuple(dims)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Return the union of the masks; None if any input has no mask.

        Args:
            inputs: List of the inputs.
            mask: List with a mask, or None, for each input; None if there are no masks.

        Raises:
            ValueError: An argument is no list, or their lengths differ.
        """
        masks = self._checked_masks(inputs, mask)
        if any(each is None for each in masks):
            return None
        return functools.reduce(tf.logical_or, [tf.cast(each, tf.bool) for each in masks])

    def _checked_masks(self, inputs: Any, mask: Any) -> list[Any]:
        """The mask of each input, or None for those without."""
        if mask is None:
            return [None]
        for name, value in (("mask", mask), ("inputs", inputs)):
            if not isinstance(value, (list, tuple)):
                raise ValueError(
                    f"{type(self).__name__}.compute_mask: `{name}` must be a list, with one item "
                    f"for each input. Received: {name}={value!r}"
                )
        if len(mask) != len(inputs):
            raise ValueError(
                f"{type(self).__name__}.compute_mask: expected one mask (or None) for each of the "
                f"{len(inputs)} inputs. Received {len(mask)}."
            )
        return list(mask)


def _of_one_rank(inputs: list[Any]) -> list[Any]:
    """The inputs with axes of size 1 after the batch, where one has fewer than another."""
    ranks = [x.shape.rank for x in inputs]
    if None in ranks or len(set(ranks)) == 1:
        return inputs
    most = max(ranks)
    for index, rank in enumerate(ranks):
        for _ in range(most - rank):
            expand = tf.sparse.expand_dims if sparse.is_sparse(inputs[index]) else tf.expand_dims
            inputs[index] = expand(inputs[index], 1)
    return inputs


class Add(Merge):
    """Adds its inputs element by element.

    The call takes a list of tensors. Shapes broadcast, and axes that a tensor lacks are added after
    its batch axis. Sparse inputs are accepted; the output is sparse if all of them are. The mask of
    the output is the union of the masks, if every input has one.

    Raises:
        ValueError: The input is no list, or the shapes do not broadcast.

    Example:
        >>> tf.keras.layers.Add()([tf.ones((1, 2)), tf.ones((1, 2))]).numpy()
        array([[2., 2.]], dtype=float32)
    """

    _merge_sparse = staticmethod(sparse.add)

    def _merge_function(self, inputs: list[Any]) -> Any:
        output = inputs[0]
        for x in inputs[1:]:
            output = output + x
        return output


class Subtract(Merge):
    """Element-wise difference of two tensors: the first minus the second.

    The call takes a list of two tensors, whose shapes broadcast.

    Raises:
        ValueError: The input is no list of two tensors.

    Example:
        >>> tf.keras.layers.Subtract()([tf.constant([[3.0]]), tf.constant([[1.0]])]).numpy()
        array([[2.]], dtype=float32)
    """

    _merge_sparse = staticmethod(sparse.subtract)

    def build(self, input_shape: Any) -> None:
        super().build(input_shape)
        if len(input_shape) != 2:
            raise ValueError(
                f"Subtract '{self.name}' expected 2 inputs: call it as `layer([a, b])`. Received "
                f"{len(input_shape)} inputs of shapes {input_shape}"
            )

    def _merge_function(self, inputs: list[Any]) -> Any:
        return inputs[0] - inputs[1]


class Multiply(Merge):
    """Element-wise product of a list of tensors.

    Shapes broadcast. Masked elements of an input count as 1, so that the others remain as they are;
    what is masked in all inputs becomes 0.

    Raises:
        ValueError: The input is no list, or the shapes do not broadcast.

    Example:
        >>> tf.keras.layers.Multiply()([tf.constant([[3.0]]), tf.constant([[2.0]])]).numpy()
        array([[6.]], dtype=float32)
    """

    _merge_sparse = staticmethod(sparse.multiply)

    def _merge_function(self, inputs: list[Any]) -> Any:
        masks = [_element_mask(x) for x in inputs]
        if any(mask is not None for mask in masks):
            return _masked_product(inputs, masks)
        output = inputs[0]
        for x in inputs[1:]:
            output = output * x
        return output


class Average(Merge):
    """Element-wise mean of a list of tensors; shapes broadcast.

    Raises:
        ValueError: The input is no list, or the shapes do not broadcast.

    Example:
        >>> tf.keras.layers.Average()([tf.constant([[3.0]]), tf.constant([[1.0]])]).numpy()
        array([[2.]], dtype=float32)
    """

    def _merge_function(self, inputs: list[Any]) -> Any:
        output = inputs[0]
        for x in inputs[1:]:
            output = output + x
        return output / len(inputs)

    def _merge_sparse_ones(self, inputs: list[Any]) -> Any:
        return sparse.scale(functools.reduce(sparse.add, inputs), 1 / len(inputs))


class Maximum(Merge):
    """Element-wise maximum of a list of tensors.

    Shapes broadcast. A masked element leaves that of the other inputs as it is.

    Raises:
        ValueError: The input is no list, or the shapes do not broadcast.

    Example:
        >>> tf.keras.layers.Maximum()([tf.constant([[3.0]]), tf.constant([[1.0]])]).numpy()
        array([[3.]], dtype=float32)
    """

    _merge_sparse = staticmethod(sparse.maximum)

    def _merge_function(self, inputs: list[Any]) -> Any:
        return _merge_unmasked(tf.maximum, inputs)


class Minimum(Merge):
    """Element-wise minimum of a list of tensors.

    Shapes broadcast. A masked element leaves that of the other inputs as it is.

    Raises:
        ValueError: The input is no list, or the shapes do not broadcast.

    Example:
        >>> tf.keras.layers.Minimum()([tf.constant([[3.0]]), tf.constant([[1.0]])]).numpy()
        array([[1.]], dtype=float32)
    """

    _merge_sparse = staticmethod(sparse.minimum)

    def _merge_function(self, inputs: list[Any]) -> Any:
        return _merge_unmasked(tf.minimum, inputs)


def _element_mask(x: TensorLike) -> Any:
    """The mask that came with a tensor, in its shape; None if there is none."""
    mask = get_mask(x)
    return None if mask is None else tf.broadcast_to(tf.expand_dims(mask, -1), tf.shape(x))


def _masked_product(inputs: list[Any], masks: list[Any]) -> Any:
    """The product of what is not masked, and zero where all of the inputs are masked."""
    factors = [
        x if mask is None else tf.where(mask, x, tf.ones([], x.dtype))
        for x, mask in zip(inputs, masks)
    ]
    product = functools.reduce(tf.multiply, factors)
    if any(mask is None for mask in masks):
        return product
    return tf.where(functools.reduce(tf.logical_or, masks), product, tf.zeros([], product.dtype))


def _merge_unmasked(merge: Callable[[Any, Any], Any], inputs: list[Any]) -> Any:
    """Merge two by two; a masked element leaves the other one as it is."""
    output, output_mask = inputs[0], _element_mask(inputs[0])
    for x in inputs[1:]:
        mask = _element_mask(x)
        if mask is not None:
            x = tf.where(mask, x, output)
        if output_mask is not None:
            output = tf.where(output_mask, output, x)
        both = mask is not None and output_mask is not None
        output_mask = tf.logical_or(output_mask, mask) if both else None
        output = merge(output, x)
    return output
