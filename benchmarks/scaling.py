"""Measure training steps on several host devices and processes, and what a model predicts.

    python -m benchmarks.scaling [--devices 1,2,4,8] [--processes 1,2,4]

The batch of all replicas stays the same: with twice as many replicas each computes half of it. All
replicas share the cores of this machine, and one replica uses all of them: a step takes the time
of one replica, a latency, and the time to move the bytes of the gradients. The latency and the rate
are measured by reductions of one number and of many; the steps are then predicted and measured.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.distribution_cases import cnn, free_addresses, mirrored, training_step
from benchmarks.run import markdown_rows, show

ROOT = Path(__file__).parents[1]
# Float32 numbers of the reduction that measures the rate: 16 MB.
MANY = 4_000_000
# Seconds of calls before any counts, and of those that do.
WARM, MEASURED = 8.0, 4.0
HOSTS = [8, 64, 1024]
Answer = dict[str, float]


def mlp(keras: Any) -> Any:
    """Return a model that computes little for many parameters."""
    layers = keras.layers
    dense = [layers.Dense(1024, activation="relu") for _ in range(2)]
    return keras.Sequential([layers.Input((32, 32, 3)), layers.Flatten(), *dense, layers.Dense(10)])


MODELS = {"cnn": cnn, "mlp": mlp}

# -- in a worker -----------------------------------------------------------------------------------


def gradient_bytes(keras: Any, name: str) -> int:
    """Return the bytes of the gradients of one replica."""
    return sum(4 * math.prod(v.shape) for v in MODELS[name](keras).trainable_variables)


def reduction(tf: Any, strategy: Any, count: int) -> Callable[[], object]:
    """Return a sum of `count` numbers of each replica over all of them."""
    with strategy.scope():
        values = tf.Variable(tf.ones([count]))

    def total() -> Any:
        return tf.distribute.get_replica_context().all_reduce("SUM", values * 1.0)

    @tf.function
    def step() -> Any:
        sums = strategy.experimental_local_results(strategy.run(total))
        return sums[0][0]

    return lambda: step().numpy()


def sent_bytes() -> int:
    """Return how many bytes the loopback interface has sent."""
    for line in Path("/proc/net/dev").read_text(encoding="utf-8").splitlines():
        name, _, numbers = line.partition(":")
        if name.strip() == "lo":
            return int(numbers.split()[8])
    return 0


def seconds_of(step: Callable[[], object], warm: int, calls: int) -> tuple[float, float]:
    """Return the median seconds of a call, and the bytes that it moved between processes."""
    for _ in range(warm):
        step()
    before, times = sent_bytes(), []
    for _ in range(calls):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2], (sent_bytes() - before) / calls


def calls_for(tf: Any, strategy: Any, step: Callable[[], object]) -> tuple[int, int]:
    """Return how many calls fill the time; the same number in all processes."""
    start = time.perf_counter()
    for _ in range(8):
        step()
    each = (time.perf_counter() - start) / 8
    longest = float(strategy.reduce("MEAN", strategy.run(lambda: tf.constant(each)), axis=None))
    return max(12, int(WARM / longest)), max(8, int(MEASURED / longest))


def run(kind: str, count: int) -> None:
    """Measure in this process, one of `count` or with `count` devices; print the answer."""
    tf = importlib.import_module("tapeflow")
    if kind == "devices":
        strategy = mirrored(tf, count)
    else:
        strategy = tf.distribute.MultiWorkerMirroredStrategy()
    answer: Answer = {}
    for name in MODELS:
        step = training_step(tf, strategy, MODELS[name])
        seconds, moved = seconds_of(step, *calls_for(tf, strategy, step))
        answer |= {name: seconds, f"{name} sent": moved}
        answer[f"{name} gradients"] = gradient_bytes(tf.keras, name)
    for name, numbers in (("one", 1), ("many", MANY)):
        step = reduction(tf, strategy, numbers)
        answer[name], _ = seconds_of(step, *calls_for(tf, strategy, step))
    print(json.dumps(answer), flush=True)


# -- in the process that starts them ---------------------------------------------------------------


def measured(kind: str, count: int) -> Answer:
    """Return the answer of new processes; of the first, where there are several."""
    processes = count if kind == "processes" else 1
    addresses = free_addresses(processes)
    started = []
    for index in range(processes):
        config = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}}
        environment = {**os.environ, "PYTHONPATH": "src"}
        if processes > 1:
            environment["TF_CONFIG"] = json.dumps(config)
        command = [sys.executable, "-m", "benchmarks.scaling", "--kind", kind]
        command += ["--count", str(count)]
        started.append(
            subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
        )
    outputs = [process.communicate()[0] for process in started]
    answer: Answer = json.loads(outputs[0].splitlines()[-1])
    return answer


def predicted(answer: Answer, alone: Answer, name: str, count: int) -> float:
    """Return the seconds of a step by the model: computation, latency and bytes."""
    if count == 1:
        return alone[name]
    return alone[name] + answer["one"] + answer[f"{name} gradients"] / rate_of(answer)


def rate_of(answer: Answer) -> float:
    """Return the bytes a second at which the numbers of replicas are summed."""
    return 4 * MANY / max(answer["many"] - answer["one"], 1e-9)


def rows(kind: str, answers: dict[int, Answer]) -> list[tuple[str, ...]]:
    """Return the rows of a table: for each model and count, what was measured and predicted."""
    alone = next(iter(answers.values()))
    table = []
    for name in MODELS:
        for count, answer in answers.items():
            moved = 2 * (count - 1) / count * answer[f"{name} gradients"]
            cells = (
                f"{name.upper()}, {count} {kind if count > 1 else UNITS[kind]}",
                show(answer[name]),
                show(predicted(answer, alone, name, count)),
                f"{alone[name] / answer[name]:.2f}",
                f"{moved / 1e6:.2f} MB",
                f"{answer[f'{name} sent'] / count / 1e6:.2f} MB" if kind == "processes" else "–",
                show(answer["one"]) if count > 1 else "–",
                f"{rate_of(answer) / 1e9:.2f} GB/s" if count > 1 else "–",
            )
            table.append(cells)
    return table


# Seconds until a message arrives, and bytes a second, of networks between machines.
NETWORKS = {
    "10 Gb/s Ethernet": (50e-6, 1.1e9),
    "100 Gb/s Ethernet": (15e-6, 11e9),
    "400 Gb/s InfiniBand": (3e-6, 45e9),
}


def ring(hosts: int, size: float, latency: float, rate: float) -> float:
    """Return the seconds in which a ring of hosts sums `size` bytes of each."""
    return 2 * (hosts - 1) * (latency + size / hosts / rate)


def extrapolated(alone: Answer, hosts: list[int]) -> list[tuple[str, ...]]:
    """Return efficiencies by the model if every host computes the batch that one has here."""
    table = []
    for name in MODELS:
        for network, (latency, rate) in NETWORKS.items():
            size = alone[f"{name} gradients"]
            waits = [ring(count, size, latency, rate) for count in hosts]
            shown = (f"{show(wait)}, {alone[name] / (alone[name] + wait):.2f}" for wait in waits)
            table.append((name.upper(), network, show(alone[name]), *shown))
    return table


UNITS = {"devices": "device", "processes": "process"}
COLUMNS = (
    "model and replicas",
    "step",
    "predicted",
    "efficiency",
    "to move, each",
    "moved, each",
    "sum of 1 number",
    "rate of 16 MB",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--devices", default="1,2,4,8")
    parser.add_argument("--processes", default="1,2,4")
    parser.add_argument("--kind", choices=("devices", "processes"), help="measure in this process")
    parser.add_argument("--count", type=int, default=1)
    options = parser.parse_args()
    if options.kind:
        run(options.kind, options.count)
        return
    console = Console()
    for kind in ("devices", "processes"):
        counts = [int(count) for count in getattr(options, kind).split(",") if count]
        if not counts:
            continue
        answers = {count: measured(kind, count) for count in counts}
        tables = [markdown_rows(COLUMNS, rows(kind, answers))]
        if kind == "processes":
            titles = ("model", "network", "step alone", *(f"{n:,} hosts" for n in HOSTS))
            tables.append(markdown_rows(titles, extrapolated(answers[counts[0]], HOSTS)))
        console.print("\n\n".join(tables) + "\n", markup=False, soft_wrap=True)


if __name__ == "__main__":
    main()
