"""`tf.signal`: transforms against NumPy's, and what undoes what."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

X = np.linspace(-1, 1, 24).astype(np.float32).reshape(2, 3, 4)
Z = (X + 1j * X[::-1]).astype(np.complex64)
WAVE = np.sin(np.arange(50)).astype(np.float32)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_transforms_are_numpys(rank: int) -> None:
    suffix = "" if rank == 1 else f"{rank}d"
    axes = tuple(range(-rank, 0))
    close = {"rtol": 1e-4, "atol": 1e-5}
    for name, ours in (("fftn", "fft"), ("ifftn", "ifft")):
        result = getattr(tf.signal, ours + suffix)(Z)
        assert result.dtype is tf.complex64
        np.testing.assert_allclose(result, getattr(np.fft, name)(Z, axes=axes), **close)
    forward = getattr(tf.signal, "rfft" + suffix)(X)
    np.testing.assert_allclose(forward, np.fft.rfftn(X, axes=axes), **close)
    back = getattr(tf.signal, "irfft" + suffix)(forward)
    np.testing.assert_allclose(back, X, **close)


@pytest.mark.parametrize("n", [2, 3, 7])
@pytest.mark.parametrize("signature", [None, [tf.TensorSpec([None, None])]])
def test_lengths_cut_off_and_fill_up(n: int, signature) -> None:
    call = tf.function(lambda x: tf.signal.rfft(x, [n]), input_signature=signature)
    np.testing.assert_allclose(call(X[0]), np.fft.rfft(X[0], n), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(tf.signal.irfft(Z, [n]), np.fft.irfft(Z, n), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
def test_any_axes(norm: str | None) -> None:
    close = {"rtol": 1e-4, "atol": 1e-5}
    for ours, theirs, value in (
        (tf.signal.fftnd, np.fft.fftn, Z),
        (tf.signal.ifftnd, np.fft.ifftn, Z),
        (tf.signal.rfftnd, np.fft.rfftn, X),
        (tf.signal.irfftnd, np.fft.irfftn, Z),
    ):
        given = {"norm": norm, "axes": [0, 2]}
        np.testing.assert_allclose(ours(value, **given), theirs(value, **given), **close)
        np.testing.assert_allclose(
            ours(value, [2, 5], **given), theirs(value, [2, 5], **given), **close
        )


def test_shifts() -> None:
    for axes in (None, 1, (0, 2), -1):
        np.testing.assert_array_equal(tf.signal.fftshift(X, axes), np.fft.fftshift(X, axes))
        np.testing.assert_array_equal(tf.signal.ifftshift(X, axes), np.fft.ifftshift(X, axes))


def test_windows() -> None:
    np.testing.assert_allclose(
        tf.signal.hann_window(7, periodic=False), np.hanning(7), rtol=1e-5, atol=1e-6
    )
    np.testing.assert_allclose(tf.signal.hann_window(6), np.hanning(7)[:6], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(
        tf.signal.hamming_window(5, periodic=False), np.hamming(5), rtol=1e-5
    )
    np.testing.assert_allclose(tf.signal.kaiser_window(6, 3.0), np.kaiser(6, 3.0), rtol=1e-5)
    large = tf.signal.kaiser_window(6, 100.0)
    np.testing.assert_allclose(large, np.kaiser(6, 100.0), rtol=1e-4, atol=1e-12)
    for name in ("kaiser_bessel_derived_window", "vorbis_window"):
        window = getattr(tf.signal, name)(8).numpy()
        np.testing.assert_allclose(window[:4] ** 2 + window[4:] ** 2, np.ones(4), rtol=1e-5)
    for name in ("hann_window", "hamming_window", "kaiser_window"):
        assert getattr(tf.signal, name)(1).numpy().tolist() == [1.0]
    assert tf.signal.vorbis_window(4, tf.float64).dtype is tf.float64
    assert tf.signal.hann_window(0).shape == [0]
    with pytest.raises(ValueError, match="floating"):
        tf.signal.hann_window(4, dtype=tf.int32)


def test_frames() -> None:
    frames = tf.signal.frame(tf.range(7), 3, 2)
    assert frames.numpy().tolist() == [[0, 1, 2], [2, 3, 4], [4, 5, 6]]
    padded = tf.signal.frame(tf.range(5), 3, 2, pad_end=True, pad_value=-1)
    assert padded.numpy().tolist() == [[0, 1, 2], [2, 3, 4], [4, -1, -1]]
    assert tf.signal.frame(tf.range(2), 3, 2).shape == [0, 3]
    rows = tf.signal.frame(tf.reshape(tf.range(6), [3, 2]), 2, 1, axis=0)
    assert rows.numpy().tolist() == [[[0, 1], [2, 3]], [[2, 3], [4, 5]]]
    summed = tf.signal.overlap_and_add(frames, 2)
    assert summed.numpy().tolist() == [0, 1, 4, 3, 8, 5, 6]
    with pytest.raises(ValueError, match="rank"):
        tf.signal.overlap_and_add(tf.ones([3]), 1)


@pytest.mark.parametrize("signature", [None, [tf.TensorSpec([None])]])
def test_spectra_come_back(signature) -> None:
    step = 4

    @tf.function(input_signature=signature)
    def there_and_back(wave: tf.Tensor) -> tf.Tensor:
        spectra = tf.signal.stft(wave, 16, step)
        window = tf.signal.inverse_stft_window_fn(step)
        return tf.signal.inverse_stft(spectra, 16, step, window_fn=window)

    back = there_and_back(WAVE).numpy()
    np.testing.assert_allclose(back[12:-12], WAVE[12 : len(back) - 12], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", [2, 3, 4])
def test_cosines_come_back(kind: int) -> None:
    there = tf.signal.dct(X, kind, norm="ortho")
    np.testing.assert_allclose(tf.signal.idct(there, kind, norm="ortho"), X, rtol=1e-4, atol=1e-5)


def test_cosines_are_sums_of_cosines() -> None:
    n = np.arange(4)
    waves = 2 * np.cos(np.pi / 4 * (n[:, None] + 0.5) * n)
    np.testing.assert_allclose(tf.signal.dct(X), X @ waves, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(
        tf.signal.dct(X, n=6)[..., ::3], tf.signal.dct(np.pad(X, [(0, 0)] * 2 + [(0, 2)]))[..., ::3]
    )
    for wrong in ({"type": 5}, {"norm": "x"}, {"n": 0}, {"type": 1, "norm": "ortho"}):
        with pytest.raises(ValueError):
            tf.signal.dct(X, **wrong)
    with pytest.raises(NotImplementedError):
        tf.signal.dct(X, axis=0)


@pytest.mark.parametrize("norm", [None, "ortho"])
def test_modified_cosines_come_back(norm: str | None) -> None:
    back = tf.signal.inverse_mdct(tf.signal.mdct(WAVE, 8, norm=norm), norm=norm)
    np.testing.assert_allclose(back[4:-4], WAVE[4 : len(back) - 4], rtol=1e-3, atol=1e-4)
    with pytest.raises(ValueError, match="frame_length"):
        tf.signal.mdct(WAVE, 6)


def test_mel_scale() -> None:
    matrix = tf.signal.linear_to_mel_weight_matrix(5, 65, 8000, 100.0, 3000.0).numpy()
    assert matrix.shape == (65, 5)
    assert (matrix >= 0).all() and not matrix[0].any()
    # Triangles that overlap: between the first and the last peak they add up to 1.
    peaks = matrix.argmax(axis=0)
    np.testing.assert_allclose(matrix[peaks[0] + 1 : peaks[-1]].sum(axis=1), 1, rtol=1e-4)
    assert tf.signal.mfccs_from_log_mel_spectrograms(X).shape == X.shape
    with pytest.raises(ValueError, match="upper_edge_hertz"):
        tf.signal.linear_to_mel_weight_matrix(5, 17, 8000, 100.0, 5000.0)


def test_gradients_of_spectra() -> None:
    wave = tf.Variable(WAVE)
    with tf.GradientTape() as tape:
        power = tf.reduce_sum(tf.abs(tf.signal.stft(wave, 8, 4, window_fn=None)) ** 2)
    gradient = tape.gradient(power, wave).numpy()
    # The power of half a spectrum is that of all of it and of what counts once.
    step = np.zeros(50, np.float32)
    step[10] = 1e-2
    ahead, behind = (
        float(tf.reduce_sum(tf.abs(tf.signal.stft(WAVE + s, 8, 4, window_fn=None)) ** 2))
        for s in (step, -step)
    )
    np.testing.assert_allclose(gradient[10], (ahead - behind) / 2e-2, rtol=1e-2)


def test_samples_that_no_window_shows_come_back_as_zero() -> None:
    window = tf.signal.inverse_stft_window_fn(4)(4, tf.float32)
    np.testing.assert_allclose(window, [0.0, 2.0, 1.0, 2.0], rtol=1e-6)


def test_frames_are_described_by_scalars() -> None:
    for wrong in ({"frame_length": [5]}, {"frame_step": [3]}, {"axis": [0]}):
        with pytest.raises(ValueError, match="must have rank 0"):
            tf.signal.frame(tf.ones([10]), **{"frame_length": 5, "frame_step": 3} | wrong)
