"""Unicode: code points and characters of strings."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.strings.arguments import as_text
from tapeflow._src.api.strings.rows import as_strings, even_splits, over_values, rows_of_splits
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.common import reshape, shape_of, size, static_ints
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.product import prod
from tapeflow._src.ops.strings import unicode as ops


def _under_rows(rows: RaggedTensor, results: tuple[Any, Any]) -> tuple[Any, Any]:
    """Wrap results for the innermost strings in the row partitions."""
    first, second = results
    return over_values(lambda _: first, rows), over_values(lambda _: second, rows)


@scoped("UnicodeDecode")
def unicode_decode(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Decode strings to code points.

    Args:
        input: Encoded strings of any shape, or ragged.
        input_encoding: "UTF-8", "UTF-16-BE", "UTF-32-BE", or another that ICU knows.
        errors: What to do with invalid input: "replace", "strict" (raise InvalidArgumentError) or
            "ignore".
        replacement_char: The code point that replaces invalid input.
        replace_control_characters: Whether to replace C0 control characters as well.
        name: Name of the op in a graph.

    Returns:
        A tensor of rank 1 for a scalar, else a `tf.RaggedTensor` of one rank more, int32.

    Example:

        >>> tf.strings.unicode_decode(["Aé", "b"], "UTF-8").to_list()
        [[65, 233], [98]]
    """
    options = _decoding(input_encoding, errors, replacement_char, replace_control_characters)
    return _decode(as_strings(input), options)


def _decode(input: TensorLike, options: dict[str, Any]) -> Any:
    if isinstance(input, RaggedTensor):
        return over_values(lambda flat: _decode(flat, options), input)
    splits, points = ops.unicode_decode(input, **options)
    return rows_of_splits(input, points, splits)


@scoped("UnicodeDecodeWithOffsets")
def unicode_decode_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Decode strings to code points; also return the byte offset of each character.

    Args:
        input: Encoded strings of any shape, or ragged.
        input_encoding: "UTF-8", "UTF-16-BE", "UTF-32-BE", or another that ICU knows.
        errors: What to do with invalid input: "replace", "strict" (raise InvalidArgumentError) or
            "ignore".
        replacement_char: The code point that replaces invalid input.
        replace_control_characters: Whether to replace C0 control characters as well.
        name: Name of the op in a graph.

    Returns:
        A tuple of code points, as of `unicode_decode`, and int64 offsets.

    Example:

        >>> points, offsets = tf.strings.unicode_decode_with_offsets(["Aéb"], "UTF-8")
        >>> offsets.to_list()
        [[0, 1, 3]]
    """
    options = _decoding(input_encoding, errors, replacement_char, replace_control_characters)
    return _decode_with_offsets(as_strings(input), options)


def _decode_with_offsets(input: TensorLike, options: dict[str, Any]) -> tuple[Any, Any]:
    if isinstance(input, RaggedTensor):
        return _under_rows(input, _decode_with_offsets(input.flat_values, options))
    splits, points, starts = ops.unicode_decode_with_offsets(input, **options)
    return rows_of_splits(input, points, splits), rows_of_splits(input, starts, splits)


def _decoding(encoding: str, errors: str, replacement: int, controls: bool) -> dict[str, Any]:
    return {
        "input_encoding": as_text(encoding, "input_encoding"),
        "errors": as_text(errors, "errors"),
        "replacement_char": replacement,
        "replace_control_characters": controls,
    }


@scoped("UnicodeEncode")
def unicode_encode(
    input: TensorLike,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Tensor:
    """Encode code points along the last axis to strings.

    Args:
        input: Integers of rank 1 or more, or ragged.
        output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: What to do with invalid code points: "replace", "strict" or "ignore".
        replacement_char: The code point that replaces invalid input.
        name: Name of the op in a graph.

    Returns:
        A string tensor without the last axis.

    Raises:
        ValueError: The input is a scalar.

    Example:

        >>> tf.strings.unicode_encode([72, 105], "UTF-8").numpy()
        b'Hi'
    """
    options: dict[str, Any] = {
        "output_encoding": as_text(output_encoding, "output_encoding"),
        "errors": as_text(errors, "errors"),
        "replacement_char": replacement_char,
    }
    if isinstance(input, RaggedTensor):
        if input.flat_values.shape.rank != 1:
            values = unicode_encode(input.flat_values, **options)
            return over_values(lambda _: values, input)
        *outer, last = input.nested_row_splits
        encoded = ops.unicode_encode(input.flat_values, last, **options)
        if not outer:
            return encoded
        return RaggedTensor.from_nested_row_splits(encoded, outer, validate=False)
    points = dispatch.convert(input, None, dtypes.int32)
    if points.shape.rank == 0:
        raise ValueError("input_tensor's rank must be at least 1.")
    sizes = shape_of(points)
    wide = cast(sizes, DstT=dtypes.int64)
    splits = even_splits(prod(wide[:-1], static_ints((0,))), wide[-1])
    flat = points if points.shape.rank == 1 else reshape(points, static_ints((-1,)))
    return reshape(ops.unicode_encode(flat, splits, **options), sizes[:-1])


def unicode_transcode(
    input: TensorLike,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    r"""Transcode strings to another encoding.

    Args:
        input: Encoded strings of any shape, or ragged.
        input_encoding: "UTF-8", "UTF-16-BE", "UTF-32-BE", or another that ICU knows.
        output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: What to do with invalid input: "replace", "strict" (raise InvalidArgumentError) or
            "ignore".
        replacement_char: The code point that replaces invalid input.
        replace_control_characters: Whether to replace C0 control characters as well.
        name: Name of the op in a graph.

    Returns:
        A string tensor of the shape of `input`.

    Example:

        >>> tf.strings.unicode_transcode("Hi", "UTF-8", "UTF-16-BE").numpy()
        b'\x00H\x00i'
    """
    options = _decoding(input_encoding, errors, replacement_char, replace_control_characters)
    encoding = as_text(output_encoding, "output_encoding")
    return ops.unicode_transcode(as_strings(input), output_encoding=encoding, name=name, **options)


@scoped("UnicodeSplit")
def unicode_split(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Any:
    r"""Split strings into characters.

    Args:
        input: Encoded strings of any shape, or ragged.
        input_encoding: "UTF-8", "UTF-16-BE", "UTF-32-BE", or another that ICU knows.
        errors: What to do with invalid input: "replace", "strict" (raise InvalidArgumentError) or
            "ignore".
        replacement_char: The code point that replaces invalid input.
        name: Name of the op in a graph.

    Returns:
        A tensor of rank 1 for a scalar, else a `tf.RaggedTensor` of one rank more, of strings.

    Example:

        >>> tf.strings.unicode_split("Hé", "UTF-8").numpy().tolist()
        [b'H', b'\xc3\xa9']
    """
    options = _decoding(input_encoding, errors, replacement_char, False)
    points = _decode(as_strings(input), options)
    return _characters(points, options)


@scoped("UnicodeSplitWithOffsets")
def unicode_split_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Split strings into characters; also return the byte offset of each.

    Args:
        input: Encoded strings of any shape, or ragged.
        input_encoding: "UTF-8", "UTF-16-BE", "UTF-32-BE", or another that ICU knows.
        errors: What to do with invalid input: "replace", "strict" (raise InvalidArgumentError) or
            "ignore".
        replacement_char: The code point that replaces invalid input.
        name: Name of the op in a graph.

    Returns:
        A tuple of characters, as of `unicode_split`, and int64 offsets.

    Example:

        >>> characters, offsets = tf.strings.unicode_split_with_offsets("Héy", "UTF-8")
        >>> offsets.numpy().tolist()
        [0, 1, 3]
    """
    options = _decoding(input_encoding, errors, replacement_char, False)
    points, starts = _decode_with_offsets(as_strings(input), options)
    return _characters(points, options), starts


def _characters(points: Any, decoding: dict[str, Any]) -> Any:
    """Encode each code point as a string."""
    if isinstance(points, RaggedTensor):
        return over_values(lambda p: _characters(p, decoding), points)
    splits = even_splits(size(points, out_type=dtypes.int64), dispatch.convert(1, dtypes.int64))
    return ops.unicode_encode(
        points,
        splits,
        output_encoding=decoding["input_encoding"],
        errors=decoding["errors"],
        replacement_char=decoding["replacement_char"],
    )


def unicode_script(input: TensorLike, name: str | None = None) -> Tensor:
    """Return the ICU script code of each code point; -1 if there is none.

    Args:
        input: Code points, int32, of any shape or ragged.
        name: Name of the op in a graph.

    Returns:
        An int32 tensor of the shape of `input`.

    Example:

        >>> tf.strings.unicode_script([ord("a"), ord("я")]).numpy().tolist()
        [25, 8]
    """
    points = input if isinstance(input, RaggedTensor) else dispatch.convert(input, dtypes.int32)
    return ops.unicode_script(points, name=name)
