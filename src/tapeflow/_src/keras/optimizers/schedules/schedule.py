"""`LearningRateSchedule`: the learning rate as a function of the step."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike


class LearningRateSchedule:
    """Base class of schedules: subclasses define `__call__(step)`, which returns the rate.

    An optimizer calls it with the number of its steps. A subclass that is to be saved defines
    `get_config`, too.

    Example:
        >>> class Halving(tf.keras.optimizers.schedules.LearningRateSchedule):
        ...     def __call__(self, step):
        ...         return 0.5 ** tf.cast(step, "float32")
        >>> optimizer = tf.keras.optimizers.SGD(Halving())
        >>> float(optimizer.learning_rate)
        1.0
    """

    def __call__(self, step: Any) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__} must define `__call__(self, step)`, which returns the learning "
            f"rate."
        )

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that `from_config` creates an equal schedule from.

        Raises:
            NotImplementedError: The class does not define it.
        """
        raise NotImplementedError(
            f"{type(self).__name__} must define `get_config()` to be saved with an optimizer."
        )

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> LearningRateSchedule:
        """Create a schedule from the config that `get_config` returned.

        Args:
            config: Dict of constructor arguments.

        Returns:
            A schedule of this class.
        """
        return cls(**config)


def must_be_positive(name: str, steps: Any) -> None:
    """Raise ValueError unless the number of steps given as argument `name` is one."""
    if steps <= 0:
        raise ValueError(f"Argument `{name}` must be > 0. Received: {name}={steps}")


def rate_and_step(rate: TensorLike, step: Any) -> tuple[Any, Any]:
    """The first learning rate as a tensor, and the step in its dtype."""
    rate = tf.convert_to_tensor(rate)
    return rate, tf.cast(step, rate.dtype)
