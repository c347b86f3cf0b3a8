"""`tf.quantization` and `tf.audio`: values as TensorFlow gives them, and there and back."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

X = np.array([[-10.23, -1.2, -0.3], [0.0, 0.7, 10.03]], np.float32)
Q = tf.quantization


def integers(tensor: tf.Tensor) -> list[list[int]]:
    return tf.bitcast(tensor, tf.int8).numpy().tolist()


def test_fake_quantization() -> None:
    out = Q.fake_quant_with_min_max_args(tf.constant([10.03, -10.23, 3]), -5, 5, 16)
    np.testing.assert_allclose(out, [4.9999237, -5.0000763, 3.0000763], rtol=1e-6)
    assert Q.fake_quant_with_min_max_vars(X, 0.0, 0.0).numpy().tolist() == [[0.0] * 3] * 2
    variables = tf.Variable(-1.0), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        total = 3 * Q.fake_quant_with_min_max_vars(X, *variables)
    assert [float(g) for g in tape.gradient(total, variables)] == [6.0, 3.0]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("MIN_COMBINED", [[-128, -128, -39], [-1, 89, 127]]),
        ("MIN_FIRST", [[-128, -128, -38], [0, 89, 127]]),
        ("SCALED", [[-128, -128, -38], [0, 89, 127]]),
    ],
)
def test_integers_and_back(mode: str, expected: list[list[int]]) -> None:
    output, low, high = Q.quantize(X, -1.0, 1.0, tf.qint8, mode=mode)
    assert output.dtype is tf.qint8
    assert integers(output) == expected
    back = Q.dequantize(output, low, high, mode=mode)
    # A step is 2 / 255 wide, and TensorFlow rounds where the first one starts, too.
    np.testing.assert_allclose(back, np.clip(X, -1, 1), atol=3 / 255)


def test_unsigned_bytes_are_rounded_once() -> None:
    output, _, _ = Q.quantize(X, -1.0, 1.0, tf.quint8, mode="MIN_FIRST")
    assert tf.bitcast(output, tf.uint8).numpy().tolist() == [[0, 0, 89], [128, 217, 255]]


def test_rounding_to_even_is_symmetric() -> None:
    output, low, high = Q.quantize(X, -1.0, 2.0, tf.qint8, mode="SCALED", round_mode="HALF_TO_EVEN")
    assert integers(output) == [[-128, -76, -19], [0, 45, 127]]
    assert (float(low), float(high)) == (-2.0, 2.0)


def test_there_and_back() -> None:
    out = Q.quantize_and_dequantize_v2(X, -1.0, 2.0, num_bits=4, range_given=True)
    np.testing.assert_allclose(out, np.array([[-8, -4, -1], [0, 2, 7]]) * 2 / 7, rtol=1e-6)
    x = tf.constant(X)
    for call, expected in (
        (Q.quantize_and_dequantize_v2, [[0.0, 0.0, 1.0], [1.0, 1.0, 0.0]]),
        (Q.quantize_and_dequantize, [[1.0] * 3] * 2),
    ):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(x, -1.0, 1.0, range_given=True)
        assert tape.gradient(y, x).numpy().tolist() == expected


def test_a_range_that_is_measured_is_not_imposed() -> None:
    x = tf.constant([1.0, -2.0, 3.0])

    def back(values: tf.Tensor) -> tf.Tensor:
        return Q.quantize_and_dequantize_v2(values, -1.0, 2.0, signed_input=False)

    for call in (back, tf.function(back), tf.function(back, jit_compile=True)):
        np.testing.assert_allclose(call(x), [1.0, -2.0, 3.0], rtol=1e-6)


def test_integers_of_32_bits_end_before_they_overflow() -> None:
    output, _, _ = Q.quantize(X * 9, -1.0, 2.0, tf.qint32, mode="MIN_FIRST")
    assert tf.bitcast(output, tf.int32).numpy()[1, -1] == 2147483520


def test_sound_files() -> None:
    sound = tf.constant([[0.0, 0.25], [0.5, -0.1], [2.0, -2.0]])
    file = tf.audio.encode_wav(sound, 44100)
    audio, rate = tf.audio.decode_wav(file)
    assert int(rate) == 44100
    np.testing.assert_allclose(audio, np.clip(sound, -1, 1), atol=1 / 32768)
    assert tf.audio.decode_wav(file, desired_channels=1).audio.shape == [3, 1]
    longer = tf.audio.decode_wav(file, desired_channels=3, desired_samples=4).audio.numpy()
    assert (longer[:, 1] == longer[:, 2]).all() and not longer[3].any()
    assert tf.audio.decode_wav(file, desired_channels=0).audio.shape == [3, 0]
    assert tf.audio.decode_wav(file, desired_samples=0).audio.shape == [0, 2]
    traced = tf.function(lambda c: tf.audio.decode_wav(c, 1, 10).audio)
    assert traced(file).shape == [10, 1]


@pytest.mark.parametrize(
    "call",
    [
        lambda: Q.fake_quant_with_min_max_args(X, 5.0, -5.0),
        lambda: Q.fake_quant_with_min_max_args(X, num_bits=17),
        lambda: Q.fake_quant_with_min_max_vars(X, [-3.0], 2.0),
        lambda: Q.fake_quant_with_min_max_vars_per_channel(X, [0.0], [1.0]),
        lambda: Q.quantize(X, 1.0, -1.0, tf.qint8),
        lambda: Q.quantize(X, -1.0, 1.0, tf.int8),
        lambda: Q.quantize(X, -1.0, 1.0, tf.qint8, mode="NO"),
        lambda: Q.quantize_and_dequantize_v2(X, 1.0, -1.0, range_given=True),
        lambda: Q.quantize_and_dequantize_v2(X, -1.0, 1.0, num_bits=70),
        lambda: tf.audio.encode_wav(tf.constant([0.0]), 8000),
        lambda: tf.audio.encode_wav(tf.zeros([1, 1]), 0),
        lambda: tf.audio.decode_wav(b"RIFF"),
        lambda: tf.audio.decode_wav(b"RIFF", desired_samples=-2),
        lambda: tf.audio.decode_wav(b"x" * 60),
        lambda: tf.audio.decode_wav(tf.audio.encode_wav(tf.zeros([9, 1]), 8000).numpy()[:-4]),
    ],
)
def test_wrong_calls(call) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        call()
