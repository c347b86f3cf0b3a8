"""What holds for every test run."""

from __future__ import annotations

import gc
import importlib
import os
import re
from collections.abc import Callable, Generator, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from tapeflow._src.core import devices
from tapeflow._src.core.registry import every

# What an earlier run compiled must not decide what this one tests.
os.environ["TAPEFLOW_CACHE_DIR"] = ""

# No test asserts a time, and what it tries is the same at every run.
hypothesis.settings.register_profile(
    "tests",
    deadline=None,
    derandomize=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("tests")

every()  # samples name their ops


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fast", action="store_true", help="one case per test, one law per op")
    parser.addoption(
        "--quick-compiler", action="store_true", help="compile without LLVM's optimisations"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--quick-compiler"):
        # Not at the top: it imports JAX, which takes longer than most tests.
        importlib.import_module("tests.quick_compiler").install()


@pytest.fixture(scope="module")
def optimized() -> Iterator[None]:
    """Compile as programs of users are, also with --quick-compiler."""
    with importlib.import_module("tests.quick_compiler").uninstalled():
        yield


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse test names that hold an address: workers running side by side must agree on names."""
    if config.getoption("--fast"):
        items[:] = _representatives(items)
    unstable = [item.nodeid for item in items if re.search(r" at 0x[0-9a-f]+", item.nodeid)]
    if unstable:
        raise pytest.UsageError("give these tests stable ids:\n" + "\n".join(unstable))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import with --fast what it leaves out."""
    path = collection_path.relative_to(config.rootpath).as_posix()
    return True if config.getoption("--fast") and path.startswith(_THOROUGH) else None


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Do not make thousands of cases that are then left out.

    With --fast these are all but the first case of each test and the first sample of each op, with
    `-m "not slow"` the slow ones. Of a test that is left out itself, the first case stands for all.
    """
    left_out = _left_out(metafunc.config)
    if metafunc.config.getoption("--fast") or any(
        map(metafunc.definition.get_closest_marker, left_out)
    ):
        choose = _first_cases
    elif left_out:
        choose = partial(_cases_without, left_out)
    else:
        return
    marks = metafunc.definition.own_markers
    marks[:] = [_with_cases(mark, choose) if mark.name == "parametrize" else mark for mark in marks]


def _left_out(config: pytest.Config) -> list[str]:
    """The marks of tests that are not run: those in `-m "not slow and not peer"`."""
    expression = config.getoption("-m")
    simple = re.fullmatch(r"not \w+( and not \w+)*", expression)
    return re.findall(r"not (\w+)", expression) if simple else []


def _with_cases(mark: pytest.Mark, choose: Callable[[str, list[Any]], list[int]]) -> pytest.Mark:
    """Return a parametrization with the cases that `choose` returns the indices of."""
    if len(mark.args) != 2:
        return mark
    names, values = mark.args[0], list(mark.args[1])
    chosen = choose(names, values)
    options = dict(mark.kwargs)
    if options.get("ids") is not None and not callable(options["ids"]):
        ids = list(options["ids"])
        options["ids"] = [ids[number] for number in chosen]
    return pytest.mark.parametrize(names, [values[n] for n in chosen], **options).mark


def _first_cases(names: str, values: list[Any]) -> list[int]:
    """Choose the first case, or the first sample of each op."""
    if names != "sample":
        return [0][: len(values)]
    firsts = {getattr(value, "op", None): n for n, value in reversed([*enumerate(values)])}
    return sorted(firsts.values())


def _cases_without(left_out: list[str], names: str, values: list[Any]) -> list[int]:
    """Choose the cases without these marks; all if all have one, to be left out later."""
    marks = [{mark.name for mark in getattr(value, "marks", ())} for value in values]
    return [n for n, own in enumerate(marks) if own.isdisjoint(left_out)] or [*range(len(values))]


# What starts processes, compiles much or trains: it has no place in an inner loop.
_THOROUGH = (
    *("tests/conformance", "tests/examples", "tests/faults", "tests/parity", "tests/types_seen"),
    *("tests/keras/applications", "tests/test_clients.py", "tests/test_benchmarks.py"),
    *("tests/executors/test_exiting.py", "tests/gradients/test_memory.py"),
    *("tests/test_house_style.py", "tests/test_layering.py", "tests/test_public_api.py"),
    *("tests/passes/test_pipeline.py::test_random_programs", "tests/saved_model/test_file_cves.py"),
    *("tests/function/test_many_calls.py", "tests/keras/training/test_interrupted.py"),
    *("tests/standin", "tests/core/test_interrupts.py", "tests/checkpoint/test_all_or_nothing.py"),
    *("tests/keras/test_jax_layer.py", "tests/saved_model/test_stablehlo.py"),
    *("tests/backends/test_special.py", "tests/backends/test_complex.py"),
    *("tests/keras/file_safety", "tests/keras/files", "tests/saved_model/test_fuzz_models.py"),
    *("tests/data/test_service.py", "tests/data/test_pipeline_fuzz.py", "tests/test_import.py"),
    *("tests/experimental_numpy/test_loading.py", "tests/io/test_reader_limits.py"),
    *("tests/data/test_resampling.py", "tests/core/test_atomic_files.py"),
    *("tests/docsite", "tests/explain/test_memory.py", "tests/explain/test_graph_page.py"),
    *("tests/ops/test_philox.py", "tests/executors/test_xla_disk.py", "tests/test_fuzzing.py"),
    *("tests/test_without_jax.py", "tests/strings/test_regex.py", "tests/backends/test_heap.py"),
    *("tests/keras/fitting/test_structures.py::test_sparse_arrays_of_jax", "tests/test_stubs.py"),
    *("tests/executors/test_xla_options.py", "tests/backends/test_onednn_library.py"),
    *("tests/ops/test_einsum.py", "tests/ops/test_slicing.py", "tests/messages"),
    *("tests/test_docs.py", "tests/test_docstrings.py", "tests/test_testing.py"),
)


def _representatives(items: list[pytest.Item]) -> list[pytest.Item]:
    """The first case of each test; of the laws of ops one for each op, another for the next op."""
    laws: dict[str, set[str]] = {}
    for item in items:
        if (sample := _sample(item)) is not None:
            laws.setdefault(sample.op, set()).add(_function(item))
    law_of = {op: sorted(laws[op])[n % len(laws[op])] for n, op in enumerate(sorted(laws))}
    seen: set[str] = set()
    chosen = []
    for item in items:
        sample, function = _sample(item), _function(item)
        key = f"law of {sample.op}" if sample is not None else function
        if key in seen or function.startswith(_THOROUGH):
            continue
        if sample is not None and law_of[sample.op] != function:
            continue
        seen.add(key)
        chosen.append(item)
    return chosen


def _function(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def _sample(item: pytest.Item) -> Any:
    """The sample of an op that a law is checked on, if any."""
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    sample = parameters.get("sample")
    return sample if hasattr(sample, "op") else None


def pytest_collection_finish() -> None:
    """Leave out of garbage collections what is there to stay: all the tests.

    With some 30,000 of them a collection takes more than a second, and many tests ask for one.
    """
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Undo what hypothesis does to the settings of a parametrized test.

    For every parameter its plugin (6.170) wraps the settings in new ones whose parent are the old;
    after some 900 parameters of one test, looking up a setting exceeds the recursion limit.
    """
    function = getattr(item, "obj", None)
    settings = getattr(function, "_hypothesis_internal_use_settings", None)
    try:
        return (yield)
    finally:
        if settings is not None:
            function._hypothesis_internal_use_settings = settings  # type: ignore[union-attr]


@pytest.fixture
def logical_devices() -> Iterator[None]:
    """Let the processor count as four devices."""
    before = devices.placement.logical_cpus, devices.placement.in_use
    devices.placement.logical_cpus = 4
    yield
    devices.placement.logical_cpus, devices.placement.in_use = before
