"""Compiler options: whether loops are split among threads, and XLA's flags."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from tapeflow._src.backends import processor
from tapeflow._src.backends.jax_onednn import TARGET
from tapeflow._src.backends.threads import cores
from tapeflow._src.core.log import logger

_FEW_CORES = 2
# Loops of this many elements are split among threads: waking one costs 0.1 to 0.3 ms.
_LONG_LOOP = 1 << 20
# On few cores, the threads compete with oneDNN's, which spin waiting for work.
_LONG_LOOP_BESIDE_ONEDNN = 1 << 22
# This many multiplications of a product take as long as one element of a loop.
_PRODUCT_RATE = 64
_CALL = "ffi_call"
# Steps that take as long as their operands are.
_REDUCTIONS = ("reduce", "argmax", "argmin")
_LOOP, _PRODUCT = "stablehlo.while", "stablehlo.dot_general"
# XLA's own library of loops materialises the zeros that a ReLU compares with. And it divides no
# small products among threads, as those in loops are, which Eigen does.
_NO_LIBRARY = {"xla_cpu_experimental_ynn_fusion_type": ""}
# XLA's default is 256, whatever the processor.
_WIDE_VECTORS = {"xla_cpu_prefer_vector_width": 512}
# XLA has two generators of code. The newer one divides operations into tiles, which it passes
# through memory: `abs` takes twice the time. It is the better one for transposes and long chains.
_OLD_EMITTER = {"xla_cpu_use_fusion_emitters": False}

# The words of XLA's error about an option.
_UNKNOWN = "No such compile option"

Options = dict[str, bool | int | str]


def options(program: str, split: bool = False, old_emitter: bool = False) -> Options:
    """Return options by name, for a program given as text on this machine's processor.

    split: whether its loops are split among threads.
    old_emitter: whether XLA's older generator of code is used.
    """
    chosen: Options = {}
    if processor.has_fast_wide_vectors():
        chosen |= _WIDE_VECTORS
    if old_emitter:
        chosen |= _OLD_EMITTER
    if cores() <= _FEW_CORES:
        repeated = split and _LOOP in program and _PRODUCT in program
        if repeated or TARGET in program:
            chosen |= _NO_LIBRARY
    return chosen


def compiled(lowered: Any, chosen: Options) -> Any:
    """Compile a lowered program; without options, if this version of XLA lacks one of them."""
    try:
        return lowered.compile(chosen)
    except Exception as error:
        if _UNKNOWN not in str(error):
            raise
        logger.debug("Compiled without %s: %s", chosen, error)
        return lowered.compile()


def splits(program: Any, long_loop: int = _LONG_LOOP) -> bool:
    """Whether the loops of a traced program are split among threads.

    long_loop: the elements of the longest loop from which on they are.
    """
    if cores() == 1:
        return False
    longest, calls = 0, False
    for equation in _equations(program):
        longest = max(longest, _length(equation))
        calls = calls or equation.primitive.name == _CALL
    few = cores() <= _FEW_CORES
    return longest >= (_LONG_LOOP_BESIDE_ONEDNN if calls and few else long_loop)


def _length(equation: Any) -> int:
    """Return the cost of a step of a program, in elements of a loop."""
    values = equation.outvars
    if equation.primitive.name.startswith(_REDUCTIONS):
        values = [*values, *equation.invars]
    elements = max([getattr(value.aval, "size", 0) for value in values], default=0)
    if equation.primitive.name != "dot_general":
        return elements
    ((summed, _), _) = equation.params["dimension_numbers"]
    terms = math.prod(equation.invars[0].aval.shape[axis] for axis in summed)
    return max(elements, elements * terms // _PRODUCT_RATE)


def _equations(program: Any) -> Iterator[Any]:
    """Yield the equations of a JAX program, including those in branches and loops."""
    for equation in getattr(program, "jaxpr", program).eqns:
        yield equation
        for parameter in equation.params.values():
            for part in parameter if isinstance(parameter, (tuple, list)) else (parameter,):
                if hasattr(part, "eqns") or hasattr(part, "jaxpr"):
                    yield from _equations(part)
