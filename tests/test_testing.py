"""`tf.test`: what test cases assert, and how tests run. Behaviour is TensorFlow 2.21's."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import unittest
from typing import Any

import numpy as np
import pytest

import tapeflow as tf


class _Case(tf.test.TestCase):
    __test__ = False

    def runTest(self) -> None:
        """Holds the assertions."""


@pytest.fixture
def case() -> Any:
    made = _Case()
    made.setUp()
    yield made
    made.tearDown()
    made.doCleanups()


def _holds(case: Any, name: str, *args: Any, **kwargs: Any) -> bool:
    try:
        getattr(case, name)(*args, **kwargs)
    except AssertionError:
        return False
    return True


_NAN = float("nan")
_ROWS = tf.ragged.constant([[1.0, 2.0], [3.0]])
_HOLD = [
    ("assertAllClose", _ROWS, _ROWS + 1e-8),
    ("assertAllClose", [_ROWS], [_ROWS]),
    ("assertAllClose", _ROWS, [[1.0, 2.0], [3.0]]),
    ("assertNotAllClose", _ROWS, _ROWS + 1),
    ("assertNotAllClose", _ROWS, tf.ragged.constant([[1.0], [2.0, 3.0]])),
    ("assertAllClose", [1.0, 2.0], [1.0, 2.0000001]),
    ("assertAllClose", {"a": [1.0], "b": (2.0,)}, {"a": [1.0], "b": (2.0,)}),
    ("assertAllClose", [[1.0], [2.0, 3.0]], [[1.0], [2.0, 3.0]]),
    ("assertAllClose", [_NAN], [_NAN]),
    ("assertAllClose", np.float16(1), np.float16(1)),
    ("assertAllCloseAccordingToType", np.float16(1), np.float16(1.0005)),
    ("assertAllEqual", [_NAN, 1], [_NAN, 1]),
    ("assertAllEqual", ["a"], [b"a"]),
    ("assertAllEqual", np.array(["a"], object), [b"a"]),
    ("assertAllEqual", tf.float32, "float32"),
    ("assertNotAllEqual", [1], [2]),
    ("assertNotAllEqual", [1], [1, 1]),
    ("assertNotAllClose", [1.0], [1.1]),
    ("assertAllGreater", [2, 3], 1),
    ("assertAllGreaterEqual", [1, 3], 1),
    ("assertAllLess", [1, 3], 4),
    ("assertAllLessEqual", [1, 4], 4),
    ("assertAllInRange", [1, 4], 1, 4),
    ("assertAllInSet", [1, 2, 1], {1, 2, 3}),
    ("assertNear", 1.0, 1.05, 0.1),
    ("assertArrayNear", [1.0], [1.05], 0.1),
    ("assertNDArrayNear", np.ones(2), np.ones(2), 0.1),
    ("assertDTypeEqual", np.float32(1), tf.float32),
    ("assertShapeEqual", np.ones(2), np.zeros(2)),
    ("assertDeviceEqual", "/cpu:0", "/device:CPU:0"),
    ("assertLen", [1], 1),
    ("assertEmpty", []),
    ("assertNotEmpty", [1]),
    ("assertItemsEqual", [1, 2], [2, 1]),
    ("assertSameElements", [1, 2, 1], [2, 1]),
    ("assertContainsSubset", [1], [1, 2]),
    ("assertNoCommonElements", [1], [2]),
    ("assertContainsSubsequence", [1, 2, 3], [1, 3]),
    ("assertContainsExactSubsequence", [1, 2, 3], [2, 3]),
    ("assertSequenceAlmostEqual", [1.0], [1.00000001]),
    ("assertSequenceStartsWith", [1], [1, 2]),
    ("assertDictAlmostEqual", {"a": 1.0}, {"a": 1.00000001}),
    ("assertSameStructure", {"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]}),
    ("assertMappingEqual", {"a": 1}, {"a": 1}),
    ("assertTotallyOrdered", [1], [2, 2], [3]),
    ("assertBetween", 2, 1, 3),
    ("assertStartsWith", "abc", "a"),
    ("assertNotStartsWith", "abc", "b"),
    ("assertEndsWith", "abc", "c"),
    ("assertNotEndsWith", "abc", "b"),
    ("assertContainsInOrder", ["a", "c"], "abc"),
    ("assertRegexMatch", "abc", ["x", "b"]),
    ("assertUrlEqual", "http://a/b?x=1&y=2", "http://a/b?y=2&x=1"),
    ("assertIsSubclass", bool, int),
    ("assertNotIsSubclass", str, int),
    ("assertJsonEqual", '{"a": [1]}', '{"a":[1]}'),
    ("assertCommandSucceeds", ["true"]),
    ("assertCommandFails", ["false"], [""]),
]
_FAIL = [
    ("assertAllClose", [1.0, 2.0], [1.0, 2.1]),
    ("assertAllClose", {"a": [1.0]}, {"c": [1.0]}),
    ("assertAllClose", [1.0, 2.0], [1.0]),
    ("assertAllCloseAccordingToType", np.float32(1), np.float32(1.0005)),
    ("assertAllEqual", [1, 2], [1, 5]),
    ("assertAllEqual", [1, 2], [1]),
    ("assertAllEqual", ["a"], [b"b"]),
    ("assertNotAllEqual", [1], [1]),
    ("assertNotAllClose", [1.0], [1.0]),
    ("assertAllGreater", [1, 2], 1),
    ("assertAllGreaterEqual", [1, 2], 2),
    ("assertAllLess", [1, 2], 2),
    ("assertAllLessEqual", [1, 2], 1),
    ("assertAllInRange", [1, 5], 1, 4),
    ("assertAllInRange", [_NAN], 1, 4),
    ("assertAllInRange", ["a"], 1, 4),
    ("assertAllInSet", [1, 2], {1}),
    ("assertNear", 1.0, 1.2, 0.1),
    ("assertNDArrayNear", np.ones(2), np.zeros(2), 0.1),
    ("assertDTypeEqual", np.float32(1), tf.float64),
    ("assertShapeEqual", np.ones(2), np.zeros(3)),
    ("assertDeviceEqual", "/cpu:0", "/gpu:0"),
    ("assertLen", [1], 2),
    ("assertEmpty", [1]),
    ("assertNotEmpty", []),
    ("assertSameElements", [1], [2]),
    ("assertContainsSubset", [3], [1, 2]),
    ("assertNoCommonElements", [1], [1]),
    ("assertContainsSubsequence", [1, 2], [2, 1]),
    ("assertContainsExactSubsequence", [1, 2, 3], [1, 3]),
    ("assertSequenceAlmostEqual", [1.0], [1.1]),
    ("assertSameStructure", {"a": 1}, {"a": 2}),
    ("assertMappingEqual", {"a": 1}, {"a": 2}),
    ("assertTotallyOrdered", [2], [1]),
    ("assertBetween", 5, 1, 3),
    ("assertStartsWith", "abc", "b"),
    ("assertContainsInOrder", ["c", "a"], "abc"),
    ("assertRegexMatch", "abc", ["x"]),
    ("assertUrlEqual", "http://a/b", "http://a/c"),
    ("assertCommandSucceeds", ["false"]),
]


@pytest.mark.parametrize("call", _HOLD, ids=str)
def test_what_holds(case: Any, call: Any) -> None:
    assert _holds(case, *call)


@pytest.mark.parametrize("call", _FAIL, ids=str)
def test_what_fails(case: Any, call: Any) -> None:
    assert not _holds(case, *call)


def test_messages_say_what_differs(case: Any) -> None:
    with pytest.raises(AssertionError, match=r"(?s)a\[k\]\[1\] is different.*lhs = 2\.0"):
        case.assertAllClose({"k": [[1.0], 2.0]}, {"k": [[1.0], 3.0]})
    with pytest.raises(AssertionError, match=r"(?s)not equal where = \(array\(\[1\]\),\)"):
        case.assertAllEqual([1, 2], [1, 3])
    with pytest.raises(AssertionError, match=r"outside the range \(1, 4\].*\n  \[0\] : 1\.0"):
        case.assertAllInRange([1.0, 2.0], 1, 4, open_lower_bound=True)
    with pytest.raises(AssertionError, match=r"a\['x'\]\[0\] is 1 but b\['x'\]\[0\] is 2"):
        case.assertSameStructure({"x": [1]}, {"x": [2]})
    with pytest.raises(ValueError, match="Only one of a and b"):
        case.assertAllClose([1.0], {"a": 1.0})


def test_tensors(case: Any) -> None:
    case.assertAllEqual(tf.constant([1, 2]), [1, 2])
    case.assertAllEqual(tf.constant(["a"]), ["a"])
    case.assertAllEqual(tf.ragged.constant([[1], [2, 3]]), [[1], [2, 3]])
    case.assertAllClose([tf.constant(1.0), 2.0], [1.0, tf.Variable(2.0)])
    case.assertAllClose(tf.cast([1.0], tf.bfloat16), tf.cast([1.0], tf.bfloat16))
    values = case.evaluate({"a": tf.constant([1]), "b": [tf.Variable(2.0), None]})
    assert values["a"].tolist() == [1] and values["b"][0] == 2.0 and values["b"][1] is None
    assert case.evaluate(tf.sparse.from_dense([[0, 5]])).values.tolist() == [5]
    with pytest.raises(ValueError, match="Unsupported type 'int'"):
        case.evaluate(1)


def test_exceptions(case: Any) -> None:
    with case.assertRaisesWithPredicateMatch(ValueError, "abc"):
        raise ValueError("xabcx")
    with case.assertRaisesWithPredicateMatch(ValueError, lambda e: "no" in str(e)):
        raise ValueError("nope")
    with case.assertRaisesOpError("axxa"):
        raise tf.errors.InvalidArgumentError(None, None, "axxa")
    with case.assertRaisesIncompatibleShapesError():
        tf.constant([1, 2]) + tf.constant([1, 2, 3])
    case.assertRaisesWithLiteralMatch(ValueError, "exactly", _raises, "exactly")
    wanted = (ValueError, "abc")
    other = pytest.raises(AssertionError, match="Exception of type <class 'ValueError'>: nope")
    with other, case.assertRaisesWithPredicateMatch(*wanted):
        raise ValueError("nope")
    none = pytest.raises(AssertionError, match="ValueError not raised")
    with none, case.assertRaisesWithPredicateMatch(*wanted):
        pass
    with pytest.raises(KeyError), case.assertRaisesWithPredicateMatch(*wanted):
        raise KeyError


def _raises(text: str) -> None:
    raise ValueError(text)


def test_dataclasses(case: Any) -> None:
    @dataclasses.dataclass
    class Point:
        x: int

    case.assertDataclassEqual(Point(1), Point(1))
    assert not _holds(case, "assertDataclassEqual", Point(1), Point(2))


def test_protos(case: Any) -> None:
    graph_def = tf.compat.v1.GraphDef()
    case.assertProtoEquals("", graph_def)
    graph_def.node.add().name = "a"
    case.assertProtoEquals('node { name: "a" }', graph_def)
    assert not _holds(case, "assertProtoEquals", "", graph_def)
    summary = tf.compat.v1.Summary()
    summary.value.add(tag="t", simple_value=1.0)
    text = 'value { tag: "t" simple_value: 1.0001 }'
    assert not _holds(case, "assertProtoEquals", text, summary)
    case.assertProtoEquals(text, summary, relative_tolerance=1e-2)


def test_sessions(case: Any) -> None:
    with case.session() as session, pytest.raises(AttributeError, match=r"self\.evaluate"):
        session.run(tf.constant(1))
    with case.cached_session() as session:
        assert session.run(tf.constant(1) + 1) == 2
    with tf.Graph().as_default() as graph:
        v = tf.Variable(3.0)
        with case.session() as session:
            session.run(v.initializer)
            assert case.evaluate(v) == 3.0
        with case.cached_session() as first:
            first.run(v.initializer)
        with case.cached_session() as second, case.test_session() as third:
            assert first is second is third
            assert case.evaluate(v) == 3.0
        # Where there is none, the cached one evaluates.
        assert case.evaluate(v) == 3.0
        case.assertAllEqual(v + 1.0, 4.0)
    with case.session(graph=graph) as session:
        session.run(v.initializer)
        case.assertAllEqual(v, 3.0)


def test_each_test_starts_with_the_same_numbers(case: Any) -> None:
    assert tf.random.uniform([2]).numpy().tolist() == pytest.approx([0.5836375, 0.2972299])


def test_files(case: Any) -> None:
    folder = case.get_temp_dir()
    assert folder == case.get_temp_dir() and os.path.isdir(folder)
    file = case.create_tempfile(content="hi")
    assert file.read_text() == "hi" and os.path.dirname(file) == folder
    assert case.create_tempfile("a/b", content=b"\x00", mode="wb").read_bytes() == b"\x00"
    inner = case.create_tempdir("inner").create_file("c", content="x")
    assert inner.full_path == os.path.join(folder, "inner", "c")
    case.doCleanups()
    assert not os.path.exists(folder)


def test_threads_and_streams(case: Any, capfd: Any) -> None:
    found: list[int] = []
    thread = case.checkedThread(found.append, args=(1,))
    thread.start()
    thread.join()
    assert found == [1]
    failing = case.checkedThread(_raises, args=("in a thread",))
    failing.start()
    with pytest.raises(AssertionError, match="in a thread"):
        failing.join()
    with capfd.disabled(), case.captureWritesToStream(sys.stderr) as captured:
        tf.print("hello")
    assert captured.contents() == "hello\n"


def test_running() -> None:
    class Tests(tf.test.TestCase):
        @tf.test.disable_with_predicate(lambda: True, "not here")
        def test_skipped(self) -> None:
            raise AssertionError

        def test_fine(self) -> None:
            self.assertAllEqual(tf.ones([2]), [1, 1])

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Tests).run(result)
    assert (result.testsRun, len(result.skipped), result.errors, result.failures) == (3, 2, [], [])
    assert tf.test.with_eager_op_as_function(Tests) is Tests
    assert tf.test.with_eager_op_as_function(only_as_function=True)(Tests) is Tests


def test_main(tmp_path: Any) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import tapeflow as tf\n"
        "class T(tf.test.TestCase):\n"
        "    def test_sum(self):\n"
        "        self.assertAllClose(tf.constant(1.0) + 1, 2)\n"
        "tf.test.main()\n"
    )
    run = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    assert run.returncode == 0 and "OK (skipped=1)" in run.stderr


# -- beside cases ------------------------------------------------------------------------------


def test_compute_gradient() -> None:
    theoretical, numerical = tf.test.compute_gradient(lambda x, y: x * y, [[1.0, 2.0], [3.0, 4.0]])
    assert [m.tolist() for m in theoretical] == [[[3, 0], [0, 4]], [[1, 0], [0, 2]]]
    for a, b in zip(theoretical, numerical, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3)
    for function, argument in [
        (lambda x: tf.complex(x, x), np.array([1.0, 2.0], np.float32)),
        (lambda z: z * (2 + 3j), np.array([1 + 1j], np.complex64)),
        (lambda x: tf.gather(x, [1, 1]), np.array([1.0, 2.0])),
        (tf.function(lambda x: tf.reduce_sum(x**3)), np.array([[1.0, 2.0]])),
    ]:
        (a,), (b,) = tf.test.compute_gradient(function, [argument])
        assert a.shape == b.shape and a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=2e-3, atol=2e-3)
    with pytest.raises(ValueError, match="must list the arguments"):
        tf.test.compute_gradient(lambda x: x, 3)
    with pytest.raises(ValueError, match="floating-point"):
        tf.test.compute_gradient(lambda x: x, [3])


def test_graph_defs() -> None:
    def built(value: int) -> Any:
        with tf.Graph().as_default() as graph:
            tf.constant(value, name="c")
        return graph.as_graph_def()

    tf.test.assert_equal_graph_def(built(1), built(1))
    with pytest.raises(AssertionError, match="'c' has attr 'value'"):
        tf.test.assert_equal_graph_def(built(1), built(2))
    with pytest.raises(AssertionError, match="expected in graph, but not found"):
        tf.test.assert_equal_graph_def(built(1), tf.compat.v1.GraphDef())
    with pytest.raises(TypeError, match=r"Expected tf\.GraphDef for actual"):
        tf.test.assert_equal_graph_def(built(1), 3)


def test_what_there_is() -> None:
    assert tf.test.gpu_device_name() == ""
    assert not tf.test.is_gpu_available(True, (3, 0))
    assert not tf.test.is_built_with_cuda() and not tf.test.is_built_with_rocm()
    assert tf.test.is_built_with_xla() and not tf.test.is_built_with_gpu_support()
    assert not tf.test.is_cpu_target_available("no such family")
    tf.test.experimental.sync_devices()


def test_benchmarks(capsys: Any, tmp_path: Any, monkeypatch: Any) -> None:
    class Speed(tf.test.Benchmark):
        """Measures a sum."""

    assert tf.test.Benchmark.is_abstract() and not Speed.is_abstract()
    with tf.Graph().as_default():
        total = tf.constant(1) + 1
        with tf.compat.v1.Session() as session:
            found = Speed().run_op_benchmark(session, total, min_iters=3, name="sum")
    assert found["iters"] == 3 and found["wall_time"] > 0
    assert "Speed.sum: iters: 3" in capsys.readouterr().out
    monkeypatch.setenv("TEST_REPORT_FILE_PREFIX", str(tmp_path / "report_"))
    Speed().report_benchmark(iters=1, wall_time=2.0)
    assert "wall_time: 2.0" in (tmp_path / "report_Speed.benchmark").read_text()
    assert Speed().evaluate(tf.constant(3)) == 3
    assert isinstance(tf.test.benchmark_config(), tf.compat.v1.ConfigProto)


def test_unittest_is_loaded_when_it_is_used() -> None:
    code = (
        "import sys, tapeflow as tf\n"
        "tf.test.is_built_with_xla()\n"
        "sys.exit('unittest' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_version_one_has_a_folder_for_the_process():
    folder = tf.compat.v1.test.get_temp_dir()
    assert os.path.isdir(folder)
    assert tf.compat.v1.test.get_temp_dir() == folder
    assert tf.compat.v1.test.TestCase is tf.test.TestCase


def test_assertions_read_values_through_a_method_that_cases_override() -> None:
    class Rounded(_Case):
        def _GetNdArray(self, a: Any) -> Any:
            return np.round(super()._GetNdArray(a))

    Rounded().assertAllEqual(tf.constant([1.1, 2.2]), [1.0, 2.0])


def test_ragged_tensors_of_graphs_are_compared_by_value(case: Any) -> None:
    with tf.Graph().as_default():
        ragged = tf.ragged.constant([[1, 2], []])
        case.assertAllEqual(ragged, tf.RaggedTensor.from_row_lengths([1, 2], [2, 0]))
        assert not _holds(case, "assertAllEqual", ragged, [[1], []])
