"""Functions of the values of variables: what is read and written stays inside of a scope."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.scopes import calls
from tapeflow._src.keras.variables import Variable


class StatelessScope:
    """In this scope Keras variables have other values, and assignments do not change them.

    Args:
        state_mapping: pairs of a `keras.Variable` and the value that it has in the scope.
        collect_losses: whether `add_loss` is meant to be called.
        initialize_variables: unused here: variables get their values when they are created.

    Example:

    >>> v = tf.keras.Variable(1.0)
    >>> with tf.keras.StatelessScope([(v, 5.0)]) as scope:
    ...     _ = v.assign_add(1.0)
    >>> float(scope.get_current_value(v)), float(v)
    (6.0, 1.0)
    """

    def __init__(
        self,
        state_mapping: Iterable[tuple[Any, Any]] | None = None,
        collect_losses: bool = False,
        initialize_variables: bool = True,
    ) -> None:
        self.collect_losses = collect_losses
        self.initialize_variables = initialize_variables
        self.losses: list[Any] = []
        self.state_mapping: dict[int, Any] = {}
        for variable, value in state_mapping or ():
            if not isinstance(variable, Variable):
                raise ValueError(
                    f"StatelessScope: the first of each pair must be a `keras.Variable`. Received: "
                    f"{variable!r} of type {type(variable).__name__}"
                )
            tensor = tf.cast(value, variable._dtype)
            if not tensor.shape.is_compatible_with(variable.shape):
                raise ValueError(
                    f"StatelessScope: variable '{variable.path}' has the shape "
                    f"{tuple(variable.shape)}. Received a value of shape {tuple(tensor.shape)}"
                )
            self.state_mapping[id(variable)] = tensor
        self._outer: list[Any] = []

    def __enter__(self) -> StatelessScope:
        self._outer.append(calls.stateless)
        calls.stateless = self
        return self

    def __exit__(self, *error: Any) -> None:
        calls.stateless = self._outer.pop()

    def add_loss(self, loss: Any) -> None:
        """Record a loss.

        Args:
            loss: A scalar tensor.
        """
        self.losses.append(loss)

    def add_update(self, update: tuple[Any, Any]) -> None:
        """Record the new value of a variable.

        Args:
            update: Pair of the variable and its value.
        """
        variable, value = update
        self.state_mapping[id(variable)] = value

    def get_current_value(self, variable: Any) -> Any:
        """Return the value of a variable in the scope; None if it has only its own.

        Args:
            variable: A variable.

        Example:
            >>> variable = tf.keras.Variable(1.0)
            >>> with tf.keras.StatelessScope() as scope:
            ...     updated = variable.assign(5.0)
            >>> float(scope.get_current_value(variable)), float(variable)
            (5.0, 1.0)
        """
        return self.state_mapping.get(id(variable))

    def value_of(self, variable: Any) -> Any:
        """Return the value of a variable: that of the scope, or else its own.

        Args:
            variable: A variable.
        """
        value = self.get_current_value(variable)
        return tf.convert_to_tensor(variable) if value is None else value


def get_stateless_scope() -> StatelessScope | None:
    """The innermost scope that is entered, or None."""
    return calls.stateless


def in_stateless_scope() -> bool:
    """Whether a `StatelessScope` is entered."""
    return calls.stateless is not None


def pairs(
    variables: Sequence[Any], values: Sequence[Any], argument: str, owner: Any
) -> list[tuple[Any, Any]]:
    """Variables with the values that an argument has for them; ValueError if there are others."""
    values = list(values)
    if len(values) != len(variables):
        raise ValueError(
            f"`{argument}` must have one value for each of the {len(variables)} variables of "
            f"{type(owner).__name__}. Received {len(values)}."
        )
    return list(zip(variables, values))


@contextmanager
def borrowed(pairs: Sequence[tuple[Any, Any]]) -> Iterator[None]:
    """Let variables have other values in the block, also for ops that change them in place."""
    own = [(variable, tf.identity(variable)) for variable, _ in pairs]
    values = [(variable, tf.identity(value)) for variable, value in pairs]
    for variable, value in values:
        variable.assign(value, read_value=False)
    try:
        yield
    finally:
        for variable, value in own:
            variable.assign(value, read_value=False)
