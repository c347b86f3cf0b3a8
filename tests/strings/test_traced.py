"""`tf.strings` in functions: the same results as eagerly, and the same refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf


def _plain(value: Any) -> Any:
    if isinstance(value, tf.RaggedTensor):
        return value.to_list()
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return np.asarray(value.numpy(), object).tolist()


S = tf.strings
CALLS = {
    "split": lambda x: S.split(x),
    "split of several axes": lambda x: S.split(x[None]),
    "bytes_split": lambda x: S.bytes_split(x),
    "ngrams": lambda x: S.ngrams(x, 2),
    "ngrams of rows": lambda x: S.ngrams(S.split(x), [1, 2], pad_values="p"),
    "reduce_join": lambda x: S.reduce_join(x, separator="-"),
    "reduce_join of rows": lambda x: S.reduce_join(S.split(x), axis=-1),
    "regex": lambda x: (S.regex_replace(x, "[a-c]", r"<\0>"), S.regex_full_match(x, "a.*")),
    "regex of tensors": lambda x: S.regex_replace(x, S.substr(x[0], 0, 1), x[1]),
    "unicode": lambda x: S.unicode_split_with_offsets(x, "UTF-8"),
    "decoded": lambda x: S.unicode_decode(x, "UTF-8"),
    "encoded": lambda x: S.unicode_encode(S.unicode_decode(x, "UTF-8"), "UTF-16-BE"),
    "case": lambda x: (S.upper(x), S.lower(S.split(x)), S.strip(x), S.length(S.split(x))),
    "hashes": lambda x: S.to_hash_bucket_fast(S.split(x), 1000),
    "format": lambda x: S.format("{} and {}", (x, S.length(x))),
    "segments": lambda x: S.unsorted_segment_join(x, [1, 0, 1], 2, separator=","),
}
INPUT = np.array([b"a b c", "é ü".encode(), b""], object)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("shape", [[3], [None]], ids=["sizes", "no sizes"])
def test_traced_is_eager(name: str, shape: list[int | None]) -> None:
    call = CALLS[name]
    traced = tf.function(call, input_signature=[tf.TensorSpec(shape, tf.string)])
    assert _plain(traced(tf.constant(INPUT))) == _plain(call(tf.constant(INPUT)))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: S.to_number(x),
        lambda x: S.substr(x, 9, 1),
        lambda x: S.regex_full_match(x, x[0] + "("),
        lambda x: S.unicode_decode(S.join([x, b"\xff"]), "UTF-8", errors="strict"),
        lambda x: S.unsorted_segment_join(x, [0, 5, 0], 2),
    ],
)
def test_refusals_are_the_same(call: Any) -> None:
    for run in (call, tf.function(call)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            run(tf.constant(INPUT))


def test_the_rank_must_be_known_where_parts_become_rows() -> None:
    traced = tf.function(S.bytes_split, input_signature=[tf.TensorSpec(None, tf.string)])
    with pytest.raises(ValueError, match="rank"):
        traced(tf.constant(INPUT))


def test_strings_of_unknown_rank_are_split_as_a_vector() -> None:
    traced = tf.function(S.split, input_signature=[tf.TensorSpec(None, tf.string)])
    assert _plain(traced(tf.constant(INPUT))) == _plain(S.split(INPUT))
    with pytest.raises(tf.errors.InvalidArgumentError):
        traced(tf.constant("a b"))
