"""`Einsum`: sums of products of one or two tensors, their axes named by letters.

A letter in both operands and not in the output is summed over as a matrix product, so that BLAS
does the work. `...` stands for axes that are broadcast.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from tapeflow._src.core.batching import Batch
from tapeflow._src.core.dtypes import NUMERIC
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import Shape, broadcast_shape
from tapeflow._src.core.registry import InferError, Many, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.common import (
    broadcast_to,
    concat_v2,
    expand_dims,
    scalar_int,
    shape_of,
    static_ints,
    sum_to,
)
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.linalg.matmul import multiply
from tapeflow._src.ops.math.arithmetic import conj_of

DOTS = "..."
# An axis is identified by its letter, or by its negative index if it is part of `...`.
Label = str | int
Labels = tuple[Label, ...]


# -- equations ---------------------------------------------------------------------------------


class Equation(NamedTuple):
    """A parsed equation: the letters of each operand and of the output, `...` being one of them."""

    operands: tuple[Labels, ...]
    output: Labels


@lru_cache(maxsize=1024)
def parse(equation: str) -> Equation:
    """Parse `ij,jk->ik`, or raise InferError."""
    left, arrow, right = equation.partition("->")
    if not arrow or "->" in right:
        raise InferError(f"Expecting exactly one '->' in einsum equation: {equation}")
    operands = tuple(_letters(part, equation) for part in left.split(","))
    if len(operands) > 2:
        raise InferError(
            f"Expecting 1 or 2 input subscripts in equation '{equation}' but got: {len(operands)}"
        )
    output = _letters(right, equation)
    input_labels = {DOTS}.union(*operands)
    for letter in output:
        if letter not in input_labels:
            raise InferError(
                f"einsum '{equation}': the output label '{letter}' does not occur in any input"
            )
    return Equation(operands, output)


def _letters(part: str, equation: str) -> Labels:
    letters: list[str] = []
    rest = part
    while rest:
        label = DOTS if rest.startswith(DOTS) else rest[0]
        if (label != DOTS and not (label.isascii() and label.isalpha())) or (
            label == DOTS and DOTS in letters
        ):
            raise InferError(f"Subscripts have incorrect format: {equation}")
        letters.append(label)
        rest = rest[len(label) :]
    return tuple(letters)


def _axes(letters: Labels, rank: int, index: int) -> Labels:
    """Return the labels of all axes of an operand: numbers instead of `...`."""
    hidden = rank - (len(letters) - (DOTS in letters))
    if hidden < 0 or (hidden and DOTS not in letters):
        least = "at least " if DOTS in letters else ""
        rank_expected = len(letters) - (DOTS in letters)
        raise InferError(
            f"Expected input {index} to have rank {least}{rank_expected} but got: {rank}"
        )
    return _expand_dots(letters, hidden)


def _expand_dots(letters: Labels, hidden: int) -> Labels:
    """Return `letters` with `...` expanded to the numbers of `hidden` axes."""
    if DOTS not in letters:
        return letters
    at = letters.index(DOTS)
    return (*letters[:at], *range(-hidden, 0), *letters[at + 1 :])


# -- shapes ------------------------------------------------------------------------------------


@op("Einsum", dtypes=NUMERIC)
def einsum(xp, inputs: Many, *, equation):
    """Compute the sum of products that `equation` describes, of one or two tensors."""
    return _evaluate(xp, xp.matmul, inputs, equation)


@einsum.kernel("numpy")
def _(xp, inputs, *, equation):
    return _evaluate(xp, multiply, inputs, equation)


@einsum.infer
def _(inputs, *, equation):
    operands, output = parse(equation)
    if len(inputs) != len(operands):
        raise InferError(
            f"Expecting {len(operands)} inputs for equation '{equation}' but got: {len(inputs)}"
        )
    dtype = inputs[0].dtype
    if any(spec.shape is None for spec in inputs):
        return Spec(None if DOTS in output else (None,) * len(output), dtype)
    sizes, spelled = _result(equation, tuple(spec.shape for spec in inputs))
    return Spec(tuple(sizes[label] for label in spelled), dtype)


def _result(equation: str, shapes: tuple[Any, ...]) -> tuple[dict[Label, Any], Labels]:
    """Return the size of every axis, and the axes of the output; or raise InferError."""
    operands, output = parse(equation)
    sizes, hidden = _sizes(shapes, operands)
    if hidden and DOTS not in output:
        raise InferError(
            f"Output contains {len(hidden)} broadcasting dimension(s) but no ellipsis (...) was "
            f"found in the output subscripts: {equation}"
        )
    return sizes, _expand_dots(output, len(hidden))


def _sizes(shapes: tuple[Any, ...], operands: tuple[Labels, ...]) -> tuple[dict[Label, Any], Any]:
    """Return the size of every axis, and the shape of `...` in the output."""
    sizes: dict[Label, Any] = {}
    hidden: Shape = ()
    for index, (shape, letters) in enumerate(zip(shapes, operands, strict=True)):
        axes = _axes(letters, len(shape), index)
        for axis, (label, size) in enumerate(zip(axes, shape, strict=True)):
            if isinstance(label, int):
                continue
            size_so_far = sizes.get(label)
            if size_so_far is not None and size is not None and size_so_far != size:
                raise InferError(
                    f"Expected dimension {size_so_far} at axis {axis} of the input shaped "
                    f"{fmt_shape(shape)} but got dimension {size}"
                )
            sizes[label] = size if size_so_far is None else size_so_far
        dots = tuple(s for label, s in zip(axes, shape, strict=True) if isinstance(label, int))
        hidden = broadcast_shape(hidden, dots)
    count = len(hidden or ())
    sizes.update({i - count: size for i, size in enumerate(hidden or ())})
    return sizes, hidden


# -- values ------------------------------------------------------------------------------------


class _Operand(NamedTuple):
    """How an operand is prepared: diagonals taken, axes summed over, the rest ordered."""

    diagonals: tuple[tuple[int, int], ...]
    summed: tuple[int, ...]
    order: tuple[int, ...] | None
    shape: tuple[int, ...]
    transposed: bool  # the matrices of `shape` are to be transposed


# The target axes and their shape; and the axes if the matrices are transposed.
_Form = tuple[Labels, tuple[int, ...], Labels | None]


class _Recipe(NamedTuple):
    """How an equation is computed for operands of certain shapes."""

    operands: tuple[_Operand, ...]
    matrices: bool  # the operands are multiplied as matrices, else element by element
    summed: tuple[int, ...]  # axes of the product to sum over
    shape: tuple[int, ...]  # of the product, with all its axes
    order: tuple[int, ...] | None
    unique: tuple[int, ...]  # the output's shape, each axis once
    key: Any  # where its elements stand if axes are repeated
    output: tuple[int, ...]


@lru_cache(maxsize=2048)
def _recipe(equation: str, shapes: tuple[tuple[int, ...], ...]) -> _Recipe:
    sizes, output = _result(equation, shapes)
    axes = [_axes(o, len(s), i) for i, (o, s) in enumerate(zip(parse(equation)[0], shapes))]
    # A broadcast axis of size 1 can be ignored.
    remaining = [
        _unique(
            label
            for label, size in zip(names, shape, strict=True)
            if size == sizes[label] and not (size == 1 and isinstance(label, int))
        )
        for names, shape in zip(axes, shapes, strict=True)
    ]
    first, second = remaining if len(remaining) == 2 else (remaining[0], ())
    shared = [label for label in first if label in second]
    batch = tuple(label for label in shared if label in output)
    inner = tuple(label for label in shared if label not in output)
    left = tuple(label for label in first if label not in second and label in output)
    right = tuple(label for label in second if label not in first and label in output)
    product_axes = (*batch, *left, *right)
    # Without matrices in it BLAS would be called for each number.
    matrices = bool(inner and (left or right or not batch))

    def shape(labels: Labels) -> tuple[int, ...]:
        return tuple(sizes[label] for label in labels)

    if matrices:
        sides = [math.prod(shape(labels)) for labels in (left, inner, right)]
        forms: list[_Form] = [
            ((*batch, *left, *inner), (*shape(batch), sides[0], sides[1]), (*batch, *inner, *left)),
            (
                (*batch, *inner, *right),
                (*shape(batch), sides[1], sides[2]),
                (*batch, *right, *inner),
            ),
        ]
    else:
        apart, before = (1,) * len(right), (1,) * len(left)
        forms = [
            ((*batch, *left, *inner), (*shape((*batch, *left)), *apart, *shape(inner)), None),
            ((*batch, *right, *inner), (*shape(batch), *before, *shape((*right, *inner))), None),
        ]
    unique = _unique(output)
    return _Recipe(
        tuple(_operand(names, *form) for names, form in zip(axes, forms)),
        matrices,
        () if matrices else tuple(range(len(product_axes), len(product_axes) + len(inner))),
        shape(product_axes),
        _order(tuple(label for label in unique if label in product_axes), product_axes),
        shape(unique),
        None if len(unique) == len(output) else _diagonal_index(shape(unique), unique, output),
        shape(output),
    )


def _unique(labels: Any) -> Labels:
    return tuple(dict.fromkeys(labels))


def _order(target: Labels, labels: Labels) -> tuple[int, ...] | None:
    """Return the positions of the target axes; None if they are in order."""
    order = tuple(labels.index(label) for label in target)
    return None if order == tuple(range(len(order))) else order


def _operand(
    axes: Labels, remaining: Labels, shape: tuple[int, ...], transposed: Labels | None
) -> _Operand:
    """Return how an operand is brought to the axes `remaining`, and then to `shape`.

    If its axes are in the order of `transposed`, columns before rows, they keep their order and the
    matrix is transposed after it is reshaped: products take such an operand without a copy, where
    axes in another order would be copied first.
    """
    diagonals = []
    while len(set(axes)) < len(axes):
        repeated = next(label for label in axes if axes.count(label) > 1)
        i = axes.index(repeated)
        j = axes.index(repeated, i + 1)
        diagonals.append((i, j))
        axes = (*axes[:i], *axes[i + 1 : j], *axes[j + 1 :], repeated)
    summed = tuple(i for i, label in enumerate(axes) if label not in remaining)
    rest = tuple(label for label in axes if label in remaining)
    if rest == transposed and rest != remaining:
        shape = (*shape[:-2], shape[-1], shape[-2])
        return _Operand(tuple(diagonals), summed, None, shape, True)
    return _Operand(tuple(diagonals), summed, _order(remaining, rest), shape, False)


def _diagonal_index(shape: tuple[int, ...], unique: Labels, output: Labels) -> tuple[Any, ...]:
    """Return the index of a diagonal: repeated labels share an index."""
    grid = np.ix_(*(np.arange(size) for size in shape))
    return tuple(grid[unique.index(label)] for label in output)


def _evaluate(xp: ModuleType, matmul: Callable[..., Any], inputs: Any, equation: str) -> Any:
    kind = inputs[0].dtype
    recipe = _recipe(equation, tuple([x.shape for x in inputs]))
    half = kind.itemsize == 2 and kind.kind not in "iu"
    if half:
        inputs = [x.astype(np.float32) for x in inputs]
    result, *rest = [_prepare_operand(xp, x, form) for x, form in zip(inputs, recipe.operands)]
    if rest:
        result = matmul(result, rest[0]) if recipe.matrices else result * rest[0]
        if recipe.summed:
            result = xp.sum(result, axis=recipe.summed, dtype=result.dtype)
    if result.shape != recipe.shape:
        result = result.reshape(recipe.shape)
    if recipe.order is not None:
        result = result.transpose(recipe.order)
    if result.shape != recipe.unique:
        result = result.reshape(recipe.unique)
    if recipe.key is not None:
        result = xp.index_set(xp.zeros(recipe.output, result.dtype), recipe.key, result)
    return result.astype(kind) if half else result


def _prepare_operand(xp: ModuleType, x: Any, form: _Operand) -> Any:
    for i, j in form.diagonals:
        x = xp.diagonal(x, 0, i, j)
    if form.summed:
        x = xp.sum(x, axis=form.summed, dtype=x.dtype)
    if form.order is not None:
        x = x.transpose(form.order)
    if x.shape != form.shape:
        x = x.reshape(form.shape)
    return xp.swapaxes(x, -1, -2) if form.transposed else x


# -- gradient ----------------------------------------------------------------------------------


@einsum.gradient
def _(dz, *, inputs, equation, needed):
    operands, output = parse(equation)
    if len(inputs) == 1:
        return [_pulled_back(dz, output, inputs[0], operands[0], None, ())]
    (x, y), (of_x, of_y) = inputs, operands
    return [
        _pulled_back(dz, output, x, of_x, y, of_y) if needed[0] else None,
        _pulled_back(dz, output, y, of_y, x, of_x) if needed[1] else None,
    ]


@einsum.batch
def _(batch: Batch, inputs: Any, *, equation: Any) -> Any:
    left, arrow, right = equation.partition("->")
    letter = next((c for c in "ZYXWVUTSRQPONMLKJIHGFEDCBA" if c not in equation), None)
    if not arrow or letter is None:
        return NotImplemented
    terms = [
        letter + term.strip() if batch.has(x) else term
        for term, x in zip(left.split(","), inputs, strict=True)
    ]
    values = [batch.values(x) if batch.has(x) else x for x in inputs]
    return batch.op(values, equation=f"{','.join(terms)}->{letter}{right.strip()}")


def _pulled_back(dz: Any, output: Labels, x: Any, of_x: Labels, y: Any, of_y: Labels) -> Any:
    """Return the gradient w.r.t. one operand, `y` being the other, if there is one."""
    available = {*output, *of_y}
    letters = _unique(label for label in of_x if label != DOTS)
    remaining = tuple(label for label in letters if label in available)
    lost = tuple(label for label in letters if label not in available)
    factors, left = [dz], _text(output)
    if y is not None:
        factors, left = [dz, conj_of(y)], f"{_text(output)},{_text(of_y)}"
    broadcast = DOTS in available
    if not broadcast and remaining == of_x:
        return einsum(factors, equation=f"{left}->{_text(of_x)}")
    gradient = einsum(factors, equation=f"{left}->{DOTS if broadcast else ''}{_text(remaining)}")
    if broadcast:
        gradient = sum_to(gradient, _sizes_of(x, of_x, remaining))
    if lost:
        for _ in lost:
            gradient = expand_dims(gradient, scalar_int(-1))
        gradient = broadcast_to(gradient, _sizes_of(x, of_x, (*remaining, *lost)))
    axes = (*((DOTS,) if DOTS in of_x else ()), *remaining, *lost)
    return (
        gradient if axes == of_x else einsum([gradient], equation=f"{_text(axes)}->{_text(of_x)}")
    )


def _text(labels: Labels) -> str:
    return "".join(str(label) for label in labels)


def _sizes_of(x: Any, of_x: Labels, letters: Labels) -> Any:
    """Return the sizes of the axes of `...` in `x`, followed by those of `letters`."""
    dims = x.static_shape
    if dims is not None and None not in dims:
        axes = _axes(of_x, len(dims), 0)
        hidden = tuple(label for label in axes if isinstance(label, int))
        return static_ints(tuple(dims[axes.index(label)] for label in (*hidden, *letters)))
    every = shape_of(x)
    at = of_x.index(DOTS) if DOTS in of_x else len(of_x)
    after = len(of_x) - at - 1
    parts = [get_item(every, slice(at, -after or None))] if DOTS in of_x else []
    for letter in letters:
        index = of_x.index(letter)
        start = index if index < at else index - len(of_x)
        parts.append(get_item(every, slice(start, start + 1 or None)))
    return concat_v2(parts, scalar_int(0)) if parts else static_ints(())
