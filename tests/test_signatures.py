"""Calls written for TensorFlow work here: same parameter names, in the same order.

`tests/golden/tensorflow_signatures.json` holds TensorFlow's names and parameter names, recorded by
`tests/parity/record_signatures.py`. Only names that exist here too are compared.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf
from tests.public_api import names as public_names
from tests.signatures import describe, describe_init, mismatch

GOLDEN = json.loads(
    (Path(__file__).parent / "golden" / "tensorflow_signatures.json").read_text(encoding="utf-8")
)

# Deliberate departures, each with its reason.
DEPARTURES: dict[str, str] = dict.fromkeys(
    ("tf.DType", "tf.dtypes.DType", "tf.RaggedTensor"),
    "not for users to call: there are `tf.as_dtype` and the factory methods",
)
# Public names that TensorFlow does not have, each with its reason.
ADDITIONS: dict[str, str] = {
    "tf.install_as_tensorflow": "what serves `import tensorflow`",
    "tf.version.TAPEFLOW_VERSION": "`VERSION` is that of the TensorFlow whose API this is",
    **dict.fromkeys(
        (
            "tf.distribute.experimental.coordinator.PerWorkerValue",
            "tf.distribute.experimental.coordinator.experimental_get_current_worker_index",
        ),
        "of `tf.distribute.coordinator`",
    ),
    "tf.raw_ops.XlaLaunch": "a compiled part of a graph: TensorFlow hides its op",
    "tf.raw_ops.XlaCallModule": "StableHLO in a SavedModel: TensorFlow hides its op",
    "tf.raw_ops.Relayout": "an op of DTensor: TensorFlow hides it",
    "tf.raw_ops.RelayoutLike": "an op of DTensor: TensorFlow hides it",
    **dict.fromkeys(
        ("tf.metrics.MeanRelativeError", "tf.metrics.MeanTensor", "tf.optimizers.legacy.Adadelta")
        + ("tf.optimizers.legacy.Adamax", "tf.optimizers.legacy.Nadam"),
        "Keras 2 has it, which code still uses",
    ),
}


def find(namespace: str) -> Any:
    """The namespace here, or None."""
    module: Any = tf
    for name in namespace.split(".")[1:]:
        module = getattr(module, name, None)
    return module


NAMESPACES = [
    key for key in GOLDEN if key.startswith("tf") and key != "tf.raw_ops" and find(key) is not None
]


def compare(name: str, ours: str | None, theirs: str | None) -> list[str]:
    if ours is None or theirs is None or name in DEPARTURES:
        return []
    reason = mismatch(ours, theirs)
    return [f"{name}({ours}) {reason}; TensorFlow has ({theirs})"] if reason else []


def compare_class(name: str, cls: type, theirs: dict[str, str | None]) -> list[str]:
    found = []
    for method, signature in theirs.items():
        if method == "__init__":
            found += compare(name, describe_init(cls), signature)
        elif inspect.isfunction(member := inspect.getattr_static(cls, method, None)):
            found += compare(f"{name}.{method}", describe(member, skip_first=True), signature)
    return found


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_parameters_agree_with_tensorflow(namespace: str) -> None:
    module = find(namespace)
    found = []
    for name, theirs in GOLDEN[namespace].items():
        ours = getattr(module, name, None)
        full = f"{namespace}.{name}"
        if isinstance(theirs, dict) and inspect.isclass(ours):
            found += compare_class(full, ours, theirs)
        elif isinstance(theirs, str) and callable(ours):
            found += compare(full, describe(ours), theirs)
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("namespace", [*NAMESPACES, "tf.raw_ops"])
def test_no_namespace_offers_what_tensorflow_lacks(namespace: str) -> None:
    """A stray import that shows up as a public name is a leak; a real addition has a reason."""
    module = find(namespace)
    extra = {
        f"{namespace}.{name}"
        for name in public_names(module)
        if not inspect.ismodule(getattr(module, name))
    }
    known = {f"{namespace}.{name}" for name in GOLDEN[namespace]}
    assert sorted(extra - known - ADDITIONS.keys()) == []


def test_raw_ops_take_tensorflows_keywords() -> None:
    found = []
    for name, theirs in GOLDEN["tf.raw_ops"].items():
        ours = describe(getattr(tf.raw_ops, name, None))
        if ours is None or f"tf.raw_ops.{name}" in DEPARTURES:
            continue
        mine, peer = (
            {word.rstrip("=") for word in text.split(", ") if word != "*"}
            for text in (ours, theirs)
        )
        if mine != peer:
            found.append(
                f"tf.raw_ops.{name}: lacks {sorted(peer - mine)}, adds {sorted(mine - peer)}"
            )
    assert not found, "\n" + "\n".join(found)


def test_the_namespaces_are_found() -> None:
    assert {"tf", "tf.math", "tf.nn", "tf.linalg", "tf.random", "tf.nest"} <= set(NAMESPACES)


def test_departures_are_not_stale() -> None:
    known = {f"{key}.{name}" for key in GOLDEN if key.startswith("tf") for name in GOLDEN[key]}
    assert set(DEPARTURES) <= known


@pytest.mark.parametrize(
    ("ours", "theirs", "reason"),
    [
        ("x, name=", "x, name=", None),
        ("x, name=, extra=", "x, name=", None),
        ("x, *, name=", "x, name=", "'name' is not parameter 2"),
        ("x", "x, name=", "lacks 'name'"),
        ("y, x, name=", "x, y, name=", "'x' is not parameter 1"),
        ("x, axis, name=", "x, axis=, name=", "requires 'axis'"),
        ("x, name=, *, extra", "x, name=", "requires 'extra'"),
        ("*, shape, seed=", "*, seed=, shape", None),
        ("anything", "*args, **kwargs", None),
        ("", "", None),
    ],
)
def test_the_rule_of_signatures(ours: str, theirs: str, reason: str | None) -> None:
    assert mismatch(ours, theirs) == reason
