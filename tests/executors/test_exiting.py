"""A process that ends while other threads are inside XLA keeps its exit code."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"

_DAEMON = """
import sys, threading, time
import tapeflow as tf

@tf.function(jit_compile={jit})
def step(x):
    for _ in range(4):
        x = tf.tanh(x @ x)
    return x

x = tf.ones([200, 200]) / 200
step(x)

def forever():
    while True:
        step(x)

for _ in range(3):
    threading.Thread(target=forever, daemon=True).start()
time.sleep(0.3)
print("done")
sys.exit(7)
"""

# A program of so many operations that compiling it takes far longer than the test waits.
_COMPILING = """
import sys, time
import tapeflow as tf
from tapeflow._src.executors import background

@tf.function
def step(x):
    for i in range(1000):
        x = tf.sin(x) * (1.0 + i / 1000) + tf.reverse(x, [0])
    return x

x = tf.ones([50])
while not background.compiler._busy:
    step(x)
time.sleep(0.5)
assert background.compiler._busy, "compiled before the process could leave"
print("done", flush=True)
sys.exit(7)
"""


def run(program: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "TAPEFLOW_CACHE_DIR": ""}
    return subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize("times", [1, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("jit", [True, None])
def test_daemon_threads_that_call_functions_do_not_abort_the_process(
    jit: bool | None, times: int
) -> None:
    for _ in range(times):
        ended = run(_DAEMON.format(jit=jit))
        assert (ended.returncode, ended.stdout, ended.stderr) == (7, "done\n", "")


def test_exit_does_not_wait_for_the_compiler() -> None:
    ended = run(_COMPILING)
    assert (ended.returncode, ended.stdout, ended.stderr) == (7, "done\n", "")


# Callbacks run after ours if they were registered before.
_ABORTING = """
import atexit, ctypes, sys, threading, time
atexit.register(time.sleep, {seconds})
import tapeflow as tf
from tapeflow._src.executors import exiting

def abort():
    while not exiting.leaving:
        time.sleep(0.01)
    time.sleep(1.0)
    ctypes.CDLL(None).abort()

tf.function(lambda x: x + 1, jit_compile=True)(tf.ones([2]))
threading.Thread(target=abort, daemon=True).start()
sys.exit(7)
"""


@pytest.mark.slow
def test_a_thread_that_aborts_waits_however_long_python_takes_to_end() -> None:
    ended = run(_ABORTING.format(seconds=10))
    assert (ended.returncode, ended.stderr) == (7, "")


# Tracing is done by Python code that C++ code of JAX calls; here it has no end.
_TRACING = """
import atexit, sys, threading, time

def show():
    print(sys._current_frames()[thread.ident].f_code.co_name, flush=True)

atexit.register(show)
import tapeflow as tf
from tapeflow._src.executors import exiting, xla_trace

# On a busy machine finalisers may swallow every interruption of half a second.
exiting._XLA_TIMEOUT = 60.0
tracing = threading.Event()

class Noisy:
    def __del__(self):
        for _ in range(100):
            pass

def run(self, body, values):
    tracing.set()
    while True:
        [Noisy() for _ in range(10)]

xla_trace.Trace.run = run

class Slow:
    def __del__(self, sleep=time.sleep):
        sleep(0.5)

sys.slow = Slow()
step = tf.function(lambda x: x + 1.0, jit_compile=True)
thread = threading.Thread(target=step, args=(tf.ones([2]),), daemon=True)
thread.start()
tracing.wait()
sys.exit(7)
"""


def test_a_thread_that_traces_is_out_of_xla_before_python_ends() -> None:
    ended = run(_TRACING)
    assert (ended.returncode, ended.stdout, ended.stderr) == (7, "park\n", "")


# The first compiled call imports JAX.
_IMPORTING = """
import atexit, sys, threading, time

def show():
    print(sys._current_frames()[thread.ident].f_code.co_name, flush=True)

atexit.register(show)
import tapeflow as tf

importing = threading.Event()

class Slowly:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("jaxlib."):
            importing.set()
            time.sleep(0.05)

sys.meta_path.insert(0, Slowly())
step = tf.function(lambda x: x + 1.0, jit_compile=True)
thread = threading.Thread(target=step, args=(tf.ones([2]),), daemon=True)
thread.start()
importing.wait()
sys.exit(7)
"""


def test_a_thread_that_imports_jax_has_done_so_before_python_ends() -> None:
    ended = run(_IMPORTING)
    assert (ended.returncode, ended.stdout, ended.stderr) == (7, "park\n", "")


def test_an_abort_of_the_main_thread_ends_the_process() -> None:
    ended = run(
        "import atexit, os, threading, time\n"
        "atexit.register(os.abort)\n"
        "import tapeflow as tf\n"
        "threading.Thread(target=time.sleep, args=(1e4,), daemon=True).start()\n"
    )
    assert ended.returncode in (-signal.SIGABRT, -signal.SIGSEGV)


def test_a_thread_that_waits_for_input_does_not_hold_up_the_exit() -> None:
    # On a terminal, the lock of a file of C is held while input is waited for.
    terminal, other_end = os.openpty()
    program = (
        "import sys, threading, time\n"
        "import tapeflow as tf\n"
        "threading.Thread(target=input, daemon=True).start()\n"
        "time.sleep(0.5)\n"
        "sys.exit(7)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    try:
        ended = subprocess.run(
            [sys.executable, "-c", program],
            env=environment,
            stdin=other_end,
            stdout=other_end,
            stderr=other_end,
            timeout=60,
        )
    finally:
        os.close(terminal)
        os.close(other_end)
    assert ended.returncode == 7


def test_functions_can_be_called_at_exit() -> None:
    ended = run(
        "import atexit\n"
        "atexit.register(lambda: print(float(f(tf.ones([])))))\n"
        "import tapeflow as tf\n"
        "f = tf.function(lambda x: x + 1, jit_compile=True)\n"
        "f(tf.ones([]))\n"
    )
    assert (ended.returncode, ended.stdout) == (0, "2.0\n"), ended.stderr
