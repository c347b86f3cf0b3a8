"""Reading the inputs of `tests/golden/repr.json`: expressions, the same here and for TensorFlow."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, namedtuple
from typing import Any

import ml_dtypes
import numpy as np

Pair = namedtuple("Pair", "x y")

NAMES: dict[str, Any] = {
    "OrderedDict": OrderedDict,
    "Pair": Pair,
    "bfloat16": ml_dtypes.bfloat16,
    "defaultdict": defaultdict,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8_e5m2": ml_dtypes.float8_e5m2,
    "inf": float("inf"),
    "int4": ml_dtypes.int4,
    "nan": float("nan"),
    "np": np,
    "uint4": ml_dtypes.uint4,
}


def read(expression: str, **names: Any) -> Any:
    """The value of an expression of the golden file."""
    return eval(expression, {**NAMES, **names})
