"""`tf.einsum`: contractions of any number of tensors, pairwise in an optimised order."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Any

import numpy as np

from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.linalg.einsum import DOTS
from tapeflow._src.ops.linalg.einsum import einsum as einsum_op

_FORMAT = re.compile(r"(?:[a-zA-Z.]*,)*[a-zA-Z.]*(?:->[a-zA-Z.]*)?")
_LABEL = re.compile(r"\.\.\.|[a-zA-Z]")
# NumPy knows two ways to look for an order; TF's other ones are heuristics between them.
_OPTIMIZERS = {
    "greedy": "greedy",
    "eager": "greedy",
    "opportunistic": "greedy",
    "optimal": "optimal",
    "dp": "optimal",
    "dynamic-programming": "optimal",
    "branch-all": "optimal",
    "branch-2": "optimal",
    "branch-1": "greedy",
    "auto": "greedy",
    "auto-hq": "optimal",
    "random-greedy": "greedy",
    "random-greedy-128": "greedy",
}
# The assumed value of an unknown size when the order is chosen.
_TYPICAL_SIZE = 32


@scoped("einsum")
def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """Evaluate an Einstein summation, such as `ij,jk->ik` for a matrix product.

    A label that is not in the output is summed over; `...` stands for broadcast axes. Without `->`
    the output has the labels that occur once, in alphabetical order.

    Args:
        equation: The labels of the axes of each operand and of the result.
        *inputs: The operands, of one dtype.
        **kwargs: `optimize`, the strategy for the order of contractions, and `name`.

    Returns:
        A tensor with the axes of the output labels.

    Raises:
        ValueError: The equation is malformed, or the number of operands is another.

    Example:

        >>> matrix, vector = tf.constant([[1, 2], [3, 4]]), tf.constant([1, 10])
        >>> tf.einsum("ij,j->i", matrix, vector).numpy().tolist()
        [21, 43]
        >>> tf.einsum("bii->b", tf.ones((2, 3, 3))).numpy().tolist()
        [3.0, 3.0]
    """
    kwargs.pop("name", None)
    optimize = kwargs.pop("optimize", "greedy")
    kwargs.pop("greedy", None)
    if kwargs:
        raise TypeError(
            "einsum accepts the keyword arguments name, optimize and greedy, received: "
            f"{', '.join(kwargs)}."
        )
    operands, output, complete = _read(equation)
    if len(operands) != len(inputs):
        raise ValueError(
            f'Got {len(inputs)} inputs for equation "{equation}", expecting {len(operands)}'
        )
    tensors = _of_one_dtype(inputs)
    if len(tensors) <= 2:
        return einsum_op(tensors, equation=complete)
    if optimize not in _OPTIMIZERS:
        raise KeyError(
            f"Path optimizer '{optimize}' not found, valid options are {sorted(_OPTIMIZERS)}."
        )
    shapes = tuple(_assumed(t, labels) for t, labels in zip(tensors, operands, strict=True))
    for pair, step in _path(operands, output, shapes, _OPTIMIZERS[optimize]):
        pair_operands = [tensors[i] for i in pair]
        tensors = [t for i, t in enumerate(tensors) if i not in pair]
        tensors.append(einsum_op(pair_operands, equation=step))
    return tensors[0]


def _of_one_dtype(inputs: tuple[Any, ...]) -> list[Any]:
    """Convert operands to tensors of the dtype of the first tensor, else of the first."""
    first: Any = next((x for x in inputs if isinstance(x, Tensor)), None)
    if first is None and inputs:
        first = convert(inputs[0])
    return [x if isinstance(x, Tensor) else convert(x, None, first.dtype) for x in inputs]


@lru_cache(maxsize=1024)
def _read(equation: str) -> tuple[tuple[str, ...], str, str]:
    """Parse the labels of each operand and the output; also return the normalised equation."""
    text = equation.replace(" ", "")
    if not _FORMAT.fullmatch(text) or "." in text.replace(DOTS, ""):
        raise ValueError(f"Subscripts have incorrect format: {equation}")
    left, arrow, output = text.partition("->")
    operands = tuple(left.split(","))
    counts = Counter(letter for operand in operands for letter in operand if letter != ".")
    if not arrow:
        output = DOTS if DOTS in left else ""
        output += "".join(sorted(c for c, times in counts.items() if times == 1))
        return operands, output, f"{left}->{output}"
    letters = output.replace(DOTS, "")
    for letter in letters:
        if letter not in counts:
            raise ValueError(
                f"einsum '{equation}': the output label '{letter}' does not occur in any input. "
                "Remove it from the output, or add it to an operand."
            )
    if len(set(letters)) < len(letters):
        raise ValueError(
            f"einsum '{equation}': each label may occur only once in the output, received "
            f"'{letters}'."
        )
    return operands, output, text


def _assumed(tensor: Any, labels: str) -> tuple[int, ...]:
    dims = tensor.static_shape
    if dims is None:
        return (_TYPICAL_SIZE,) * len(labels.replace(DOTS, ""))
    return tuple(_TYPICAL_SIZE if size is None else size for size in dims)


@lru_cache(maxsize=1024)
def _path(
    operands: tuple[str, ...], output: str, shapes: tuple[tuple[int, ...], ...], optimize: str
) -> list[tuple[tuple[int, ...], str]]:
    """Compute the contraction path: the operands and the equation of each step."""
    # Only shapes count: arrays of no memory stand for the tensors.
    shadows = [np.broadcast_to(np.float32(0), shape) for shape in shapes]
    path, _ = np.einsum_path(f"{','.join(operands)}->{output}", *shadows, optimize=optimize)
    remaining = list(operands)
    steps = []
    for pair in path[1:]:
        for group in _at_most_two(tuple(sorted(pair)), len(remaining)):
            members = [remaining[i] for i in group]
            remaining = [r for i, r in enumerate(remaining) if i not in group]
            result = _intermediate(members, remaining, output) if remaining else output
            remaining.append(result)
            steps.append((group, f"{','.join(members)}->{result}"))
    return steps


def _at_most_two(operands: tuple[int, ...], count: int) -> list[tuple[int, ...]]:
    """Split a step with many operands into pairwise steps; results are appended."""
    if len(operands) <= 2:
        return [operands]
    groups: list[tuple[int, ...]] = []
    rest = list(operands)
    while len(rest) > 1:
        first, second = rest[0], rest[1]
        groups.append((first, second))
        rest = [i - 1 - (i > second) for i in rest[2:]]
        count -= 1
        rest.append(count - 1)
    return groups


def _intermediate(operands: list[str], remaining: list[str], output: str) -> str:
    """Return the labels that are still needed after a step."""
    needed = set(output).union(*remaining)
    labels = dict.fromkeys(label for part in operands for label in _LABEL.findall(part))
    dots = DOTS if labels.pop(DOTS, 0) is None else ""
    return dots + "".join(label for label in labels if label in needed)
