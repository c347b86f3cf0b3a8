"""Compiled functions that files hold as StableHLO, such as those that were written in JAX."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.registry import MANY_OUTPUTS, ManyFree, op
from tapeflow._src.core.shape import as_dims
from tapeflow._src.core.spec import Spec

_modules: Any = LazyModule("tapeflow._src.backends.jax_stablehlo", "modules of StableHLO", "jax")


def _declared(op: Any, specs: Any, attrs: dict[str, Any]) -> list[Spec]:
    return [
        Spec(as_dims(shape), as_dtype(dtype))
        for shape, dtype in zip(attrs["Sout"], attrs["Tout"], strict=True)
    ]


@op("XlaCallModule", infer=_declared, outputs=MANY_OUTPUTS, grad=None)
def xla_call_module(
    xp,
    args: ManyFree,
    *,
    version,
    module,
    Sout,
    Tout,
    dim_args_spec=(),
    platforms=(),
    function_list=(),
    has_token_input_output=False,
    disabled_checks=(),
    use_shardy_partitioner=False,
):
    """Return the results of the function `main` of a serialized StableHLO module.

    Unknown sizes of its arguments are replaced by those of `args`. What graphs load of files only
    computes: a module that calls functions of the process is refused in safe mode.
    """
    return _module(module, version, platforms).run(args)


@xla_call_module.kernel("jax")
def _(xp, args, *, version, module, platforms, **attrs):
    return _module(module, version, platforms).trace(args)


def _module(code: Any, version: int, platforms: Any) -> Any:
    names = tuple(each.decode() if isinstance(each, bytes) else each for each in platforms)
    return _modules.find(code.encode() if isinstance(code, str) else code, version, names)


def _calls_others(*, version, module, platforms, function_list, **attrs):
    return bool(function_list or _module(module, version, platforms).foreign_calls())


xla_call_module.accesses("native", when=_calls_others)
