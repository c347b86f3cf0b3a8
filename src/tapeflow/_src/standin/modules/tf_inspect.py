"""`tensorflow.python.util.tf_inspect`: `inspect`, which sees through decorators.

The argument specifications of Tapeflow's own functions are without annotations, as TensorFlow's
are: libraries compare them with those of functions that stand in for them.
"""

from __future__ import annotations

import inspect as _inspect
from inspect import (
    FullArgSpec as FullArgSpec,
)
from inspect import (
    Parameter as Parameter,
)
from inspect import (
    getcallargs as getcallargs,
)
from inspect import (
    getdoc as getdoc,
)
from inspect import (
    getfile as getfile,
)
from inspect import (
    getframeinfo as getframeinfo,
)
from inspect import (
    getmembers as getmembers,
)
from inspect import (
    getmodule as getmodule,
)
from inspect import (
    getmro as getmro,
)
from inspect import (
    getsource as getsource,
)
from inspect import (
    getsourcefile as getsourcefile,
)
from inspect import (
    getsourcelines as getsourcelines,
)
from inspect import (
    isbuiltin as isbuiltin,
)
from inspect import (
    isclass as isclass,
)
from inspect import (
    isframe as isframe,
)
from inspect import (
    isfunction as isfunction,
)
from inspect import (
    isgenerator as isgenerator,
)
from inspect import (
    isgeneratorfunction as isgeneratorfunction,
)
from inspect import (
    ismethod as ismethod,
)
from inspect import (
    ismodule as ismodule,
)
from inspect import (
    isroutine as isroutine,
)
from inspect import (
    signature as signature,
)
from inspect import (
    stack as stack,
)
from typing import Any, NamedTuple

from tapeflow._src.internal.decorator import unwrap


class ArgSpec(NamedTuple):
    """The arguments of a function that has no keyword-only ones."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple[Any, ...] | None


def getfullargspec(obj: Any) -> FullArgSpec:
    """Return the arguments of a function or class.

    Functions that other libraries wrapped by themselves have the arguments of the wrapper.
    """
    decorators, target = unwrap(obj)
    for decorator in decorators:
        if decorator.decorator_argspec is not None:
            return _full(decorator.decorator_argspec)
    if _inspect.isclass(target):
        target = target.__init__
    spec = _inspect.getfullargspec(target)
    own = getattr(target, "__module__", None) or ""
    return spec._replace(annotations={}) if own.partition(".")[0] == "tapeflow" else spec


def _full(spec: Any) -> FullArgSpec:
    """Return an argument specification of any kind as one with keyword-only arguments."""
    if isinstance(spec, FullArgSpec):
        return spec
    return FullArgSpec(spec.args, spec.varargs, spec.keywords, spec.defaults, [], None, {})


def getargspec(obj: Any) -> ArgSpec:
    """Return the arguments of a function without keyword-only ones."""
    spec = getfullargspec(obj)
    return ArgSpec(spec.args, spec.varargs, spec.varkw, spec.defaults)
