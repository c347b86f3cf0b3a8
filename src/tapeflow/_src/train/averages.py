"""`ExponentialMovingAverage`: averages of variables, in which older values count less and less."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow._src.api.math.arithmetic import minimum
from tapeflow._src.api.math.casting import cast
from tapeflow._src.api.scopes import init_scope
from tapeflow._src.core import dtypes
from tapeflow._src.core.types import DTypeLike
from tapeflow._src.eager.variable import Variable

_FLOATING = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)


class ExponentialMovingAverage:
    """Keeps a shadow of each variable: `shadow = decay * shadow + (1 - decay) * variable`.

    With `num_updates`, a count that is still small lets the first values fade more quickly. A
    shadow starts with its variable's value, so `zero_debias` has nothing to correct.

    Args:
        decay: Weight of the former average, for instance 0.999.
        num_updates: Number of updates so far: the decay is then at most
            `(1 + num_updates) / (10 + num_updates)`.
        zero_debias: Accepted for compatibility.

    Example:
        >>> v = tf.Variable(0.0)
        >>> averages = tf.train.ExponentialMovingAverage(decay=0.5)
        >>> averages.apply([v])
        >>> v.assign(10.0).numpy()
        np.float32(10.0)
        >>> averages.apply([v])
        >>> averages.average(v).numpy()
        np.float32(5.0)
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        # Each variable with its shadow, by the variable's address.
        self._averages: dict[int, tuple[Variable, Variable]] = {}

    @property
    def name(self) -> str:
        return self._name

    def apply(self, var_list: Sequence[Any] | None = None) -> None:
        """Take the present values of variables into their averages.

        Args:
            var_list: Variables of floating-point dtypes.

        Raises:
            TypeError: If something else is in the list.
        """
        for variable in var_list or ():
            self._must_be_averaged(variable)
            existing = self._averages.get(id(variable))
            if existing is None:
                existing = self._averages[id(variable)] = variable, self._shadow(variable)
            _, shadow = existing
            decay = self._decay_now(variable.dtype)
            shadow.assign_sub((shadow - variable) * (1.0 - decay))

    def _must_be_averaged(self, variable: Any) -> None:
        if not isinstance(variable, Variable):
            raise TypeError(
                f"ExponentialMovingAverage averages tf.Variables, received {variable!r}"
            )
        if variable.dtype not in _FLOATING:
            raise TypeError(
                "ExponentialMovingAverage averages floating-point variables, received "
                f"{variable.name} of dtype {variable.dtype.name}"
            )

    def _shadow(self, variable: Variable) -> Variable:
        with init_scope():
            return Variable(
                variable.read_value(), trainable=False, name=self.average_name(variable)
            )

    def _decay_now(self, dtype: DTypeLike) -> Any:
        if self._num_updates is None:
            return cast(self._decay, dtype)
        count = cast(self._num_updates, dtype)
        return minimum(cast(self._decay, dtype), (1.0 + count) / (10.0 + count))

    def average(self, var: Variable) -> Variable | None:
        """Return the variable that holds the average, or None if there is none.

        Args:
            var: The variable that is averaged.
        """
        entry = self._averages.get(id(var))
        return None if entry is None else entry[1]

    def average_name(self, var: Variable) -> str:
        """Return the name of the variable that holds the average.

        Args:
            var: The variable that is averaged.

        Example:
            >>> averages = tf.train.ExponentialMovingAverage(0.9)
            >>> averages.average_name(tf.Variable(0.0, name="weight"))
            'weight/ExponentialMovingAverage'
        """
        return f"{var.name.partition(':')[0]}/{self._name}"

    def variables_to_restore(
        self, moving_avg_variables: Sequence[Variable] | None = None
    ) -> dict[str, Variable]:
        """Return the variables by the names of their averages: under these, checkpoints hold them.

        Args:
            moving_avg_variables: The variables; by default all that are averaged.
        """
        if moving_avg_variables is None:
            moving_avg_variables = [variable for variable, _ in self._averages.values()]
        return {self.average_name(variable): variable for variable in moving_avg_variables}
