"""Calls of `tf.image` whose results TensorFlow has recorded, as text that either library runs.

`X` are floats, `U` bytes, both a batch of two small images; `B` boxes with scores `P`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_METHODS = ["bilinear", "nearest", "bicubic", "area"]
_METHODS += ["lanczos3", "lanczos5", "gaussian", "mitchellcubic"]
_BOXES = "[[0., 0., 1., 1.], [.1, .2, .7, .9], [-.2, .3, 1.3, .6]]"

CASES = [
    *(f"tf.image.resize(X, [3, 6], method={m!r})" for m in _METHODS),
    *(f"tf.image.resize(U, [9, 2], method={m!r}, antialias=True)" for m in _METHODS),
    "tf.image.resize(X, [4, 20], preserve_aspect_ratio=True)",
    "tf.image.resize_with_pad(U, 6, 4)",
    "tf.image.resize_with_pad(X[0], 3, 9, method='area')",
    "tf.image.resize_with_crop_or_pad(X, 3, 6)",
    "tf.image.resize_with_crop_or_pad(U[0], 8, 2)",
    "tf.image.crop_to_bounding_box(X, 1, 2, 3, 2)",
    "tf.image.pad_to_bounding_box(X[0], 1, 2, 7, 7)",
    "tf.image.central_crop(X, .5)",
    f"tf.image.crop_and_resize(X, {_BOXES}, [0, 1, 0], [3, 2], extrapolation_value=.5)",
    f"tf.image.crop_and_resize(U, {_BOXES}, [0, 1, 0], [1, 4], method='nearest')",
    *(f"tf.image.rot90(U, {k})" for k in (1, 2, 3)),
    "tf.image.flip_left_right(U)",
    "tf.image.flip_up_down(U[0])",
    "tf.image.transpose(U)",
    *(f"tf.image.adjust_hue(U, {d})" for d in (-0.4, 0.1, 0.9)),
    *(f"tf.image.adjust_saturation(U, {s})" for s in (0.0, 0.5, 1.8)),
    "tf.image.adjust_brightness(U, .3)",
    "tf.image.adjust_contrast(U, 1.6)",
    "tf.image.adjust_gamma(X, .4, 2)",
    *(f"tf.image.{f}(X)" for f in ("rgb_to_hsv", "hsv_to_rgb", "rgb_to_yuv", "yuv_to_rgb")),
    *(f"tf.image.{f}(X)" for f in ("rgb_to_yiq", "yiq_to_rgb", "rgb_to_grayscale")),
    "tf.image.rgb_to_grayscale(U)",
    "tf.image.grayscale_to_rgb(U[..., :1])",
    *(f"tf.image.convert_image_dtype(U, tf.{d})" for d in ("float16", "float32", "int16", "int8")),
    "tf.image.convert_image_dtype(X * 1.5, tf.uint8, saturate=True)",
    "tf.image.per_image_standardization(U)",
    "tf.image.image_gradients(X)",
    "tf.image.sobel_edges(X)",
    "tf.image.total_variation(X)",
    "tf.image.psnr(X, X[::-1], 1.0)",
    "tf.image.ssim(X, X[::-1], 1.0, filter_size=3)",
    "tf.image.ssim(U, U[::-1], 255, filter_size=3, return_index_map=True)",
    "tf.image.ssim_multiscale(X, X[::-1] * .3 + X * .7, 1.0, (.4, .6), filter_size=2)",
    "tf.image.extract_patches(X, [1, 3, 2, 1], [1, 2, 2, 1], [1, 1, 2, 1], 'SAME')",
    "tf.image.extract_patches(U, [1, 3, 2, 1], [1, 1, 3, 1], [1, 1, 1, 1], 'VALID')",
    "tf.extract_volume_patches(X[None], [1, 2, 2, 1, 1], [1, 1, 2, 2, 1], 'SAME')",
    "tf.image.extract_glimpse(X, [3, 4], [[.2, -.6], [-1., .3]], noise='zero')",
    "tf.image.extract_glimpse(X, [3, 4], [[2., 1.], [-1., .3]], False, False, 'zero')",
    "tf.image.draw_bounding_boxes(X, [B[:3], B[3:6] - .3], None)",
    "tf.image.draw_bounding_boxes(X, [B[:3], B[3:6] - .3], [[.1, .2, .3], [.5, .6, .7]])",
    "tf.image.non_max_suppression(B, P, 5, .3)",
    "tf.image.non_max_suppression(B, P, 50, .5, .4)",
    "tf.image.non_max_suppression_with_scores(B, P, 8, .5, .1, .4)",
    "tf.image.non_max_suppression_overlaps(B[:4], P[:4], 3, .5)",
    "tf.image.non_max_suppression_padded(B, P, 9, .3, .2, pad_to_max_output_size=True)",
    "tf.image.non_max_suppression_padded(B, P, 9, .3)",
    "tf.image.combined_non_max_suppression("
    "B[None, :, None], tf.stack([P, P[::-1]], 1)[None], 3, 5)",
    *(
        f"tf.image.stateless_random_{f}, seed=[3, {n}])"
        for n in (1, 2)
        for f in (
            "brightness(U, .4",
            "contrast(U, .3, 1.5",
            "hue(U, .3",
            "saturation(U, .3, 1.5",
            "flip_left_right(U",
            "flip_up_down(U",
            "flip_up_down(X[0]",
            "crop(X, [1, 3, 2, 3]",
        )
    ),
    *(
        "tf.image.stateless_sample_distorted_bounding_box([90, 70, 3], [[[.1, .2, .7, .8]]], "
        f"seed=[{n}, 7], min_object_covered=.5)"
        for n in range(4)
    ),
]

# Run one after another after `tf.random.set_seed(4)`.
DRAWN = [
    "tf.image.random_brightness(X, .4)",
    "tf.image.random_contrast(X, .3, 1.5, seed=2)",
    "tf.image.random_contrast(X, .3, 1.5, seed=2)",
    "tf.image.random_hue(X, .3)",
    "tf.image.random_saturation(X, .3, 1.5, seed=5)",
    "tf.image.random_flip_left_right(X)",
    "tf.image.random_flip_up_down(X[0], seed=1)",
    "tf.image.random_crop(X, [1, 3, 2, 3])",
    "tf.image.sample_distorted_bounding_box([90, 70, 3], [[[.1, .2, .7, .8]]], seed=6)",
    "tf.image.sample_distorted_bounding_box([90, 70, 3], [[[.1, .2, .7, .8]]], seed=6)",
]


def names(tf: Any) -> dict[str, Any]:
    """What the texts speak of."""
    generator = np.random.default_rng(0)
    low = generator.uniform(0, 0.7, (12, 2))
    boxes = np.concatenate([low, low + generator.uniform(0.1, 0.5, (12, 2))], 1)
    return {
        "tf": tf,
        "X": tf.constant(generator.uniform(0, 1, (2, 5, 4, 3)).astype(np.float32)),
        "U": tf.constant(generator.integers(0, 256, (2, 5, 4, 3)).astype(np.uint8)),
        "B": tf.constant(boxes.astype(np.float32)),
        "P": tf.constant(generator.uniform(0, 1, 12).astype(np.float32)),
    }


def outputs(result: Any) -> list[np.ndarray]:
    """The arrays of a result."""
    return [np.asarray(r) for r in (result if isinstance(result, tuple) else (result,))]
