"""`SeedGenerator`: seeds for random ops that depend on nothing but them, one after the other."""

from __future__ import annotations

import random
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.scopes import name_scope
from tapeflow._src.keras.utils.naming import auto_name
from tapeflow._src.keras.variables import Variable

_global: list[SeedGenerator] = []


class SeedGenerator(tf.Module):
    """Generates a new seed at each call; its state is a variable, saved with its layer.

    Layers that draw random numbers create one and pass it as `seed` to functions of `keras.random`.
    Two generators of the same seed produce the same sequence.

    Args:
        seed: Integer to begin with; None draws one (from Python's `random`, which `set_random_seed`
            sets).
        name: Name of the generator.
        **kwargs: `backend`, which is ignored.

    Raises:
        ValueError: `seed` is not an integer.

    Example:
        >>> first, second = tf.keras.random.SeedGenerator(7), tf.keras.random.SeedGenerator(7)
        >>> drawn = [tf.keras.random.normal((3,), seed=seed) for seed in (first, second)]
        >>> bool(tf.reduce_all(drawn[0] == drawn[1]))
        True
    """

    def __init__(self, seed: int | None = None, name: str | None = None, **kwargs: Any) -> None:
        kwargs.pop("backend", None)  # of Keras, where several backends can be loaded at once
        if kwargs:
            raise ValueError(f"SeedGenerator takes `seed` and `name`. Received also: {kwargs}")
        super().__init__("seed_generator")
        self._name = auto_name("SeedGenerator") if name is None else name
        self._initial_seed = seed
        if seed is None:
            seed = make_default_seed()
        if not isinstance(seed, int):
            raise ValueError(
                f"SeedGenerator: `seed` must be None or an integer. Received: seed={seed!r}"
            )
        self.is_large = not 0 <= seed < _MODULUS
        with name_scope(self.name, caller=self):
            self.state = Variable(
                lambda shape, dtype: tf.constant([seed, 0], dtype),
                shape=(2,),
                dtype="int64",
                trainable=False,
                name="seed_generator_state",
            )

    def next(self, ordered: bool = True) -> Any:
        """Return the next seed and advance the state.

        Args:
            ordered: Whether to count up; otherwise the state is scrambled, for the generator that
                functions without seeds share.

        Returns:
            An `int64` tensor of two numbers, for stateless random ops.

        Example:
            >>> tf.keras.random.SeedGenerator(1).next().shape
            TensorShape([2])
        """
        seed = self.state()
        if ordered:
            self.state.assign(seed + _INCREMENT)
        else:
            self.state.assign((seed + 1) * 5387 % 933199)
        return seed

    def get_config(self) -> dict[str, Any]:
        """Return the initial seed (None if it was drawn) and the name, as a dict."""
        return {"seed": self._initial_seed, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> SeedGenerator:
        """Create a generator from the config of `get_config`, with its initial seed.

        Args:
            config: The dict.

        Returns:
            A new generator.
        """
        return cls(**config)


_INCREMENT = (0, 1)
# Keras reduces seeds by it to numbers of 32 bits.
_MODULUS = 2**31 - 2


def global_seed_generator() -> SeedGenerator:
    """Return the generator of seeds for random functions called without one."""
    if not _global:
        _global.append(SeedGenerator())
    return _global[0]


def reset_global_seed_generator() -> None:
    """Begin anew, with a seed from Python's random numbers."""
    _global.clear()


def global_state() -> tuple[SeedGenerator, Any] | None:
    """The generator for functions without seeds, and its state, for `set_global_state`."""
    return (_global[0], _global[0].state.numpy()) if _global else None


def set_global_state(state: tuple[SeedGenerator, Any] | None) -> None:
    """Have functions without seeds go on from a state."""
    _global.clear()
    if state is not None:
        generator, value = state
        generator.state.assign(value)
        _global.append(generator)


def make_default_seed() -> int:
    """A seed from Python's random numbers."""
    return random.randint(1, int(1e9))


def draw_seed(seed: Any) -> Any:
    """Return the two numbers that a random op takes, from an int, a generator, or None."""
    if isinstance(seed, SeedGenerator):
        drawn = seed.next()
        return drawn % _MODULUS if seed.is_large else drawn
    if isinstance(seed, int):
        return tf.constant([seed % _MODULUS, 0], tf.int64)
    if seed is None:
        return global_seed_generator().next(ordered=False)
    raise ValueError(
        f"`seed` must be an integer, a `keras.random.SeedGenerator` or None. Received: {seed!r} "
        f"of type {type(seed).__name__}"
    )
