"""Describes TFRecord files and event files."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tapeflow._src.api.io.records import read_records
from tapeflow._src.checkpoint.messages import parsed
from tapeflow._src.cli.description import Description, Size, Table
from tapeflow._src.core import protos
from tapeflow._src.core.errors import DataLossError

_GZIP = b"\x1f\x8b"
_KINDS = {"bytes_list": "bytes", "float_list": "float32", "int64_list": "int64"}


def records(path: str) -> Description:
    """Describe a TFRecord file: how many records of what size, and the features of examples."""
    with open(path, "rb") as file:
        compression = "GZIP" if file.read(2) == _GZIP else ""
    sizes: list[int] = []
    examples = _Features()
    warnings: list[str] = []
    try:
        for record in read_records(path, compression):
            sizes.append(len(record))
            examples.add(record)
    except DataLossError as error:
        warnings.append(f"the file is damaged after record {len(sizes)}: {error.message}")
    facts = {
        "records": len(sizes),
        "compression": compression or "none",
        "size": Size(os.path.getsize(path)),
        "records of": f"{min(sizes)} to {max(sizes)} bytes" if sizes else None,
    }
    return Description(path, "TFRecord file", facts, [examples.table(len(sizes))], warnings)


class _Features:
    """Counts the features of records that are `Example` or `SequenceExample` messages."""

    def __init__(self) -> None:
        self._kinds: dict[str, set[str]] = {}
        self._lengths: dict[str, set[int]] = {}
        self._count: Counter[str] = Counter()

    def add(self, record: bytes) -> None:
        for name, feature in _features(record):
            kind = feature.WhichOneof("kind")
            values = getattr(feature, kind).value if kind else ()
            self._kinds.setdefault(name, set()).add(_KINDS.get(kind, "empty"))
            self._lengths.setdefault(name, set()).add(len(values))
            self._count[name] += 1

    def table(self, records: int) -> Table:
        rows = [
            (name, "/".join(sorted(kinds)), _span(self._lengths[name]), self._count[name])
            for name, kinds in sorted(self._kinds.items())
        ]
        return Table("features", ("feature", "dtype", "values", f"of {records} records"), rows)


def _features(record: bytes) -> Iterator[tuple[str, Any]]:
    try:
        example = protos.SequenceExample.FromString(record)
    except Exception:  # protobuf raises classes of its own; such a record is not an example
        return
    # An `Example` has its features where a `SequenceExample` has its context.
    yield from example.context.feature.items()
    for name, steps in example.feature_lists.feature_list.items():
        for feature in steps.feature:
            yield f"{name}[]", feature


def _span(lengths: set[int]) -> str:
    low, high = min(lengths), max(lengths)
    return str(low) if low == high else f"{low} to {high}"


def events(path: str) -> Description:
    """Describe an event file of TensorBoard: its tags, with their steps."""
    tags: dict[tuple[str, str], list[int]] = {}
    times: list[float] = []
    warnings: list[str] = []
    try:
        for record in read_records(path):
            event = parsed(protos.Event, record, path)
            times.append(event.wall_time)
            for value in event.summary.value:
                plugin = value.metadata.plugin_data.plugin_name or value.WhichOneof("value") or "?"
                tags.setdefault((value.tag, plugin), []).append(event.step)
    except DataLossError as error:
        warnings.append(f"the file is damaged after event {len(times)}: {error.message}")
    rows = [
        (tag, plugin, len(steps), f"{min(steps)} to {max(steps)}")
        for (tag, plugin), steps in sorted(tags.items())
    ]
    facts = {
        "events": len(times),
        "size": Size(os.path.getsize(path)),
        "from": _date(min(times, default=None)),
        "to": _date(max(times, default=None)),
    }
    table = Table("tags", ("tag", "plugin", "events", "steps"), rows)
    return Description(path, "event file", facts, [table], warnings)


def _date(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))
    except (ValueError, OverflowError, OSError):  # no moment that a calendar has
        return f"{seconds} s"
