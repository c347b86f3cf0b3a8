"""FTRL: follow the regularized leader."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.optimizers.gradients import dense, on_elements
from tapeflow._src.keras.optimizers.optimizer import Optimizer
from tapeflow.keras.initializers import Constant

_step = tf.raw_ops.ResourceApplyFtrlV2


class Ftrl(Optimizer):
    """FTRL-proximal (McMahan et al., 2013): sparse linear models by online L1 regularization.

    Args:
        learning_rate: Learning rate: a number, a `LearningRateSchedule`, or a function without
            arguments.
        learning_rate_power: Exponent with which steps fall with the sum of squares; at most 0,
            which is a fixed learning rate.
        initial_accumulator_value: Initial value of the sums of squares, at least 0.
        l1_regularization_strength: Factor of the L1 penalty, at least 0.
        l2_regularization_strength: Factor of the L2 penalty, at least 0.
        l2_shrinkage_regularization_strength: Factor of an L2 penalty on the gradient itself.
        beta: Added to the denominator of the learning rate, as in the paper.
        weight_decay: Decoupled weight decay per step, times the learning rate; None for none.
        clipnorm: Largest norm of the gradient of each variable.
        clipvalue: Largest absolute value of gradients.
        global_clipnorm: Largest norm of all gradients together.
        use_ema: Whether to keep an exponential moving average of the variables.
        ema_momentum: Decay of that average.
        ema_overwrite_frequency: Steps after which variables are set to their average.
        loss_scale_factor: Factor of the loss, undone on the gradients; for low precision.
        gradient_accumulation_steps: Number of steps whose gradients are averaged for one update.

    Raises:
        ValueError: A number has the wrong sign.

    Example:
        >>> w = tf.Variable(1.0)
        >>> tf.keras.optimizers.Ftrl(learning_rate=0.1).apply([tf.constant(2.0)], [w])
        >>> bool(w < 1.0)
        True
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float = 0.0,
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
        self.learning_rate_power = learning_rate_power
        self.initial_accumulator_value = initial_accumulator_value
        self.l1_regularization_strength = l1_regularization_strength
        self.l2_regularization_strength = l2_regularization_strength
        self.l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self.beta = beta
        self._check_signs()

    def _check_signs(self) -> None:
        must = {
            "initial_accumulator_value": "positive or zero",
            "learning_rate_power": "negative or zero",
            "l1_regularization_strength": "positive or zero",
            "l2_regularization_strength": "positive or zero",
            "l2_shrinkage_regularization_strength": "positive or zero",
        }
        for name, sign in must.items():
            value = getattr(self, name)
            if (value < 0) if sign.startswith("positive") else (value > 0):
                raise ValueError(f"`{name}` needs to be {sign}. Received: {name}={value}.")

    def build(self, var_list: Any) -> None:
        """Create the sum of squares and the linear term of each variable.

        Args:
            var_list: Variables that are trained.
        """
        if self.built:
            return
        super().build(var_list)
        self._accumulators, self._linears = self.add_optimizer_variables(
            var_list,
            ["accumulator", "linear"],
            [Constant(self.initial_accumulator_value), "zeros"],
        )

    def update_step(self, gradient: TensorLike, variable: Any, learning_rate: Any) -> None:
        dtype, index = variable.dtype, self._get_variable_index(variable)
        rate = self._tpf_number(learning_rate, dtype)
        penalty = self._tpf_once(
            ("penalty", dtype),
            lambda: self.l2_regularization_strength + self.beta / (2.0 * rate),
        )
        squares, linear = self._accumulators[index], self._linears[index]
        if isinstance(gradient, tf.IndexedSlices):
            self._sparse_step(gradient, variable, (rate, penalty), squares, linear)
            return
        _step(
            var=variable.handle,
            accum=squares.handle,
            linear=linear.handle,
            grad=dense(gradient, variable),
            lr=rate,
            l1=self._tpf_number(self.l1_regularization_strength, dtype),
            l2=penalty,
            l2_shrinkage=self._tpf_number(self.l2_shrinkage_regularization_strength, dtype),
            lr_power=self._tpf_number(self.learning_rate_power, dtype),
        )

    def _sparse_step(
        self, gradient: TensorLike, variable: Any, rates: tuple[Any, Any], squares: Any, linear: Any
    ) -> None:
        """A step in which rows may come twice: each one's square is taken."""
        (rate, penalty), power = rates, -self.learning_rate_power
        pull = dense(gradient, variable)
        pull = pull + 2 * self.l2_shrinkage_regularization_strength * variable
        total = squares + dense(on_elements(tf.square, gradient), variable)
        grown = tf.pow(total, power)
        line = linear + pull - (grown - tf.pow(squares, power)) / rate * variable
        limit = self.l1_regularization_strength
        near = tf.clip_by_value(line, -limit, limit)
        linear.assign(line)
        variable.assign((near - line) / (grown / rate + 2 * penalty))
        squares.assign(total)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "learning_rate_power": self.learning_rate_power,
            "initial_accumulator_value": self.initial_accumulator_value,
            "l1_regularization_strength": self.l1_regularization_strength,
            "l2_regularization_strength": self.l2_regularization_strength,
            "l2_shrinkage_regularization_strength": self.l2_shrinkage_regularization_strength,
            "beta": self.beta,
        }
