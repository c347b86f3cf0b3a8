"""Layers and modules around code that creates variables with `tf.compat.v1.get_variable`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import Identifier
from tapeflow._src.internal.variable_store import VariableStore, entered_store, use_store

_STORE = "_tf1_style_var_store"


class EagerVariableStore(tf.Module, VariableStore):
    """The variables and layers that the methods of one object have created, by their names."""

    always_reuse = True

    def __init__(self) -> None:
        super().__init__()
        self._vars: dict[str, Any] = {}
        self._layers: dict[str, Any] = {}

    @property
    def variables_by_name(self) -> dict[str, Any]:
        return self._vars

    def regularize(self, variable: Any, name: str, regularizer: Identifier) -> None:
        # `Layer.losses` computes the penalties of weights that have this attribute.
        variable.regularizer = regularizer

    def layer(self, name: str, create: Callable[[], Any]) -> Any:
        """The layer of that name, created if there is none."""
        if name not in self._layers:
            self._layers[name] = create()
        return self._layers[name]


def track_tf1_style_variables(method: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a method of a layer or module that calls `tf.compat.v1.get_variable`.

    Variables that it gets, directly or through `tf.compat.v1.layers`, are created once and belong
    to the object: they are among its `variables`, and the penalties of their regularizers among
    the `losses` of a layer.

    >>> class Scale(tf.Module):
    ...     @tf.compat.v1.keras.utils.track_tf1_style_variables
    ...     def __call__(self, x):
    ...         return x * tf.compat.v1.get_variable("factor", initializer=2.0)
    >>> scale = Scale()
    >>> float(scale(tf.constant(3.0)) + scale(tf.constant(1.0)))
    8.0
    >>> [variable.name for variable in scale.variables]
    ['factor:0']
    """

    @functools.wraps(method)
    def tracked(self: Any, *args: Any, **kwargs: Any) -> Any:
        store = getattr(self, _STORE, None)
        if store is None:
            if not isinstance(self, tf.Module):
                raise ValueError(
                    f"track_tf1_style_variables decorates methods of tf.Module and of Keras "
                    f"layers and models. Received a method of {type(self).__name__}."
                )
            store = EagerVariableStore()
            setattr(self, _STORE, store)
        with use_store(store):
            return method(self, *args, **kwargs)

    return tracked


def get_or_create_layer(name: str, create_layer_method: Callable[[], Any]) -> Any:
    """The layer of that name that belongs to the object whose decorated method is running.

    Args:
        name: What the layer is found by.
        create_layer_method: Creates the layer; called the first time only.

    Raises:
        ValueError: if no method decorated with `track_tf1_style_variables` is running.
    """
    store = entered_store()
    if not isinstance(store, EagerVariableStore):
        raise ValueError(
            "get_or_create_layer needs an object to keep the layer in: decorate the calling method "
            "with tf.compat.v1.keras.utils.track_tf1_style_variables."
        )
    return store.layer(name, create_layer_method)
