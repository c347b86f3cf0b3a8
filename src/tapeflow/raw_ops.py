"""`tf.raw_ops`: every declared op under TF's name, its arguments by keyword only."""

from __future__ import annotations

import typing
from collections.abc import Callable
from inspect import Parameter, Signature

import numpy as np

from tapeflow._src.api.arrays.tensor_protos import make_ndarray
from tapeflow._src.core.lazy import missing_name
from tapeflow._src.core.registry import Op, every, find
from tapeflow._src.ops.state import training as _training  # noqa: F401  Keras asks for its ops by name

# `Any` is an op: a name of this module that is also an op's would hide it.


def _raw(op: Op) -> Callable[..., typing.Any]:
    """The op as a function of keywords, with its own signature."""
    parameters = [*op.input_names, *op.attr_names, "name"]
    arrays = [name for name in op.attr_names if isinstance(op.defaults.get(name), np.ndarray)]

    def call(*args: typing.Any, **keywords: typing.Any) -> typing.Any:
        if args:
            raise TypeError(f"{op.name} only takes keyword arguments: {parameters}.")
        keywords.pop("T", None)
        for name in arrays:  # TensorFlow takes such attributes as TensorProto only
            if hasattr(keywords.get(name), "tensor_shape"):
                keywords[name] = make_ndarray(keywords[name])
        result = op(**keywords)
        if isinstance(result, tuple) and not op.outputs_are_list:
            return op.result_type(*result) if result else None
        return list(result) if op.outputs_are_list else result

    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = op.__doc__
    call.__signature__ = Signature(  # type: ignore[attr-defined]
        [Parameter(n, Parameter.KEYWORD_ONLY, default=_default(op, n)) for n in parameters]
    )
    return call


def _default(op: Op, parameter: str) -> typing.Any:
    if parameter == "name":
        return None
    return op.defaults.get(parameter, Parameter.empty)


_made: dict[str, Callable[..., typing.Any]] = {}


def __getattr__(name: str) -> Callable[..., typing.Any]:
    made = _made.get(name)
    if made is not None:
        return made
    op = find(name)
    if op is None:
        raise missing_name(__name__, name, tuple(every()))
    return _made.setdefault(name, _raw(op))


def __dir__() -> list[str]:
    return sorted(every())
