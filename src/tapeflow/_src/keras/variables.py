"""`Variable`: a `tf.Variable` as Keras has them, with a path, a regularizer and mixed precision."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.keras.config import standardize_dtype
from tapeflow._src.keras.distribution.arrangement import arrange_variable
from tapeflow._src.keras.generation import is_keras_2
from tapeflow._src.keras.keras_tensor import standardize_shape
from tapeflow._src.keras.saving import limits
from tapeflow._src.keras.scopes import calls, current_path
from tapeflow._src.keras.utils.naming import auto_name

_AGGREGATIONS = {
    None: tf.VariableAggregation.NONE,
    "none": tf.VariableAggregation.NONE,
    "mean": tf.VariableAggregation.MEAN,
    "sum": tf.VariableAggregation.SUM,
    "only_first_replica": tf.VariableAggregation.ONLY_FIRST_REPLICA,
}
_SYNCHRONIZATIONS = {
    None: tf.VariableSynchronization.NONE,
    "none": tf.VariableSynchronization.NONE,
    "on_read": tf.VariableSynchronization.ON_READ,
    "on_write": tf.VariableSynchronization.ON_WRITE,
    "auto": tf.VariableSynchronization.AUTO,
}


# Operands that the operators of a variable promote to a common dtype.
_PROMOTED = (bool, int, float, complex, list, tuple, np.ndarray, np.generic, tf.Tensor, tf.Variable)


def _promoting(operator: str, op: str, *, reflected: bool = False) -> Callable[[Any, Any], Any]:
    """Return an operator of `Variable` that promotes dtypes as `keras.ops` does.

    TensorFlow's own operator, which is quicker, does the same for operands of one floating dtype.
    """
    plain = getattr(tf.Variable, operator)

    def apply(self: Variable, other: Any) -> Any:
        dtype = self.dtype
        if dtype.is_floating:
            same = type(other) in (int, float) or getattr(other, "dtype", None) == dtype
            if same or not isinstance(other, _PROMOTED):
                return plain(self, other)
        elif dtype is tf.string or not isinstance(other, _PROMOTED):
            return plain(self, other)
        compute = getattr(tf.keras.ops, op)
        return compute(other, self) if reflected else compute(self, other)

    return apply


class Variable(tf.Variable):
    """The state of a layer, an optimizer or a metric.

    Where TensorFlow calls `variable.value()`, Keras reads `variable.value`: that is the variable
    itself, which returns its value when it is called. In a layer of mixed precision it is read in
    the compute dtype.

    Args:
        initializer: Initial value, or an initializer, its name or a function of shape and dtype.
        shape: Shape, which an initializer needs.
        dtype: Dtype; None for that of the value, or `floatx()` for an initializer.
        trainable: Whether an optimizer updates it.
        autocast: Whether it is cast to the compute dtype of the layer that reads it.
        aggregation: How values of replicas are combined: `"none"`, `"mean"`, `"sum"` or
            `"only_first_replica"`.
        synchronization: When they are: `"auto"`, `"none"`, `"on_read"` or `"on_write"`.
        name: Name, without `/`.
        layout: The `keras.distribution.TensorLayout`; by default that of the distribution that is
            set, if any.

    Raises:
        ValueError: The name, the shape or another argument is invalid.

    Example:
        >>> v = tf.keras.Variable("zeros", shape=(2,), name="state")
        >>> v.assign_add([1.0, 2.0]).numpy()
        array([1., 2.], dtype=float32)
        >>> v.path
        'state'
    """

    def __init__(
        self,
        initializer: Any,
        shape: Any = None,
        dtype: Any = None,
        trainable: bool = True,
        autocast: bool = True,
        aggregation: str | None = "none",
        synchronization: str | None = "auto",
        name: str | None = None,
        layout: Any = None,
    ) -> None:
        name = name or auto_name(type(self).__name__)
        if not isinstance(name, str) or "/" in name:
            raise ValueError(
                f"The name of a variable must be a string without '/', which separates scopes. "
                f"Received: name={name!r}"
            )
        outer = current_path()
        self._keras_name = name
        self._path = f"{outer}/{name}" if outer else name
        self._layout = layout
        self._autocast = bool(autocast)
        self._regularizer: Callable[[Any], Any] | None = None
        self._born_trainable = bool(trainable)
        self.overwrite_with_gradient = False
        if isinstance(initializer, str):
            initializer = tf.keras.initializers.get(initializer)
        if callable(initializer) and not isinstance(initializer, tf.Variable):
            value, dtype = self._to_be_initialized(initializer, shape, dtype)
        else:
            value = initializer
        super().__init__(
            value,
            trainable=bool(trainable),
            dtype=None if dtype is None else standardize_dtype(dtype),
            name=self._path,
            aggregation=_choice("aggregation", aggregation, _AGGREGATIONS),
            synchronization=_choice("synchronization", synchronization, _SYNCHRONIZATIONS),
        )
        arrange_variable(self)

    def _to_be_initialized(self, initializer: Any, shape: Any, dtype: Any) -> tuple[Any, Any]:
        """Return the initializer of the value, and the dtype."""
        if shape is None:
            raise ValueError(
                f"A variable whose value comes from an initializer needs `shape`. Received: "
                f"initializer={initializer}, shape=None"
            )
        dims = standardize_shape(shape)
        if None in dims:
            raise ValueError(
                f"Variable '{self.path}' cannot be created with an unknown dimension. Received: "
                f"shape={dims}"
            )
        dtype = standardize_dtype(dtype)
        limits.reserve(f"The variable {self.path}", dims, limits.itemsize_of(dtype))
        return lambda: initializer(dims, dtype=dtype), dtype

    # -- reading -----------------------------------------------------------------------------

    @property
    def value(self) -> Variable:  # type: ignore[override]
        """The variable, which returns its value when it is called."""
        return self

    def __call__(self) -> Any:
        value = self._current()
        autocast = calls.autocast
        if autocast is None or autocast is self._dtype or not self._casts():
            return value
        return tf.cast(value, autocast)

    def _current(self) -> Any:
        """The value in the variable's own dtype: that of a `StatelessScope`, if it has one."""
        if calls.stateless is not None:
            value = calls.stateless.get_current_value(self)
            if value is not None:
                return value
        return super().value()

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        if dtype is None or tf.as_dtype(dtype) is self.dtype:
            return self()
        return super().__tf_tensor__(dtype, name)

    def _casts(self) -> bool:
        return self._autocast and self._dtype.is_floating

    @property
    def dtype(self) -> Any:
        """The dtype that it is read in: in a layer of mixed precision, that of computations."""
        autocast = calls.autocast
        return self._dtype if autocast is None or not self._casts() else autocast

    def numpy(self) -> Any:
        """Return the current value, as a NumPy array of its own.

        Example:
            >>> tf.keras.Variable([1.0, 2.0]).numpy()
            array([1., 2.], dtype=float32)
        """
        return self._current().numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self._current().__array__(dtype, copy)

    __add__, __radd__ = _promoting("__add__", "add"), _promoting("__radd__", "add", reflected=True)
    __sub__ = _promoting("__sub__", "subtract")
    __rsub__ = _promoting("__rsub__", "subtract", reflected=True)
    __mul__ = _promoting("__mul__", "multiply")
    __rmul__ = _promoting("__rmul__", "multiply", reflected=True)
    __truediv__ = _promoting("__truediv__", "true_divide")
    __rtruediv__ = _promoting("__rtruediv__", "true_divide", reflected=True)
    __floordiv__ = _promoting("__floordiv__", "floor_divide")
    __rfloordiv__ = _promoting("__rfloordiv__", "floor_divide", reflected=True)
    __mod__ = _promoting("__mod__", "mod")
    __rmod__ = _promoting("__rmod__", "mod", reflected=True)
    __pow__ = _promoting("__pow__", "power")
    __rpow__ = _promoting("__rpow__", "power", reflected=True)
    __matmul__ = _promoting("__matmul__", "matmul")
    __rmatmul__ = _promoting("__rmatmul__", "matmul", reflected=True)
    __lt__ = _promoting("__lt__", "less")
    __le__ = _promoting("__le__", "less_equal")
    __gt__ = _promoting("__gt__", "greater")
    __ge__ = _promoting("__ge__", "greater_equal")

    # -- changing ----------------------------------------------------------------------------

    def assign(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """Assign a new value.

        Args:
            value: Value of the variable's shape; it is cast to its dtype.
            *args: Further arguments of `tf.Variable.assign`.
            **kwargs: Further arguments of `tf.Variable.assign`.

        Returns:
            The variable, or in a `StatelessScope` the value.

        Raises:
            ValueError: The shape is another.
        """
        if calls.stateless is not None:
            return self._update(self._own(value))
        return super().assign(self._own(value), *args, **kwargs)

    def assign_add(self, delta: Any = None, *args: Any, value: Any = None, **kwargs: Any) -> Any:
        """Add `delta` to the variable.

        Args:
            delta: Value of the variable's shape.
            *args: Further arguments of `tf.Variable.assign_add`.
            value: The name that Keras 3 has for `delta`.
            **kwargs: Further arguments of `tf.Variable.assign_add`.

        Returns:
            The variable, or in a `StatelessScope` the value.
        """
        delta = value if delta is None else delta
        if calls.stateless is not None:
            return self._update(self._current() + self._own(delta))
        return super().assign_add(self._own(delta), *args, **kwargs)

    def assign_sub(self, delta: Any = None, *args: Any, value: Any = None, **kwargs: Any) -> Any:
        """Subtract `delta` from the variable.

        Args:
            delta: Value of the variable's shape.
            *args: Further arguments of `tf.Variable.assign_sub`.
            value: The name that Keras 3 has for `delta`.
            **kwargs: Further arguments of `tf.Variable.assign_sub`.

        Returns:
            The variable, or in a `StatelessScope` the value.
        """
        delta = value if delta is None else delta
        if calls.stateless is not None:
            return self._update(self._current() - self._own(delta))
        return super().assign_sub(self._own(delta), *args, **kwargs)

    def _update(self, value: Any) -> Any:
        """Let the variable have a value in the `StatelessScope` that is entered."""
        value = tf.convert_to_tensor(value, self._dtype)
        if not value.shape.is_compatible_with(self.shape):
            raise ValueError(
                f"Variable '{self.path}' has the shape {tuple(self.shape)}. Received a value of "
                f"shape {tuple(value.shape)}"
            )
        calls.stateless.add_update((self, value))
        return value

    def _own(self, value: Any) -> Any:
        """`value` in the variable's own dtype."""
        summed = self._aggregation is tf.VariableAggregation.SUM
        if summed and self._synchronization is not tf.VariableSynchronization.ON_READ:
            # Keras converts values in each replica, so that there is one per replica to sum.
            return tf.identity(tf.cast(value, self._dtype))
        dtype = getattr(value, "dtype", self._dtype)
        return value if dtype == self._dtype else tf.cast(value, self._dtype)

    # -- what it is --------------------------------------------------------------------------

    @property
    def name(self) -> str:  # type: ignore[override]
        return self._keras_name

    @property
    def path(self) -> str:
        """The name, after those of the layers that it belongs to."""
        return self._path

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def trainable(self) -> bool:
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._trainable = bool(value)

    @property
    def regularizer(self) -> Callable[[Any], Any] | None:
        """The regularizer of the value."""
        return self._regularizer

    @regularizer.setter
    def regularizer(self, value: Callable[[Any], Any] | None) -> None:
        self._regularizer = _function_or_none("regularizer", value)

    @property
    def constraint(self) -> Callable[[Any], Any] | None:
        """The constraint that optimizers apply after each update."""
        return self._constraint

    @constraint.setter
    def constraint(self, value: Callable[[Any], Any] | None) -> None:
        self._constraint = _function_or_none("constraint", value)

    # -- copies ------------------------------------------------------------------------------

    def __reduce__(self) -> Any:
        state = {name: self.__dict__[name] for name in _COPIED if name in self.__dict__}
        return _revived, (type(self), self.numpy(), self._dtype.name, state)

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        made, (cls, value, dtype, state) = self.__reduce__()
        memo[id(self)] = copied = made(cls, value, dtype, copy.deepcopy(state, memo))
        return copied

    def __repr__(self) -> str:
        if is_keras_2():
            return super().__repr__().replace(f"'{self.name}'", f"'{self.path}:0'", 1)
        about = f"path={self.path}, shape={self.shape}, dtype={self.dtype.name}"
        try:
            return f"<Variable {about}, value={self.numpy()}>"
        except (AttributeError, NotImplementedError):  # while a function is traced
            return f"<Variable {about}>"


# What a copy of a variable takes over besides the value.
_COPIED = (
    *("_keras_name", "_path", "_name", "_autocast", "_trainable", "_born_trainable"),
    *("_regularizer", "_constraint", "overwrite_with_gradient", "_aggregation", "_synchronization"),
)


def _revived(cls: Any, value: Any, dtype: str, state: dict[str, Any]) -> Variable:
    """A variable with the value and the attributes of another one."""
    variable = cls(value, dtype=dtype, name=state["_keras_name"])
    variable.__dict__.update(state)
    return variable


def _function_or_none(attribute: str, value: Any) -> Any:
    if value is not None and not callable(value):
        raise ValueError(
            f"`{attribute}` of a variable must be None or callable, such as an object of "
            f"`keras.{attribute}s`. Received: {attribute}={value!r}"
        )
    return value


def _choice(argument: str, value: Any, choices: dict[Any, Any]) -> Any:
    if value in choices:
        return choices[value]
    if value in choices.values():  # of `tf`, as in Keras 2
        return value
    raise ValueError(
        f"Invalid value for argument `{argument}`. Expected one of "
        f"{', '.join(map(repr, choices))}. Received: {argument}={value}"
    )
