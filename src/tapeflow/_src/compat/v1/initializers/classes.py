"""Initializers: random values scaled by the fan-in and fan-out of a layer."""

from __future__ import annotations

import math
from typing import Any

from tapeflow import linalg
from tapeflow._src.api.arrays import conversion, creation
from tapeflow._src.api.arrays.initializers import Initializer
from tapeflow._src.api.math.casting import cast
from tapeflow._src.api.math.elementwise import sign
from tapeflow._src.api.random import stateful
from tapeflow._src.core.dtypes import float32
from tapeflow._src.ops.array.shape import reshape


def _fans(shape: Any) -> tuple[int, int]:
    """Return the fan-in and fan-out of weights of a shape."""
    dims = [int(n) for n in shape]
    if len(dims) < 2:
        size = dims[0] if dims else 1
        return size, size
    field = math.prod(dims[:-2])
    return dims[-2] * field, dims[-1] * field


class VarianceScaling(Initializer):
    """Variance scaling initializer: variance `scale / n`, n the fan-in, fan-out or their mean."""

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: Any = None,
        dtype: Any = float32,
    ) -> None:
        if scale <= 0:
            raise ValueError(f"scale must be above 0, received {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"Argument `mode` is unknown: {mode!r}")
        if distribution not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(f"Argument `distribution` is unknown: {distribution!r}")
        self.scale, self.mode, self.distribution = scale, mode, distribution
        self.seed, self.dtype = seed, dtype

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None, **kwargs: Any
    ) -> Any:
        fan_in, fan_out = _fans(shape)
        sizes = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}
        variance = self.scale / max(1.0, sizes[self.mode])
        kind = self.dtype if dtype is None else dtype
        if self.distribution == "uniform":
            limit = math.sqrt(3 * variance)
            return stateful.uniform(shape, -limit, limit, kind, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return stateful.normal(shape, 0.0, math.sqrt(variance), kind, seed=self.seed)
        # Truncation at two standard deviations reduces the deviation: this compensates.
        deviation = math.sqrt(variance) / 0.87962566103423978
        return stateful.truncated_normal(shape, 0.0, deviation, kind, seed=self.seed)


class glorot_uniform_initializer(VarianceScaling):
    """Glorot (Xavier) uniform initializer: keeps the variance of activations and gradients."""

    def __init__(self, seed: Any = None, dtype: Any = float32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)


class glorot_normal_initializer(VarianceScaling):
    """Glorot (Xavier) normal initializer: keeps the variance of activations and gradients."""

    def __init__(self, seed: Any = None, dtype: Any = float32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)


class zeros_initializer(Initializer):
    """Initializer of zeros."""

    def __init__(self, dtype: Any = float32) -> None:
        self.dtype = dtype

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None, **kwargs: Any
    ) -> Any:
        return creation.zeros(shape, self.dtype if dtype is None else dtype)


class ones_initializer(Initializer):
    """Initializer of ones."""

    def __init__(self, dtype: Any = float32) -> None:
        self.dtype = dtype

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None, **kwargs: Any
    ) -> Any:
        return creation.ones(shape, self.dtype if dtype is None else dtype)


class constant_initializer(Initializer):
    """Initializer of one value, or of one for each element."""

    def __init__(self, value: Any = 0, dtype: Any = float32, verify_shape: bool = False) -> None:
        self.value, self.dtype = value, dtype

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None, **kwargs: Any
    ) -> Any:
        return conversion.constant(self.value, self.dtype if dtype is None else dtype, shape)


class random_uniform_initializer(Initializer):
    """Initializer with a uniform distribution."""

    def __init__(
        self, minval: Any = 0.0, maxval: Any = None, seed: Any = None, dtype: Any = float32
    ) -> None:
        self.minval, self.maxval, self.seed, self.dtype = minval, maxval, seed, dtype

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None, **kwargs: Any
    ) -> Any:
        kind = self.dtype if dtype is None else dtype
        return stateful.uniform(shape, self.minval, self.maxval, kind, seed=self.seed)


class random_normal_initializer(Initializer):
    """Initializer with a normal distribution."""

    def __init__(
        self, mean: Any = 0.0, stddev: Any = 1.0, seed: Any = None, dtype: Any = float32
    ) -> None:
        self.mean, self.stddev, self.seed, self.dtype = mean, stddev, seed, dtype

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None, **kwargs: Any
    ) -> Any:
        kind = self.dtype if dtype is None else dtype
        return stateful.normal(shape, self.mean, self.stddev, kind, seed=self.seed)


class truncated_normal_initializer(random_normal_initializer):
    """Initializer with a normal distribution truncated at two standard deviations."""

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None, **kwargs: Any
    ) -> Any:
        kind = self.dtype if dtype is None else dtype
        return stateful.truncated_normal(shape, self.mean, self.stddev, kind, seed=self.seed)


class variance_scaling_initializer(VarianceScaling):
    """Variance scaling initializer: variance `scale / n`, n the fan-in, fan-out or their mean."""


class orthogonal_initializer(Initializer):
    """Initializer of random matrices with orthonormal rows or columns, times `gain`."""

    def __init__(self, gain: float = 1.0, seed: Any = None, dtype: Any = float32) -> None:
        self.gain, self.seed, self.dtype = gain, seed, dtype

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None, **kwargs: Any
    ) -> Any:
        dims = [int(n) for n in shape]
        if len(dims) < 2:
            raise ValueError(
                f"orthogonal_initializer needs a shape of at least two axes, received {dims}."
            )
        rows, columns = math.prod(dims[:-1]), dims[-1]
        kind = self.dtype if dtype is None else dtype
        numbers = stateful.normal(
            [max(rows, columns), min(rows, columns)], dtype=kind, seed=self.seed
        )
        q, r = linalg.qr(numbers, full_matrices=False)
        q = q * sign(linalg.tensor_diag_part(r))
        if rows < columns:
            q = linalg.matrix_transpose(q)
        return cast(self.gain, q.dtype) * reshape(q, dims)


class identity_initializer(Initializer):
    """Initializer of matrices with `gain` on the diagonal."""

    def __init__(self, gain: float = 1.0, dtype: Any = float32) -> None:
        self.gain, self.dtype = gain, dtype

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None, **kwargs: Any
    ) -> Any:
        dims = [int(n) for n in shape]
        if len(dims) != 2:
            raise ValueError(f"An identity needs a shape of two axes, received {dims}.")
        matrix = linalg.eye(dims[0], dims[1], dtype=self.dtype if dtype is None else dtype)
        return cast(self.gain, matrix.dtype) * matrix


class uniform_unit_scaling_initializer(Initializer):
    """Uniform initializer that preserves the scale of a layer with `shape[:-1]` inputs."""

    def __init__(self, factor: float = 1.0, seed: Any = None, dtype: Any = float32) -> None:
        self.factor, self.seed, self.dtype = factor, seed, dtype

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None, **kwargs: Any
    ) -> Any:
        inputs = max(1.0, float(math.prod(int(n) for n in list(shape)[:-1])))
        limit = math.sqrt(3 / inputs) * self.factor
        kind = self.dtype if dtype is None else dtype
        return stateful.uniform(shape, -limit, limit, kind, seed=self.seed)


def he_normal(seed: Any = None) -> VarianceScaling:
    """Return a truncated normal initializer of variance `2 / fan_in`."""
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: Any = None) -> VarianceScaling:
    """Return a uniform initializer of variance `2 / fan_in`."""
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


def lecun_normal(seed: Any = None) -> VarianceScaling:
    """Return a truncated normal initializer of variance `1 / fan_in`."""
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed: Any = None) -> VarianceScaling:
    """Return a uniform initializer of variance `1 / fan_in`."""
    return VarianceScaling(1.0, "fan_in", "uniform", seed)
