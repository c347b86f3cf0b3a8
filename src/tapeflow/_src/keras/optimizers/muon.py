"""Muon: steps of which all singular values are about one."""

from __future__ import annotations

import math
import re
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.optimizers.gradients import dense, on_elements
from tapeflow._src.keras.optimizers.optimizer import Optimizer


class Muon(Optimizer):
    """Muon: momentum orthogonalized by Newton-Schulz iterations, for weight matrices.

    Other variables, embeddings and excluded layers are updated as AdamW does.

    Args:
        learning_rate: Learning rate: a number, a `LearningRateSchedule`, or a function without
            arguments.
        adam_beta_1: Decay of the first moment where AdamW is used.
        adam_beta_2: Decay of the second moment where AdamW is used.
        adam_weight_decay: Weight decay where AdamW is used; None for none.
        epsilon: Added to the denominator of AdamW.
        weight_decay: Weight decay of matrices, times the learning rate; None for none.
        clipnorm: Largest norm of the gradient of each variable.
        clipvalue: Largest absolute value of gradients.
        global_clipnorm: Largest norm of all gradients together.
        use_ema: Whether to keep an exponential moving average of the variables.
        ema_momentum: Decay of that average.
        ema_overwrite_frequency: Steps after which variables are set to their average.
        loss_scale_factor: Factor of the loss, undone on the gradients; for low precision.
        gradient_accumulation_steps: Number of steps whose gradients are averaged for one update.
        exclude_layers: Regular expressions of the paths of variables that AdamW updates.
        exclude_embeddings: Whether AdamW updates variables whose path contains "embedding".
        muon_a: First coefficient of the iteration.
        muon_b: Second coefficient of the iteration.
        muon_c: Third coefficient of the iteration.
        adam_lr_ratio: Learning rate of AdamW as a multiple of `learning_rate`.
        momentum: Decay of the momentum of matrices.
        ns_steps: Number of Newton-Schulz iterations.
        nesterov: Whether to use Nesterov momentum.
        rms_rate: Root mean square that steps of matrices are scaled to; None for no scaling.

    Example:
        >>> w = tf.Variable(tf.eye(2))
        >>> tf.keras.optimizers.Muon(learning_rate=0.1).apply([tf.eye(2)], [w])
        >>> bool(w[0, 0] < 1.0)
        True
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        adam_beta_1: float = 0.9,
        adam_beta_2: float = 0.999,
        adam_weight_decay: float | None = 0.004,
        epsilon: float = 1e-7,
        weight_decay: float | None = 0.004,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
        exclude_layers: Any = None,
        exclude_embeddings: bool = True,
        muon_a: float = 3.4445,
        muon_b: float = -4.775,
        muon_c: float = 2.0315,
        adam_lr_ratio: float = 1,
        momentum: float = 0.95,
        ns_steps: int = 5,
        nesterov: bool = True,
        rms_rate: float | None = 0.2,
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
        self.adam_beta_1 = adam_beta_1
        self.adam_beta_2 = adam_beta_2
        self.adam_weight_decay = adam_weight_decay
        self.epsilon = epsilon
        self.muon_a, self.muon_b, self.muon_c = muon_a, muon_b, muon_c
        self.adam_lr_ratio = adam_lr_ratio
        self.momentum = momentum
        self.ns_steps = ns_steps
        self.nesterov = nesterov
        self.rms_rate = rms_rate
        self.exclude_layers = exclude_layers or []
        self.exclude_embeddings = exclude_embeddings

    def _should_use_adamw(self, variable: Any) -> bool:
        if len(variable.shape) != 2:
            return True
        path = getattr(variable, "path", variable.name)
        if self.exclude_embeddings and "embedding" in path.lower():
            return True
        return any(re.search(keyword, path) for keyword in self.exclude_layers)

    def build(self, var_list: Any) -> None:
        """Create the momentum of each variable, and the mean square where AdamW trains it.

        Args:
            var_list: Variables that are trained.
        """
        if self.built:
            return
        super().build(var_list)
        self.momentums: list[Any] = []
        self.adam_velocities: list[Any] = []
        for variable in var_list:
            self.momentums.append(self.add_variable_from_reference(variable, "momentum"))
            by_adam = self._should_use_adamw(variable)
            self.adam_velocities.append(
                self.add_variable_from_reference(variable, "velocity") if by_adam else None
            )

    def update_step(self, gradient: TensorLike, variable: Any, learning_rate: Any) -> None:
        index = self._get_variable_index(variable)
        rate = self._tpf_number(learning_rate, variable.dtype)
        if self.adam_velocities[index] is not None:
            self._adam_step(gradient, variable, rate * self.adam_lr_ratio, index)
            return
        slope, momentum = dense(gradient, variable), self.momentums[index]
        momentum.assign_add(slope + momentum * (self.momentum - 1), read_value=False)
        ahead = slope + self.momentum * momentum if self.nesterov else momentum
        step = self.zeropower_via_newtonschulz5(tf.convert_to_tensor(ahead), self.ns_steps)
        variable.assign_sub(rate * self.lr_adjust(step), read_value=False)

    def lr_adjust(self, x: Any) -> Any:
        """Scale a step to the root mean square `rms_rate`, or leave it if that is None.

        Args:
            x: Step of a matrix.

        Returns:
            The scaled step.
        """
        if self.rms_rate is None:
            return x
        return x * (math.sqrt(max(x.shape)) * self.rms_rate)

    def _adam_step(self, gradient: TensorLike, variable: Any, rate: TensorLike, index: int) -> None:
        dtype = variable.dtype
        mean, squares = self.momentums[index], self.adam_velocities[index]
        slope = dense(gradient, variable)
        square = tf.square(slope)
        if isinstance(gradient, tf.IndexedSlices):
            square = dense(on_elements(tf.square, gradient), variable)
        mean.assign_add((slope - mean) * (1 - self.adam_beta_1), read_value=False)
        squares.assign_add((square - squares) * (1 - self.adam_beta_2), read_value=False)
        grown = tf.sqrt(1 - self._tpf_power(self.adam_beta_2, dtype))
        rate = rate * grown / (1 - self._tpf_power(self.adam_beta_1, dtype))
        variable.assign_sub(mean * rate / (tf.sqrt(squares) + self.epsilon), read_value=False)

    def zeropower_via_newtonschulz5(self, x: Any, steps: int) -> Any:
        """Run Newton and Schulz's iteration: the singular values of a matrix go towards one.

        Args:
            x: Matrix, or a batch of matrices.
            steps: Number of iterations.

        Returns:
            A tensor of the shape of `x`.
        """
        tall = x.shape[-2] > x.shape[-1]
        if tall:
            x = tf.linalg.matrix_transpose(x)
        # The iteration converges from singular values of at most one.
        x = x / (tf.norm(x, axis=(-2, -1), keepdims=True) + 1e-7)
        for _ in range(steps):
            gram = tf.matmul(x, x, transpose_b=True)
            x = self.muon_a * x + (self.muon_b * gram + self.muon_c * gram @ gram) @ x
        return tf.linalg.matrix_transpose(x) if tall else x

    def transpose_last_axis(self, X: Any) -> Any:
        """Swap the last two axes.

        Args:
            X: Tensor of rank 2 or more.

        Returns:
            The transposed tensor.
        """
        return tf.linalg.matrix_transpose(X)

    def _apply_weight_decay(self, variables: Any) -> None:
        for variable in variables:
            by_adam = self._should_use_adamw(variable)
            decay = self.adam_weight_decay if by_adam else self.weight_decay
            if decay is not None:
                self._tpf_decay(variable, decay)

    def get_config(self) -> dict[str, Any]:
        names = (
            *("adam_beta_1", "adam_beta_2", "epsilon", "exclude_layers"),
            *("muon_a", "muon_b", "muon_c", "adam_lr_ratio", "momentum", "ns_steps"),
            *("nesterov", "exclude_embeddings", "adam_weight_decay", "rms_rate"),
        )
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}
