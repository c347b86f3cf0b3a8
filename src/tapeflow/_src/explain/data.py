"""`tf.explain.data`: the stages of a dataset, where the time goes, and what to change."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import islice

from tapeflow._src.core.units import time_text
from tapeflow._src.data.dataset import Dataset
from tapeflow._src.data.notebook import stage_name, stage_spec
from tapeflow._src.data.stage import Stage, upstream
from tapeflow._src.explain.data_timing import StageTimer

# A share of the time that is worth a change, and a time per element that threads pay for.
_SHARE = 0.4
_SLOW = 50e-6
# With as many elements, caching them is worth a thought.
_CACHEABLE = 1_000_000


@dataclass(frozen=True)
class StageExplanation:
    """One stage of a dataset.

    Attributes:
        name: What it does, such as "Map" or "Batch".
        spec: dtypes and shapes of its elements, as text.
        cardinality: The number of its elements; -1 if infinite, -2 if unknown.
        elements: The elements that were read from it.
        seconds: Its own time for these, without its sources.
        share: Its share of the time of all stages.
    """

    name: str
    spec: str
    cardinality: int
    elements: int
    seconds: float
    share: float


@dataclass(frozen=True)
class DataExplanation:
    """The stages of a dataset, from the source on.

    Attributes:
        stages: The stages.
        elements: The elements that were read from the dataset.
        seconds: The time to read them.
        advice: What would make it faster, or is likely to be a mistake.
    """

    stages: tuple[StageExplanation, ...]
    elements: int
    seconds: float
    advice: tuple[str, ...]

    def __str__(self) -> str:
        rate = f", {self.elements / self.seconds:.4g} elements/s" if self.seconds else ""
        lines = [f"{self.elements} elements in {time_text(self.seconds)}{rate}"]
        width = max(len(stage.name) for stage in self.stages)
        for stage in self.stages:
            each = f"{time_text(stage.seconds / stage.elements)} each" if stage.elements else ""
            lines.append(
                f"  {stage.name:{width}} {stage.share:5.0%} {time_text(stage.seconds):>9} "
                f"{stage.elements:8} elements {each:14} {stage.spec}".rstrip()
            )
        lines += [f"Advice: {line}" for line in self.advice]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td style='text-align:left'>{escape(stage.name)}</td><td>{stage.share:.0%}</td>"
            f"<td>{time_text(stage.seconds)}</td><td>{stage.elements}</td>"
            f"<td style='text-align:left'>{escape(stage.spec)}</td></tr>"
            for stage in self.stages
        )
        advice = "".join(f"<li>{escape(line)}</li>" for line in self.advice)
        return (
            "<table><tr><th>stage</th><th>share</th><th>time</th><th>elements</th><th>spec</th>"
            f"</tr>{rows}</table><ul>{advice}</ul>"
        )


def data(dataset: Dataset, elements: int = 100) -> DataExplanation:
    """Read some elements of a dataset, and show where the time goes.

    Args:
        dataset: The dataset; it is iterated over from its start.
        elements: How many of its elements are read at most.

    Returns:
        A `DataExplanation`: stages with specs and times, and advice. It prints as text.

    Raises:
        TypeError: `dataset` is no `tf.data.Dataset`.

    Example:
        >>> dataset = tf.data.Dataset.range(100).map(lambda x: x * 2).batch(10)
        >>> explained = tf.explain.data(dataset)
        >>> [stage.name for stage in explained.stages]
        ['Range', 'Map', 'Batch']
        >>> explained.elements
        10
    """
    if not isinstance(dataset, Dataset):
        raise TypeError(
            f"tf.explain.data expects a tf.data.Dataset, received {type(dataset).__name__}: make "
            "one, for instance with tf.data.Dataset.from_tensor_slices."
        )
    stage: Stage = dataset._variant_tensor._array
    timer = StageTimer()
    timer.start()
    try:
        start = time.perf_counter()
        count = sum(1 for _ in islice(iter(dataset), elements))
        seconds = time.perf_counter() - start
    finally:
        timer.stop()
    stages = list(reversed(upstream(stage)))
    whole = sum(timer.of(each).own for each in stages) or 1.0
    explained = tuple(
        StageExplanation(
            stage_name(each),
            stage_spec(each),
            each.cardinality(),
            timer.of(each).elements,
            timer.of(each).own,
            timer.of(each).own / whole,
        )
        for each in stages
    )
    return DataExplanation(explained, count, seconds, tuple(_advice(stages, explained)))


def _advice(stages: list[Stage], explained: tuple[StageExplanation, ...]) -> Iterator[str]:
    names = [stage.name for stage in explained]
    for stage, entry in zip(stages, explained):
        each = entry.seconds / entry.elements if entry.elements else 0.0
        if entry.share < _SHARE or each < _SLOW:
            continue
        if entry.name in ("Map", "Interleave") and getattr(stage, "_parallel", 1) == 1:
            yield (
                f"{entry.name} takes {entry.share:.0%} of the time: pass "
                "num_parallel_calls=tf.data.AUTOTUNE"
            )
        if entry.name == "Map" and "Cache" not in names and 0 < entry.cardinality <= _CACHEABLE:
            yield "if its results are the same each time and fit into memory, .cache() after it"
        if entry.name == "Generator":
            yield (
                "the Python generator takes most of the time: yield whole batches, or read "
                "files with tf.data"
            )
    if names[-1] != "Prefetch":
        yield "end the dataset with .prefetch(tf.data.AUTOTUNE): elements are made while others run"
    if "Shuffle" in names and "Batch" in names and names.index("Shuffle") > names.index("Batch"):
        yield "shuffle before batch: after it, batches are shuffled, not elements"
    if "Cache" in names and "Shuffle" in names and names.index("Cache") > names.index("Shuffle"):
        yield "cache before shuffle: after it, each epoch has the same order"
