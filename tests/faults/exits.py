"""Ends programs while their other threads are at work, and looks at how they ended.

    python -m tests.faults.exits 200 --jobs 4 --load 4

Each program of `PROGRAMS` leaves something under way, waits for a random moment and calls
`sys.exit(7)`. It has to end with that code, in time, without a word on standard error. `--load`
starts processes that keep the processors busy meanwhile. What a program does that has not ended in
time is shown by gdb, if there is one.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
CODE = 7
SECONDS = 300

_BEGIN = """
import random, sys, threading, time
import numpy as np
import tapeflow as tf

def forever(call):
    def run():
        while True:
            call()
    threading.Thread(target=run, daemon=True).start()

def leave(longest=0.4):
    time.sleep(random.Random(int(sys.argv[1])).uniform(0, longest))
    print("done", flush=True)
    sys.exit(7)

def step(x):
    for _ in range(4):
        x = tf.tanh(x @ x)
    return x

x = tf.ones([200, 200]) / 200
"""

_COMPILED = """
f = tf.function(step, jit_compile={jit})
f(x)
for _ in range(3):
    forever(lambda: f(x))
leave()
"""

_COMPILING = """
from tapeflow._src.executors import background

@tf.function
def long(x):
    for i in range(300):
        x = tf.sin(x) * (1.0 + i / 300) + tf.reverse(x, [0])
    return x

while not background.compiler._busy:
    long(tf.ones([50]))
leave(3.0)
"""

_FIRST_CALL = """
def compile_another():
    number = random.random()
    tf.function(lambda x: step(x) * number, jit_compile=True)(x)

forever(compile_another)
forever(compile_another)
leave(3.0)
"""

_EAGER = """
v, image, kernel = tf.Variable(x), tf.ones([4, 16, 16, 8]), tf.Variable(tf.ones([3, 3, 8, 8]))

def train():
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v @ x) + tf.reduce_sum(tf.nn.conv2d(image, kernel, 1, "SAME"))
    for variable, gradient in zip((v, kernel), tape.gradient(loss, (v, kernel))):
        variable.assign_sub(1e-6 * gradient)

for _ in range(3):
    forever(train)
leave()
"""

# Loops of so many elements are split among the threads of XLA, from which oneDNN is called.
_SPLIT = """
image, kernel = tf.ones([8, 128, 128, 8]), tf.Variable(tf.ones([3, 3, 8, 8]))

@tf.function(jit_compile=True)
def train():
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.exp(-tf.nn.conv2d(image, kernel, 1, "SAME")))
    kernel.assign_sub(1e-6 * tape.gradient(loss, kernel))

train()
forever(train)
forever(train)
leave()
"""

_DATASETS = """
def slow(i):
    time.sleep(0.002)
    return i

made = tf.data.Dataset.range(10**6).map(lambda i: tf.numpy_function(slow, [i], tf.int64),
                                        num_parallel_calls=3)
iterators = [iter(made.batch(4).prefetch(2)), iter(made.map(lambda i: i + 1).prefetch(4))]
for iterator in iterators:
    for _ in range(20):
        next(iterator)
forever(lambda: next(iterators[0]))
leave()
"""

_FIT = """
model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(8)])
model.compile("adam", "mse", jit_compile={jit})
rows = np.ones((64, 8), "float32")
forever(lambda: model.fit(rows, rows, batch_size=8, verbose=0))
leave(4.0)
"""

_PROCESSES = """
class Rows(tf.keras.utils.PyDataset):
    def __len__(self):
        return 1000
    def __getitem__(self, index):
        return np.asarray(tf.sin(np.ones((4, 8), "float32")))

model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(8)])
model.predict(np.ones((4, 8)), verbose=0)
rows = Rows(workers=2, use_multiprocessing=True)

class Leave(tf.keras.callbacks.Callback):
    def on_predict_batch_end(self, batch, logs=None):
        if batch == 20:
            leave(0.1)

model.predict(rows, verbose=0, callbacks=[Leave()])
"""

_AT_EXIT = """
import atexit

f = tf.function(step, jit_compile=True)
g = tf.function(lambda x: step(x) + 1.0)
f(x), g(x)
atexit.register(lambda: (f(x), g(x)))
forever(lambda: f(x))
forever(lambda: g(x))
leave()
"""

_SLOW_END = """
class Slow:
    def __del__(self, sleep=time.sleep):
        sleep(9)

sys.slow = Slow()
"""

PROGRAMS: dict[str, str] = {
    "compiled": _COMPILED.format(jit=True),
    "hot": _COMPILED.format(jit=None),
    "interpreted": _COMPILED.format(jit=False),
    "eager": _EAGER,
    "compiling": _COMPILING,
    "compiling, slow end": _SLOW_END + _COMPILING,
    "first call": _FIRST_CALL,
    "first call, slow end": _SLOW_END + _FIRST_CALL,
    "split": _SPLIT,
    "datasets": _DATASETS,
    "fit": _FIT.format(jit="'auto'"),
    "compiled fit": _FIT.format(jit=True),
    "processes": _PROCESSES,
    "at exit": _AT_EXIT,
}


def end(name: str, seed: int, seconds: float = SECONDS) -> str | None:
    """Run one program to its end; what is wrong with it, or None.

    seconds: from the moment at which it says that it is done.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "TAPEFLOW_CACHE_DIR": ""}
    command = [sys.executable, "-c", _BEGIN + PROGRAMS[name], str(seed)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True) as program:
        said = program.stdout.readline() if program.stdout else ""
        try:
            out, err = program.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            stacks = _stacks(program.pid)
            program.kill()
            out, err = program.communicate()
            return f"seed {seed}: {seconds} s after {said!r} {out!r} {err!r}\n{stacks}"
    if (program.returncode, said + out, err) == (CODE, "done\n", ""):
        return None
    return f"seed {seed}: code {program.returncode}, printed {said + out!r} {err!r}"


def _stacks(pid: int) -> str:
    """Where the threads of a process are."""
    if shutil.which("gdb") is None:
        return "(no gdb to look into it)"
    command = ["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt 25"]
    return subprocess.run(command, capture_output=True, text=True).stdout


@contextmanager
def busy(count: int) -> Any:
    """Processes that take all the time they get."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def end_programs(
    names: Sequence[str], count: int, seed: int, jobs: int
) -> Iterator[tuple[str, str | None]]:
    """End the programs `count` times in all, `jobs` at once; yield what was wrong with each."""
    rng = random.Random(seed)
    rounds = [(names[number % len(names)], rng.randrange(2**31)) for number in range(count)]
    with ThreadPoolExecutor(jobs) as pool:
        ended = pool.map(lambda each: end(*each), rounds)
        yield from ((name, wrong) for (name, _), wrong in zip(rounds, ended, strict=True))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int, help="exits in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--load", type=int, default=0)
    parser.add_argument("--programs", nargs="*", default=list(PROGRAMS))
    arguments = parser.parse_args()
    total, bad = 0, 0
    with busy(arguments.load):
        for name, wrong in end_programs(
            arguments.programs, arguments.count, arguments.seed, arguments.jobs
        ):
            total += 1
            bad += wrong is not None
            print(f"{total} exits, {bad} wrong: {name}: {wrong or 'well'}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
