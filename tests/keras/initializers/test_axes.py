"""Initializers that know the axes of inputs, windows by name, and arrays as initializers."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

initializers, layers = tf.keras.initializers, tf.keras.layers
# Values of SciPy for 8 samples: the first four, which the others mirror.
WINDOWS = {
    "barthann": [0.0, 0.21164530, 0.60170081, 0.92808246],
    "bartlett": [0.0, 0.28571429, 0.57142857, 0.85714286],
    "bohman": [0.0, 0.07072475, 0.43748401, 0.91036851],
    "cosine": [0.19509032, 0.55557023, 0.83146961, 0.98078528],
    "hann": [0.0, 0.18825510, 0.61126047, 0.95048443],
    "parzen": [0.00390625, 0.10546875, 0.47265625, 0.91796875],
    "triang": [0.125, 0.375, 0.625, 0.875],
    "tukey": [0.0, 0.61126047, 1.0, 1.0],
}


@pytest.mark.parametrize("name", WINDOWS)
def test_windows_by_name(name: str) -> None:
    initializer = initializers.STFT("real", name, scaling=None)
    # The first frequency is a constant: what is left is the window.
    values = initializer((8, 1, 5)).numpy()[:, 0, 0]
    np.testing.assert_allclose(values, [*WINDOWS[name], *WINDOWS[name][::-1]], atol=1e-6)
    periodic = initializers.STFT("real", name, scaling=None, periodic=True)
    longer = initializer((9, 1, 5)).numpy()[:8, 0, 0]
    np.testing.assert_allclose(periodic((8, 1, 5)).numpy()[:, 0, 0], longer, atol=1e-6)


def test_einsum_dense_scales_by_the_axes_of_its_equation() -> None:
    layer = layers.EinsumDense("abc,cde->abde", (None, 8, 16), kernel_initializer="lecun_normal")
    layer.build((None, 10, 32))
    assert float(np.std(layer.kernel)) == pytest.approx((1 / 32) ** 0.5, rel=0.05)
    config = layer.get_config()["kernel_initializer"]["config"]
    assert config == {"seed": None, "input_axes": None, "output_axes": None}


def test_an_array_is_for_one_shape() -> None:
    initializer = initializers.get(np.ones((2, 3), "float32"))
    np.testing.assert_array_equal(initializer((2, 3)), np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"\(2, 3\).*\(3, 2\)"):
        initializer((3, 2))
