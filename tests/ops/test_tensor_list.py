"""Lists of tensors: values, absent elements, errors, versions, gradients of both orders."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core.tensor_list import TensorList

R = tf.raw_ops
UNKNOWN = np.int32(-1)


def reserve(n: int, shape: Any = (2,), dtype: Any = tf.float32) -> Any:
    return R.TensorListReserve(
        element_shape=np.array(shape, np.int32), num_elements=n, element_dtype=dtype
    )


def empty(shape: Any = (2,), most: int = -1) -> Any:
    return R.EmptyTensorList(
        element_shape=np.array(shape, np.int32), max_num_elements=most, element_dtype=tf.float32
    )


def get(handle: Any, index: int, shape: Any = (2,)) -> Any:
    return R.TensorListGetItem(
        input_handle=handle,
        index=index,
        element_shape=np.array(shape, np.int32),
        element_dtype=tf.float32,
    )


def put(handle: Any, index: int, item: Any, **attrs: Any) -> Any:
    return R.TensorListSetItem(
        input_handle=handle, index=index, item=tf.convert_to_tensor(item), **attrs
    )


def push(handle: Any, item: Any) -> Any:
    return R.TensorListPushBack(input_handle=handle, tensor=tf.convert_to_tensor(item))


def pop(handle: Any, shape: Any = (2,)) -> Any:
    return R.TensorListPopBack(
        input_handle=handle, element_shape=np.array(shape, np.int32), element_dtype=tf.float32
    )


def stack(handle: Any, shape: Any = (2,), count: int = -1) -> Any:
    return R.TensorListStack(
        input_handle=handle,
        element_shape=np.array(shape, np.int32),
        element_dtype=tf.float32,
        num_elements=count,
    )


def from_tensor(tensor: Any, shape: Any = (2,)) -> Any:
    return R.TensorListFromTensor(tensor=tensor, element_shape=np.array(shape, np.int32))


def gather(handle: Any, indices: Any, shape: Any = (2,)) -> Any:
    return R.TensorListGather(
        input_handle=handle,
        indices=np.array(indices, np.int32),
        element_shape=np.array(shape, np.int32),
        element_dtype=tf.float32,
    )


def scatter(tensor: Any, indices: Any, shape: Any = (2,), count: int = -1) -> Any:
    return R.TensorListScatterV2(
        tensor=tensor,
        indices=np.array(indices, np.int32),
        element_shape=np.array(shape, np.int32),
        num_elements=count,
    )


def concat(handle: Any, shape: Any = (-1, 2), leading: Any = ()) -> Any:
    return R.TensorListConcatV2(
        input_handle=handle,
        element_shape=np.array(shape, np.int32),
        leading_dims=np.array(leading, np.int64),
        element_dtype=tf.float32,
    )


def split(tensor: Any, lengths: Any, shape: Any = (-1, 2)) -> Any:
    return R.TensorListSplit(
        tensor=tensor,
        element_shape=np.array(shape, np.int32),
        lengths=np.array(lengths, np.int64),
    )


X = np.arange(6.0, dtype=np.float32).reshape(3, 2)


# -- values -----------------------------------------------------------------------------------


def test_a_list_is_a_scalar_variant() -> None:
    handle = reserve(2)
    assert handle.dtype is tf.variant and handle.shape == ()
    assert repr(handle) == "<tf.Tensor: shape=(), dtype=variant, value=<TensorList>>"
    assert str(tf.identity(handle)) == "tf.Tensor(<TensorList>, shape=(), dtype=variant)"
    assert R.TensorListLength(input_handle=handle).numpy() == 2


@pytest.mark.parametrize(
    ("shape", "reported"), [((2,), [2]), ((2, -1), [2, -1]), ((), []), (-1, -1)]
)
def test_element_shapes_are_reported_as_given(shape: Any, reported: Any) -> None:
    found = R.TensorListElementShape(input_handle=reserve(1, shape), shape_type=tf.int64)
    assert found.dtype is tf.int64
    assert found.numpy().tolist() == reported


def test_absent_elements_are_zeros() -> None:
    assert get(reserve(2), 0).numpy().tolist() == [0, 0]
    assert stack(reserve(2)).numpy().tolist() == [[0, 0], [0, 0]]
    partly = put(reserve(3, -1), 1, [1.0, 2.0])
    assert get(partly, 0, -1).numpy().tolist() == [0, 0]
    assert stack(partly, -1).numpy().tolist() == [[0, 0], [1, 2], [0, 0]]
    assert gather(partly, [0, 1], -1).numpy().tolist() == [[0, 0], [1, 2]]
    assert pop(reserve(1))[1].numpy().tolist() == [0, 0]
    words = R.TensorListGetItem(
        input_handle=reserve(1, (), tf.string),
        index=0,
        element_shape=np.array((), np.int32),
        element_dtype=tf.string,
    )
    assert words.numpy() == b""


def test_pushing_and_popping() -> None:
    handle = push(push(empty(), [1.0, 2.0]), [3.0, 4.0])
    rest, last = pop(handle)
    assert last.numpy().tolist() == [3, 4]
    assert stack(rest).numpy().tolist() == [[1, 2]]
    assert stack(handle).numpy().tolist() == [[1, 2], [3, 4]]


def test_resizing() -> None:
    handle = from_tensor(X)
    shorter = R.TensorListResize(input_handle=handle, size=1)
    assert stack(shorter).numpy().tolist() == [[0, 1]]
    longer = R.TensorListResize(input_handle=shorter, size=3)
    assert stack(longer).numpy().tolist() == [[0, 1], [0, 0], [0, 0]]
    grown = put(reserve(1), 2, [1.0, 2.0], resize_if_index_out_of_bounds=True)
    assert stack(grown).numpy().tolist() == [[0, 0], [0, 0], [1, 2]]


def test_scattering_and_gathering() -> None:
    assert stack(scatter(X[:2], [3, 1])).numpy().tolist() == [[0, 0], [2, 3], [0, 0], [0, 1]]
    assert R.TensorListLength(input_handle=scatter(X[:2], [1, 0], count=5)).numpy() == 5
    assert gather(from_tensor(X), [2, 0]).numpy().tolist() == [[4, 5], [0, 1]]
    assert gather(from_tensor(X), []).shape == (0, 2)
    into = R.TensorListScatterIntoExistingList(
        input_handle=from_tensor(X), tensor=-X[:2], indices=np.array([2, 3], np.int32)
    )
    assert stack(into).numpy().tolist() == [[0, 1], [2, 3], [0, -1], [-2, -3]]


def test_joining_and_splitting() -> None:
    joined, lengths = concat(split(X, [1, 2]))
    assert joined.numpy().tolist() == X.tolist()
    assert lengths.dtype is tf.int64 and lengths.numpy().tolist() == [1, 2]
    assert concat(empty((-1, 2)))[0].shape == (0, 2)
    partly = put(reserve(2, (-1, 2)), 0, [[1.0, 2.0]])
    joined, lengths = concat(partly, leading=[1, 2])
    assert joined.numpy().tolist() == [[1, 2], [0, 0], [0, 0]]
    assert lengths.numpy().tolist() == [1, 2]
    assert concat(partly)[1].numpy().tolist() == [1, 1]


def test_two_lists_as_one_and_sums_of_lists() -> None:
    both = R.TensorListConcatLists(
        input_a=from_tensor(X), input_b=from_tensor(X[:1]), element_dtype=tf.float32
    )
    assert stack(both).numpy().tolist() == [*X.tolist(), X[0].tolist()]
    total = tf.add_n([from_tensor(X), from_tensor(X), reserve(3)])
    assert stack(total).numpy().tolist() == (2 * X).tolist()
    assert stack(tf.zeros_like(from_tensor(X))).numpy().tolist() == (0 * X).tolist()


def test_a_list_of_lists() -> None:
    handle = R.TensorListPushBack(
        input_handle=R.EmptyTensorList(
            element_shape=np.array((), np.int32), max_num_elements=-1, element_dtype=tf.variant
        ),
        tensor=from_tensor(X),
    )
    inner = R.TensorListGetItem(
        input_handle=handle,
        index=0,
        element_shape=np.array((), np.int32),
        element_dtype=tf.variant,
    )
    assert stack(inner).numpy().tolist() == X.tolist()


# -- errors -----------------------------------------------------------------------------------

REFUSED = {
    "access element 2 in a list with 2": lambda: get(reserve(2), 2),
    "access element -1 in a list with 2": lambda: get(reserve(2), -1),
    "modify element 2 in a list with 2": lambda: put(reserve(2), 2, [1.0, 2.0]),
    "modify element -1 in a list": lambda: put(
        reserve(2), -1, [1.0, 2.0], resize_if_index_out_of_bounds=True
    ),
    "op elements int32 but list elements float32": lambda: put(reserve(2), 0, [1, 2]),
    "incompatible shape at a list index": lambda: put(reserve(2), 0, [1.0]),
    "incompatible shape to a list": lambda: push(empty(), [1.0]),
    "into a full list": lambda: push(push(empty(most=1), [1.0, 2.0]), [1.0, 2.0]),
    "pop from an empty list": lambda: pop(empty()),
    r"not fully defined: <unknown>": lambda: get(reserve(1, -1), 0, -1),
    r"during merge: \[3\] vs. \[2\]": lambda: get(reserve(1), 0, (3,)),
    "only contains uninitialized": lambda: stack(reserve(1, -1), -1),
    "elements of an empty list": lambda: stack(empty(-1), -1),
    "expected a list with 2 elements but got a list with 3": lambda: stack(reserve(3), count=2),
    r"with shape \[3\] from a tensor with shape \[2\]": lambda: from_tensor(X, (3,)),
    "at least a vector": lambda: from_tensor(np.float32(1), ()),
    "Index 3 out of range": lambda: gather(from_tensor(X), [3]),
    "gather 0-elements": lambda: gather(from_tensor(X, -1), [], -1),
    "scatter at index 3 in list with size 2": lambda: scatter(X[:2], [3, 1], count=2),
    "all be non-negative": lambda: scatter(X[:2], [-1, 1]),
    "Expected: 1 Actual: 2": lambda: scatter(X[:2], [0]),
    "Values used: 2": lambda: split(X, [1, 1]),
    r"slice \[2, 4\] from tensor with length 3": lambda: split(X, [2, 2]),
    "Invalid value in lengths: -1": lambda: split(X, [-1, 4]),
    "found scalars": lambda: concat(reserve(1, ()), ()),
    "leading_dims has only 0": lambda: concat(reserve(1, (-1, 2))),
    "non negative number": lambda: reserve(-1),
    "size to be non-negative": lambda: R.TensorListResize(input_handle=reserve(1), size=-1),
    "different lengths": lambda: tf.add_n([reserve(1), reserve(2)]),
    "must be one of variant": lambda: R.TensorListLength(input_handle=X),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_refused(message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        REFUSED[message]()


# -- versions ---------------------------------------------------------------------------------


def test_every_version_keeps_its_elements() -> None:
    """Random updates of random versions, compared with plain Python lists."""
    random = np.random.default_rng(0)
    versions: list[tuple[TensorList, list[Any]]] = [(TensorList(tf.int32, ()), [])]
    for step in range(400):
        handle, expected = versions[random.integers(len(versions))]
        action = random.integers(4)
        if action == 0 or not expected:
            made = handle.changed({len(expected): step}, len(expected) + 1)
            versions.append((made, [*expected, step]))
        elif action == 1:
            at = int(random.integers(len(expected)))
            copy = list(expected)
            copy[at] = step
            versions.append((handle.changed({at: step}), copy))
        elif action == 2:
            versions.append((handle.resized(len(expected) - 1), expected[:-1]))
        else:
            at = int(random.integers(len(expected)))
            assert handle.get(at) == expected[at]
    for handle, expected in versions:
        assert handle.length == len(expected)
        assert [handle.get(i) for i in range(len(expected))] == expected


def test_threads_may_update_one_list() -> None:
    first = TensorList(tf.int32, (), 1, {0: -1})
    failures: list[Any] = []

    def work(number: int) -> None:
        for step in range(300):
            mine = first.changed({0: number, 1: step}, 2)
            if mine.get(0) != number or mine.get(1) != step or first.get(0) != -1:
                failures.append((number, step))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


# -- gradients --------------------------------------------------------------------------------

ROWS = np.random.default_rng(1).normal(size=(3, 2)).astype(np.float32)

PROGRAMS = {
    "stack": lambda x: stack(from_tensor(x)),
    "get": lambda x: get(from_tensor(x), 1) * get(from_tensor(x), 2),
    "get twice": lambda x: (lambda h: get(h, 1) * get(h, 1) * get(h, 0))(from_tensor(x)),
    "set": lambda x: stack(put(from_tensor(x), 1, x[0] * x[2])),
    "set in two": lambda x: (lambda h: stack(put(h, 0, x[1])) * stack(put(h, 2, x[0] * x[0])))(
        from_tensor(x)
    ),
    "grow": lambda x: stack(
        put(from_tensor(x), 4, x[0] * x[1], resize_if_index_out_of_bounds=True)
    ),
    "push": lambda x: stack(push(push(empty(), x[0]), x[1] * x[2])),
    "pop": lambda x: pop(from_tensor(x))[1] * x[0],
    "pop rest": lambda x: stack(pop(from_tensor(x))[0]),
    "pop both": lambda x: stack(pop(from_tensor(x))[0]) * pop(from_tensor(x))[1],
    "resize": lambda x: stack(R.TensorListResize(input_handle=from_tensor(x), size=2)),
    "gather": lambda x: gather(from_tensor(x), [2, 0, 2]),
    "scatter": lambda x: stack(scatter(x, [4, 0, 2])),
    "scatter over": lambda x: stack(scatter(x, [1, 0, 1])),
    "scatter into": lambda x: stack(
        R.TensorListScatterIntoExistingList(
            input_handle=from_tensor(x), tensor=x[:2] * x[1:], indices=np.array([2, 0], np.int32)
        )
    ),
    "concat": lambda x: concat(split(x, [1, 2]))[0],
    "concat of others": lambda x: concat(put(put(reserve(2, -1), 1, x[1:]), 0, x * x), -1)[0],
    "sum": lambda x: stack(tf.add_n([from_tensor(x), from_tensor(x * x)])),
}
EXPECTED = {
    "stack": lambda x: x,
    "get": lambda x: x[1] * x[2],
    "get twice": lambda x: x[1] * x[1] * x[0],
    "set": lambda x: tf.stack([x[0], x[0] * x[2], x[2]]),
    "set in two": lambda x: tf.stack([x[1], x[1], x[2]]) * tf.stack([x[0], x[1], x[0] * x[0]]),
    "grow": lambda x: tf.concat([x, tf.zeros([1, 2]), [x[0] * x[1]]], 0),
    "push": lambda x: tf.stack([x[0], x[1] * x[2]]),
    "pop": lambda x: x[2] * x[0],
    "pop rest": lambda x: x[:2],
    "pop both": lambda x: x[:2] * x[2],
    "resize": lambda x: x[:2],
    "gather": lambda x: tf.gather(x, [2, 0, 2]),
    "scatter": lambda x: tf.scatter_nd([[4], [0], [2]], x, [5, 2]),
    "scatter over": lambda x: tf.stack([x[1], x[2]]),
    "scatter into": lambda x: tf.stack([x[1] * x[2], x[1], x[0] * x[1]]),
    "concat": lambda x: x,
    "concat of others": lambda x: tf.concat([x * x, x[1:]], 0),
    "sum": lambda x: x + x * x,
}


def derivatives(program: Any) -> list[Any]:
    """The value of a loss on the program's result, and its first and second derivatives."""
    x = tf.constant(ROWS)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            result = program(x)
            weights = np.arange(1.0, 1.0 + result.numpy().size, dtype=np.float32)
            loss = tf.reduce_sum(tf.sin(result) * weights.reshape(result.shape))
        first = tf.convert_to_tensor(inner.gradient(loss, x))
        weighted = tf.reduce_sum(first * tf.cos(x))
    return [result.numpy(), first.numpy(), outer.gradient(weighted, x).numpy()]


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_those_of_the_same_computation_without_lists(name: str) -> None:
    for mine, plain in zip(derivatives(PROGRAMS[name]), derivatives(EXPECTED[name]), strict=True):
        np.testing.assert_allclose(mine, plain, rtol=1e-5, atol=1e-6)
