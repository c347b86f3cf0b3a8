"""A profile as files: Chrome's trace format, and the `XSpace` message that TensorBoard reads."""

from __future__ import annotations

import gzip
import json
import os
import socket
import time
from typing import Any

from tapeflow._src.api.profiler.recorder import Recorder, Span
from tapeflow._src.api.profiler.report import summary
from tapeflow._src.core import protos
from tapeflow._src.core.atomic_files import make_folder, write_file
from tapeflow._src.core.types import TensorLike

_PROCESS = 1


def write_profile(recorder: Recorder, logdir: str) -> str:
    """Write all files of a profile and return their folder, named after the time as in TensorFlow.

    `<host>.trace.json.gz` opens in chrome://tracing and ui.perfetto.dev, `<host>.xplane.pb` in
    TensorBoard's profile plugin, and `summary.txt` says where the time went.
    """
    moment = time.strftime("%Y_%m_%d_%H_%M_%S", time.localtime(recorder.begin_wall / 1e9))
    base = os.path.join(logdir, "plugins", "profile", moment)
    folder, number = base, 1
    while os.path.exists(folder):  # two profiles in one second
        folder, number = f"{base}_{number}", number + 1
    make_folder(folder)
    host = os.path.join(folder, socket.gethostname())
    spans = recorder.spans()
    write_file(f"{host}.trace.json.gz", gzip.compress(chrome_trace(recorder, spans), 4))
    write_file(f"{host}.xplane.pb", xspace(recorder, spans).SerializeToString())
    write_file(os.path.join(folder, "summary.txt"), summary(recorder).encode())
    return folder


def _numbered_threads(recorder: Recorder) -> dict[int, tuple[int, str]]:
    """Return small numbers and the names of threads; that of the first span has the first."""
    names = recorder.thread_names.items()
    return {thread: (number, name) for number, (thread, name) in enumerate(names, 1)}


def _details(span: Span) -> dict[str, Any]:
    """Return what is shown of a span beside its name and times."""
    if isinstance(span.details, dict):
        return span.details
    if span.details is None:
        return {}
    if span.category == "op":
        return {"long_name": span.details, "tf_op": f"{span.details}:{span.name}"}
    return {"source": span.details}


def chrome_trace(recorder: Recorder, spans: list[Span]) -> bytes:
    """Return a profile as JSON in Chrome's trace format; times are in microseconds."""
    threads = _numbered_threads(recorder)
    events: list[dict[str, Any]] = [
        {"ph": "M", "pid": _PROCESS, "name": "process_name", "args": {"name": "/host:CPU"}}
    ]
    for number, name in threads.values():
        about = {"ph": "M", "pid": _PROCESS, "tid": number}
        events.append({**about, "name": "thread_name", "args": {"name": name}})
        events.append({**about, "name": "thread_sort_index", "args": {"sort_index": number}})
    for span in spans:
        event = {
            "ph": "X",
            "pid": _PROCESS,
            "tid": threads[span.thread][0],
            "name": span.name,
            "cat": span.category,
            "ts": (span.start - recorder.begin) / 1e3,
            "dur": (span.end - span.start) / 1e3,
        }
        details = _details(span)
        if details:
            event["args"] = {key: _as_json(value) for key, value in details.items()}
        events.append(event)
    return json.dumps({"displayTimeUnit": "ns", "traceEvents": events}).encode()


def _as_json(value: TensorLike) -> Any:
    return value if isinstance(value, (bool, int, float, str)) else str(value)


def xspace(recorder: Recorder, spans: list[Span]) -> Any:
    """Return a profile as an `XSpace` message with one plane, of which a thread is a line."""
    space = protos.XSpace(hostnames=[socket.gethostname()])
    plane = space.planes.add(id=1, name="/host:CPU")
    threads = _numbered_threads(recorder)
    lines = {
        thread: plane.lines.add(
            id=number, display_id=number, name=name, timestamp_ns=recorder.begin_wall
        )
        for thread, (number, name) in threads.items()
    }
    event_ids: dict[str, int] = {}
    stat_ids: dict[str, int] = {}
    for span in spans:
        # The name by which TensorBoard knows an operation has its type behind a colon.
        name = f"{span.details}:{span.name}" if isinstance(span.details, str) else span.name
        event = lines[span.thread].events.add(
            metadata_id=_identity(name, event_ids, plane.event_metadata),
            offset_ps=(span.start - recorder.begin) * 1000,
            duration_ps=(span.end - span.start) * 1000,
        )
        for key, value in {"kind": span.category, **_details(span)}.items():
            stat = event.stats.add(metadata_id=_identity(key, stat_ids, plane.stat_metadata))
            _set_stat(stat, value)
    return space


def _identity(name: str, identities: dict[str, int], metadata: Any) -> int:
    """Return the number of a name, added to the plane when it is new."""
    identity = identities.get(name)
    if identity is None:
        identity = identities[name] = len(identities) + 1
        metadata[identity].id = identity
        metadata[identity].name = name
    return identity


def _set_stat(stat: Any, value: TensorLike) -> None:
    if isinstance(value, (bool, int)):
        stat.int64_value = int(value)
    elif isinstance(value, float):
        stat.double_value = value
    else:
        stat.str_value = str(value)
