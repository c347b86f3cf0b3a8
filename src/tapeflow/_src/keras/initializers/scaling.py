"""Initializers whose spread depends on how many inputs and outputs a weight connects."""

from __future__ import annotations

import math
from typing import Any

from tapeflow._src.keras.config import standardize_dtype
from tapeflow._src.keras.initializers.random import RandomInitializer
from tapeflow.keras.random import normal, truncated_normal, uniform

_MODES = ("fan_in", "fan_out", "fan_avg")
_DISTRIBUTIONS = ("truncated_normal", "untruncated_normal", "uniform")
# The deviation of a normal distribution that is cut at two deviations.
_CUT = 0.87962566103423978


def compute_fans(shape: Any, input_axes: Any = None, output_axes: Any = None) -> tuple[int, int]:
    """How many inputs and outputs a weight of that shape has; the last two axes, if not said."""
    shape = tuple(shape)
    if input_axes is not None and output_axes is not None:
        fan_in = math.prod(shape[axis] for axis in input_axes)
        return int(fan_in), int(math.prod(shape[axis] for axis in output_axes))
    if len(shape) < 2:
        fan = int(math.prod(shape))
        return fan, fan
    field = math.prod(shape[:-2])
    return int(shape[-2] * field), int(shape[-1] * field)


class VarianceScaling(RandomInitializer):
    """Initializer with variance `scale / n`, where `n` depends on `mode`.

    `fan_in` is the number of inputs of a unit (rows of a `Dense` kernel), `fan_out` that of its
    outputs (columns); windows of convolutions multiply both.

    Args:
        scale: Numerator of the variance, positive.
        mode: "fan_in", "fan_out" or "fan_avg", their mean.
        distribution: "truncated_normal", "untruncated_normal" or "uniform".
        seed: Integer for the same values at each call, or `SeedGenerator` for others; None draws an
            integer when the initializer is created.
        input_axes: Axes whose sizes multiply to `fan_in`; None is all but the last one.
        output_axes: Axes whose sizes multiply to `fan_out`; None is all but the last but one.

    Raises:
        ValueError: `scale` is not positive, or `mode` or `distribution` has another value.

    Example:
        >>> initializer = tf.keras.initializers.VarianceScaling(scale=2.0, mode="fan_out", seed=1)
        >>> initializer((3, 3, 16, 32)).shape
        TensorShape([3, 3, 16, 32])
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: Any = None,
        input_axes: Any = None,
        output_axes: Any = None,
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"`scale` must be above 0. Received: scale={scale}")
        if mode not in _MODES:
            raise ValueError(f"`mode` must be one of {_MODES}. Received: mode={mode!r}")
        distribution = distribution.lower()
        if distribution == "normal":
            distribution = "truncated_normal"
        if distribution not in _DISTRIBUTIONS:
            raise ValueError(
                f"`distribution` must be one of {_DISTRIBUTIONS}. Received: "
                f"distribution={distribution!r}"
            )
        self.scale = scale
        self.mode = mode
        self.distribution = distribution
        self.input_axes = input_axes
        self.output_axes = output_axes
        super().__init__(seed)

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        fan_in, fan_out = compute_fans(shape, self.input_axes, self.output_axes)
        fans = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}
        variance = self.scale / max(1.0, fans[self.mode])
        dtype = standardize_dtype(dtype)
        if self.distribution == "truncated_normal":
            return truncated_normal(shape, 0.0, math.sqrt(variance) / _CUT, dtype, self.seed)
        if self.distribution == "untruncated_normal":
            return normal(shape, 0.0, math.sqrt(variance), dtype, self.seed)
        limit = math.sqrt(3.0 * variance)
        return uniform(shape, -limit, limit, dtype, self.seed)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "scale": self.scale,
            "mode": self.mode,
            "distribution": self.distribution,
            "input_axes": self.input_axes,
            "output_axes": self.output_axes,
        }


class _Named(VarianceScaling):
    """A variance scaling whose kind is fixed by the class."""

    _kind: tuple[float, str, str]

    def __init__(self, seed: Any = None, input_axes: Any = None, output_axes: Any = None) -> None:
        super().__init__(*self._kind, seed, input_axes, output_axes)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        return {name: config[name] for name in ("seed", "input_axes", "output_axes")}


class GlorotUniform(_Named):
    """Glorot (Xavier) uniform initializer: variance `2 / (fan_in + fan_out)`.

    Values are within `sqrt(6 / (fan_in + fan_out))` of 0. It is the default of kernels.

    Args:
        seed: Integer for the same values at each call, or `SeedGenerator` for others; None draws an
            integer when the initializer is created.
        input_axes: Axes whose sizes multiply to `fan_in`; None is all but the last one.
        output_axes: Axes whose sizes multiply to `fan_out`; None is all but the last but one.

    Example:
        >>> tf.keras.initializers.GlorotUniform(seed=1)((4, 2)).shape
        TensorShape([4, 2])
    """

    _kind = (1.0, "fan_avg", "uniform")


class GlorotNormal(_Named):
    """Glorot (Xavier) normal initializer: variance `2 / (fan_in + fan_out)`.

    The normal distribution is truncated at two standard deviations.

    Args:
        seed: Integer for the same values at each call, or `SeedGenerator` for others; None draws an
            integer when the initializer is created.
        input_axes: Axes whose sizes multiply to `fan_in`; None is all but the last one.
        output_axes: Axes whose sizes multiply to `fan_out`; None is all but the last but one.

    Example:
        >>> tf.keras.initializers.GlorotNormal(seed=1)((4, 2)).shape
        TensorShape([4, 2])
    """

    _kind = (1.0, "fan_avg", "truncated_normal")


class LecunNormal(_Named):
    """LeCun normal initializer: variance `1 / fan_in`.

    The normal distribution is truncated at two standard deviations. It suits the SELU activation.

    Args:
        seed: Integer for the same values at each call, or `SeedGenerator` for others; None draws an
            integer when the initializer is created.
        input_axes: Axes whose sizes multiply to `fan_in`; None is all but the last one.
        output_axes: Axes whose sizes multiply to `fan_out`; None is all but the last but one.

    Example:
        >>> tf.keras.initializers.LecunNormal(seed=1)((4, 2)).shape
        TensorShape([4, 2])
    """

    _kind = (1.0, "fan_in", "truncated_normal")


class LecunUniform(_Named):
    """LeCun uniform initializer: variance `1 / fan_in`.

    Values are within `sqrt(3 / fan_in)` of 0.

    Args:
        seed: Integer for the same values at each call, or `SeedGenerator` for others; None draws an
            integer when the initializer is created.
        input_axes: Axes whose sizes multiply to `fan_in`; None is all but the last one.
        output_axes: Axes whose sizes multiply to `fan_out`; None is all but the last but one.

    Example:
        >>> tf.keras.initializers.LecunUniform(seed=1)((4, 2)).shape
        TensorShape([4, 2])
    """

    _kind = (1.0, "fan_in", "uniform")


class HeNormal(_Named):
    """He normal initializer, for ReLU networks: variance `2 / fan_in`.

    The normal distribution is truncated at two standard deviations.

    Args:
        seed: Integer for the same values at each call, or `SeedGenerator` for others; None draws an
            integer when the initializer is created.
        input_axes: Axes whose sizes multiply to `fan_in`; None is all but the last one.
        output_axes: Axes whose sizes multiply to `fan_out`; None is all but the last but one.

    Example:
        >>> tf.keras.initializers.HeNormal(seed=1)((4, 2)).shape
        TensorShape([4, 2])
    """

    _kind = (2.0, "fan_in", "truncated_normal")


class HeUniform(_Named):
    """He uniform initializer, for ReLU networks: variance `2 / fan_in`.

    Values are within `sqrt(6 / fan_in)` of 0.

    Args:
        seed: Integer for the same values at each call, or `SeedGenerator` for others; None draws an
            integer when the initializer is created.
        input_axes: Axes whose sizes multiply to `fan_in`; None is all but the last one.
        output_axes: Axes whose sizes multiply to `fan_out`; None is all but the last but one.

    Example:
        >>> tf.keras.initializers.HeUniform(seed=1)((4, 2)).shape
        TensorShape([4, 2])
    """

    _kind = (2.0, "fan_in", "uniform")
