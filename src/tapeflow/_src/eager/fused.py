"""Functions of several ops that run as one program where their tensors are large.

Op by op, each result of a large call passes through memory, where the next op reads it: the squares
of all elements in `tf.norm`. `fused` marks functions in which that takes most of the time. Their
calls with large tensors run like those of large ops (`eager.large`): op by op at first, and in the
faster way once the function is compiled as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from tapeflow._src.core import dispatch
from tapeflow._src.core.dtypes import DType
from tapeflow._src.eager import large
from tapeflow._src.eager.mode import EagerMode
from tapeflow._src.eager.tensor import EagerTensor

P = ParamSpec("P")
R = TypeVar("R")

_state = dispatch.state
# Arguments that are part of what is compiled. (Equal numbers may differ: 1 and True, 0.0 and -0.0.)
_PLAIN = frozenset({int, bool, str, type(None), DType})
# Functions with their arguments that are remembered; all are forgotten when there are more.
_MOST = 2048


def fused(function: Callable[P, R]) -> Callable[P, R]:
    """Let large eager calls of a function run as one program.

    Its results, one tensor or several in a tuple, depend on the arguments alone and on settings
    whose changes call `forget`, and it changes nothing. Where a tape or another recorder is active,
    it runs op by op.
    """

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        first = args[0] if args else next(iter(kwargs.values()), None)
        if type(first) is not EagerTensor or first._array.size <= large.LARGE:
            return function(*args, **kwargs)
        if _state.recorders or type(_state.mode) is not EagerMode:
            return function(*args, **kwargs)
        return _run(function, args, kwargs)

    return cast(Callable[P, R], call)


class _Unfit(Exception):
    """What a function returns cannot be the result of a program."""


class FusedCall:
    """A function with all its arguments but tensors; `large.run` takes it for an op of these."""

    has_lists = False
    is_elementwise = False
    traits: frozenset[str] = frozenset()

    def __init__(
        self, function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]
    ) -> None:
        self.name = function.__name__
        self._function = function
        self._args = [None if type(each) is EagerTensor else each for each in args]
        self._kwargs = {k: v for k, v in kwargs.items() if type(v) is not EagerTensor}
        self._positions = [i for i, each in enumerate(args) if type(each) is EagerTensor]
        self._keywords = [k for k, v in kwargs.items() if type(v) is EagerTensor]
        self.kinds = ("T",) * (len(self._positions) + len(self._keywords))
        # Known once it has run.
        self.single_output = True
        self.is_fit = True

    def __call__(self, *tensors: Any) -> Any:
        """Call the function with its tensors, of any mode."""
        args = self._args.copy()
        for position, tensor in zip(self._positions, tensors):
            args[position] = tensor
        by_name = zip(self._keywords, tensors[len(self._positions) :])
        return self._function(*args, **self._kwargs, **dict(by_name))

    def run(self, xp: Any, *arrays: Any) -> Any:
        """Run the function op by op on arrays."""
        result = self(*map(EagerTensor, arrays))
        self.single_output = type(result) is not tuple
        results = (result,) if self.single_output else result
        if not results or any(type(each) is not EagerTensor for each in results):
            self.is_fit = False
            raise _Unfit
        computed = [each._array for each in results]
        if any(each is array for each in computed for array in arrays):
            self.is_fit = False  # nothing is computed
            raise _Unfit
        return computed[0] if self.single_output else tuple(computed)


_calls: dict[Any, FusedCall] = {}


def forget() -> None:
    """Compile all functions anew: a setting that some depend on has changed."""
    _calls.clear()


def _run(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    values = (*args, *kwargs.values())
    tensors = [each for each in values if type(each) is EagerTensor]
    parts = [EagerTensor if type(each) is EagerTensor else _key(each) for each in values]
    key = (function, len(args), *kwargs, *parts)
    try:
        call = _calls.get(key)
    except TypeError:  # an argument that is no plain value
        return function(*args, **kwargs)
    if call is None:
        if len(_calls) >= _MOST:
            _calls.clear()
        call = _calls[key] = FusedCall(function, args, kwargs)
    if not call.is_fit:
        return function(*args, **kwargs)
    try:
        result = large.run(cast(Any, call), [tensor._array for tensor in tensors], {})
    except _Unfit:
        return function(*args, **kwargs)
    if call.single_output:
        return EagerTensor(np.asarray(result))
    return tuple([EagerTensor(np.asarray(each)) for each in result])


def _key(value: Any) -> Any:
    """Return what distinguishes an argument from others; a list, which has no hash, if unknown.

    Tensors within lists are unknown: they are no operands.
    """
    kind = type(value)
    if kind in _PLAIN:
        return kind, value
    if kind is float:
        return float, value.hex()
    if kind is tuple or kind is list:
        return (kind, *map(_key, value))
    return []
