"""`tf.image`: gradients, compiled calls, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.image.cases import names

BATCH = names(tf)["X"]
BYTES = names(tf)["U"]
BOXES, SCORES = names(tf)["B"], names(tf)["P"]
WRONG_ARGUMENT = tf.errors.InvalidArgumentError


def gradient(function: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(function(x))
    return tape.gradient(y, x)


@pytest.mark.parametrize("method", ["bilinear", "bicubic", "lanczos3", "gaussian", "mitchellcubic"])
@pytest.mark.parametrize("antialias", [False, True])
def test_the_gradient_of_a_resize_spreads_each_weight(method: str, antialias: bool) -> None:
    # The weights of each pixel of the result add up to 1, so that the gradients add up to them.
    found = gradient(lambda x: tf.image.resize(x, [3, 7], method, antialias=antialias), BATCH)
    np.testing.assert_allclose(tf.reduce_sum(found), 2 * 3 * 7 * 3, rtol=1e-4)


def test_area_has_no_gradient() -> None:
    with pytest.raises(LookupError):
        gradient(lambda x: tf.image.resize(x, [3, 7], "area"), BATCH)


def test_boxes_have_a_gradient() -> None:
    boxes = tf.constant([[0.1, 0.2, 0.8, 0.7]])
    ramp = tf.reshape(tf.range(5.0), [1, 5, 1, 1]) * tf.ones([1, 5, 4, 1])
    found = gradient(lambda b: tf.image.crop_and_resize(ramp, b, [0], [3, 2]), boxes)
    # Rows rise by 1 from the first edge to the second; columns do not matter.
    np.testing.assert_allclose(found, [[12.0, 0.0, 12.0, 0.0]], atol=1e-5)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: tf.image.resize(x, [3, 7]),
        lambda x: tf.image.resize(x, [3, 7], "lanczos3", antialias=True),
        lambda x: tf.image.resize_with_pad(x, 7, 7, "nearest"),
        lambda x: tf.image.adjust_hue(tf.image.adjust_saturation(x, 0.4), 0.2),
        lambda x: tf.image.rgb_to_hsv(tf.image.random_flip_up_down(x, seed=1)) * 0 + x,
        lambda x: tf.image.ssim(x, x * 0.5, 1.0, filter_size=3),
        lambda x: tf.image.extract_patches(x, [1, 2, 2, 1], [1] * 4, [1] * 4, "SAME"),
        lambda x: tf.image.draw_bounding_boxes(x, tf.stack([BOXES[:3], BOXES[3:6]]), None),
        lambda x: tf.image.crop_and_resize(x, BOXES, [0, 1] * 6, [3, 3]),
        lambda x: tf.image.non_max_suppression_padded(
            BOXES, SCORES + x[0, 0, 0, 0], 5, 0.3, pad_to_max_output_size=True
        )[0],
    ],
)
def test_compiled_is_eager(call: Any) -> None:
    compiled = tf.function(call, jit_compile=True, autograph=False)
    np.testing.assert_allclose(compiled(BATCH), call(BATCH), rtol=1e-4, atol=1e-5)


def test_resizing_to_the_same_size_still_gives_floats() -> None:
    same = tf.image.resize(BYTES, [5, 4])
    assert same.dtype == tf.float32
    np.testing.assert_array_equal(same, tf.cast(BYTES, tf.float32))


def test_noise_is_within_the_values_of_the_image() -> None:
    glimpse = tf.image.extract_glimpse(BATCH, [20, 20], [[0.0, 0.0], [3.0, 3.0]])
    assert tf.reduce_min(glimpse) >= tf.reduce_min(BATCH)
    assert tf.reduce_max(glimpse) <= tf.reduce_max(BATCH)


def test_an_image_without_boxes_is_cropped_if_asked() -> None:
    none = tf.zeros([1, 0, 4])
    begin, size, box = tf.image.stateless_sample_distorted_bounding_box(
        [50, 60, 3], none, [1, 2], use_image_if_no_bounding_boxes=True
    )
    top, left = begin.numpy()[:2]
    height, width = size.numpy()[:2]
    edges = [top / 50, left / 60, (top + height) / 50, (left + width) / 60]
    np.testing.assert_allclose(box.numpy().reshape(-1), edges, rtol=1e-6)


REFUSED = [
    (ValueError, "3 or 4 dim", lambda: tf.image.resize(BATCH[0, 0], [2, 2])),
    (ValueError, "`size` must have two elements", lambda: tf.image.resize(BATCH, [2, 2, 2])),
    (ValueError, "`size` must be two integers", lambda: tf.image.resize(BATCH, [2.5, 2])),
    (ValueError, "must be >= 0", lambda: tf.image.resize(BATCH, [-2, 2])),
    (ValueError, "not implemented", lambda: tf.image.resize(BATCH, [2, 2], "best")),
    (WRONG_ARGUMENT, "positive", lambda: tf.image.resize(BATCH, [0, 2])),
    (WRONG_ARGUMENT, "non-zero", lambda: tf.image.resize(tf.ones([1, 0, 3, 1]), [2, 2])),
    (tf.errors.OutOfRangeError, "box_index", lambda: _crop(BATCH, which=[5])),
    (WRONG_ARGUMENT, "incompatible", lambda: _crop(BATCH, which=[0, 1])),
    (WRONG_ARGUMENT, "method", lambda: _crop(BATCH, method="best")),
    (WRONG_ARGUMENT, "4-D", lambda: _crop(BATCH[0])),
    (ValueError, "height must be >=", lambda: tf.image.crop_to_bounding_box(BATCH, 3, 0, 4, 1)),
    (ValueError, "offset_width", lambda: tf.image.pad_to_bounding_box(BATCH, 0, -1, 9, 9)),
    (ValueError, "central_fraction", lambda: tf.image.central_crop(BATCH, 1.5)),
    (ValueError, "at least 3 dimensions", lambda: tf.image.flip_up_down(BATCH[0, 0])),
    (ValueError, "3 or 4", lambda: tf.image.rot90(BATCH[None])),
    (ValueError, "1 channel", lambda: tf.image.grayscale_to_rgb(BATCH)),
    (ValueError, r"\[-1, 1\]", lambda: tf.image.adjust_hue(BATCH, 2.0)),
    (WRONG_ARGUMENT, "3 channels", lambda: tf.image.adjust_hue(BATCH[..., :2], 0.1)),
    (tf.errors.FailedPreconditionError, "3 ch", lambda: tf.image.rgb_to_hsv(BATCH[..., :2])),
    (ValueError, "`gamma`", lambda: tf.image.adjust_gamma(BATCH, -1)),
    (ValueError, "upper", lambda: tf.image.random_contrast(BATCH, 2.0, 1.0)),
    (WRONG_ARGUMENT, "data: b.Need value", lambda: tf.image.random_crop(BATCH, [3, 3, 3, 3])),
    (AttributeError, "dtype", lambda: tf.image.convert_image_dtype(BATCH, tf.bool)),
    (ValueError, "compatible", lambda: tf.image.ssim(BATCH, BATCH[:, 1:], 1.0)),
    (WRONG_ARGUMENT, "smaller than", lambda: tf.image.ssim(BATCH, BATCH, 1.0)),
    (ValueError, "rank 4", lambda: tf.image.image_gradients(BATCH[0])),
    (ValueError, "3 or 4", lambda: tf.image.total_variation(BATCH[0, 0])),
    (WRONG_ARGUMENT, "negative", lambda: _patches([1, 20, 2, 1])),
    (tf.errors.UnimplementedError, "across space", lambda: _patches([2, 2, 2, 1])),
    (tf.errors.OutOfRangeError, "ksizes", lambda: _patches([1, 0, 2, 1])),
    (WRONG_ARGUMENT, "non-neg", lambda: tf.image.non_max_suppression(BOXES, SCORES, -1)),
    (WRONG_ARGUMENT, "iou", lambda: tf.image.non_max_suppression(BOXES, SCORES, 3, 1.5)),
    (WRONG_ARGUMENT, "scores", lambda: tf.image.non_max_suppression(BOXES, SCORES[:2], 3)),
    (WRONG_ARGUMENT, "4 col", lambda: tf.image.non_max_suppression(BOXES[:, :3], SCORES, 3)),
    (
        ValueError,
        "pad_to_max_output_size=True",
        lambda: tf.image.non_max_suppression_padded(BOXES[None], SCORES, 3),
    ),
    (WRONG_ARGUMENT, "rank", lambda: tf.image.draw_bounding_boxes(BATCH, BOXES, None)),
    (WRONG_ARGUMENT, "batch", lambda: tf.image.draw_bounding_boxes(BATCH, BOXES[None], None)),
    (WRONG_ARGUMENT, "noise", lambda: tf.image.extract_glimpse(BATCH, [2, 2], BOXES, noise="no")),
    (WRONG_ARGUMENT, "No bounding", lambda: _distorted(tf.zeros([1, 0, 4]))),
    (WRONG_ARGUMENT, r"\[0.0, 1.0\]", lambda: _distorted([[[0.0, 0.0, 1.2, 1.0]]])),
]


def _crop(image: Any, which: Any = (0,), method: str = "bilinear") -> Any:
    return tf.image.crop_and_resize(image, [[0.0, 0.0, 1.0, 1.0]], which, [2, 2], method)


def _patches(sizes: list[int]) -> Any:
    return tf.image.extract_patches(BATCH, sizes, [1] * 4, [1] * 4, "VALID")


def _distorted(boxes: Any) -> Any:
    return tf.image.stateless_sample_distorted_bounding_box([50, 60, 3], boxes, [1, 2])


def test_patches_that_just_do_not_fit() -> None:
    def patches(images: Any) -> Any:
        return tf.image.extract_patches(images, [1, 1, 3, 1], [1, 1, 2, 1], [1, 1, 2, 1], "VALID")

    for call in (patches, tf.function(patches)):
        with tf.GradientTape() as tape:
            images = tf.ones([1, 4, 2, 1])
            tape.watch(images)
            found = call(images)
        assert found.shape == [1, 4, 0, 3]
        assert not tape.gradient(found, images).numpy().any()


def test_hues_turn_all_the_way_round() -> None:
    pixel = np.float32([[[0.9, 0.2, 0.5]]])
    for turns, expected in (
        (-2.0, pixel),
        (1.5, [[[0.2, 0.9, 0.6]]]),
        (-7.25, [[[0.25, 0.2, 0.9]]]),
    ):
        found = tf.raw_ops.AdjustHue(images=pixel, delta=turns)
        np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize(("error", "message", "call"), REFUSED)
def test_refused(error: type[Exception], message: str, call: Any) -> None:
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("method", ["bilinear", "nearest", "area", "lanczos3"])
@pytest.mark.parametrize("traced", [False, True], ids=["eager", "traced"])
def test_images_of_different_sizes_are_resized_one_by_one(method: str, traced: bool) -> None:
    pictures = [tf.reshape(tf.range(24.0), [2, 4, 3]), tf.reshape(tf.range(45.0), [5, 3, 3])]
    rows = tf.ragged.stack([tf.RaggedTensor.from_tensor(picture) for picture in pictures])

    def resize(images: tf.RaggedTensor) -> tf.Tensor:
        return tf.image.resize(images, [3, 2], method)

    resized = (tf.function(resize) if traced else resize)(rows)
    assert resized.shape == [2, 3, 2, 3]
    for one, picture in zip(resized, pictures, strict=True):
        np.testing.assert_allclose(one, tf.image.resize(picture, [3, 2], method))


def test_resizing_no_images_or_ragged_numbers() -> None:
    none = tf.ragged.constant([], ragged_rank=2, inner_shape=(3,))
    assert tf.image.resize(none, [3, 2]).shape == [0, 3, 2, 3]
    with pytest.raises(ValueError, match="must have rank 4"):
        tf.image.resize(tf.ragged.constant([[[1.0, 2.0], [3.0]]]), [2, 2])


@pytest.mark.parametrize("wrong", [np.inf, np.nan])
def test_boxes_that_are_cut_out_are_finite(wrong: float) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="not finite"):
        tf.image.crop_and_resize(tf.ones([1, 2, 2, 1]), [[wrong, 0.0, 1.0, 1.0]], [0], [1, 1])


def test_gray_of_png_files_is_that_of_libpng() -> None:
    # Of TensorFlow 2.21: pixels whose luminance is next to a whole number.
    pixels = np.array([[[24, 11, 205], [100, 147, 51], [20, 46, 237], [220, 161, 15]]], np.uint8)
    gray = tf.io.decode_png(tf.io.encode_png(pixels), channels=1)
    assert gray.numpy().ravel().tolist() == [37, 121, 60, 161]
    deep = np.array([[[17530, 8366, 27063], [49861, 55169, 63848], [11863, 49608, 23346]]])
    file = tf.io.encode_png(deep.astype(np.uint16))
    gray = tf.io.decode_png(file, channels=1, dtype=tf.uint16)
    assert gray.numpy().ravel().tolist() == [13238, 54572, 35328]


@pytest.mark.parametrize("convert", [tf.image.rgb_to_hsv, tf.image.hsv_to_rgb])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_few_pixels_are_converted_like_many(convert: Any, dtype: type) -> None:
    pixels = np.random.default_rng(0).uniform(-0.5, 1.5, (40, 3)).astype(dtype)
    pixels[::4, 1] = pixels[::4, 0]
    pixels[::8, 2] = pixels[::8, 0]
    pixels[5] = np.nan, 0.5, np.inf
    many = convert(pixels).numpy()
    few = [convert(pixels[i : i + 5]).numpy() for i in range(0, 40, 5)]
    tolerance = 4 * float(np.finfo(dtype).eps)
    np.testing.assert_allclose(np.concatenate(few), many, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("adjust", [tf.image.adjust_hue, tf.image.adjust_saturation])
@pytest.mark.parametrize("amount", [0.0, 0.3, 0.9])
def test_few_pixels_are_adjusted_like_many(adjust: Any, amount: float) -> None:
    pixels = np.random.default_rng(0).uniform(-0.2, 1.2, (1, 40, 3)).astype(np.float32)
    pixels[:, ::4, 1] = pixels[:, ::4, 0]
    pixels[:, ::8, 2] = pixels[:, ::8, 0]
    pixels[0, 5] = 0
    many = adjust(pixels, amount).numpy()
    few = [adjust(pixels[:, i : i + 5], amount).numpy() for i in range(0, 40, 5)]
    np.testing.assert_allclose(np.concatenate(few, 1), many, rtol=1e-5, atol=1e-6)
