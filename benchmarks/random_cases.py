"""Cases about random numbers: what a small draw costs, and what a number of a large one."""

from __future__ import annotations

from typing import Any

from benchmarks.cases import Step, case

MANY = 4_000_000


@case("`tf.random.uniform` of 4 numbers", target=1)
def small_uniform(tf: Any) -> Step:
    return lambda: tf.random.uniform([4])


@case("`tf.random.normal` of 4 numbers", target=1)
def small_normal(tf: Any) -> Step:
    return lambda: tf.random.normal([4])


@case("`tf.random.stateless_normal` of 4 numbers", target=1)
def small_stateless_normal(tf: Any) -> Step:
    return lambda: tf.random.stateless_normal([4], [1, 2])


@case("`tf.random.uniform` of 4 million numbers", target=1, warm=2.0)
def large_uniform(tf: Any) -> Step:
    return lambda: tf.random.uniform([MANY])


@case("`tf.random.normal` of 4 million numbers", target=1, warm=3.0)
def large_normal(tf: Any) -> Step:
    return lambda: tf.random.normal([MANY])


@case("`tf.random.truncated_normal` of 4 million numbers", target=1, warm=3.0)
def large_truncated_normal(tf: Any) -> Step:
    return lambda: tf.random.truncated_normal([MANY])
