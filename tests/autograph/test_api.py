"""What is converted on request, and what the functions of `tf.autograph` give."""

from __future__ import annotations

import functools
import threading
from typing import Any

import pytest

import tapeflow as tf
from tapeflow._src.autograph import api, pipeline
from tapeflow._src.autograph.errors import ConversionError, UnsupportedFeature
from tapeflow._src.autograph.options import Options
from tests.autograph.helpers import convert, define, traced


def absolute(x: Any) -> Any:
    if x > 0:
        y = x
    else:
        y = -x
    return y


class Scaler:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def __call__(self, x: Any) -> Any:
        return self.scale(x) if x > 0 else x

    def scale(self, x: Any) -> Any:
        if x > 10:
            x = x * 0 + 10
        return x * self.factor

    @classmethod
    def make(cls, x: Any) -> Any:
        if x > 0:
            return x
        return -x


MINUS = tf.constant(-3.0)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (absolute, 3.0),
        (Scaler(2.0), -3.0),
        (Scaler(2.0).scale, -6.0),
        (Scaler.make, 3.0),
        (functools.partial(absolute), 3.0),
        (functools.partial(Scaler(2.0).scale), -6.0),
        (lambda x: absolute(x) if x < 0 else x, 3.0),
        (lambda x: Scaler(3.0)(-x), 9.0),
        (lambda x: functools.partial(absolute, x=x)(), 3.0),
        (lambda x: sum(map(absolute, [x, x])), 6.0),
    ],
)
def test_all_kinds_of_callables(function: Any, expected: float) -> None:
    assert traced(function)(MINUS).numpy() == expected


def test_the_function_itself_if_nothing_is_to_be_converted() -> None:
    for function in (tf.abs, isinstance, tf.function(absolute)):
        assert api.convert_entity(function) is function


def test_the_warning_names_function_and_reason(caplog: pytest.LogCaptureFixture) -> None:
    def numbers(x: Any) -> Any:
        yield x

    assert api.convert_entity(numbers) is numbers
    assert api.convert_entity(numbers) is numbers
    (record,) = caplog.records
    assert "numbers" in record.getMessage()
    assert "Cause: generators cannot be converted" in record.getMessage()


def test_to_graph() -> None:
    converted = tf.autograph.to_graph(absolute)
    assert converted.__name__ == "tf__absolute"
    assert converted(MINUS).numpy() == 3
    assert converted(-2) == 2
    assert tf.autograph.to_graph(Scaler(2.0).scale)(3.0) == 6.0


def test_to_graph_without_following_calls() -> None:
    def f(x: Any) -> Any:
        return absolute(x)

    converted = tf.autograph.to_graph(f, recursive=False)
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(converted, autograph=False)(MINUS)


def test_to_code() -> None:
    def f(x: Any) -> Any:
        while x > 1:
            x = tf.tanh(x)
        return x

    assert tf.autograph.to_code(f) == (
        "def tf__f(x: Any) -> Any:\n\n"
        "    def loop_test():\n"
        "        return x > 1\n\n"
        "    def loop_body():\n"
        "        nonlocal x\n"
        "        x = tf.tanh(x)\n"
        "    ag__.while_stmt(loop_test, loop_body, variables=lambda: (x,), live=('x',))\n"
        "    return x\n"
    )
    assert tf.autograph.to_code(lambda x: not x) == "tf__lam = lambda x: ag__.not_(x)\n"


@pytest.mark.parametrize("entity", [3, len, Scaler(1.0), tf.function(absolute)])
def test_what_has_no_code(entity: Any) -> None:
    for function in (tf.autograph.to_code, tf.autograph.to_graph):
        with pytest.raises(ConversionError, match="python_function"):
            function(entity)


def test_what_cannot_be_converted() -> None:
    def generator(x: Any) -> Any:
        yield x

    async def coroutine(x: Any) -> Any:
        return x

    for function in (generator, coroutine):
        with pytest.raises(UnsupportedFeature, match="cannot be converted"):
            tf.autograph.to_graph(function)
    with pytest.raises(NotImplementedError):
        tf.autograph.to_code(generator)
    scope: dict[str, Any] = {}
    exec("".join(["f = lambda", " x: x"]), scope)
    with pytest.raises(ConversionError, match="source code"):
        tf.autograph.to_graph(scope["f"])


def test_do_not_convert() -> None:
    plain = tf.autograph.experimental.do_not_convert(absolute)
    assert plain.__name__ == "absolute"
    assert plain(-2) == 2
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        traced(plain)(MINUS)
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        traced(lambda x: plain(x))(MINUS)

    @tf.autograph.experimental.do_not_convert
    def calls(x: Any) -> Any:
        return api.convert_callback(absolute)(x)

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        traced(calls)(MINUS)

    @tf.autograph.experimental.do_not_convert()
    def decorated(x: int) -> int:
        return x

    assert decorated(2) == 2


def test_callbacks_are_converted_in_converted_code() -> None:
    assert api.convert_callback(absolute) is absolute
    assert traced(lambda x: api.convert_callback(absolute)(x))(MINUS).numpy() == 3


def test_the_function_of_map_fn_is_converted() -> None:
    items = tf.constant([-1.0, 2.0])
    assert traced(lambda x: tf.map_fn(absolute, x))(items).numpy().tolist() == [1.0, 2.0]
    assert tf.map_fn(absolute, items).numpy().tolist() == [1.0, 2.0]


def test_features() -> None:
    feature = tf.autograph.experimental.Feature
    assert feature.ALL in feature.all()
    assert set(feature.all_but(feature.ALL)) == set(feature) - {feature.ALL}
    assert set(feature.all_but([feature.ALL, feature.LISTS])) == set(feature) - {
        feature.ALL,
        feature.LISTS,
    }
    tf.autograph.to_graph(absolute, experimental_optional_features=feature.LISTS)
    with pytest.raises(ValueError, match="Feature"):
        tf.autograph.to_graph(absolute, experimental_optional_features="LISTS")


def test_trace(capsys: pytest.CaptureFixture[str]) -> None:
    tf.autograph.trace("a", 1)
    assert capsys.readouterr().out == "a 1\n"


def test_verbosity(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tapeflow._src.autograph.verbosity._Settings.level", None)
    monkeypatch.setattr("tapeflow._src.autograph.verbosity._Settings.to_stdout", False)
    monkeypatch.setenv("AUTOGRAPH_VERBOSITY", "1")
    convert(define("def first(x): return x"))
    assert "converted <function first" in capsys.readouterr().err
    tf.autograph.set_verbosity(0)
    convert(define("def second(x): return x"))
    assert capsys.readouterr().err == ""
    tf.autograph.set_verbosity(10, alsologtostdout=True)
    convert(define("def third(x): return not x"))
    shown = capsys.readouterr()
    assert "ag__.not_(x)" in shown.err
    assert "ag__.not_(x)" in shown.out


def test_loop_options_do_nothing_where_nobody_sees_them() -> None:
    assert tf.autograph.experimental.set_loop_options(maximum_iterations=1) is None  # type: ignore[func-returns-value]


def test_code_is_converted_once() -> None:
    def make(n: int) -> Any:
        return lambda x: x + n

    one, two = make(1), make(2)
    assert pipeline.generate(one, Options()) is pipeline.generate(two, Options())
    assert convert(one)(1) == 2
    assert convert(two)(1) == 3


def test_equal_code_in_two_files_is_converted_twice() -> None:
    one, two = define("def f(x): raise ValueError"), define("def f(x): raise ValueError")
    assert one.__code__ == two.__code__
    assert convert(one).__code__.co_filename != convert(two).__code__.co_filename


def test_threads_may_convert_at_the_same_time() -> None:
    def f(x: Any) -> Any:
        if x > 0:
            return x
        return -x

    results: list[Any] = []
    threads = [
        threading.Thread(target=lambda: results.append(traced(f)(MINUS).numpy())) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [3.0] * 8


def test_print_shows_values_where_built_in_functions_are_converted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def function(x: Any) -> Any:
        print("x is", x, sep=": ")
        if x[0] > 0:
            print(x[0])
        print("traced")
        return x

    feature = tf.autograph.experimental.Feature
    converted = tf.function(function, experimental_autograph_options=feature.BUILTIN_FUNCTIONS)
    converted(tf.constant([1.0, 2.0]))
    converted(tf.constant([-1.0, 2.0]))
    assert capsys.readouterr().out == "traced\nx is: [1. 2.]\n1.0\nx is: [-1.  2.]\n"
    tf.function(function)(tf.constant([1.0, 2.0]))
    assert 'x is: Tensor("x:0"' in capsys.readouterr().out
