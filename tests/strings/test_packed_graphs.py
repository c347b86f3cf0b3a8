"""Packed strings in interpreted graphs: functions return what eager ops return for objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.eager.packed_tensor import PackedTensor
from tapeflow._src.executors.packed_values import tensors_to_pack
from tapeflow._src.kernels.strings.packed import MANY
from tests.strings.test_packed import CALLS, COUNT, random_strings, values_of

ANY_LENGTH = [tf.TensorSpec([None], tf.string)]


def letters(count: int = COUNT) -> list[bytes]:
    """Return strings of upper-case letters."""
    random = np.random.default_rng(count)
    return [bytes(random.integers(65, 91, size).astype(np.uint8)) for size in range(3, 3 + count)]


@pytest.mark.parametrize("name", [name for name in CALLS if name not in ("graph", "table")])
def test_functions_of_many_strings_equal_eager_calls(name: str) -> None:
    strings = random_strings()
    expected = values_of(CALLS[name](tf.constant(strings)))
    function = tf.function(CALLS[name])
    argument = tf.constant(strings)
    for _ in range(2):
        assert values_of(function(argument)) == expected
    assert values_of(tf.function(CALLS[name])(tf.strings.join([argument]))) == expected


def test_strings_stay_packed_between_operations_and_calls() -> None:
    lower = tf.function(tf.strings.lower)
    argument = tf.constant(letters())
    result = lower(argument)
    assert type(argument) is PackedTensor and type(result) is PackedTensor
    assert type(lower(result)) is PackedTensor
    with tf.GradientTape():
        assert type(lower(result)) is PackedTensor
    assert type(lower(argument[:3])) is not PackedTensor
    assert lower(result).numpy().tolist() == [string.lower() for string in letters()]


@pytest.mark.parametrize("count", [0, 1, MANY - 1, MANY, COUNT])
def test_branches_and_loops_of_many_strings(count: int) -> None:
    @tf.function(input_signature=[*ANY_LENGTH, tf.TensorSpec([], tf.int32)])
    def function(strings: Any, times: Any) -> Any:
        if times > 2:
            strings = tf.strings.lower(strings)
        else:
            strings = tf.py_function(lambda s: s, [strings], tf.string)
        for _ in tf.range(times):
            strings = tf.strings.join([strings, "-", tf.strings.substr(strings, 0, 1)])
        return tf.switch_case(times, [lambda: strings, lambda: tf.strings.upper(strings)] * 2)

    texts = letters(count)
    for times in range(4):
        lowered = [text.lower() if times > 2 else text for text in texts]
        expected = [text + (b"-" + text[:1]) * times for text in lowered]
        expected = [text.upper() if times % 2 else text for text in expected]
        received = function(tf.constant(texts, tf.string), times)
        assert received.numpy().tolist() == expected


def test_variables_lists_and_captures_of_many_strings() -> None:
    texts = letters()
    variable = tf.Variable(texts, shape=[None])
    captured = tf.constant(texts)
    constant = np.array(texts, object)

    @tf.function(input_signature=ANY_LENGTH)
    def function(strings: Any) -> Any:
        variable.assign(tf.strings.join([variable, tf.strings.lower(strings)]))
        array = tf.TensorArray(tf.string, 2).unstack([tf.strings.lower(variable), captured])
        same = tf.reduce_all(tf.strings.lower(constant) == tf.strings.lower(captured))
        return array.read(0), tf.strings.lower(array.read(1)), same

    first, second, same = function(tf.strings.upper(captured))
    assert first.numpy().tolist() == [text.lower() * 2 for text in texts]
    assert second.numpy().tolist() == [text.lower() for text in texts]
    assert bool(same)
    assert variable.numpy().tolist() == [text + text.lower() for text in texts]
    variable.scatter_nd_update([[1]], ["one"])
    assert variable[1].numpy() == b"one"
    assert captured[1].numpy() == texts[1]


def test_tables_in_functions_of_many_strings() -> None:
    texts = letters()
    initializer = tf.lookup.KeyValueTensorInitializer(texts, tf.range(COUNT))
    table = tf.lookup.StaticHashTable(initializer, -1)
    find = tf.function(lambda strings: table.lookup(tf.strings.upper(strings)))
    received = find(tf.strings.lower(tf.constant([*texts, "missing"])))
    assert received.numpy().tolist() == [*range(COUNT), -1]


def test_errors_in_functions_of_many_strings_name_the_operation() -> None:
    @tf.function(input_signature=ANY_LENGTH)
    def function(strings: Any) -> Any:
        return tf.strings.substr(tf.strings.lower(strings), 5, 2)

    assert function(tf.constant(["abcdefg"] * COUNT)).numpy().tolist() == [b"fg"] * COUNT
    with pytest.raises(tf.errors.InvalidArgumentError, match="Substr"):
        function(tf.constant(letters()))


def test_saved_functions_take_many_strings(tmp_path: Path) -> None:
    module = tf.Module()
    module.lower = tf.function(tf.strings.lower, input_signature=ANY_LENGTH)
    module.words = tf.constant(letters())
    module.own = tf.function(lambda: tf.strings.lower(module.words), input_signature=[])
    expected = [text.lower() for text in letters()]
    assert module.own().numpy().tolist() == expected
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert loaded.lower(tf.constant(letters())).numpy().tolist() == expected
    assert loaded.own().numpy().tolist() == expected


def test_datasets_of_many_strings() -> None:
    texts = letters(3 * MANY)
    dataset = tf.data.Dataset.from_tensor_slices(texts).batch(MANY).map(tf.strings.lower)
    dataset = dataset.cache().map(lambda s: (s, tf.strings.to_hash_bucket_fast(s, 97)))
    expected = [text.lower() for text in texts]
    hashes = tf.strings.to_hash_bucket_fast(expected, 97).numpy().tolist()
    for _ in range(2):
        strings, numbers = zip(*dataset.unbatch().as_numpy_iterator())
        assert list(strings) == expected and list(numbers) == hashes


def test_what_a_loop_reads_is_packed_before_it() -> None:
    @tf.function(input_signature=[*ANY_LENGTH, tf.TensorSpec([], tf.int32)])
    def function(strings: Any, times: Any) -> Any:
        total = tf.constant(0)
        for _ in tf.range(times):
            total += tf.reduce_sum(tf.strings.length(tf.strings.lower(strings)))
        return total

    concrete = function.get_concrete_function()
    body = concrete._callee.program.interpreter.body
    assert id(body.inputs[0]) in tensors_to_pack(body)
    assert function(tf.constant(["ab"] * COUNT), 3).numpy() == 6 * COUNT
