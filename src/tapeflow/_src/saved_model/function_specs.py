"""The declared parameters of a function as they stand in a SavedModel, and back."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

from tapeflow._src.api.optionals import OptionalSpec
from tapeflow._src.api.structure_protos import NotEncodable, decode, encode, register_spec
from tapeflow._src.core import protos
from tapeflow._src.data.dataset import DatasetSpec
from tapeflow._src.data.iterator import IteratorSpec
from tapeflow._src.function.function_type import KEYWORD_ONLY, VAR_KEYWORD, VAR_POSITIONAL

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_JIT = {None: 0, True: 1, False: 2}
_EMPTY = inspect.Parameter.empty
# Functions of `adapt` methods are called with iterators. The numbers are those of TensorFlow.
for _number, _cls in ((5, DatasetSpec), (6, IteratorSpec), (7, OptionalSpec)):
    register_spec(_number, _cls)


def spec_of(function: Any) -> Any:
    """Return the FunctionSpec of a tf.function."""
    parameters = list(inspect.signature(function.python_function).parameters.values())
    spec = protos.FunctionSpec(jit_compile=_JIT[function._options.jit_compile])
    spec.fullargspec.CopyFrom(_full_arg_spec(parameters, function.name))
    spec.input_signature.CopyFrom(encode(function.input_signature))
    return spec


def spec_of_trace(names: list[str], keyword_only: list[str]) -> Any:
    """Return the FunctionSpec of a single trace, whose parameters have no defaults."""
    parameters = [inspect.Parameter(identifier(n), _POSITIONAL[1]) for n in names]
    parameters += [inspect.Parameter(n, KEYWORD_ONLY) for n in keyword_only]
    spec = protos.FunctionSpec()
    spec.fullargspec.CopyFrom(_full_arg_spec(parameters, "trace"))
    spec.input_signature.none_value.SetInParent()
    return spec


def _full_arg_spec(parameters: list[inspect.Parameter], function: str) -> Any:
    positional = [p for p in parameters if p.kind in _POSITIONAL]
    keywords = [p for p in parameters if p.kind is KEYWORD_ONLY]
    varargs = [p.name for p in parameters if p.kind is VAR_POSITIONAL]
    varkw = [p.name for p in parameters if p.kind is VAR_KEYWORD]
    defaults = tuple(p.default for p in positional if p.default is not _EMPTY)
    kwonlydefaults = {p.name: p.default for p in keywords if p.default is not _EMPTY}
    spec = inspect.FullArgSpec(
        [p.name for p in positional],
        varargs[0] if varargs else None,
        varkw[0] if varkw else None,
        defaults or None,
        [p.name for p in keywords],
        kwonlydefaults or None,
        {},
    )
    try:
        return encode(spec)
    except NotEncodable as error:
        raise NotEncodable(f"A default value of the function {function!r}: {error}") from None


def identifier(name: str) -> str:
    """Return `name` as Python can call a parameter."""
    plain = re.sub(r"\W", "_", name)
    return plain if plain.isidentifier() else f"arg_{plain}"


def signature_from(spec: Any) -> inspect.Signature:
    """Return the parameters that a FunctionSpec describes; without the object that a method has."""
    full = decode(spec.fullargspec)
    _check_full(full)
    names = list(full.args)[1 if spec.is_method else 0 :]
    defaults = list(full.defaults or ())
    required = len(names) - len(defaults)
    kind = _POSITIONAL[1]
    parameters = [
        inspect.Parameter(
            identifier(name), kind, default=_EMPTY if i < required else defaults[i - required]
        )
        for i, name in enumerate(names)
    ]
    if full.varargs:
        parameters.append(inspect.Parameter(full.varargs, VAR_POSITIONAL))
    for name in full.kwonlyargs or ():
        default = (full.kwonlydefaults or {}).get(name, _EMPTY)
        parameters.append(inspect.Parameter(identifier(name), KEYWORD_ONLY, default=default))
    if full.varkw:
        parameters.append(inspect.Parameter(full.varkw, VAR_KEYWORD))
    return inspect.Signature(parameters)


def _check_full(full: Any) -> None:
    """Raise ValueError unless it is what `inspect.getfullargspec` would say of a function."""
    texts = all(
        isinstance(getattr(full, field, 0), list | tuple)
        and all(isinstance(name, str) for name in getattr(full, field))
        for field in ("args", "kwonlyargs")
    )
    names = all(isinstance(getattr(full, field, 0), str | None) for field in ("varargs", "varkw"))
    defaults = isinstance(getattr(full, "defaults", 0), list | tuple | None)
    named = isinstance(getattr(full, "kwonlydefaults", 0), dict | None)
    if not (texts and names and defaults and named):
        raise ValueError(f"A FunctionSpec must hold the parameters of a function, received {full}.")
    if len(full.defaults or ()) > len(full.args):
        raise ValueError(
            f"A FunctionSpec has {len(full.defaults)} defaults for {len(full.args)} parameters."
        )


def with_signature(
    signature: inspect.Signature, name: str, run: Callable[..., Any]
) -> Callable[..., Any]:
    """Return a function with these parameters that does what `run` does."""

    def saved(*args: Any, **kwargs: Any) -> Any:
        return run(*args, **kwargs)

    saved.__signature__ = signature  # type: ignore[attr-defined]
    saved.__name__ = saved.__qualname__ = name
    return saved
