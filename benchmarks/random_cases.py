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


@case("`tf.random.uniform` of 100 numbers", target=1)
def medium_uniform(tf: Any) -> Step:
    return lambda: tf.random.uniform([100])


@case("`tf.random.stateless_poisson` of 4 numbers", target=1)
def small_poisson(tf: Any) -> Step:
    return lambda: tf.random.stateless_poisson([4], [1, 2], 3.5)


@case("`tf.random.stateless_categorical` of 4 numbers", target=1)
def small_categorical(tf: Any) -> Step:
    logits = tf.constant([[0.1, 0.2, 0.3, 0.4]])
    return lambda: tf.random.stateless_categorical(logits, 4, [1, 2])


@case("100 times `tf.random.fold_in` and a normal draw", target=1)
def folded_seeds(tf: Any) -> Step:
    seed = tf.constant([1, 2])

    def step() -> None:
        for index in range(100):
            tf.random.stateless_normal([4], tf.random.fold_in(seed, index))

    return step


@case("`tf.random.shuffle` of a million numbers", target=1)
def large_shuffle(tf: Any) -> Step:
    x = tf.range(1_000_000)
    return lambda: tf.random.shuffle(x)
