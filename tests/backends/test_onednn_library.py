"""Loading oneDNN, keeping plans, threads and forks: what a process around it may rely on."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

from tapeflow._src.backends import onednn, onednn_library, onednn_plan, onednn_pool

SOURCES = str(Path(__file__).parents[2] / "src")
CALL = """
import numpy as np
from tapeflow._src.backends import onednn
x, w = np.ones((8, 32, 32, 16), np.float32), np.ones((3, 3, 16, 16), np.float32)
def call():
    return float(onednn.conv_forward(x, w, (1, 1), (1, 1), (0, 0), (0, 0))[0, 0, 0, 0])
"""
needs_library = pytest.mark.skipif(
    not onednn.available(), reason="oneDNN (onednn-cpu-gomp) is not installed"
)


def run(code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """`code` in a process of its own, where nothing is loaded yet."""
    ours = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "OMP_NUM_THREADS", onednn_library.LIBRARY_VARIABLE)
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    environment |= {"PYTHONPATH": SOURCES, **variables}
    return subprocess.run(
        [sys.executable, "-c", CALL + code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )


@needs_library
def test_the_library_is_opened_by_the_first_call() -> None:
    code = """
def opened(): return 'libdnnl' in open('/proc/self/maps').read()
print(opened(), call(), opened())
"""
    assert run(code).stdout.split() == ["False", "144.0", "True"]


@needs_library
def test_openmp_threads_wait_briefly_unless_the_user_chose_otherwise() -> None:
    code = """
call(); import os; print([os.environ.get(x) for x in ('OMP_WAIT_POLICY', 'GOMP_SPINCOUNT')])
"""
    result = run(code, OMP_DISPLAY_ENV="verbose")
    assert "GOMP_SPINCOUNT = '100000'" in result.stderr
    assert result.stdout == "[None, None]\n"
    result = run(code, OMP_DISPLAY_ENV="verbose", OMP_WAIT_POLICY="PASSIVE")
    assert "GOMP_SPINCOUNT = '0'" in result.stderr
    assert result.stdout == "['PASSIVE', None]\n"


@needs_library
def test_a_forked_child_does_not_wait_for_threads_it_does_not_have() -> None:
    code = """
import os, signal
onednn.set_num_threads(2)
call()
child = os.fork()
if child == 0:
    signal.alarm(60)
    os._exit(0 if call() == 144.0 and onednn.num_threads() == 1 else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), call())
"""
    assert run(code).stdout.split() == ["0", "144.0"]


@pytest.mark.parametrize("path", ["", "/nowhere/libdnnl.so.3"])
def test_without_the_library_calls_say_what_is_missing(path: str) -> None:
    code = """
print(onednn.available(), onednn.supports(np.float32))
try:
    call()
except onednn.OneDnnUnavailableError as error:
    print(error)
"""
    result = run(code, **{onednn_library.LIBRARY_VARIABLE: path})
    first, message = result.stdout.splitlines()
    assert first == "False False"
    assert "oneDNN is not available" in message and "pip install onednn-cpu-gomp" in message
    assert (path or onednn_library.LIBRARY_VARIABLE) in message


def test_another_library_is_refused() -> None:
    libc = next(
        line.split()[-1]
        for line in Path("/proc/self/maps").read_text().splitlines()
        if "libc.so" in line or "libc-" in line
    )
    result = run("print(onednn.available())", **{onednn_library.LIBRARY_VARIABLE: libc})
    assert result.stdout.split() == ["False"]


def test_the_record_of_the_wheel_says_where_the_library_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = tmp_path / "lib" / "python[3]" / "site-packages"
    record = packages / "onednn_cpu_gomp-2023.2.0.dist-info" / "RECORD"
    record.parent.mkdir(parents=True)
    record.write_text("../../libdnnl.so,sha256=x,1\n../../libdnnl.so.3,sha256=x,1\n")
    library = tmp_path / "lib" / "libdnnl.so.3"
    library.touch()
    monkeypatch.delenv(onednn_library.LIBRARY_VARIABLE, raising=False)
    monkeypatch.setattr(sys, "path", ["", str(packages)])
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "elsewhere"))
    assert onednn_library.candidates() == [str(library)]


@needs_library
def test_a_run_inside_a_run_has_scratch_memory_of_its_own() -> None:
    """As when a signal handler runs a plan between two steps of another."""
    outer, inner = onednn_plan._take_runner(), onednn_plan._take_runner()
    assert abs(outer.scratch(100).address - inner.scratch(100).address) >= 100
    kept = outer.scratch(200)
    assert outer.scratch(100) is kept


@needs_library
def test_a_failed_call_is_named() -> None:
    with pytest.raises(onednn.OneDnnError, match=r"_with_tag failed with status 2 \(invalid arg"):
        library = onednn_library.library()
        dims = onednn_library.Dims(-5)
        using = "memory_desc_create_with_tag"
        library.create("memory_desc", 1, dims, onednn_library.DataType.float32, 99999, using=using)


@needs_library
def test_the_number_of_threads_can_be_set() -> None:
    automatic = onednn.num_threads()
    x, args = np.ones((4, 64, 64, 32), np.float32), ((2, 2), (1, 1), (0, 0), (0, 0))
    try:
        for count in (1, 2, 3):
            onednn.set_num_threads(count)
            assert onednn.num_threads() == count
            assert (onednn.max_pool_forward(x, *args) == 1).all()
            assert onednn_library.library().omp_get_max_threads() == automatic
    finally:
        onednn.set_num_threads(0)
    assert onednn.num_threads() == automatic
    with pytest.raises(ValueError, match="not -1"):
        onednn.set_num_threads(-1)


@needs_library
def test_plans_are_kept_and_the_oldest_are_freed() -> None:
    prepare = onednn_pool.prepare_forward
    prepare.cache_clear()

    def pool(length: int) -> None:
        x = np.arange(length, dtype=np.float32).reshape(1, length, 1)
        y = onednn.max_pool_forward(x, (2,), (1,), (0,), (0,))
        assert np.array_equal(y, x[:, 1:])

    pool(2)
    pool(2)
    assert (prepare.cache_info().hits, prepare.cache_info().misses) == (1, 1)
    window = onednn_pool.Window.of("max", (1, 2, 1), ((2,), (1,), (0,), (0,)))
    plan = prepare(window, onednn_library.DataType.float32, onednn.num_threads()).plan
    assert plan is not None
    oldest = weakref.ref(plan)
    del plan
    for length in range(3, onednn_plan.PLAN_CAPACITY + 10):
        pool(length)
    assert prepare.cache_info().currsize == onednn_plan.PLAN_CAPACITY
    gc.collect()
    assert oldest() is None


@needs_library
def test_scratch_memory_too_large_to_keep_is_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onednn_plan, "_CACHED_SCRATCH_BYTES", 0)
    x = np.random.default_rng(0).standard_normal((2, 8, 8, 3)).astype(np.float32)
    args = ((2, 2), (2, 2), (0, 0), (0, 0))
    y = onednn.max_pool_forward(x, *args)
    dx = onednn.max_pool_backward(x, y, *args)
    assert np.array_equal(dx[dx != 0], x[dx != 0])
    assert np.isclose(dx.sum(), y.sum())
