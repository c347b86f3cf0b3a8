"""Functions overridden for types: which signatures match, and that nothing is left behind."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Iterator
from typing import Any, List, Union  # noqa: UP035

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.composite.extension_types import dispatch, elementwise
from tapeflow._src.composite.extension_types.overrides import every

D = tf.experimental


class Masked(D.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor


class Special(Masked):
    extra: int = 0


M = Masked([1, -2], [True, False])
T = tf.constant([1, 2])


@pytest.fixture(autouse=True)
def undone() -> Iterator[None]:
    """Each test ends with no more functions overridden than it began with."""
    before = {target for overrides in every() for target in overrides._overrides}
    yield
    for overrides in every():
        for target in set(overrides._overrides) - before:
            overrides.remove(target)
    dispatch._handlers.clear()
    dispatch._targets.clear()


def answering(name: str) -> Any:
    def target(*args: Any, **kwargs: Any) -> Any:
        return name

    return target


# -- one function -----------------------------------------------------------------------------


def test_signatures_say_for_which_types() -> None:
    first = D.dispatch_for_api(tf.add, {"x": Masked})(answering("x"))
    second = D.dispatch_for_api(tf.add, {"y": Masked})(answering("y"))
    assert tf.add(M, 1) == tf.math.add(x=M, y=1) == "x"
    assert tf.add(1, M) == tf.add(1, y=M, name="n") == "y"
    assert tf.add(T, T).numpy().tolist() == [2, 4]
    with pytest.raises(ValueError, match=r"Multiple dispatch targets .* to add"):
        tf.add(M, M)
    D.unregister_dispatch_for(first)
    assert tf.add(M, M) == "y"
    D.unregister_dispatch_for(second)
    with pytest.raises(ValueError, match="to a Tensor"):
        tf.add(M, M)


def test_several_signatures_of_one_function() -> None:
    D.dispatch_for_api(tf.add, {"x": Masked}, {1: Masked})(answering("any"))
    assert tf.add(M, 1) == tf.add(1, M) == tf.add(M, M) == "any"


def test_annotations_are_the_signature() -> None:
    @D.dispatch_for_api(tf.add)
    def add(x: Masked, y: Union[Masked, tf.Tensor]) -> Any:  # noqa: UP007
        return "annotated"

    assert tf.add(M, M) == tf.add(M, T) == tf.add(Special(1, True), M) == "annotated"
    for other in (1, np.array(1)):
        with pytest.raises(ValueError, match="to a Tensor"):
            tf.add(M, other)


def test_lists() -> None:
    D.dispatch_for_api(tf.concat, {"values": List[Masked]})(answering("list"))  # noqa: UP006
    assert tf.concat([M, M], 0) == tf.concat((M,), 0) == "list"
    for wrong in ([M, 1], M):
        with pytest.raises(ValueError, match="to a Tensor"):
            tf.concat(wrong, 0)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.concat([], 0)
    D.dispatch_for_api(tf.stack, {"values": list[Masked | tf.Tensor]})(answering("mixed"))
    assert tf.stack([M, T]) == "mixed"
    assert tf.stack([T, T]).shape == [2, 2]  # tensors alone are not overridden


def test_a_target_may_decline() -> None:
    D.dispatch_for_api(tf.add, {"x": Masked})(lambda x, y, name=None: NotImplemented)
    with pytest.raises(ValueError, match="to a Tensor"):
        tf.add(M, 1)


def test_errors_of_targets_are_the_users() -> None:
    @D.dispatch_for_api(tf.abs)
    def absolute(x: Masked) -> Any:
        raise KeyError("boo")

    with pytest.raises(KeyError, match="boo"):
        tf.abs(M)


def test_a_name_that_a_target_does_not_take_becomes_a_scope() -> None:
    @D.dispatch_for_api(tf.abs)
    def absolute(x: Masked) -> Any:
        return tf.get_current_name_scope()

    assert tf.abs(M, name="outer") == tf.abs(M, "outer") == "outer"
    assert tf.abs(M) == ""
    assert absolute(M, name="direct") == "direct"


def test_while_tracing() -> None:
    @D.dispatch_for_api(tf.abs)
    def absolute(x: Masked) -> Any:
        return Masked(tf.abs(x.values), x.mask)

    for options in ({}, {"jit_compile": True}):
        result = tf.function(lambda m: tf.abs(m), **options)(M)
        assert result.values.numpy().tolist() == [1, 2]


def test_ragged_tensors_may_be_overridden_too() -> None:
    rows = tf.ragged.constant([[1], [2, 3]])
    D.dispatch_for_api(tf.abs, {"x": tf.RaggedTensor})(answering("ragged"))
    assert tf.abs(rows) == "ragged"
    assert tf.abs(T).numpy().tolist() == [1, 2]


# -- operators --------------------------------------------------------------------------------


def test_operators_of_tensors_are_the_functions() -> None:
    either = Union[Masked, tf.Tensor]  # noqa: UP007

    @D.dispatch_for_binary_elementwise_apis(either, either)
    def handler(api: Any, x: Any, y: Any) -> Any:
        return api.__name__, isinstance(x, Masked)

    assert T + M == ("add", False) and M + T == ("add", True)
    assert T * M == ("multiply", False) and T - M == ("subtract", False)
    assert T / M == ("truediv", False) and T // M == ("floordiv", False)
    assert T % M == ("floormod", False) and T**M == ("pow", False)
    assert (T < M) == ("less", False) and (M < T) == ("greater", False)
    assert (tf.constant(True) & M) == ("logical_and", False)
    assert tf.Variable(1) + M == ("add", False)
    assert (T + T).numpy().tolist() == [2, 4]


def test_operators_of_the_type_come_first() -> None:
    class Own(D.ExtensionType):
        v: tf.Tensor

        def __add__(self, other: Any) -> str:
            return "add"

        def __radd__(self, other: Any) -> str:
            return "radd"

    assert (Own(1) + T, T + Own(1)) == ("add", "radd")


# -- element-wise functions -------------------------------------------------------------------


def test_unary_functions() -> None:
    @D.dispatch_for_unary_elementwise_apis(Masked)
    def handler(api: Any, x: Any) -> Any:
        return Masked(api(x.values), x.mask)

    assert tf.abs(M).values.numpy().tolist() == [1, 2]
    assert tf.cast(M, tf.float32).values.dtype is tf.float32
    assert tf.cast(x=M, dtype=tf.float32).values.dtype is tf.float32
    assert tf.ones_like(M, dtype=tf.int64).values.dtype is tf.int64
    assert tf.clip_by_value(M, 0, 1).values.numpy().tolist() == [1, 0]
    assert tf.math.negative(Special(1, True), name="n").values.numpy() == -1
    assert tf.nn.relu(Masked(-1.0, True)).values.numpy() == 0.0
    assert tf.strings.upper(Masked("a", True)).values.numpy() == b"A"
    text = "already has the unary elementwise dispatch handler"
    with pytest.raises(ValueError, match=text):
        D.dispatch_for_unary_elementwise_apis(Masked)(handler)
    D.unregister_dispatch_for(handler)
    with pytest.raises(ValueError, match="to a Tensor"):
        tf.abs(M)


def test_assertions() -> None:
    @D.dispatch_for_binary_elementwise_assert_apis(Masked, Masked)
    def handler(assert_func: Any, x: Any, y: Any) -> Any:
        both = x.mask & y.mask
        return assert_func(tf.boolean_mask(x.values, both), tf.boolean_mask(y.values, both))

    tf.debugging.assert_equal(M, Masked([1, 5], [True, True]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="all of them"):
        tf.debugging.assert_greater(M, M, message="all of them")


# -- wrong use --------------------------------------------------------------------------------


def test_functions_that_cannot_be_overridden() -> None:
    for function in (lambda x: x, tf.function, tf.raw_ops.AddV2, tf.linalg.LinearOperatorDiag, 5):
        with pytest.raises(ValueError, match="does not support dispatch"):
            D.dispatch_for_api(function, {"x": Masked})


@pytest.mark.parametrize(
    ("signatures", "target", "error", "text"),
    [
        ([], lambda x, y: x, ValueError, "pass a signature"),
        ([{"x": Masked}], lambda a, b: a, ValueError, "needs the parameters of the API"),
        ([{"z": Masked}], lambda x, y: x, ValueError, "unknown parameter 'z'"),
        ([{"x": tuple[Masked]}], lambda x, y: x, ValueError, "Dispatch cannot check"),
        ([[Masked]], lambda x, y: x, TypeError, "must be a dict from parameters"),
        ([{"x": Masked}], 5, TypeError, "Expected dispatch_target to be callable; got 5"),
    ],
    ids=["none", "parameters", "unknown", "annotation", "list", "target"],
)
def test_wrong_registrations(
    signatures: list[Any], target: Any, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        D.dispatch_for_api(tf.add, *signatures)(target)


def test_what_was_not_registered_cannot_be_undone() -> None:
    with pytest.raises(ValueError, match=r"not registered for dispatch"):
        D.unregister_dispatch_for(lambda x: x)


# -- the functions themselves -----------------------------------------------------------------

FUNCTIONS = (*elementwise.UNARY, *elementwise.BINARY, *elementwise.BINARY_ASSERTS)


def test_a_function_is_left_as_it_was() -> None:
    def state() -> list[Any]:
        return [
            (f.__code__, f.__defaults__, f.__kwdefaults__, str(inspect.signature(f)))
            for f in FUNCTIONS
        ]

    before = state()
    handler = D.dispatch_for_unary_elementwise_apis(Masked)(lambda api, x: api(x.values))
    assert tf.sin.__code__ is not before[0][0] and tf.sin.__name__ == "sin"
    assert [each[3] for each in state()] == [each[3] for each in before]
    D.unregister_dispatch_for(handler)
    assert state() == before
    assert "__signature__" not in tf.sin.__dict__


def test_overridden_functions_do_what_they_did() -> None:
    def results() -> list[Any]:
        return [
            tf.cast([1.5, 2.5], tf.int32).numpy().tolist(),
            tf.clip_by_value([1, 5, 9], 2, clip_value_max=6).numpy().tolist(),
            tf.nn.gelu([1.0], approximate=True).numpy().tolist(),
            tf.strings.substr(["abc"], 1, 1).numpy().tolist(),
            tf.zeros_like([1, 2], dtype=tf.float32).numpy().tolist(),
        ]

    before = results()
    D.dispatch_for_unary_elementwise_apis(Masked)(lambda api, x: None)
    assert results() == before
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        tf.cast([1])


def test_functions_that_close_over_something() -> None:
    def made(offset: int) -> Any:
        def shifted(x: Any, by: Any = 1) -> Any:
            return x + by + offset

        shifted.__module__ = "tapeflow._src.api.math.arithmetic"
        return shifted

    function = made(10)
    target = D.dispatch_for_api(function, {"x": Masked})(lambda x, by=1: x.values)
    assert function(M) is M.values and function(1) == 12 and function(1, by=5) == 16
    D.unregister_dispatch_for(target)
    assert function(1) == 12


def test_threads_may_call_what_is_being_overridden() -> None:
    stop, failures = threading.Event(), []

    def work() -> None:
        while not stop.is_set():
            try:
                tf.clip_by_value(T, 0, clip_value_max=1)
            except Exception as error:
                failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(8):
        D.unregister_dispatch_for(D.dispatch_for_unary_elementwise_apis(Masked)(lambda api, x: x))
    stop.set()
    for thread in threads:
        thread.join()
    assert not failures


def test_frames_of_overridden_closures_show_their_variables() -> None:
    def close_over(offset: int, unit: str) -> Any:
        def shifted(x: Any) -> Any:
            if isinstance(x, str):
                raise ValueError(f"{x} {unit}")
            return x + offset

        shifted.__module__ = "tapeflow._src.api.math.arithmetic"
        return shifted

    function = close_over(10, "cm")
    target = D.dispatch_for_api(function, {"x": Masked})(lambda x: x.values)
    with pytest.raises(ValueError, match="no cm") as failure:
        function("no")
    names = [set(entry.frame.f_locals) for entry in failure.traceback]
    assert any({"args", "kwargs", "offset", "unit"} <= each for each in names)
    D.unregister_dispatch_for(target)
    assert function(1) == 11
