"""Transforms are those of `numpy.fft`, of any length, along any axis, in pieces or at once."""

from __future__ import annotations

import numpy as np
import pytest

from tapeflow._src.backends import numpy_fft

RANDOM = np.random.default_rng(0)
REAL = RANDOM.normal(size=(3, 40, 21))
COMPLEX = REAL + 1j * RANDOM.normal(size=REAL.shape)
TRANSFORMS = {"fft": COMPLEX, "ifft": COMPLEX, "rfft": REAL, "irfft": COMPLEX}


@pytest.fixture(params=["SciPy's code", "NumPy's loops"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "NumPy's loops":
        monkeypatch.setattr(numpy_fft, "_vectorised", lambda: None)
    elif numpy_fft._vectorised() is None:
        pytest.skip("SciPy is not installed, or has another transform")


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("pieces", [False, True])
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("n", [None, 1, 2, 17, 50])
@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_are_numpys(
    name: str, n: int | None, axis: int, pieces: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if pieces:
        monkeypatch.setattr(numpy_fft, "_LARGE", 0)
        monkeypatch.setattr(numpy_fft, "_PIECE", 100)
    x = TRANSFORMS[name]
    narrow = x.astype(np.float32 if name == "rfft" else np.complex64)
    for values, tolerance in ((x, 1e-12), (narrow, 1e-4)):
        expected = getattr(np.fft, name)(values, n, axis)
        actual = getattr(numpy_fft, name)(values, n, axis)
        assert actual.dtype == expected.dtype
        np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("axes", [(-1,), (-2, -1), (0, 1, 2)])
@pytest.mark.parametrize("name", ["fftn", "ifftn"])
@pytest.mark.parametrize("pieces", [False, True])
def test_transforms_along_several_axes_are_numpys(
    name: str, axes: tuple[int, ...], pieces: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if pieces:
        monkeypatch.setattr(numpy_fft, "_LARGE", 0)
        monkeypatch.setattr(numpy_fft, "_PIECE", 100)
    before = COMPLEX.copy()
    actual = getattr(numpy_fft, name)(COMPLEX, axes)
    np.testing.assert_allclose(actual, getattr(np.fft, name)(COMPLEX, axes=axes), rtol=1e-10)
    np.testing.assert_array_equal(COMPLEX, before)


@pytest.mark.usefixtures("library")
def test_nan_and_infinity_stay_in_their_lines() -> None:
    x = COMPLEX[0].copy()
    x[1, 2], x[5, 0] = np.nan, np.inf
    actual = numpy_fft.fft(x)
    assert (~np.isfinite(actual).all(1)).nonzero()[0].tolist() == [1, 5]
    np.testing.assert_array_equal(np.isnan(actual), np.isnan(np.fft.fft(x)))
