"""Layers whose `call` has Python's `if`, `while` or `for` over tensors: converted by AutoGraph.

Most layers have none, and converting takes milliseconds. So `call` is traced as it is; if it fails
because a tensor is used as a condition, it is converted once for its class, and traced again.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import tapeflow as tf

# The converted `call` of classes, by the function that was converted.
_converted: dict[Any, Any] = {}
_OWN = "tapeflow."


def traced_call(layer: Any) -> Callable[..., Any]:
    """The `call` of a layer: the converted one while a graph is traced, if its class has one."""
    function = _converted.get(type(layer).call)
    if function is None or tf.executing_eagerly():
        return layer.call
    return types.MethodType(function, layer)


def convert_after(error: BaseException, layer: Any) -> bool:
    """Convert `call` if it failed because of Python's control flow; whether it was converted."""
    call = type(layer).call
    if (
        not isinstance(error, tf.errors.OperatorNotAllowedInGraphError)
        or call in _converted
        or not isinstance(call, types.FunctionType)
        or call.__module__.startswith(_OWN)
    ):
        return False
    _converted[call] = tf.autograph.to_graph(call)
    return True
