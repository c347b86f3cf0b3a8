"""The text of tensors: `repr` and `str`, and the output of `tf.print` and `tf.strings.format`.

`repr` and `str` show NumPy's text inside TensorFlow's frame. Printing has a format of its own: no
commas, no padding, the shortest of two precisions that reads back exactly, long axes shortened to
`summarize` entries at both ends. Works on arrays and names, and knows no tensor class.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from tapeflow._src.core import nest
from tapeflow._src.core.lazy import LazyModule

_pprint = LazyModule("pprint")


def tensor_repr(array: np.ndarray[Any, Any], dtype_name: str, shape: Any) -> str:
    """Return the `repr` of an eager tensor, which shows its value."""
    return f"<tf.Tensor: shape={_shape(shape)}, dtype={dtype_name}, numpy={_numpy_repr(array)}>"


def tensor_str(array: np.ndarray[Any, Any], dtype_name: str, shape: Any) -> str:
    """Format as `tf.Tensor([1. 2.], shape=(2,), dtype=float32)`."""
    text = _on_its_own_lines(str(array))
    return f"tf.Tensor({text}, shape={_shape(shape)}, dtype={dtype_name})"


def variable_repr(
    name: str, shape: Any, dtype_name: str, array: np.ndarray[Any, Any] | None = None
) -> str:
    """Return the `repr` of a variable; without its value while tracing."""
    value = "" if array is None else f", numpy={_numpy_repr(array)}"
    return f"<tf.Variable '{name}' shape={_shape(shape)} dtype={dtype_name}{value}>"


def _shape(shape: Any) -> str:
    """Format a `TensorShape`, or a sequence of dims, or None if the rank is unknown."""
    if shape is None:
        return "<unknown>"
    return str(tuple(shape) if isinstance(shape, tuple | list) else shape)


def _numpy_repr(array: np.ndarray[Any, Any]) -> str:
    if array.ndim == 0:
        # The Python value: a NumPy scalar would add its type, `np.float32(1.0)`.
        return repr(array.item())
    return _on_its_own_lines(repr(array))


def _on_its_own_lines(text: str) -> str:
    return f"\n{text}" if "\n" in text else text


# -- tf.print


def format_for_print(
    array: np.ndarray[Any, Any], summarize: int = 3, quote_scalar: bool = True
) -> str:
    """Format one tensor as `tf.print` does: `[1 2 3 ... 8 9 10]`, one row per line.

    `summarize` entries are shown at either end of each dimension, all of them if it is negative.
    Strings are quoted and escaped, a single one only with `quote_scalar`; bytes that are not UTF-8
    come as lone surrogates, for `encode("utf-8", "surrogateescape")` to restore. Complex numbers,
    of which TensorFlow prints `?`, are written as Python does.
    """
    if array.ndim == 0:
        if summarize == 0:
            return "..."
        value = array.item()
        if not quote_scalar and isinstance(value, bytes):
            return value.decode("utf-8", "surrogateescape")
        return _element(value, array.dtype)
    ends = array.size if summarize < 0 else min(summarize, array.size)
    return _rows(array, ends, depth=0)


def _rows(array: np.ndarray[Any, Any], ends: int, depth: int) -> str:
    if array.ndim == 0:
        return _element(array.item(), array.dtype)
    gap = " " if array.ndim == 1 else "\n" * (array.ndim - 1) + " " * (depth + 1)

    def entries(indices: Iterable[int]) -> list[str]:
        # `...` keeps an entry an array: a string or a scalar would have no dtype.
        return [_rows(array[index, ...], ends, depth + 1) for index in indices]

    count = len(array)
    if count <= 2 * ends:
        return f"[{gap.join(entries(range(count)))}]"
    head, tail = entries(range(ends)), entries(range(count - ends, count))
    before = "" if head else gap
    return f"[{before}{gap.join([*head, '...', *tail])}]"


def _element(value: Any, dtype: np.dtype[Any]) -> str:
    if isinstance(value, bytes):
        escaped = value.decode("latin-1").translate(_ESCAPES).encode("latin-1")
        return f'"{escaped.decode("utf-8", "surrogateescape")}"'
    if isinstance(value, float):
        return _float(value, dtype)
    if isinstance(value, complex):
        imaginary = _float(value.imag, dtype)
        sign = "" if imaginary.startswith("-") else "+"
        return f"({_float(value.real, dtype)}{sign}{imaginary}j)"
    return str(int(value))


# C's escapes; bytes above ASCII stay as they are, so that UTF-8 text remains readable.
_ESCAPES = {code: f"\\{code:03o}" for code in [*range(32), 127]} | {
    ord("\n"): "\\n",
    ord("\r"): "\\r",
    ord("\t"): "\\t",
    ord('"'): '\\"',
    ord("'"): "\\'",
    ord("\\"): "\\\\",
}


def _float(value: float, dtype: np.dtype[Any]) -> str:
    """Format with few digits if they read back as the same number, else with enough for any."""
    if math.isnan(value):
        return "-nan" if math.copysign(1.0, value) < 0 else "nan"
    if dtype in (np.float64, np.complex128):
        short = f"{value:.15g}"
        return short if float(short) == value else f"{value:.17g}"
    short = f"{value:.6g}"
    return short if np.float32(short) == np.float32(value) else f"{value:.9g}"


class _Slot:
    """Stands for a tensor in a structure while `pprint` formats the structure."""

    # Four characters wide, like the placeholder by which TensorFlow breaks its lines. Private-use
    # characters cannot collide with the `repr` of a string, which escapes them.
    PATTERN = re.compile("([\U000f0000-\U000f0fff])([\U00100000-\U00100fff])\ue000\ue000")

    def __init__(self, index: int) -> None:
        self._index = index

    def __repr__(self) -> str:
        high, low = divmod(self._index, 0x1000)
        return f"{chr(0xF0000 + high)}{chr(0x100000 + low)}\ue000\ue000"

    @staticmethod
    def index(match: re.Match[str]) -> int:
        return (ord(match[1]) - 0xF0000) * 0x1000 + ord(match[2]) - 0x100000


Content = Callable[[Any], "np.ndarray[Any, Any] | str | None"]


def format_inputs(
    inputs: Sequence[Any], content: Content, summarize: int = 3, sep: str = " ", end: str = "\n"
) -> str:
    """Return the text of `tf.print(*inputs)`.

    `content(leaf)` returns the array of a tensor or a variable, the text of a composite, and None
    for any other Python value, which is shown by its `repr`. A string tensor is quoted unless it is
    a scalar and the only input.
    """
    quote_scalar = len(inputs) > 1
    return sep.join(_format_input(each, content, summarize, quote_scalar) for each in inputs) + end


def _format_input(value: Any, content: Content, summarize: int, quote_scalar: bool) -> str:
    if isinstance(value, str):
        return value
    shown = None if nest.is_nested(value) else content(value)
    if shown is None:
        return _format_structure(value, content, summarize)
    if isinstance(shown, str):
        return shown
    return format_for_print(shown, summarize, quote_scalar)


def _format_structure(structure: Any, content: Content, summarize: int) -> str:
    texts: list[str] = []

    def to_slot(leaf: Any) -> Any:
        shown = content(leaf)
        if shown is None:
            return leaf
        texts.append(shown if isinstance(shown, str) else format_for_print(shown, summarize))
        return _Slot(len(texts) - 1)

    layout = _pprint.pformat(nest.map_structure(to_slot, structure))
    return _Slot.PATTERN.sub(lambda match: texts[_Slot.index(match)], layout)
