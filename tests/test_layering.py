"""The rows of the design: a part imports only what lies below it, and only at the top of a file."""

from __future__ import annotations

import ast
import sys

import pytest

from tests.source_tree import LAZY, Source, parse, sources

# From the bottom up: a part imports only itself and parts of rows that come before its own. A part
# is a folder or file of `_src`; "api" and "composite" are ordered part by part.
ROWS = (
    ("core",),
    ("backends",),
    ("kernels",),
    ("ops",),
    ("composite/sparse_tensor", "composite/tensor_array_values"),
    ("composite/ragged", "composite/tensor_array"),
    ("eager", "graph"),
    ("gradients", "passes", "executors"),
    ("autograph",),
    ("function",),
    (
        *("api/audio", "api/bitwise", "api/config", "api/critical_section", "api/debugging"),
        *("api/fingerprint", "api/graph_util", "api/lite", "api/math", "api/op_libraries"),
        *("api/operators", "api/printing", "api/profiler", "api/quantization", "api/queue"),
        *("api/random", "api/scopes", "api/sets", "api/strings", "api/sysconfig", "api/tpu"),
        *("api/type_specs", "api/types"),
    ),
    ("api/arrays", "api/elements", "api/lookup", "api/module", "api/sparse"),
    ("api/control_flow", "api/io", "api/nn", "api/optionals", "api/ragged", "api/signal"),
    ("api/linalg", "api/vectorization", "api/xla", "sessions"),
    ("api/experimental", "api/image", "api/test"),
    ("composite/extension_types",),
    ("composite/structured",),
    ("api/structure_protos",),
    ("compat",),
    ("api/feature_column", "data", "checkpoint", "summary", "train"),
    ("distribute",),
    ("dtensor",),
    ("explain",),
    ("saved_model",),
    ("internal",),
    ("keras",),
    ("standin",),
    ("cli",),
)
LEVEL = {part: level for level, row in enumerate(ROWS) for part in row}
PUBLIC = "public"  # all of `tapeflow` at once, as users see it
# Folders whose implementation has another name than the public namespace.
RENAMED = {"__internal__": "internal", "__operators__": "api/operators", "nest": "core"}
# Who may import all of `tapeflow`, as a user does.
USERS = ("keras", "standin", "cli")
ANALYSIS = "tapeflow._src.autograph.analysis"
JAX_USERS = ("_src/backends/jax", "_src/executors/xla", "_src/distribute/")
# Namespaces with functions of their own: their names are computed.
WITH_FUNCTIONS = frozenset(
    {
        *("raw_ops.py", "run.py", "compat/v1/image.py", "compat/v1/io.py"),
        *("compat/v1/strings.py", "compat/v1/test.py", "keras/losses/__init__.py"),
        *("keras/metrics/__init__.py", "pytest_plugin.py"),
    }
)


def part(module: str) -> str:
    """The part that a module belongs to; a public namespace belongs to what implements it."""
    names = module.split(".")[1:]
    if not names or not names[0]:
        return PUBLIC
    if names[0] != "_src":
        name = RENAMED.get(names[0], names[0])
        return next((part for part in (name, f"api/{name}") if part in LEVEL), PUBLIC)
    names = names[1:]
    if names[:1] in (["api"], ["composite"]) and len(names) > 1:
        return "/".join(names[:2])
    return names[0] if names else PUBLIC


def row_violations(source: Source) -> list[str]:
    """Imports of a part that does not lie below."""
    if not source.path.startswith("_src/"):
        return []
    here = part(source.module)
    found = []
    for imported in source.imports:
        if imported.target.split(".")[0] != "tapeflow" or imported.target == "tapeflow._src":
            continue
        there = part(imported.target)
        if here == "keras":
            # Keras stands on the public names, as a user's code does. How packages load their
            # parts, and what is offered to libraries, are the things it shares.
            shared = imported.target.startswith(LAZY) or there == "internal"
            allowed = shared or "_src" not in imported.target or there == "keras"
        elif there == PUBLIC:
            allowed = here in USERS
        else:
            allowed = here == there or LEVEL[there] < LEVEL[here]
        if not allowed:
            found.append(f"{source.path}:{imported.line} imports {imported.target}, not below it")
    return found


def definition_violations(source: Source) -> list[str]:
    """Functions and classes outside `_src`: public modules only list what they offer."""
    if source.path.startswith("_src/") or source.path in WITH_FUNCTIONS:
        return []
    return [
        f"{source.path}:{node.lineno} defines {node.name}; define it in _src and list it here"
        for node in source.tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]


def placement_violations(source: Source) -> list[str]:
    """Imports inside functions, and modules loaded by name outside the lazy-loading helper."""
    found = [
        f"{source.path}:{imported.line} imports {imported.target} inside a function"
        for imported in source.imports
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
    for imported in source.imports:
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
    report([line for source in sources() for line in row_violations(source)])


def test_every_part_has_a_row() -> None:
    parts = {part(source.module) for source in sources() if source.path.startswith("_src/")}
    assert parts - {PUBLIC, "api", "composite"} == set(LEVEL)


def test_public_modules_define_nothing() -> None:
    report([line for source in sources() for line in definition_violations(source)])


def test_imports_stand_at_the_top_of_files() -> None:
    report([line for source in sources() for line in placement_violations(source)])


def test_third_party_modules_stay_in_their_places() -> None:
    report([line for source in sources() for line in third_party_violations(source)])


@pytest.mark.parametrize(
    ("path", "statement", "allowed"),
    [
        ("_src/core/shape.py", "from tapeflow._src.core import errors", True),
        ("_src/core/shape.py", "from tapeflow._src.ops.array import shape", False),
        ("_src/ops/math/sum.py", "import tapeflow._src.core.registry", True),
        ("_src/ops/math/sum.py", "from ...eager import tensor", False),
        ("_src/ops/math/sum.py", "from . import arithmetic", True),
        ("_src/eager/tensor.py", "from tapeflow._src.graph import ir", False),
        ("_src/gradients/tape.py", "from tapeflow._src.eager.tensor import EagerTensor", True),
        ("_src/gradients/tape.py", "from tapeflow._src.passes import fold", False),
        ("_src/gradients/tape.py", "import tapeflow as tf", False),
        ("_src/api/nn/loss.py", "from tapeflow import math", True),
        ("_src/api/nn/loss.py", "from tapeflow._src.api.math import casting", True),
        ("_src/api/math/casting.py", "from tapeflow._src.api.nn import loss", False),
        ("_src/api/math/casting.py", "from tapeflow import nn", False),
        ("_src/api/nn/loss.py", "from tapeflow.data import Dataset", False),
        ("_src/data/dataset.py", "from tapeflow import nn", True),
        ("_src/keras/layers.py", "import tapeflow as tf", True),
        ("_src/keras/layers.py", "from tapeflow import GradientTape", True),
        ("_src/keras/layers.py", "from tapeflow._src.keras import backend", True),
        ("_src/keras/layers.py", "from tapeflow._src.core import dtypes", False),
        ("_src/keras/layers.py", "from tapeflow._src.core.lazy import later", True),
        ("keras/__init__.py", "from tapeflow._src.core import dtypes", True),
        (
            "_src/core/shape.py",
            "from tapeflow._src.core.lazy import later\n"
            'load, names = later(__name__, {}, {"Layer": "tapeflow._src.keras.layers"})',
            False,
        ),
        (
            "_src/core/shape.py",
            "from tapeflow._src.core.lazy import LazyModule\n"
            'keras = LazyModule(name="tapeflow.keras")',
            False,
        ),
    ],
)
def test_the_rule_of_rows(path: str, statement: str, allowed: bool) -> None:
    assert bool(row_violations(parse(path, statement))) != allowed


@pytest.mark.parametrize(
    ("path", "text", "allowed"),
    [
        ("math/__init__.py", "from tapeflow._src.api.math.arithmetic import add as add", True),
        ("math/__init__.py", "def add(x, y):\n    return x + y", False),
        ("_src/api/math/arithmetic.py", "def add(x, y):\n    return x + y", True),
    ],
)
def test_the_rule_of_public_modules(path: str, text: str, allowed: bool) -> None:
    assert bool(definition_violations(parse(path, text))) != allowed


@pytest.mark.parametrize(
    ("path", "text", "allowed"),
    [
        ("_src/ops/math/sum.py", "def f():\n    import numpy", False),
        ("_src/ops/math/sum.py", "class A:\n    def f(self):\n        from os import path", False),
        ("_src/ops/math/sum.py", "import importlib\nimportlib.import_module('jax')", False),
        (
            "_src/core/lazy.py",
            "import importlib\nload = importlib.import_module(name)",
            True,
        ),
        ("_src/backends/onednn.py", "from importlib import metadata", True),
    ],
)
def test_the_rule_of_placement(path: str, text: str, allowed: bool) -> None:
    assert bool(placement_violations(parse(path, text))) != allowed


@pytest.mark.parametrize(
    ("path", "text", "allowed"),
    [
        ("_src/backends/jax.py", "import jax.numpy as jnp", True),
        ("_src/distribute/mirrored.py", "import jax", True),
        ("_src/backends/numpy.py", "from jax import numpy", False),
        (
            "_src/ops/math/sum.py",
            "from tapeflow._src.core.lazy import LazyModule\njax = LazyModule('jax')",
            False,
        ),
        (
            "_src/ops/math/sum.py",
            "from tapeflow._src.core import lazy\njax = lazy.LazyModule('jax.numpy')",
            False,
        ),
        (
            "_src/backends/jax.py",
            "from tapeflow._src.core.lazy import LazyModule\njax = LazyModule('jax')",
            True,
        ),
        ("_src/saved_model/load.py", "import tensorflow as tf", False),
        ("_src/autograph/analysis/liveness.py", "import ast", True),
        (
            "_src/autograph/analysis/liveness.py",
            "from tapeflow._src.autograph.analysis import cfg",
            True,
        ),
        ("_src/autograph/analysis/liveness.py", "import numpy", False),
    ],
)
def test_the_rule_of_third_parties(path: str, text: str, allowed: bool) -> None:
    assert bool(third_party_violations(parse(path, text))) != allowed
