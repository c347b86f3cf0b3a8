"""The rows of the design: a part imports only what lies below it, and only at the top of a file."""

from __future__ import annotations

import sys

import pytest

from tests.source_tree import LAZY, Source, parse, sources

ROWS = {
    "core": 0,
    "backends": 1,
    "ops": 2,
    "eager": 3,
    "graph": 3,
    "gradients": 4,
    "passes": 4,
    "executors": 4,
    "autograph": 5,
    "function": 6,
    "saving": 8,
    "data": 8,
    "distribute": 8,
    "summary": 8,
    "explain": 8,
    "__internal__": 9,
    "train": 9,
    "saved_model": 9,
    "keras": 9,
    "standin": 11,
    "cli": 12,
    "run": 13,
    "pytest_plugin": 13,
    "__main__": 13,
}
PUBLIC = 7  # every other module or folder directly below the package is a public namespace
ROOT = 10  # tapeflow/__init__.py
ANALYSIS = "tapeflow.autograph.analysis"
JAX_USERS = ("backends/jax", "executors/xla", "distribute/")


def part(module: str) -> str:
    """The folder or file directly below `tapeflow` that a module belongs to; "" is the root."""
    return (module.split(".") + [""])[1]


def row(name: str) -> int:
    return ROWS.get(name, PUBLIC) if name else ROOT


def folder(name: str) -> str:
    """What counts as one folder: the public namespaces stand side by side in the package itself."""
    return name if row(name) != PUBLIC else ""


def resolve(target: str, parts: set[str]) -> str:
    """The part a name belongs to: `tapeflow.GradientTape` is the root's, `tapeflow.nn` is nn's."""
    name = part(target)
    return name if name in parts else ""


def row_violations(source: Source, parts: set[str]) -> list[str]:
    """Imports of a part that does not lie below."""
    here = part(source.module)
    if not here:
        return []
    found = []
    for imported in source.imports():
        if imported.target.split(".")[0] != "tapeflow":
            continue
        there = resolve(imported.target, parts)
        if here == "keras":
            # Keras stands on the public names, as a user's code does; how packages load their
            # parts is the one thing it shares.
            loads = imported.target.startswith(LAZY)
            allowed = there == "keras" or row(there) >= PUBLIC or loads
        elif row(here) == row(there):
            allowed = folder(here) == folder(there)
        else:
            allowed = row(there) < row(here)
        if not allowed:
            found.append(
                f"{source.path}:{imported.line} (row {row(here)}) imports {imported.target} "
                f"(row {row(there)})"
            )
    return found


def placement_violations(source: Source) -> list[str]:
    """Imports inside functions, and modules loaded by name outside the lazy-loading helper."""
    found = [
        f"{source.path}:{imported.line} imports {imported.target} inside a function"
        for imported in source.imports()
        if imported.in_function
    ]
    if source.module != LAZY:
        loaders = ("import_module(", "__import__(", ".exec_module(")
        found += [
            f"{source.path}:{number} loads a module by name; {LAZY} is the place for that"
            for number, line in enumerate(source.text.splitlines(), 1)
            if any(loader in line for loader in loaders)
        ]
    return found


def third_party_violations(source: Source) -> list[str]:
    """TensorFlow anywhere, JAX outside its three places, anything in AutoGraph's analysis."""
    found = []
    for imported in source.imports():
        top = imported.target.split(".")[0]
        where = f"{source.path}:{imported.line} imports {imported.target}"
        if top in ("tensorflow", "keras", "tf_keras"):
            found.append(f"{where}: it is the oracle of the tests, never a dependency")
        if top in ("jax", "jaxlib") and not source.path.startswith(JAX_USERS):
            found.append(f"{where}: only {', '.join(JAX_USERS)} know JAX")
        known = top in sys.stdlib_module_names or imported.target.startswith(ANALYSIS)
        if source.module.startswith(ANALYSIS) and not known:
            found.append(f"{where}: the analysis knows the standard library only")
    return found


def report(violations: list[str]) -> None:
    assert not violations, "\n" + "\n".join(violations)


def test_a_part_imports_only_what_lies_below() -> None:
    tree = sources()
    parts = {part(source.module) for source in tree}
    report([line for source in tree for line in row_violations(source, parts)])


def test_imports_stand_at_the_top_of_files() -> None:
    report([line for source in sources() for line in placement_violations(source)])


def test_third_party_modules_stay_in_their_places() -> None:
    report([line for source in sources() for line in third_party_violations(source)])


PARTS = {"", "core", "ops", "eager", "graph", "gradients", "passes", "math", "nn", "data", "keras"}


@pytest.mark.parametrize(
    ("path", "statement", "allowed"),
    [
        ("core/shape.py", "from tapeflow.core import errors", True),
        ("core/shape.py", "from tapeflow.ops import array", False),
        ("ops/math.py", "import tapeflow.core.registry", True),
        ("ops/math.py", "from ..eager import tensor", False),
        ("ops/math.py", "from . import array", True),
        ("eager/tensor.py", "from tapeflow.graph import ir", False),
        ("gradients/tape.py", "from tapeflow.eager.tensor import EagerTensor", True),
        ("gradients/tape.py", "from tapeflow.passes import fold", False),
        ("gradients/tape.py", "import tapeflow as tf", False),
        ("nn.py", "from tapeflow import math", True),
        ("nn.py", "from tapeflow.data import Dataset", False),
        ("data/dataset.py", "from tapeflow import nn", True),
        ("keras/layers.py", "import tapeflow as tf", True),
        ("keras/layers.py", "from tapeflow import GradientTape", True),
        ("keras/layers.py", "from tapeflow.keras import backend", True),
        ("keras/layers.py", "from tapeflow.core import dtypes", False),
        ("keras/__init__.py", "from tapeflow.core.lazy import later", True),
        ("__init__.py", "from tapeflow.keras import layers", True),
    ],
)
def test_the_rule_of_rows(path: str, statement: str, allowed: bool) -> None:
    assert bool(row_violations(parse(path, statement), PARTS)) != allowed


@pytest.mark.parametrize(
    ("path", "text", "allowed"),
    [
        ("ops/math.py", "def f():\n    import numpy", False),
        ("ops/math.py", "class A:\n    def f(self):\n        from os import path", False),
        ("ops/math.py", "import importlib\nimportlib.import_module('jax')", False),
        (
            "core/lazy.py",
            "import importlib\nload = importlib.import_module(name)",
            True,
        ),
        ("backends/onednn.py", "from importlib import metadata", True),
    ],
)
def test_the_rule_of_placement(path: str, text: str, allowed: bool) -> None:
    assert bool(placement_violations(parse(path, text))) != allowed


@pytest.mark.parametrize(
    ("path", "text", "allowed"),
    [
        ("backends/jax.py", "import jax.numpy as jnp", True),
        ("distribute/mirrored.py", "import jax", True),
        ("backends/numpy.py", "from jax import numpy", False),
        (
            "ops/math.py",
            "from tapeflow.core.lazy import LazyModule\njax = LazyModule('jax')",
            False,
        ),
        (
            "ops/math.py",
            "from tapeflow.core import lazy\njax = lazy.LazyModule('jax.numpy')",
            False,
        ),
        (
            "backends/jax.py",
            "from tapeflow.core.lazy import LazyModule\njax = LazyModule('jax')",
            True,
        ),
        ("saving/keras.py", "import tensorflow as tf", False),
        ("autograph/analysis/liveness.py", "import ast", True),
        ("autograph/analysis/liveness.py", "from tapeflow.autograph.analysis import cfg", True),
        ("autograph/analysis/liveness.py", "import numpy", False),
    ],
)
def test_the_rule_of_third_parties(path: str, text: str, allowed: bool) -> None:
    assert bool(third_party_violations(parse(path, text))) != allowed
