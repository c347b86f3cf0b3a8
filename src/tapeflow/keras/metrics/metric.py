"""`Metric`: what is counted over many batches, and what comes out of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tapeflow as tf
from tapeflow.__internal__.tracking import AutoTrackable
from tapeflow.keras import dtype_policies, initializers
from tapeflow.keras.config import floatx
from tapeflow.keras.scopes import name_scope
from tapeflow.keras.utils.naming import auto_name
from tapeflow.keras.variables import Variable


class Metric(AutoTrackable):
    """Takes up batches in `update_state` and says in `result` what they come to."""

    # Whether larger ("up") or smaller ("down") values are better, where that is known.
    _direction: str | None = None

    def __init__(self, dtype: Any = None, name: str | None = None) -> None:
        self._variables: list[Any] = []
        self._metrics: list[Any] = []
        self.name = name or auto_name(type(self).__name__)
        self._dtype = dtype_policies.get(dtype or floatx()).compute_dtype

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        for cls, known in ((tf.Variable, "_variables"), (Metric, "_metrics")):
            if isinstance(value, cls):
                self._check_super_called()
                held = self.__dict__[known]
                if not any(item is value for item in held):
                    held.append(value)

    def _check_super_called(self) -> None:
        if "_variables" not in self.__dict__:
            raise RuntimeError(
                f"{type(self).__name__}.__init__ must call `super().__init__()` before it creates "
                f"variables."
            )

    @property
    def dtype(self) -> str:
        return self._dtype

    @property
    def variables(self) -> list[Any]:
        """What is counted, in this metric and in those inside it."""
        inner = [variable for metric in self._metrics for variable in metric.variables]
        return [*self._variables, *inner]

    def add_variable(
        self,
        shape: Any,
        initializer: Any,
        dtype: Any = None,
        aggregation: str = "sum",
        name: str | None = None,
    ) -> Any:
        """A new variable to count in."""
        self._check_super_called()
        with name_scope(self.name.replace("/", ">"), caller=self):
            variable = Variable(
                initializers.get(initializer),
                tuple(shape),
                dtype,
                trainable=False,
                aggregation=aggregation,
                synchronization="on_read",
                name=name,
            )
        self._variables.append(variable)
        return variable

    def add_weight(
        self, shape: Any = (), initializer: Any = None, dtype: Any = None, name: str | None = None
    ) -> Any:
        """A new variable to count in."""
        return self.add_variable(shape, initializer or "zeros", dtype, name=name)

    # -- counting ------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._check_super_called()
        self.update_state(*args, **kwargs)
        return self.result()

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Take up a batch."""
        raise NotImplementedError(f"{type(self).__name__} has no `update_state` method.")

    def result(self) -> Any:
        """What all batches come to."""
        raise NotImplementedError(f"{type(self).__name__} has no `result` method.")

    def reset_state(self) -> None:
        """Begin anew."""
        for variable in self.variables:
            variable.assign(tf.zeros_like(variable), read_value=False)

    # -- with values that are handed in and out ------------------------------------------------

    def stateless_update_state(
        self, metric_variables: Sequence[Any], *args: Any, **kwargs: Any
    ) -> list[Any]:
        """The values of the variables after a batch, if before it they had `metric_variables`."""
        with _Borrowed(self, metric_variables):
            self.update_state(*args, **kwargs)
            return [tf.convert_to_tensor(variable) for variable in self.variables]

    def stateless_result(self, metric_variables: Sequence[Any]) -> Any:
        """What batches come to that have left `metric_variables`."""
        with _Borrowed(self, metric_variables):
            return tf.nest.map_structure(tf.identity, self.result())

    def stateless_reset_state(self) -> list[Any]:
        """The values of the variables at the beginning."""
        with _Borrowed(self, self.variables):
            self.reset_state()
            return [tf.convert_to_tensor(variable) for variable in self.variables]

    # -- as an object --------------------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal metric."""
        return {"name": self.name, "dtype": self.dtype}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Metric:
        """A metric from what `get_config` gave."""
        return cls(**config)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"


class _Borrowed:
    """Within it, the variables of a metric have other values."""

    def __init__(self, metric: Metric, values: Sequence[Any]) -> None:
        self._variables = metric.variables
        self._values = [tf.convert_to_tensor(value) for value in values]
        if len(self._values) != len(self._variables):
            name = type(metric).__name__
            raise ValueError(
                f"`metric_variables` must have one value for each of the {len(self._variables)} "
                f"variables of {name}. Received {len(self._values)}."
            )

    def __enter__(self) -> None:
        self._own = [tf.convert_to_tensor(variable) for variable in self._variables]
        self._assign(self._values)

    def __exit__(self, *error: Any) -> None:
        self._assign(self._own)

    def _assign(self, values: list[Any]) -> None:
        for variable, value in zip(self._variables, values):
            variable.assign(value, read_value=False)
