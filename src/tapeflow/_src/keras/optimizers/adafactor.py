"""Adafactor: mean squares of rows and columns in the place of those of all elements."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, TensorLike
from tapeflow._src.keras.optimizers.gradients import dense, on_elements
from tapeflow._src.keras.optimizers.optimizer import Optimizer


def _rms(x: TensorLike, variable: Any) -> Any:
    """The root of the mean square of a variable, or of a gradient of it."""
    return tf.sqrt(tf.reduce_mean(dense(on_elements(tf.square, x), variable)))


class Adafactor(Optimizer):
    """Adafactor (Shazeer & Stern, 2018): Adam with factored second moments, to save memory.

    The last two axes of a variable are factored; lower ranks are updated as RMSprop does.

    Args:
        learning_rate: Upper limit of the learning rate, which falls as `1 / sqrt(step)`.
        beta_2_decay: Exponent of the decay of the second moment, negative.
        epsilon_1: Added to squared gradients for numerical stability.
        epsilon_2: Smallest size of a variable, whose root mean square scales its steps.
        clip_threshold: Largest root mean square of a step before it is scaled.
        relative_step: Written to configs only: steps always fall with their number.
        weight_decay: Decoupled weight decay per step, times the learning rate; None for none.
        clipnorm: Largest norm of the gradient of each variable.
        clipvalue: Largest absolute value of gradients.
        global_clipnorm: Largest norm of all gradients together.
        use_ema: Whether to keep an exponential moving average of the variables.
        ema_momentum: Decay of that average.
        ema_overwrite_frequency: Steps after which variables are set to their average.
        loss_scale_factor: Factor of the loss, undone on the gradients; for low precision.
        gradient_accumulation_steps: Number of steps whose gradients are averaged for one update.

    Example:
        >>> w = tf.Variable(tf.ones((2, 3)))
        >>> tf.keras.optimizers.Adafactor(0.1).apply([tf.ones((2, 3))], [w])
        >>> w.numpy().round(3)
        array([[0.9, 0.9, 0.9],
               [0.9, 0.9, 0.9]], dtype=float32)
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_2_decay: float = -0.8,
        epsilon_1: float = 1e-30,
        epsilon_2: float = 1e-3,
        clip_threshold: float = 1.0,
        relative_step: bool = True,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            learning_rate,
            weight_decay,
            clipnorm,
            clipvalue,
            global_clipnorm,
            use_ema,
            ema_momentum,
            ema_overwrite_frequency,
            loss_scale_factor,
            gradient_accumulation_steps,
            name,
            **kwargs,
        )
        self.beta_2_decay = beta_2_decay
        self.epsilon_1 = epsilon_1
        self.epsilon_2 = epsilon_2
        self.clip_threshold = clip_threshold
        self.relative_step = relative_step

    def build(self, var_list: Any) -> None:
        """Create the means of rows, of columns, and what both make of each variable.

        Args:
            var_list: Variables that are trained.
        """
        if self.built:
            return
        super().build(var_list)
        self._r: list[Any] = []
        self._c: list[Any] = []
        self._v: list[Any] = []
        for variable in var_list:
            shape, name = tuple(variable.shape), variable.name.partition(":")[0]
            factored = len(shape) >= 2
            row, column = (shape[:-1], shape[:-2] + shape[-1:]) if factored else ((), ())
            dtype = variable.dtype if factored else "int32"
            self._r.append(self.add_variable(row, dtype=dtype, name=name))
            self._c.append(self.add_variable(column, dtype=dtype, name=name))
            self._v.append(self.add_variable_from_reference(variable, "velocity"))

    def update_step(self, gradient: TensorLike, variable: Any, learning_rate: Any) -> None:
        dtype = variable.dtype
        rate, ages = self._tpf_once(("ages", dtype), lambda: self._ages(dtype, learning_rate))
        square = dense(on_elements(tf.square, gradient), variable)
        roots = tf.sqrt(self._mean_squares(square + self.epsilon_1, variable, ages))
        if isinstance(gradient, tf.IndexedSlices):
            roots = tf.gather(roots, gradient.indices)
        step = on_elements(lambda g: tf.cast(g, dtype) / roots, gradient)
        excess = _rms(step, variable) / self.clip_threshold
        size = tf.maximum(self._tpf_number(self.epsilon_2, dtype), _rms(variable, variable))
        scale = size * rate / tf.maximum(self._tpf_number(1.0, dtype), excess)
        self.assign_sub(variable, on_elements(lambda s: scale * s, step))

    def _ages(self, dtype: DTypeLike, learning_rate: Any) -> tuple[Any, Any]:
        """The learning rate, which is bounded as time goes by, and how the means fade."""
        step = self._tpf_local_step(dtype)
        rate = tf.minimum(self._tpf_number(learning_rate, dtype), 1 / tf.sqrt(step))
        return rate, 1 - tf.pow(step, self._tpf_number(self.beta_2_decay, dtype))

    def _mean_squares(self, square: Any, variable: Any, fade: Any) -> Any:
        index = self._get_variable_index(variable)
        row, column, velocity = self._r[index], self._c[index], self._v[index]
        if len(variable.shape) < 2:
            mean = fade * velocity + (1 - fade) * square
        else:
            rows = fade * row + (1 - fade) * tf.reduce_mean(square, -1)
            columns = fade * column + (1 - fade) * tf.reduce_mean(square, -2)
            row.assign(rows, read_value=False)
            column.assign(columns, read_value=False)
            share = rows / tf.reduce_mean(rows, -1, keepdims=True)
            mean = tf.expand_dims(share, -1) * tf.expand_dims(columns, -2)
        velocity.assign(mean, read_value=False)
        return mean

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "beta_2_decay": self.beta_2_decay,
            "epsilon_1": self.epsilon_1,
            "epsilon_2": self.epsilon_2,
            "clip_threshold": self.clip_threshold,
            "relative_step": self.relative_step,
        }
