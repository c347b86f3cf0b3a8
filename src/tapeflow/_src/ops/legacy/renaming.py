"""Legacy names of ops: they compute what the current ops do."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import DType, int32
from tapeflow._src.core.registry import UNREGISTERED, Op, op
from tapeflow._src.core.spec import Spec


def renamed(
    name: str, newer: Op, *, dtypes: frozenset[DType] | None = None, grad: Any = UNREGISTERED
) -> Op:
    """Declare `name` as another name of `newer`; TensorFlow knows no gradient of most of them."""
    older = op(
        name,
        infer=newer.infer_rule,
        grad=grad,
        dtypes=newer.dtypes if dtypes is None else dtypes,
        outputs=newer.output_names,
        host=newer.host,
        checked=newer.checked,
    )(newer.body)
    for backend, kernel in newer.kernels.items():
        older.kernel(backend)(kernel)
    return older


def static_spec(value: int) -> Spec:
    """Return the spec of a number that is an attribute of the legacy op, and a tensor of the
    current one.
    """
    return Spec((), int32, np.array(value, np.int32))


def run(newer: Op, xp: ModuleType, *inputs: Any, **attrs: Any) -> Any:
    """Run `newer` on this backend."""
    return newer.kernels.get(xp.name, newer.body)(xp, *inputs, **{**newer.defaults, **attrs})


def infer(newer: Op, *specs: Any, **attrs: Any) -> Any:
    """Apply the shape rule of `newer`."""
    return newer.infer_rule(newer, specs, {**newer.defaults, **attrs})
