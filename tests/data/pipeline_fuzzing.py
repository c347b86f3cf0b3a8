"""Random pipelines that are stopped, saved, and restored in a new process.

    python -m tests.data.pipeline_fuzzing FOLDER --first 0 --count 1000

A pipeline is a function of its number: sources, transformations, seeds and the element at which it
stops. Some shuffles have no seed, but for those inside of functions: these draw one when they are
called, as in TensorFlow. One process reads up to the stop, saves a `tf.train.Checkpoint` of the
iterator, and records the elements that follow. A second process makes the pipeline again, restores
the checkpoint, and must read exactly these elements.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import tapeflow as tf

Dataset = tf.data.Dataset
# Elements that are read after the stop, as some pipelines have no end.
MOST = 40
TRANSFORMATIONS = 5


class Pipeline:
    """Makes the dataset of a number; `flat` says that elements are int64 scalars."""

    def __init__(self, number: int, folder: Path) -> None:
        self.rng = random.Random(number)
        self.number = number
        self.folder = folder
        self.steps: list[str] = []
        self.files = 0

    def make(self) -> Any:
        dataset = self.source()
        for _ in range(self.rng.randint(1, TRANSFORMATIONS)):
            dataset = self.transformed(dataset)
        return dataset

    def stop(self) -> int:
        return self.rng.choice([0, 1, 2, 3, 5, 8, 13])

    def path(self, name: str) -> str:
        self.files += 1
        return str(self.folder / f"{self.number}-{self.files}-{name}")

    def size(self, most: int = 6) -> int:
        return self.rng.randint(1, most)

    def seed(self) -> int | None:
        return self.rng.choice([None, self.rng.randint(0, 99)])

    # -- sources ---------------------------------------------------------------------------------

    def source(self) -> Any:
        make = self.rng.choice(
            [self._range, self._slices, self._generated, self._records, self._lines, self._list]
            + [self._random, self._counter]
        )
        self.steps.append(make.__name__)
        return make()

    def _range(self) -> Any:
        return Dataset.range(self.rng.randint(0, 30), self.rng.randint(10, 60), self.size(3))

    def _slices(self) -> Any:
        return Dataset.from_tensor_slices(np.arange(self.rng.randint(0, 30)) * 3)

    def _generated(self) -> Any:
        count = self.rng.randint(0, 25)
        return Dataset.from_generator(
            lambda: iter(range(count)), output_signature=tf.TensorSpec([], tf.int64)
        )

    def _records(self) -> Any:
        names = []
        for _ in range(self.size(3)):
            names.append(self.path("records"))
            with tf.io.TFRecordWriter(names[-1]) as writer:
                for number in range(self.rng.randint(0, 9)):
                    writer.write(str(number * 7).encode())
        reads = self.rng.choice([None, 2])
        files = tf.data.TFRecordDataset(names, num_parallel_reads=reads)
        return files.map(lambda text: tf.strings.to_number(text, tf.int64))

    def _lines(self) -> Any:
        name = self.path("lines")
        Path(name).write_text("".join(f"{n}\n" for n in range(self.rng.randint(1, 20))))
        return tf.data.TextLineDataset(name).map(lambda t: tf.strings.to_number(t, tf.int64))

    def _list(self) -> Any:
        return tf.data.experimental.from_list([np.int64(n) for n in range(self.size(12))])

    def _random(self) -> Any:
        numbers = Dataset.random(self.seed(), self.rng.choice([None, True, False]))
        return numbers.map(lambda x: x % 50).take(self.rng.randint(1, 40))

    def _counter(self) -> Any:
        return Dataset.counter(self.size(), self.size(), tf.int64).take(self.rng.randint(1, 40))

    # -- transformations of int64 scalars ------------------------------------------------------

    def transformed(self, dataset: Any) -> Any:
        step = self.rng.choice(STEPS)
        self.steps.append(step.__name__)
        return step(self, dataset)


def _map(p: Pipeline, ds: Any) -> Any:
    factor = p.size()
    parallel = p.rng.choice([None, 2, tf.data.AUTOTUNE])
    return ds.map(lambda x: x * factor + 1, num_parallel_calls=parallel)


def _filter(p: Pipeline, ds: Any) -> Any:
    modulus = p.rng.randint(2, 4)
    return ds.take(60).filter(lambda x: x % modulus != 0)


def _batch(p: Pipeline, ds: Any) -> Any:
    batched = ds.batch(p.size(), drop_remainder=p.rng.random() < 0.5)
    return batched.unbatch() if p.rng.random() < 0.5 else batched.map(tf.reduce_sum)


def _padded_batch(p: Pipeline, ds: Any) -> Any:
    vectors = ds.map(lambda x: tf.fill([x % 4], x))
    return vectors.padded_batch(p.size(), [None]).map(lambda x: tf.reduce_sum(x))


def _ragged_batch(p: Pipeline, ds: Any) -> Any:
    vectors = ds.map(lambda x: tf.fill([x % 4], x))
    ragged = vectors.ragged_batch(p.size(4))
    if p.rng.random() < 0.5:
        ragged = ragged.shuffle(3, p.seed())
    return ragged.map(lambda x: tf.reduce_sum(x.flat_values))


def _shuffle(p: Pipeline, ds: Any) -> Any:
    return ds.shuffle(p.size(12), p.seed(), p.rng.random() < 0.7)


def _repeat(p: Pipeline, ds: Any) -> Any:
    return ds.repeat(p.rng.choice([None, 0, 1, 2, 3]))


def _interleave(p: Pipeline, ds: Any) -> Any:
    length, cycle, block = p.size(4), p.size(3), p.size(2)
    parallel = p.rng.choice([None, None, 2])
    inner = p.rng.choice(
        [
            lambda x: Dataset.range(x % 5, x % 5 + length),
            lambda x: Dataset.from_tensors(x).repeat(length),
            lambda x: Dataset.range(x % 7).shuffle(3, length).repeat(2),
        ]
    )
    return ds.take(60).interleave(inner, cycle, block, parallel)


def _flat_map(p: Pipeline, ds: Any) -> Any:
    other = p.source().shuffle(4, p.seed()).take(p.size())
    if p.rng.random() < 0.5:
        other = other.cache()
    return ds.take(60).flat_map(lambda x: other.map(lambda y: x + y))


def _zip(p: Pipeline, ds: Any) -> Any:
    other = ds if p.rng.random() < 0.3 else p.transformed(p.source())
    return Dataset.zip((ds, other)).map(lambda a, b: a * 100 + b)


def _concatenate(p: Pipeline, ds: Any) -> Any:
    return ds.concatenate(p.transformed(p.source()))


def _prefetch(p: Pipeline, ds: Any) -> Any:
    return ds.prefetch(p.rng.choice([1, 3, tf.data.AUTOTUNE]))


def _cache(p: Pipeline, ds: Any) -> Any:
    return ds.take(30).cache()


def _cache_file(p: Pipeline, ds: Any) -> Any:
    return ds.take(30).cache(p.path("cache"))


def _window(p: Pipeline, ds: Any) -> Any:
    size, shift, stride = p.size(5), p.size(4), p.size(2)
    windows = ds.window(size, shift, stride, p.rng.random() < 0.5)
    if p.rng.random() < 0.5:
        windows = windows.shuffle(3, p.seed())
    return windows.flat_map(lambda window: window)


def _take_skip(p: Pipeline, ds: Any) -> Any:
    return ds.skip(p.rng.randint(0, 5)).take(p.rng.randint(0, 20))


def _shard(p: Pipeline, ds: Any) -> Any:
    return ds.shard(3, p.rng.randint(0, 2))


def _scan(p: Pipeline, ds: Any) -> Any:
    return ds.scan(np.int64(p.size()), lambda state, x: (state + x, state - x))


def _take_while(p: Pipeline, ds: Any) -> Any:
    most = p.rng.randint(10, 80)
    return ds.take_while(lambda x: x < most)


def _unique(p: Pipeline, ds: Any) -> Any:
    return ds.take(30).unique()


def _rebatch(p: Pipeline, ds: Any) -> Any:
    return ds.batch(p.size()).rebatch(p.size(), p.rng.random() < 0.5).map(tf.reduce_sum)


def _group_by_window(p: Pipeline, ds: Any) -> Any:
    groups, size = p.size(3), p.size(4)
    if p.rng.random() < 0.5:
        return ds.take(30).group_by_window(lambda x: x % groups, lambda key, g: g, size)
    return ds.take(30).group_by_window(
        lambda x: x % groups, lambda key, g: g.shuffle(3, size).batch(2).unbatch(), size
    )


def _buckets(p: Pipeline, ds: Any) -> Any:
    vectors = ds.take(30).map(lambda x: tf.fill([x % 7 + 1], x))
    batches = vectors.bucket_by_sequence_length(
        lambda x: tf.size(x), [3, 5], [p.size(3), p.size(3), p.size(3)]
    )
    return batches.map(tf.reduce_sum)


def _sample(p: Pipeline, ds: Any) -> Any:
    others = [ds, p.source(), p.source()]
    weights = p.rng.choice([None, [0.2, 0.5, 0.3]])
    return Dataset.sample_from_datasets(
        others, weights, p.seed(), p.rng.random() < 0.5, p.rng.choice([None, True, False])
    )


def _choose(p: Pipeline, ds: Any) -> Any:
    choices = Dataset.range(2).repeat(p.size(20)).shuffle(3, p.seed())
    return Dataset.choose_from_datasets([ds, p.source()], choices, p.rng.random() < 0.5)


def _snapshot(p: Pipeline, ds: Any) -> Any:
    return ds.take(30).snapshot(p.path("snapshot"))


def _enumerate(p: Pipeline, ds: Any) -> Any:
    return ds.enumerate().map(lambda i, x: i * 1000 + x)


def _ignore_errors(p: Pipeline, ds: Any) -> Any:
    checked = ds.take(60).map(
        lambda x: tf.debugging.check_numerics(1.0 / tf.cast(x % 3, tf.float32), "")
    )
    return checked.ignore_errors().map(lambda x: tf.cast(x * 2.0, tf.int64))


def _options(p: Pipeline, ds: Any) -> Any:
    options = tf.data.Options()
    options.deterministic = True
    return ds.with_options(options)


STEPS: list[Callable[[Pipeline, Any], Any]] = [
    *(_map, _filter, _batch, _padded_batch, _ragged_batch, _shuffle, _shuffle, _repeat, _repeat),
    *(_interleave, _flat_map, _zip, _concatenate, _prefetch, _cache, _cache_file, _window),
    *(_take_skip, _shard, _scan, _take_while, _unique, _rebatch, _group_by_window, _buckets),
    *(_sample, _choose, _snapshot, _enumerate, _ignore_errors, _options),
]


# -- the two processes -----------------------------------------------------------------------------


def taken(iterator: Iterator[Any], most: int) -> list[Any]:
    """Read up to `most` elements as plain Python."""
    return [element.numpy().tolist() for _, element in zip(range(most), iterator)]


def save(numbers: range, folder: Path) -> None:
    """Stop each pipeline, save its iterator, and record what follows."""
    for number in numbers:
        own = folder / str(number)
        own.mkdir(parents=True)
        pipeline = Pipeline(number, own)
        iterator = iter(pipeline.make())
        before = taken(iterator, pipeline.stop())
        tf.train.Checkpoint(iterator=iterator).write(str(own / "checkpoint"))
        after = taken(iterator, MOST)
        record = {"steps": pipeline.steps, "before": before, "after": after}
        (own / "expected.json").write_text(json.dumps(record))


def restore(numbers: range, folder: Path) -> list[str]:
    """Restore each pipeline in this process; return a report of each that goes on differently."""
    failures = []
    for number in numbers:
        own = folder / str(number)
        expected = json.loads((own / "expected.json").read_text())
        pipeline = Pipeline(number, own)
        try:
            iterator = iter(pipeline.make())
            taken(iterator, number % 3)
            tf.train.Checkpoint(iterator=iterator).read(str(own / "checkpoint")).assert_consumed()
            after = taken(iterator, MOST)
        except Exception as error:
            failures.append(f"{number} {pipeline.steps}: {type(error).__name__}: {error}")
            continue
        if after != expected["after"]:
            failures.append(
                f"{number} {pipeline.steps}\n  before   {expected['before']}\n"
                f"  expected {expected['after']}\n  received {after}"
            )
    return failures


def check(first: int, count: int, folder: Path) -> list[str]:
    """Save in this process and restore in a new one."""
    save(range(first, first + count), folder)
    command = [sys.executable, "-m", "tests.data.pipeline_fuzzing", str(folder), "--restore"]
    command += ["--first", str(first), "--count", str(count)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        return [done.stderr]
    return done.stdout.splitlines() if done.returncode else []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--restore", action="store_true")
    arguments = parser.parse_args()
    if arguments.restore:
        numbers = range(arguments.first, arguments.first + arguments.count)
        failures = restore(numbers, arguments.folder)
    else:
        failures = check(arguments.first, arguments.count, arguments.folder)
    print("\n".join(failures) or f"{arguments.count} pipelines went on as saved")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
