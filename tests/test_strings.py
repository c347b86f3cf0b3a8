"""Strings, raw bytes, sparse to dense and contrast: values and refusals as TensorFlow has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

InvalidArgument = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (lambda: tf.strings.split("a  b "), [b"a", b"b"]),
        (lambda: tf.strings.split("a,,b", ","), [b"a", b"", b"b"]),
        (lambda: tf.strings.split("a,b,c", ",", maxsplit=1), [b"a", b"b,c"]),
        (lambda: tf.strings.split(" a b c", maxsplit=1), [b"a", b"b c"]),
        (lambda: tf.strings.split(" a b", maxsplit=2), [b"a", b"b", b""]),
        (lambda: tf.strings.split(" a b", maxsplit=3), [b"a", b"b"]),
        (lambda: tf.strings.split(" ", maxsplit=1), []),
        (lambda: tf.strings.ngrams(tf.zeros([2, 0], tf.string), 2, pad_values="p"), [[], []]),
        (lambda: tf.strings.ngrams(tf.zeros([2, 0, 1], tf.string), 1), np.zeros([2, 0, 0])),
        (
            lambda: tf.strings.unicode_decode(
                "a\x07b", "UTF-8", errors="ignore", replace_control_characters=True
            ),
            [97, 98],
        ),
        (
            lambda: tf.strings.unicode_decode("a\x07", "UTF-8", replace_control_characters=True),
            [97, 65533],
        ),
        (lambda: tf.strings.bytes_split("Duck"), [b"D", b"u", b"c", b"k"]),
        (lambda: tf.strings.unicode_split("a𝄞", "UTF-8"), [b"a", "𝄞".encode()]),
        (lambda: tf.strings.unicode_decode("aé", "UTF-8"), [97, 233]),
        (lambda: tf.strings.unicode_decode(b"a\xff", "UTF-8"), [97, 65533]),
        (lambda: tf.strings.unicode_decode(b"a\xff", "UTF-8", errors="ignore"), [97]),
        (lambda: tf.strings.to_number([" 1 ", "1e3", "0x10"]), [1.0, 1000.0, 16.0]),
        (lambda: tf.strings.to_number(["12", "-3"], tf.int64), [12, -3]),
        (lambda: tf.io.decode_raw("abcd", tf.int16), [25185, 25699]),
        (lambda: tf.io.decode_raw("abcd", tf.int16, little_endian=False), [24930, 25444]),
        (
            lambda: tf.io.decode_raw(["ab", "c"], tf.uint8, fixed_length=3),
            [[97, 98, 0], [99, 0, 0]],
        ),
    ],
)
def test_values(result: Any, expected: Any) -> None:
    np.testing.assert_array_equal(result().numpy(), expected)


def test_rows_of_parts() -> None:
    nested = tf.strings.split([["a b", "c"], ["d", "e f g"]])
    assert nested.to_list() == [[[b"a", b"b"], [b"c"]], [[b"d"], [b"e", b"f", b"g"]]]
    assert tf.strings.bytes_split(["ab", "c"]).to_list() == [[b"a", b"b"], [b"c"]]
    assert tf.strings.unicode_decode(["ab", "é"], "UTF-8").to_list() == [[97, 98], [233]]
    assert tf.strings.to_number(tf.strings.split(["1 2", "3"])).to_list() == [[1.0, 2.0], [3.0]]
    points = tf.ragged.constant([[97], [233, 98]])
    encoded = tf.strings.unicode_encode(points, "UTF-16-BE").numpy().tolist()
    assert encoded == [b"\x00a", b"\x00\xe9\x00b"]
    assert tf.strings.unicode_encode([97, 233], "UTF-8").numpy() == "aé".encode()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: tf.strings.split(1), TypeError, "dtype string"),
        (
            lambda: tf.strings.unicode_transcode(
                "a\x07", "UTF-8", "UTF-8", errors="strict", replace_control_characters=True
            ),
            InvalidArgument,
            "formatting",
        ),
        (lambda: tf.strings.to_number(["x"]), InvalidArgument, "convert string: x.*StringToNumber"),
        (lambda: tf.strings.to_number(["1.5"], tf.int32), InvalidArgument, "1.5"),
        (lambda: tf.strings.to_number(["1"], tf.uint8), InvalidArgument, "uint8"),
        (lambda: tf.strings.to_number(["99999999999"], tf.int32), InvalidArgument, "999"),
        (
            lambda: tf.strings.unicode_decode(b"\xff", "UTF-8", errors="strict"),
            InvalidArgument,
            "UnicodeDecode",
        ),
        (lambda: tf.strings.unicode_decode("a", "FOO"), InvalidArgument, "FOO"),
        (lambda: tf.io.decode_raw(["ab", "c"], tf.uint8), InvalidArgument, "DecodeRaw"),
        (lambda: tf.io.decode_raw("abc", tf.int16), InvalidArgument, "3 bytes"),
        (lambda: tf.sparse.to_dense(3), TypeError, "SparseTensor"),
    ],
)
def test_refusals(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def sparse(indices: Any) -> Any:
    return tf.SparseTensor(indices, [1, 2][: len(indices)], [3, 4])


def test_sparse_to_dense() -> None:
    dense = tf.sparse.to_dense(sparse([[0, 0], [1, 2]]), default_value=-1).numpy()
    np.testing.assert_array_equal(dense, [[1, -1, -1, -1], [-1, -1, 2, -1], [-1, -1, -1, -1]])
    words = tf.sparse.to_dense(tf.SparseTensor([[1]], ["a"], [2])).numpy()
    np.testing.assert_array_equal(words, [b"", b"a"])
    with pytest.raises(InvalidArgument, match="out of order"):
        tf.sparse.to_dense(sparse([[1, 2], [0, 0]]))
    with pytest.raises(InvalidArgument, match="repeated"):
        tf.sparse.to_dense(sparse([[0, 0], [0, 0]]))
    with pytest.raises(InvalidArgument, match="out of bounds"):
        tf.sparse.to_dense(sparse([[1, 9]]))
    loose = tf.sparse.to_dense(sparse([[1, 2], [0, 0]]), validate_indices=False).numpy()
    assert (loose[0, 0], loose[1, 2]) == (2, 1)


def test_sparse_and_back() -> None:
    x = tf.constant([[0.0, 2.0], [3.0, 0.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        there = tf.sparse.from_dense(x)
        back = tf.sparse.to_dense(there)
    np.testing.assert_array_equal(there.indices.numpy(), [[0, 1], [1, 0]])
    np.testing.assert_array_equal(back.numpy(), x.numpy())
    np.testing.assert_array_equal(tape.gradient(back, x).numpy(), [[0.0, 1.0], [1.0, 0.0]])
    words = tf.sparse.from_dense(["", "a"])
    assert words.values.numpy().tolist() == [b"a"] and words.shape == (2,)


def test_contrast_has_no_gradient_as_in_tensorflow() -> None:
    image = tf.Variable([[[0.5, 0.0, 0.0]]])
    with tf.GradientTape() as tape:
        changed = tf.image.adjust_contrast(image, 0.1)
    with pytest.raises(LookupError, match="AdjustContrastv2"):
        tape.gradient(changed, image)
    pixels = tf.constant(np.arange(12).reshape(2, 2, 3), tf.uint8)
    expected = [[[0, 0, 0], [1, 2, 3]], [[7, 8, 9], [13, 14, 15]]]
    np.testing.assert_array_equal(tf.image.adjust_contrast(pixels, 2.0).numpy(), expected)
    with pytest.raises(InvalidArgument, match="rank at least 3"):
        tf.image.adjust_contrast(tf.constant([1.0, 2.0]), 2.0)


def test_rows_as_text() -> None:
    def text(rows: tf.RaggedTensor) -> tf.Tensor:
        return tf.strings.format("a {} b {}", (rows, 1), summarize=1)

    for call in (text, tf.function(text)):
        assert call(tf.ragged.constant([[1, 2], [3]])).numpy() == b"a [[1, 2], [3]] b 1"
        assert call(tf.ragged.constant([[i] for i in range(9)])).numpy() == b"a [[0], ..., [8]] b 1"


@pytest.mark.parametrize(
    "call",
    [
        lambda text: tf.strings.join(["a", "b"], separator=text("|")),
        lambda text: tf.strings.reduce_join(["a", "b"], separator=text("|")),
        lambda text: tf.strings.unsorted_segment_join(["a", "b"], [0, 0], 1, separator=text("|")),
        lambda text: tf.strings.ngrams(["a", "b"], 2, text("|"), pad_values=(text("<"), text(">"))),
        lambda text: tf.strings.length(["aä"], unit=text("UTF8_CHAR")),
        lambda text: tf.strings.substr(["aäb"], 1, 1, unit=text("UTF8_CHAR")),
        lambda text: tf.strings.lower(["Ä"], encoding=text("utf-8")),
        lambda text: tf.strings.unicode_encode([72, 228], text("UTF-8"), errors=text("strict")),
        lambda text: tf.strings.unicode_transcode(["ä"], text("UTF-8"), text("UTF-16-BE")),
        lambda text: tf.strings.unicode_decode(["aä"], text("UTF-8"), errors=text("ignore")),
        lambda text: tf.strings.unicode_split(["aä"], text("UTF-8")),
        lambda text: tf.strings.as_string([7], width=3, fill=text("0")),
        lambda text: tf.io.decode_csv(["1|x"], [[0], ["a"]], text("|"), na_value=text("x")),
    ],
)
def test_options_may_be_given_as_bytes(call) -> None:
    def listed(result: object) -> list:
        return [np.asarray(t).tolist() for t in tf.nest.flatten(result, expand_composites=True)]

    assert listed(call(str.encode)) == listed(call(str))


def test_options_must_be_strings() -> None:
    with pytest.raises(TypeError, match="Expected string for argument 'separator' not 3"):
        tf.strings.ngrams(["a", "b"], 2, separator=3)


@pytest.mark.parametrize("traced", [False, True], ids=["eager", "traced"])
@pytest.mark.parametrize(
    ("axis", "expected"),
    [
        (0, [[b"a|d", b"b|e"], [b"c"]]),
        (1, [[b"a|c", b"b"], [b"d", b"e"]]),
        (2, [[b"a|b", b"c"], [b"d|e"]]),
        ([0, 1], [b"a|c|d", b"b|e"]),
        ([1, 2], [b"a|b|c", b"d|e"]),
    ],
)
def test_strings_of_rows_are_joined_along_any_axis(axis, expected, traced: bool) -> None:
    def join(rows: tf.RaggedTensor) -> tf.Tensor:
        return tf.strings.reduce_join(rows, axis, separator="|")

    rows = tf.ragged.constant([[["a", "b"], ["c"]], [["d", "e"]]])
    result = (tf.function(join) if traced else join)(rows)
    found = result.to_list() if isinstance(result, tf.RaggedTensor) else result.numpy().tolist()
    assert found == expected
    if axis == 1:
        kept = tf.strings.reduce_join(rows, 1, keepdims=True)
        assert kept.to_list() == [[[b"ac", b"b"]], [[b"d", b"e"]]]


def test_ngrams_of_rows_whose_number_is_unknown() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None, 2], tf.string)])
    def pairs(x):
        return tf.strings.ngrams(x, (1, 2))

    result = pairs(tf.constant([[["a", "b"]], [["c", "d"]]]))
    assert result.numpy().tolist() == [[[b"a", b"b", b"a b"]], [[b"c", b"d", b"c d"]]]
    assert pairs(tf.zeros([0, 1, 2], tf.string)).shape[:2] == (0, 1)
    rows = tf.function(
        lambda x: tf.strings.ngrams(x, 2), input_signature=[tf.TensorSpec([None, 2], tf.string)]
    )
    assert rows(tf.constant([["a", "b"]])).numpy().tolist() == [[b"a b"]]
