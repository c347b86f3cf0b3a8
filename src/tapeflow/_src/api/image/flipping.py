"""Flip, rotate and transpose images, always or randomly."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.control_flow.branching import cond, switch_case
from tapeflow._src.api.image.checks import as_image, rank_of
from tapeflow._src.api.image.randomness import Draw, stateful_draw, stateless_draw
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.dtypes import int32
from tapeflow._src.core.naming import scope_name, scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.shape import rank, reshape, shape_of, static_ints
from tapeflow._src.ops.array.stacking import pack
from tapeflow._src.ops.array.transpose import reverse_v2
from tapeflow._src.ops.array.transpose import transpose as transpose_op
from tapeflow._src.ops.math.arithmetic import add_v2, floor_mod, mul, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import equal, less
from tapeflow._src.ops.math.rounding import round_


def _for_rank(image: Any, act: Any) -> Any:
    """Call `act(image, first)`, where `first` is the axis of the height."""
    image = as_image(image)
    if image.static_shape is None:
        return cond(equal(rank(image), 3), lambda: act(image, 0), lambda: act(image, 1))
    return act(image, rank_of(image) - 3)


def _mirror(image: TensorLike, axis: int) -> Any:
    return _for_rank(image, lambda x, first: reverse_v2(x, static_ints((first + axis,))))


@scoped("flip_left_right")
def flip_left_right(image: TensorLike) -> Tensor:
    """Flip images horizontally.

    Args:
        image: One image of shape (height, width, channels), or a batch.

    Returns:
        A tensor in the shape and dtype of the input.

    Example:
        >>> tf.image.flip_left_right([[[1], [2], [3]]]).numpy()[..., 0]
        array([[3, 2, 1]], dtype=int32)
    """
    return _mirror(image, 1)


@scoped("flip_up_down")
def flip_up_down(image: TensorLike) -> Tensor:
    """Flip images vertically.

    Args:
        image: One image of shape (height, width, channels), or a batch.

    Returns:
        A tensor in the shape and dtype of the input.

    Example:
        >>> tf.image.flip_up_down([[[1]], [[2]]]).numpy()[..., 0]
        array([[2],
               [1]], dtype=int32)
    """
    return _mirror(image, 0)


def _mirror_by_chance(image: Any, axis: int, draw: Draw) -> Any:
    def one(image: Any) -> Any:
        chance = less(draw([], 0, 1.0), 0.5)
        mirrored = cond(
            chance, lambda: reverse_v2(image, static_ints((axis,))), lambda: image, scope_name()
        )
        mirrored.set_shape(image.shape)
        return mirrored

    def each(images: Any) -> Any:
        count = shape_of(images)[0]
        flips = round_(reshape(draw(pack([count]), 0, 1.0), pack([count, 1, 1, 1])))
        flips = cast(flips, DstT=images.dtype)
        mirrored = reverse_v2(images, static_ints((axis + 1,)))
        unflipped = sub(convert(1, images.dtype), flips)
        return add_v2(mul(flips, mirrored), mul(unflipped, images))

    return _for_rank(image, lambda x, first: each(x) if first else one(x))


@scoped("random_flip_left_right")
def random_flip_left_right(image: TensorLike, seed: Any = None) -> Tensor:
    """Flip each image horizontally with probability 1/2.

    Args:
        image: One image of shape (height, width, channels), or a batch.
        seed: Op seed; see `tf.random.set_seed`.

    Returns:
        A tensor in the shape and dtype of the input.

    Example:
        >>> tf.image.random_flip_left_right(tf.zeros([4, 6, 3]), seed=1).shape
        TensorShape([4, 6, 3])
    """
    return _mirror_by_chance(image, 1, stateful_draw(seed))


@scoped("random_flip_up_down")
def random_flip_up_down(image: TensorLike, seed: Any = None) -> Tensor:
    """Flip each image vertically with probability 1/2.

    Args:
        image: One image of shape (height, width, channels), or a batch.
        seed: Op seed; see `tf.random.set_seed`.

    Returns:
        A tensor in the shape and dtype of the input.

    Example:
        >>> tf.image.random_flip_up_down(tf.zeros([4, 6, 3]), seed=1).shape
        TensorShape([4, 6, 3])
    """
    return _mirror_by_chance(image, 0, stateful_draw(seed))


@scoped("stateless_random_flip_left_right")
def stateless_random_flip_left_right(image: TensorLike, seed: Any) -> Tensor:
    """Flip each image horizontally with probability 1/2, determined by `seed`.

    Args:
        image: One image of shape (height, width, channels), or a batch.
        seed: Two integers.

    Returns:
        A tensor in the shape and dtype of the input.

    Example:
        >>> image = tf.constant([[[1], [2]]])
        >>> tf.image.stateless_random_flip_left_right(image, seed=(2, 3)).shape
        TensorShape([1, 2, 1])
    """
    return _mirror_by_chance(image, 1, stateless_draw(seed))


@scoped("stateless_random_flip_up_down")
def stateless_random_flip_up_down(image: TensorLike, seed: Any) -> Tensor:
    """Flip each image vertically with probability 1/2, determined by `seed`.

    Args:
        image: One image of shape (height, width, channels), or a batch.
        seed: Two integers.

    Returns:
        A tensor in the shape and dtype of the input.

    Example:
        >>> image = tf.constant([[[1]], [[2]]])
        >>> tf.image.stateless_random_flip_up_down(image, seed=(2, 3)).shape
        TensorShape([2, 1, 1])
    """
    return _mirror_by_chance(image, 0, stateless_draw(seed))


def _swapped(image: TensorLike, first: int, name: str | None = None) -> Any:
    order = (*range(first), first + 1, first, first + 2)
    return transpose_op(image, static_ints(order), name=name)


def transpose(image: TensorLike, name: str | None = None) -> Tensor:
    """Transpose height and width of images.

    Args:
        image: One image of shape (height, width, channels), or a batch.

    Returns:
        A tensor of shape (width, height, channels), or a batch of them.

    Example:
        >>> tf.image.transpose([[[1], [2], [3]]]).numpy()[..., 0]
        array([[1],
               [2],
               [3]], dtype=int32)
    """
    return _transposed(image, name, name=name)


@scoped("transpose")
def _transposed(image: TensorLike, op_name: str | None, name: str | None) -> Any:
    return _for_rank(image, lambda x, first: _swapped(x, first, op_name))


@scoped("rot90")
def rot90(image: TensorLike, k: Any = 1, name: str | None = None) -> Tensor:
    """Rotate images counter-clockwise by `k` quarter turns.

    Args:
        image: One image of shape (height, width, channels), or a batch.
        k: Number of quarter turns, an integer scalar.

    Returns:
        The rotated image or batch.

    Raises:
        ValueError: If `k` is not a scalar.

    Example:
        >>> tf.image.rot90([[[1], [2]], [[3], [4]]]).numpy()[..., 0]
        array([[2, 4],
               [1, 3]], dtype=int32)
    """
    turns = convert(k, int32)
    if turns.static_shape:
        raise ValueError(f"`k` must be a scalar, got shape {turns.shape}")
    turns = floor_mod(turns, convert(4, int32))
    return _for_rank(image, lambda x, first: _rotated(x, first, turns))


def _rotated(image: TensorLike, first: int, turns: Any) -> Any:
    rows, columns = static_ints((first,)), static_ints((first + 1,))
    branches = [
        lambda: image,
        lambda: _swapped(reverse_v2(image, columns), first),
        lambda: reverse_v2(reverse_v2(image, rows), columns),
        lambda: reverse_v2(_swapped(image, first), columns),
    ]
    static_turns = turns.static_value
    return switch_case(turns, branches) if static_turns is None else branches[int(static_turns)]()
