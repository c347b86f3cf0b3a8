"""Cases about images: resizing, its gradient, and colours."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.cases import Step, case


def images(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).random(shape, dtype=np.float32)


@case("`tf.image.resize` of (16, 64, 64, 32) to 128", target=1)
def resize_channels(tf: Any) -> Step:
    x = tf.constant(images(16, 64, 64, 32))
    return lambda: tf.image.resize(x, (128, 128))


@case("`tf.image.resize`, bicubic, of (8, 128, 128, 3) to 224", target=1)
def resize_bicubic(tf: Any) -> Step:
    x = tf.constant(images(8, 128, 128, 3))
    return lambda: tf.image.resize(x, (224, 224), "bicubic")


@case("`tf.image.resize`, antialiased, of (8, 224, 224, 3) to 96", target=1)
def resize_antialiased(tf: Any) -> Step:
    x = tf.constant(images(8, 224, 224, 3))
    return lambda: tf.image.resize(x, (96, 96), antialias=True)


@case("`tf.image.resize` of (8, 128, 128, 3) to 224, and its gradient", target=1)
def resize_gradient(tf: Any) -> Step:
    x = tf.constant(images(8, 128, 128, 3))

    def step() -> object:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.image.resize(x, (224, 224))
        return tape.gradient(y, x)

    return step


@case("`tf.image.rgb_to_hsv` of (8, 128, 128, 3)", target=1)
def rgb_to_hsv(tf: Any) -> Step:
    x = tf.constant(images(8, 128, 128, 3))
    return lambda: tf.image.rgb_to_hsv(x)
