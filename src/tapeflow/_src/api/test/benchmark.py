"""`tf.test.Benchmark`: programs that report their run times."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import Any

import numpy as np

from tapeflow._src.api.test.evaluation import evaluate
from tapeflow._src.core import protos

_FILE_PREFIX = "TEST_REPORT_FILE_PREFIX"


def benchmark_config() -> Any:
    """Return the session configuration for benchmarks: nothing is optimized away.

    Returns:
        A ConfigProto message.
    """
    config = protos.ConfigProto()
    rewriting = config.graph_options.rewrite_options
    rewriting.dependency_optimization = rewriting.OFF
    return config


class Benchmark:
    """Base class of benchmarks: methods named `benchmark…` measure and report."""

    @classmethod
    def is_abstract(cls) -> bool:
        """Whether this class is abstract, rather than a benchmark to run."""
        return cls.__mro__[1] is object or cls is Benchmark

    def evaluate(self, tensors: Any) -> Any:
        """Evaluate a structure of tensors.

        Args:
            tensors: Tensors, in any nesting.
        """
        return evaluate(tensors)

    def run_op_benchmark(
        self,
        sess: Any,
        op_or_tensor: Any,
        feed_dict: Any = None,
        burn_iters: int = 2,
        min_iters: int = 10,
        store_trace: bool = False,
        store_memory_usage: bool = True,
        name: str | None = None,
        extras: dict[str, Any] | None = None,
        mbs: float = 0,
    ) -> dict[str, Any]:
        """Run an op repeatedly in a session and report its run time.

        Args:
            sess: A `tf.compat.v1.Session`.
            op_or_tensor: What to run.
            feed_dict: Values of placeholders.
            burn_iters: Number of runs before the measurement.
            min_iters: Number of runs.
            store_trace: Accepted for compatibility.
            store_memory_usage: Accepted for compatibility.
            extras: Further values to report.
            mbs: Megabytes that a run processes, for the throughput.

        Returns:
            The measurements: a dict with `iters`, `wall_time` (the median), `extras` and
            `throughput`.
        """
        for _ in range(burn_iters):
            sess.run(op_or_tensor, feed_dict=feed_dict)
        times = np.zeros(min_iters)
        for i in range(min_iters):
            start = time.perf_counter()
            sess.run(op_or_tensor, feed_dict=feed_dict)
            times[i] = time.perf_counter() - start
        median = float(np.median(times)) if min_iters else 0.0
        measured: dict[str, Any] = {
            "iters": min_iters,
            "wall_time": median,
            "extras": dict(extras or {}),
        }
        measured["extras"]["wall_time_mean"] = float(times.mean()) if min_iters else 0.0
        measured["extras"]["wall_time_stdev"] = float(times.std()) if min_iters else 0.0
        measured["throughput"] = mbs / median if median and mbs else None
        self.report_benchmark(name=name, **measured)
        return measured

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: dict[str, Any] | None = None,
        name: str | None = None,
        metrics: Any = None,
    ) -> None:
        """Report measurements on standard output, or in a file set by the environment.

        Args:
            iters: Number of runs.
            cpu_time: Time of the processor.
            wall_time: Time of a run.
            throughput: Megabytes a second.
            extras: Further values.
            metrics: Further metrics.

        Raises:
            OSError: If the file exists already.

        Example:
            >>> tf.test.Benchmark().report_benchmark(iters=3, wall_time=0.5)
            Benchmark.benchmark: iters: 3, wall_time: 0.5
        """
        label = f"{type(self).__name__}.{name or 'benchmark'}"
        entry: dict[str, Any] = {"iters": iters, "cpu_time": cpu_time, "wall_time": wall_time}
        entry |= {"throughput": throughput, "extras": extras, "metrics": metrics}
        values = ", ".join(f"{key}: {value}" for key, value in entry.items() if value is not None)
        prefix = os.environ.get(_FILE_PREFIX)
        if prefix:
            file = Path(f"{prefix}{re.sub(r'[^A-Za-z0-9_.-]', '__', label)}")
            if file.exists():
                raise OSError(f"{file} is there already: a benchmark reports once.")
            file.write_text(f'entry {{ name: "{label}" {values} }}\n', encoding="utf-8")
        else:
            print(f"{label}: {values}")
