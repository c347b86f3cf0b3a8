"""`tf.profiler.experimental`: what a profile shows, and that nothing is left of it."""

from __future__ import annotations

import gzip
import json
import threading
from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf
from tapeflow._src.api.profiler.recorder import Span
from tapeflow._src.api.profiler.report import own_times
from tapeflow._src.core import probes, protos
from tapeflow._src.eager.mode import EagerMode
from tapeflow._src.executors.interpreter import Interpreter
from tapeflow._src.function.polymorphic import Function

profiler = tf.profiler.experimental


def folder_of(logdir: Path) -> Path:
    (folder,) = (logdir / "plugins" / "profile").iterdir()
    return folder


def spans(logdir: Path) -> list[dict[str, Any]]:
    (path,) = folder_of(logdir).glob("*.trace.json.gz")
    events = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
    return [event for event in events if event["ph"] == "X"]


def names(logdir: Path, category: str) -> list[str]:
    return [event["name"] for event in spans(logdir) if event["cat"] == category]


def test_ops_functions_tiers_and_compilations_are_shown(tmp_path: Path) -> None:
    @tf.function
    def interpreted(x: Any) -> Any:
        return tf.nn.relu(x) if tf.reduce_sum(x) > 0 else tf.sin(x)

    @tf.function(jit_compile=True)
    def compiled(x: Any) -> Any:
        return tf.cos(x)

    with profiler.Profile(str(tmp_path)):
        x = tf.ones([3]) + 1
        for _ in range(2):
            compiled(interpreted(x))
    ops = names(tmp_path, "op")
    assert ops.count("AddV2") == 1 and ops.count("Sum") == ops.count("Relu") == 2
    assert "Sin" not in ops and "Cos" not in ops
    assert names(tmp_path, "function") == ["interpreted", "compiled"] * 2
    assert names(tmp_path, "trace") == ["interpreted", "compiled"]
    assert names(tmp_path, "interpreter") == ["interpreted"] * 2
    assert names(tmp_path, "compile") == ["compiled"]
    assert names(tmp_path, "xla") == ["compiled"] * 2


def test_spans_inside_others_lie_within_them(tmp_path: Path) -> None:
    function = tf.function(lambda x: tf.reduce_sum(x * x))
    with profiler.Profile(str(tmp_path)), profiler.Trace("train", step_num=7, _r=1) as trace:
        function(tf.ones([3]))
        trace.set_metadata(loss=0.5)
    events = {(event["cat"], event["name"]): event for event in spans(tmp_path)}
    step = events["step", "train"]
    assert step["args"] == {"step_num": 7, "_r": 1, "loss": 0.5}
    outer = step
    for key in (("function", "<lambda>"), ("interpreter", "<lambda>"), ("op", "Mul")):
        inner = next(event for each, event in events.items() if each[0] == key[0])
        if key[0] == "op":
            inner = events[key]
            assert inner["args"]["long_name"]
        assert outer["ts"] <= inner["ts"]
        assert inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"] + 1e-3
        outer = inner


def test_stages_of_datasets_and_steps_of_keras_are_shown(tmp_path: Path) -> None:
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    data = tf.data.Dataset.from_tensors((tf.ones([2]), tf.ones([1]))).repeat(6)
    data = data.map(lambda x, y: (x * 2, y)).batch(2)
    with profiler.Profile(str(tmp_path)):
        model.fit(data, verbose=0, shuffle=False)
        model.predict(tf.ones([1, 2]), verbose=0)
    steps = [event for event in spans(tmp_path) if event["cat"] == "step"]
    assert [(event["name"], event["args"]["step_num"]) for event in steps] == [
        *(("train", 1), ("train", 2), ("train", 3), ("predict", 1))
    ]
    assert {"Map", "Batch"} <= set(names(tmp_path, "data"))


def test_threads_have_lines_of_their_own(tmp_path: Path) -> None:
    with profiler.Profile(str(tmp_path)):
        tf.ones([2]) + 1
        thread = threading.Thread(target=lambda: tf.exp(tf.ones([2])), name="other")
        thread.start()
        thread.join()
    threads = {event["name"]: event["tid"] for event in spans(tmp_path)}
    assert threads["AddV2"] != threads["Exp"]
    (path,) = folder_of(tmp_path).glob("*.xplane.pb")
    space = protos.XSpace.FromString(path.read_bytes())
    (plane,) = space.planes
    lines = {line.name: line for line in plane.lines}
    events = [plane.event_metadata[event.metadata_id].name for event in lines["other"].events]
    assert "Exp" in events and "AddV2" not in events
    assert all(event.duration_ps > 0 for line in plane.lines for event in line.events)


def test_the_summary_says_where_the_time_went(tmp_path: Path) -> None:
    with profiler.Profile(str(tmp_path)):
        for step in range(3):
            with profiler.Trace("train", step_num=step):
                tf.matmul(tf.ones([50, 50]), tf.ones([50, 50]))
    text = (folder_of(tmp_path) / "summary.txt").read_text()
    assert "3 steps" in text and "operations on NumPy" in text
    (row,) = [line for line in text.splitlines() if line.endswith("MatMul")]
    assert row.split()[2] == "3"


def test_own_times_leave_out_what_is_inside() -> None:
    rows = [("a", 0, 100), ("b", 10, 40), ("c", 20, 30), ("d", 50, 60)]
    inner = [Span(1, "op", name, start, end, None) for name, start, end in rows]
    elsewhere = Span(2, "op", "e", 5, 95, None)
    ordered = sorted([*inner, elsewhere], key=lambda span: (span.start, -span.end))
    assert {span.name: own for span, own in own_times(ordered)} == {
        **{"a": 60, "b": 20, "c": 10},
        **{"d": 10, "e": 90},
    }


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        (profiler.ProfilerOptions(host_tracer_level=0), set()),
        (profiler.ProfilerOptions(host_tracer_level=1), {"function", "interpreter"}),
        (profiler.ProfilerOptions(), {"function", "interpreter", "op"}),
        (profiler.ProfilerOptions(0, python_tracer_level=1), {"python"}),
        (profiler.ProfilerOptions(delay_ms=3_600_000), set()),
    ],
)
def test_options_choose_what_is_recorded(tmp_path: Path, options: Any, shown: set[str]) -> None:
    function = tf.function(lambda x: x + 1)
    function(tf.ones([2]))
    with profiler.Profile(str(tmp_path), options):
        function(tf.ones([2]))
    assert {event["cat"] for event in spans(tmp_path)} - {"prepare"} == shown


def test_only_one_profile_is_recorded_at_a_time(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.UnavailableError, match="start"):
        profiler.stop()
    profiler.start(str(tmp_path))
    try:
        with pytest.raises(tf.errors.AlreadyExistsError, match="stop"):
            profiler.start(str(tmp_path))
    finally:
        profiler.stop(save=False)
    assert not list(tmp_path.iterdir())


def test_profiles_of_one_second_have_folders_of_their_own(tmp_path: Path) -> None:
    for _ in range(3):
        with profiler.Profile(str(tmp_path)):
            tf.ones([2])
    assert len(list((tmp_path / "plugins" / "profile").iterdir())) == 3


def test_methods_are_the_plain_ones_without_a_profile(tmp_path: Path) -> None:
    plain = [Function.__call__, Interpreter.__call__, EagerMode.execute]
    with profiler.Profile(str(tmp_path)):
        assert EagerMode.execute is not plain[2]
    assert [Function.__call__, Interpreter.__call__, EagerMode.execute] == plain


def test_errors_of_functions_pass_through_a_profile(tmp_path: Path) -> None:
    @tf.function
    def failing(x: Any) -> Any:
        tf.debugging.assert_positive(x)
        return x

    with profiler.Profile(str(tmp_path)), pytest.raises(tf.errors.InvalidArgumentError) as raised:
        failing(tf.constant([-1.0]))
    assert "test_profiler.py" in str(raised.value)
    assert not probes._observers


def test_random_numbers_are_the_same_in_a_profile(tmp_path: Path) -> None:
    draw = tf.function(lambda: tf.random.uniform([3]))
    draws = []
    for profiled in (False, True):
        tf.random.set_seed(1)
        first = draw().numpy().tolist()
        if profiled:
            with profiler.Profile(str(tmp_path)):
                second = draw().numpy().tolist()
        else:
            second = draw().numpy().tolist()
        draws.append((first, second))
    assert draws[0] == draws[1]


def test_other_processes_are_not_profiled() -> None:
    for call in (
        lambda: profiler.client.trace("grpc://localhost:1", "logs", 10),
        lambda: profiler.client.monitor("localhost:1", 10),
        lambda: profiler.server.start(6009),
    ):
        with pytest.raises(tf.errors.UnimplementedError, match="start"):
            call()
