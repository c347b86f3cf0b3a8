"""How programs are compiled: for how many threads, and with which of XLA's options."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tapeflow.backends.jax_device import cores
from tapeflow.backends.jax_onednn import TARGET

# With so few cores, loops are split only if they are long: waking the second thread costs 0.1 to
# 0.3 ms; and in programs that call oneDNN it meets oneDNN's, which wait there for their next work.
_FEW_CORES = 2
_LONG_LOOP = 1 << 20
_LONG_LOOP_BESIDE_ONEDNN = 1 << 22
_CALL = "ffi_call"
# XLA's own library of loops writes out the zeros that a rectifier compares with.
_NO_LIBRARY = {"xla_cpu_experimental_ynn_fusion_type": ""}

Options = dict[str, bool | str]


def options(program: str) -> Options:
    """Options by their names, for a program given as text to run on this machine's processor."""
    return {**_NO_LIBRARY} if cores() <= _FEW_CORES and TARGET in program else {}


def threads_for(program: Any) -> int:
    """Among how many threads the loops of a traced program are to be split."""
    count = cores()
    if count > _FEW_CORES:
        return count
    longest, calls = 0, False
    for equation in _equations(program):
        longest = max(longest, *(getattr(v.aval, "size", 0) for v in equation.outvars), 0)
        calls = calls or equation.primitive.name == _CALL
    return count if longest >= (_LONG_LOOP_BESIDE_ONEDNN if calls else _LONG_LOOP) else 1


def _equations(program: Any) -> Iterator[Any]:
    """The steps of a program of JAX's, those in branches and loops too."""
    for equation in getattr(program, "jaxpr", program).eqns:
        yield equation
        for parameter in equation.params.values():
            for part in parameter if isinstance(parameter, (tuple, list)) else (parameter,):
                if hasattr(part, "eqns") or hasattr(part, "jaxpr"):
                    yield from _equations(part)
