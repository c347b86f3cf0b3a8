"""Aligned buffers: what NumPy would give, on a 64-byte boundary."""

from __future__ import annotations

import numpy as np
import pytest

from tapeflow._src.backends.memory import (
    ALIGNMENT,
    address,
    aligned_empty,
    passing_array,
    slow_address,
)


@pytest.mark.parametrize("shape", [(), (1,), (3,), (0,), (2, 0, 3), (5, 7), (33, 1, 65)])
@pytest.mark.parametrize("dtype", [np.bool_, np.float16, np.float32, np.complex128])
def test_aligned_empty_is_an_ordinary_array(shape: tuple[int, ...], dtype: type) -> None:
    array = aligned_empty(shape, dtype)
    assert (array.shape, array.dtype) == (shape, np.dtype(dtype))
    assert array.flags.c_contiguous and array.flags.writeable
    array[...] = 1
    assert np.array_equal(array, np.ones(shape, dtype))


@pytest.mark.parametrize("dtype", [object, np.dtypes.StringDType()])
def test_arrays_of_objects_are_those_of_numpy(dtype: object) -> None:
    array = aligned_empty((2, 3), dtype)  # type: ignore[arg-type]
    assert array.shape == (2, 3) and array.flags.owndata
    array[...] = "text"
    assert (array == "text").all()


def test_aligned_empty_is_aligned_and_its_buffers_are_distinct() -> None:
    arrays = [aligned_empty((size,), np.uint8) for size in range(1, 200)]
    assert all(address(array) % ALIGNMENT == 0 for array in arrays)
    for value, array in enumerate(arrays):
        array[:] = value
    assert all((array == value).all() for value, array in enumerate(arrays))


@pytest.mark.parametrize("shape", [(), (0, 2), (3, 5)])
def test_passing_arrays_are_aligned_zeros(shape: tuple[int, ...]) -> None:
    array = passing_array(shape, np.complex64)
    assert address(array) % ALIGNMENT == 0 and array.flags.c_contiguous
    assert array.dtype == np.complex64 and np.array_equal(array, np.zeros(shape))
    array[...] = 1j
    assert (array == 1j).all()


def test_address_is_of_the_first_element_of_a_view() -> None:
    array = np.arange(10, dtype=np.int64)
    assert address(array[3:]) == address(array) + 24


@pytest.mark.parametrize(
    "array",
    [
        np.array(1.0),
        np.empty(0),
        np.arange(12)[::-2],
        np.frombuffer(b"read only", np.uint8),
        np.asfortranarray(np.ones((3, 4))),
        np.ones((3, 4)).view(np.matrix),
        np.array(["text"], object),
    ],
    ids=lambda array: f"{array.dtype}{list(array.shape)}",
)
def test_the_address_is_the_one_numpy_gives(array: np.ndarray) -> None:
    assert address(array) == slow_address(array) == array.ctypes.data
