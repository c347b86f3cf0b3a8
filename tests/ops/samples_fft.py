"""Samples of Fourier transforms."""

import numpy as np

from tests.ops.harness import Law, S, c64, c128, f32, f64

_NO_GRAD = Law(grad=False, why="TF has no gradient either")
_TO_COMPLEX = Law(finite=False, rtol=1e-3, atol=1e-4, why="slopes are those of real results")
_LOOSE = Law(rtol=1e-3, atol=1e-4, why="sums of many float32")

SAMPLES = [
    S("FFT", c64(2, 6), law=_LOOSE),
    S("FFT", c128(5)),
    S("FFT", c64(0, 4)),
    S("IFFT", c64(2, 6), law=_LOOSE),
    S("IFFT", c128(5)),
    S("FFT2D", c64(2, 3, 4), law=_LOOSE),
    S("IFFT2D", c128(3, 4)),
    S("FFT3D", c64(2, 3, 2), law=_LOOSE),
    S("IFFT3D", c128(2, 2, 3, 2)),
    S("RFFT", f32(2, 6), [6], law=_TO_COMPLEX),
    S("RFFT", f64(7), [5], Tcomplex="complex128", law=_TO_COMPLEX),
    S("RFFT", f32(3, 4), [0], law=_TO_COMPLEX),
    S("IRFFT", c64(2, 4), [6], law=_LOOSE),
    S("IRFFT", c128(4), [5], Treal="float64"),
    S("RFFT2D", f32(2, 4, 6), [4, 5], law=_TO_COMPLEX),
    S("RFFT2D", f64(3, 4), [2, 4], Tcomplex="complex128", law=_TO_COMPLEX),
    S("IRFFT2D", c64(4, 4), [4, 6], law=_LOOSE),
    S("IRFFT2D", c128(2, 3, 3), [3, 5], Treal="float64"),
    S("RFFT3D", f64(2, 3, 4), [2, 3, 4], Tcomplex="complex128", law=_TO_COMPLEX),
    S("IRFFT3D", c128(2, 3, 3), [2, 3, 4], Treal="float64"),
    S("FFTND", c64(2, 3, 4), [2, 4], [0, 2], law=_NO_GRAD),
    S("FFTND", c128(2, 3, 2, 2), [2, 3, 2, 2], [0, 1, 2, 3], law=_NO_GRAD),
    S("IFFTND", c64(2, 3, 4), [5], [-1], law=_NO_GRAD),
    S("RFFTND", f32(2, 3, 4), [3, 4], [1, 2], law=_NO_GRAD),
    S("RFFTND", f64(3, 4), [3], np.array([0], np.int32), Tcomplex="complex128", law=_NO_GRAD),
    S("IRFFTND", c64(2, 3, 3), [3, 4], [1, 2], law=_NO_GRAD),
]
