"""`Metric`: what is counted over many batches, and what comes out of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, Identifier, ShapeLike, TensorLike
from tapeflow._src.internal.tracking import AutoTrackable
from tapeflow._src.keras.config import floatx
from tapeflow._src.keras.metrics.legacy_members import LegacyMetricMembers
from tapeflow._src.keras.name_first import accepts_name_first
from tapeflow._src.keras.scopes import name_scope
from tapeflow._src.keras.stateless import StatelessScope, pairs
from tapeflow._src.keras.utils.naming import auto_name
from tapeflow._src.keras.variables import Variable
from tapeflow.keras import dtype_policies, initializers


class Metric(LegacyMetricMembers, AutoTrackable):
    """Base class of metrics: `update_state` accumulates batches, `result` computes the value.

    Subclasses create variables with `add_weight` in their constructor and override `update_state`
    and `result`. Calling a metric updates the state with a batch and returns the result of all so
    far.

    Args:
        dtype: Dtype of the state and the result; None is `floatx()`.
        name: Name of the metric; None derives it from the class.

    Example:
        >>> class Largest(tf.keras.metrics.Metric):
        ...     def __init__(self, **kwargs):
        ...         super().__init__(**kwargs)
        ...         self.largest = self.add_weight(name="largest", initializer="zeros")
        ...     def update_state(self, values, sample_weight=None):
        ...         self.largest.assign(tf.maximum(self.largest, tf.reduce_max(values)))
        ...     def result(self):
        ...         return self.largest.value
        >>> metric = Largest()
        >>> metric.update_state([1.0, 3.0])
        >>> float(metric.result())
        3.0
        >>> metric.reset_state()
        >>> float(metric.result())
        0.0
    """

    # Whether larger ("up") or smaller ("down") values are better, where that is known.
    _tpf_direction: str | None = None

    def __init__(self, dtype: Any = None, name: str | None = None) -> None:
        self._variables: list[Any] = []
        self._metrics: list[Any] = []
        self.name = name or auto_name(type(self).__name__)
        self._dtype = dtype_policies.get(dtype or floatx()).compute_dtype

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name in ("_variables", "_metrics"):
            return
        for part in _parts_of(value):
            self._check_super_called()
            held = self._variables if isinstance(part, tf.Variable) else self._metrics
            if not any(item is part for item in held):
                held.append(part)

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
        """Variables of this metric and of the metrics it contains."""
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
        """Create a variable to count in, as `add_weight`.

        Args:
            shape: Shape of the variable.
            initializer: Initializer, or its name.
            dtype: Dtype of the variable; None is `floatx()`.
            aggregation: How values of several replicas are combined: "sum", "mean",
                "only_first_replica" or "none".
            name: Name of the variable.

        Returns:
            The variable.

        Raises:
            RuntimeError: The constructor did not call `super().__init__()` before.

        Example:
            >>> class Largest(tf.keras.metrics.Metric):
            ...     def __init__(self):
            ...         super().__init__()
            ...         self.value = self.add_variable((), "zeros", name="value")
            ...     def update_state(self, values):
            ...         self.value.assign(tf.maximum(self.value, tf.reduce_max(values)))
            ...     def result(self):
            ...         return self.value
            >>> largest = Largest()
            >>> largest.update_state([1.0, 4.0, 2.0])
            >>> float(largest.result())
            4.0
        """
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

    @accepts_name_first("name", "shape")
    def add_weight(
        self,
        shape: ShapeLike = (),
        initializer: Identifier | None = None,
        dtype: DTypeLike | None = None,
        name: str | None = None,
        aggregation: Any = "sum",
        synchronization: Any = None,
    ) -> Any:
        """Create a variable to count in; the name may come first, as in Keras 2.

        Args:
            shape: Shape of the variable; a scalar by default.
            initializer: Initializer, or its name; None is "zeros".
            dtype: Dtype of the variable; None is `floatx()`.
            name: Name of the variable.
            aggregation: How values of several replicas are combined: "sum", "mean",
                "only_first_replica" or "none".
            synchronization: Accepted for Keras 2; it changes nothing.

        Returns:
            The variable.

        Raises:
            RuntimeError: The constructor did not call `super().__init__()` before.
        """
        return self.add_variable(shape, initializer or "zeros", dtype, aggregation, name)

    # -- counting ------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._check_super_called()
        self.update_state(*args, **kwargs)
        return self.result()

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Accumulate a batch.

        Subclasses choose the arguments; these are the usual ones.

        Args:
            *args: Arguments of the subclass.
            **kwargs: Arguments of the subclass.
            y_true: Labels of the batch.
            y_pred: Predictions for it.
            values: Values for a metric without labels, such as `Mean`.
            sample_weight: How much each sample counts, of a shape that broadcasts with the values
                (from the first axis on); None is 1. 0 leaves a sample out.

        Example:
            >>> metric = tf.keras.metrics.Mean()
            >>> metric.update_state([1.0, 3.0])
            >>> metric.result().numpy()
            np.float32(2.0)
        """
        raise NotImplementedError(f"{type(self).__name__} has no `update_state` method.")

    def result(self) -> Any:
        """Compute the value of all batches so far.

        Returns:
            A tensor, or a dict of several.

        Example:
            >>> metric = tf.keras.metrics.Sum()
            >>> metric.update_state([1.0, 3.0])
            >>> float(metric.result())
            4.0
        """
        raise NotImplementedError(f"{type(self).__name__} has no `result` method.")

    def merge_state(self, metrics: Sequence[Metric]) -> None:
        """Add the counts of other metrics of the same kind (Keras 2).

        Args:
            metrics: Metrics with as many variables, which are added up one by one.

        Raises:
            ValueError: A metric has another number of variables.

        Example:
            >>> a, b = tf.keras.metrics.Mean(), tf.keras.metrics.Mean()
            >>> a.update_state([1.0])
            >>> b.update_state([3.0])
            >>> a.merge_state([b])
            >>> float(a.result())
            2.0
        """
        for metric in metrics:
            if len(metric.variables) != len(self.variables):
                raise ValueError(
                    f"Metric '{self.name}' has {len(self.variables)} variables and cannot take "
                    f"in the {len(metric.variables)} of '{metric.name}': expected metrics of the "
                    f"same class and arguments."
                )
            for own, other in zip(self.variables, metric.variables):
                own.assign_add(other)

    def reset_state(self) -> None:
        """Set all variables to zero, to start another epoch.

        Example:
            >>> metric = tf.keras.metrics.Mean()
            >>> metric.update_state([1.0, 3.0])
            >>> metric.reset_state()
            >>> float(metric.result())
            0.0
        """
        for variable in self.variables:
            variable.assign(tf.zeros_like(variable), read_value=False)

    def reset_states(self) -> None:
        """Set all variables to zero: the name of `reset_state` in Keras 2."""
        self.reset_state()

    # -- with values that are handed in and out ------------------------------------------------

    def stateless_update_state(
        self, metric_variables: Sequence[Any], *args: Any, **kwargs: Any
    ) -> list[Any]:
        """Compute the state after a batch without changing the variables.

        Args:
            metric_variables: List of values, one for each of `variables`, before the batch.
            *args: Arguments of `update_state`.
            **kwargs: Arguments of `update_state`.

        Returns:
            A list of the values after it.

        Example:
            >>> metric = tf.keras.metrics.Mean()
            >>> state = metric.stateless_reset_state()
            >>> state = metric.stateless_update_state(state, [1.0, 3.0])
            >>> float(metric.stateless_result(state))
            2.0
        """
        with self._tpf_scope(metric_variables) as scope:
            self.update_state(*args, **kwargs)
        return [scope.value_of(variable) for variable in self.variables]

    def stateless_result(self, metric_variables: Sequence[Any]) -> Any:
        """Compute the value of a state without reading the variables.

        Args:
            metric_variables: List of values, one for each of `variables`.

        Returns:
            The result, as `result` returns it.
        """
        with self._tpf_scope(metric_variables):
            return tf.nest.map_structure(tf.identity, self.result())

    def stateless_reset_state(self) -> list[Any]:
        """Return the values that `reset_state` would set, without changing the variables.

        Returns:
            A list, one value for each of `variables`.
        """
        with StatelessScope() as scope:
            self.reset_state()
        return [scope.value_of(variable) for variable in self.variables]

    def _tpf_scope(self, values: Sequence[Any]) -> StatelessScope:
        return StatelessScope(pairs(self.variables, values, "metric_variables", self))

    # -- as an object --------------------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that `from_config` creates an equal metric from, as a dict.

        Example:
            >>> tf.keras.metrics.BinaryAccuracy(threshold=0.4).get_config()["threshold"]
            0.4
        """
        return {"name": self.name, "dtype": self.dtype}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Metric:
        """Create a metric from the config of `get_config`.

        Args:
            config: The dict.

        Returns:
            A new metric.

        Example:
            >>> tf.keras.metrics.Mean.from_config({"name": "average"}).name
            'average'
        """
        return cls(**config)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"


def _parts_of(value: TensorLike) -> Iterator[Any]:
    """The variables and metrics in a value, also in lists, tuples and dicts."""
    if isinstance(value, (tf.Variable, Metric)):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _parts_of(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _parts_of(item)
