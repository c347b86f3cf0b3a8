"""Steps that all optimizers share: cached numbers, accumulated gradients, averages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike
from tapeflow._src.keras.optimizers import gradients as gradient_tools


class OptimizerSteps:
    """The part of an optimizer that prepares an update and follows it up."""

    def _tpf_once(self: Any, key: Any, compute: Callable[[], Any]) -> Any:
        """Return `compute()`, cached for all variables of a step."""
        cache = self._tpf_of_this_step
        if cache is None:
            return compute()
        if key not in cache:
            cache[key] = compute()
        return cache[key]

    def _tpf_number(self: Any, value: Any, dtype: DTypeLike) -> Any:
        """A number, such as the learning rate, as a tensor of that dtype."""
        if isinstance(value, (int, float)):
            return self._tpf_once((value, dtype), lambda: tf.constant(value, dtype))
        # Kept with the tensor, lest another value come to have its identity.
        cached = self._tpf_once(
            ("cast", id(value), dtype), lambda: (value, gradient_tools.as_dtype(value, dtype))
        )
        return cached[1]

    def _tpf_local_step(self: Any, dtype: DTypeLike) -> Any:
        """The number of the step that is being made, from 1 on."""
        return self._tpf_once(("step", dtype), lambda: tf.cast(self.iterations + 1, dtype))

    def _tpf_power(self: Any, base: float, dtype: DTypeLike) -> Any:
        """`base` to the number of the step that is being made."""
        return self._tpf_once(
            ("power", base, dtype),
            lambda: tf.pow(self._tpf_number(base, dtype), self._tpf_local_step(dtype)),
        )

    # -- clipping and weight decay -------------------------------------------------------------

    def _clip_gradients(self: Any, grads: list[Any]) -> list[Any]:
        if self.clipnorm and self.clipnorm > 0:
            return [gradient_tools.clip_by_norm(g, self.clipnorm) for g in grads]
        if self.global_clipnorm and self.global_clipnorm > 0:
            return gradient_tools.clip_by_global_norm(grads, self.global_clipnorm)
        if self.clipvalue and self.clipvalue > 0:
            return [gradient_tools.clip_by_value(g, self.clipvalue) for g in grads]
        return grads

    def _use_weight_decay(self: Any, variable: Any) -> bool:
        cache = self._exclude_from_weight_decay_cache
        if id(variable) not in cache:
            cache[id(variable)] = self._tpf_decays(variable)
        return cache[id(variable)]

    def _apply_weight_decay(self: Any, variables: Sequence[Any]) -> None:
        if self.weight_decay is None:
            return
        for variable in variables:
            self._tpf_decay(variable, self.weight_decay)

    def _tpf_decay(self: Any, variable: Any, weight_decay: float) -> None:
        if self._use_weight_decay(variable):
            # A schedule is asked once for all variables.
            learning_rate = self._tpf_once("learning rate", lambda: self.learning_rate)
            rate = self._tpf_number(learning_rate, variable.dtype)
            decay = self._tpf_number(weight_decay, variable.dtype)
            variable.assign_sub(variable * decay * rate, read_value=False)

    # -- accumulated gradients -----------------------------------------------------------------

    def _tpf_overwrite(self: Any, variable: Any, value: Any) -> None:
        """Assign a gradient that is a new value: at once, or the largest of those accumulated."""
        steps = self.gradient_accumulation_steps
        if not steps:
            variable.assign(value, read_value=False)
            return
        largest = self._accumulated_gradients[self._get_variable_index(variable)]
        value = tf.maximum(gradient_tools.dense(value, variable), largest)

        def update() -> None:
            variable.assign(value, read_value=False)
            largest.assign(tf.zeros_like(largest), read_value=False)

        def accumulate() -> None:
            largest.assign(value, read_value=False)

        tf.cond(self._tpf_completes_a_step(steps), update, accumulate)

    def _tpf_completes_a_step(self: Any, steps: int) -> Any:
        """Whether this call completes an accumulation of gradients."""
        return tf.equal((self._iterations + 1) % steps, 0)

    def _tpf_apply_or_accumulate(self: Any, grads: list[Any], variables: list[Any]) -> None:
        steps = self.gradient_accumulation_steps
        if not steps:
            self._tpf_clip_decay_and_update(grads, variables)
            return
        sums = [self._accumulated_gradients[self._get_variable_index(v)] for v in variables]
        totals = [gradient_tools.dense(g, v) + s for g, v, s in zip(grads, variables, sums)]

        def update() -> None:
            self._tpf_clip_decay_and_update([total / steps for total in totals], variables)
            for accumulated in self._accumulated_gradients:
                accumulated.assign(tf.zeros_like(accumulated), read_value=False)

        def accumulate() -> None:
            for accumulated, total in zip(sums, totals):
                accumulated.assign(total, read_value=False)

        tf.cond(self._tpf_completes_a_step(steps), update, accumulate)

    # -- moving averages -----------------------------------------------------------------------

    def _tpf_average_variables(self: Any) -> None:
        """Take the new values into the averages; after the first step they are the averages."""
        started = tf.not_equal(self.iterations, 0)
        for variable, average in zip(
            self._trainable_variables, self._model_variables_moving_average
        ):
            momentum = tf.cast(started, variable.dtype) * self.ema_momentum
            average.assign(momentum * average + (1 - momentum) * variable, read_value=False)
        if self.ema_overwrite_frequency:
            due = tf.equal((self.iterations + 1) % self.ema_overwrite_frequency, 0)
            tf.cond(due, lambda: self._tpf_take_averages(self._trainable_variables), lambda: None)

    def _tpf_take_averages(self: Any, variables: Sequence[Any]) -> None:
        averages = self._model_variables_moving_average
        if len(variables) != len(averages):
            raise ValueError(
                f"{type(self).__name__} has moving averages of {len(averages)} variables, but the "
                f"model has {len(variables)}: the optimizer belongs to another model."
            )
        for variable, average in zip(variables, averages):
            variable.assign(average, read_value=False)
