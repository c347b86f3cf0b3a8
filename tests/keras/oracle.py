"""Programs whose results were recorded from TensorFlow's Keras.

A table of programs maps a name to Python code in which `tf` is either library and `k` its Keras:
an expression, or statements that set `result`. From the root of the repository, where TensorFlow
is installed, `python -m tests.keras.oracle` records the results of all tables in `tests/golden`.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import re
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

GOLDEN = Path(__file__).parents[1] / "golden"
# The tables: `tests.keras.<name>.programs`, in `tests/golden/keras_<name>.json`.
TABLES = (
    "optimizers",
    "initializers",
    "regularizers",
    "constraints",
    "activations",
    "behaviour",
    "losses",
    "metrics",
    "fitting",
    "recurrent",
    "namespaces",
    "backend",
    "ops_nn",
    "image_generator",
    "preprocessing_image",
    "ops_image",
    "preprocessing_text",
    "attention",
    "layer_features",
    "quantization",
    "feature_columns",
    "recurrent_keras_2",
    "merging",
    "corner_cases",
    "upstream_cases",
    "layer_steps",
    "layer_steps_keras_2",
    "tf1",
    "tf1_recurrent",
)
# What is judged by Keras 2, the package `tf_keras`.
KERAS_2 = (
    "backend",
    "feature_columns",
    "image_generator",
    "layer_steps_keras_2",
    "recurrent_keras_2",
)
# What needs Keras 2 as `tf.keras`: recorded where the environment has TF_USE_LEGACY_KERAS=1.
LEGACY = ("tf1", "tf1_recurrent")


def run(tf: Any, code: str, keras: Any = None) -> Any:
    """The result of a program as plain data; an error is its class."""
    env = {"tf": tf, "np": np, "k": keras or tf.keras}
    # Many programs begin with `clear_session`, which collects garbage: among all that tests have
    # left, that would take longer than the program.
    with warnings.catch_warnings(), mock.patch.object(gc, "collect"):
        warnings.simplefilter("ignore")
        try:
            if "result" in code:
                exec(code, env)
            else:
                env["result"] = eval(code, env)
        except Exception as error:
            return {"error": type(error).__name__}
        return plain(env["result"])


def plain(value: Any) -> Any:
    """A result as JSON has it."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if hasattr(value, "numpy"):
        value = value.numpy()
    if isinstance(value, bytes):
        return value.decode()
    array = np.asarray(value)
    if array.dtype.kind not in "fiubV":
        return str(value)
    kind = "float" if isinstance(value, float) else array.dtype.name
    wide = array.astype("float64") if array.dtype.kind in "fV" else array
    return {"dtype": kind, "value": _numbers(wide.tolist())}


def _numbers(value: Any) -> Any:
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    if isinstance(value, float):
        return float(f"{value:.8g}") if np.isfinite(value) else str(value)
    return value


@cache
def recorded(table: str) -> dict[str, Any]:
    """What was recorded for a table: read once, and not to be changed."""
    return json.loads((GOLDEN / f"keras_{table}.json").read_text(encoding="utf-8"))


def difference(ours: Any, theirs: Any, tolerance: float = 1e-5) -> str | None:
    """Where two results differ, or None; `tolerance` is relative for numbers greater than 1."""
    if isinstance(theirs, dict) and set(theirs) == {"dtype", "value"}:
        if not isinstance(ours, dict) or ours.get("dtype") != theirs["dtype"]:
            return f"{ours} instead of {theirs}"
        mine, peer = (np.asarray(r["value"], "float64") for r in (ours, theirs))
        if mine.shape != peer.shape:
            return f"shape {mine.shape} instead of {peer.shape}"
        tolerance = max(tolerance, {"float16": 4e-3, "bfloat16": 2e-2}.get(theirs["dtype"], 0.0))
        same = (mine == peer) | (np.isnan(mine) & np.isnan(peer))
        with np.errstate(invalid="ignore"):
            close = np.abs(mine - peer) <= tolerance * np.maximum(1.0, np.abs(peer))
        return None if np.all(same | close) else f"{mine.tolist()} instead of {peer.tolist()}"
    if isinstance(theirs, (dict, list)):
        if type(ours) is not type(theirs) or len(ours) != len(theirs):
            return f"{ours} instead of {theirs}"
        pairs = (
            [(ours.get(key), item) for key, item in theirs.items()]
            if isinstance(theirs, dict)
            else zip(ours, theirs)
        )
        found = [text for a, b in pairs if (text := difference(a, b, tolerance))]
        return found[0] if found else None
    return None if _uncounted(ours) == _uncounted(theirs) else f"{ours!r} instead of {theirs!r}"


def _uncounted(value: Any) -> Any:
    """A name without its number: that depends on the programs that ran before."""
    return re.sub(r"_\d+$", "", value) if isinstance(value, str) else value


def programs(table: str) -> dict[str, str]:
    """The programs of a table."""
    return importlib.import_module(f"tests.keras.{table}.programs").PROGRAMS


def record(tables: list[str]) -> None:
    tf = importlib.import_module("tensorflow")
    legacy = os.environ.get("TF_USE_LEGACY_KERAS") == "1"
    for table in tables:
        if (table in LEGACY) != legacy:
            continue
        keras = importlib.import_module("tf_keras") if table in KERAS_2 else None
        found = {name: run(tf, code, keras) for name, code in programs(table).items()}
        lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in found.items()]
        text = "{\n" + ",\n".join(lines) + "\n}\n"
        (GOLDEN / f"keras_{table}.json").write_text(text, encoding="utf-8")
        errors = [name for name, v in found.items() if isinstance(v, dict) and "error" in v]
        print(table, len(found), "programs; errors:", errors)


if __name__ == "__main__":
    record(sys.argv[1:] or list(TABLES))
