"""The libraries that are tried, and what each of them runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Client:
    """One library.

    Attributes:
        name: What the table calls it.
        wheels: The library itself, installed without its dependencies: they name TensorFlow.
        needs: What it needs besides.
        tests: Paths of tests in the installed library; none if a program is run.
        program: A file of `clients/programs`; it prints one line for each part that works.
        parts: How many parts the program has.
    """

    name: str
    wheels: tuple[str, ...]
    needs: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    program: str = ""
    parts: int = 0


_TEST_TOOLS = ("pytest", "pytest-xdist", "parameterized", "absl-py", "mock")
# TensorFlow Probability and what stands on it import Keras 2.
_PROBABILITY = ("tensorflow-probability==0.25.0", "tf_keras")
_PROBABILITY_NEEDS = ("dm-tree", "decorator", "cloudpickle", "gast", "absl-py", "six")

CLIENTS = (
    Client(
        "einops",
        ("einops",),
        needs=_TEST_TOOLS,
        tests=("einops/tests/test_ops.py", "einops/tests/test_einsum.py"),
    ),
    Client(
        "dm-sonnet",
        ("dm-sonnet",),
        needs=(*_TEST_TOOLS, "dm-tree", "wrapt", "tabulate"),
        tests=("sonnet/src",),
    ),
    Client(
        "dm-sonnet, main jobs",
        ("dm-sonnet",),
        needs=("dm-tree", "wrapt", "tabulate", "absl-py"),
        program="sonnet_jobs.py",
        parts=5,
    ),
    Client(
        "keras 3.15",
        ("keras==3.15.1",),
        needs=("optree", "namex", "absl-py"),
        program="keras_jobs.py",
        parts=17,
    ),
    Client(
        "tensorflow-probability",
        _PROBABILITY,
        needs=_PROBABILITY_NEEDS,
        program="probability_jobs.py",
        parts=15,
    ),
    Client(
        "gpflow",
        ("gpflow", *_PROBABILITY),
        needs=(*_PROBABILITY_NEEDS, "check_shapes", "multipledispatch", "tabulate", "deprecated"),
        program="gpflow_jobs.py",
        parts=7,
    ),
    Client("tf_keras", ("tf_keras",), needs=("absl-py",), program="keras2_jobs.py", parts=8),
)
