"""Cases about strings: what an op on many of them costs, and lookups."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.cases import Step, case

MANY = 20_000


def words(count: int) -> list[str]:
    """Return words of 3 to 11 letters, most of them distinct."""
    random = np.random.default_rng(0)
    sizes = random.integers(3, 12, count)
    letters = random.integers(97, 123, int(sizes.sum()), dtype=np.uint8).tobytes().decode()
    ends = np.cumsum(sizes)
    return [letters[end - size : end] for end, size in zip(ends, sizes)]


@case("`tf.strings.to_hash_bucket_fast` of 20,000 strings", target=1, warm=2.0)
def hash_fast(tf: Any) -> Step:
    strings = tf.constant(words(MANY))
    return lambda: tf.strings.to_hash_bucket_fast(strings, 1000)


@case("`tf.strings.length` of 20,000 strings", target=1)
def string_length(tf: Any) -> Step:
    strings = tf.constant(words(MANY))
    return lambda: tf.strings.length(strings)


@case("`tf.strings.regex_replace` in 20,000 strings", target=1)
def regex_replace(tf: Any) -> Step:
    strings = tf.constant(words(MANY))
    return lambda: tf.strings.regex_replace(strings, "ab", "_")


@case("`tf.strings.split` of 20,000 strings of four words", target=1)
def string_split(tf: Any) -> Step:
    parts = iter(words(4 * MANY))
    strings = tf.constant([" ".join(group) for group in zip(parts, parts, parts, parts)])
    return lambda: tf.strings.split(strings)


@case("`tf.strings.unicode_decode` of 20,000 strings", target=1)
def unicode_decode(tf: Any) -> Step:
    strings = tf.constant(words(MANY))
    return lambda: tf.strings.unicode_decode(strings, "UTF-8")


@case("`tf.strings.lower` of 10 strings", target=1)
def lower_few(tf: Any) -> Step:
    strings = tf.constant(words(10))
    return lambda: tf.strings.lower(strings)
