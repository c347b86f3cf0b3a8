"""Assertions about arrays, tensors and structures of them."""

from __future__ import annotations

import re
import unittest
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import ml_dtypes
import numpy as np

from tapeflow._src.api.test.evaluation import evaluate, is_tensor
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.core import devices
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.types import TensorLike
from tapeflow._src.sessions.values import RaggedTensorValue

_BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


class ArrayAssertions(unittest.TestCase):
    """Assertions about values that may be tensors."""

    def evaluate(self, tensors: Any) -> Any:
        """Evaluate a structure of tensors.

        Args:
            tensors: Tensors, in any nesting.
        """
        return evaluate(tensors)

    def _GetNdArray(self, value: TensorLike) -> np.ndarray:
        """Return the value of a tensor, or of anything that NumPy makes an array of.

        Test cases of libraries override it and call it, under the name that TensorFlow's has.
        """
        value = self.evaluate(value) if is_tensor(value) else value
        return value if isinstance(value, np.ndarray) else np.array(value)

    def _ragged_rows(self, value: TensorLike) -> Any:
        """Return the rows of a ragged tensor, or of a nested sequence, as lists."""
        if isinstance(value, RaggedTensor) and not value._is_eager():
            value = self.evaluate(value)
        if isinstance(value, (RaggedTensor, RaggedTensorValue)):
            return value.to_list()
        value = self.evaluate(value) if is_tensor(value) else value
        return value.tolist() if isinstance(value, np.ndarray) else value

    # -- equal -------------------------------------------------------------------------------

    def assertAllEqual(self, a: TensorLike, b: TensorLike, msg: Any = None) -> None:
        """Assert equal shapes and elements; NaN equals NaN.

        Args:
            a: Tensor, array, or what converts to one.
            b: Tensor or array to compare with.
            msg: Text that the failure shows.

        Example:
            >>> case = tf.test.TestCase()
            >>> case.assertAllEqual(tf.constant([1, 2]), [1, 2])
        """
        if _any_ragged(a, b):
            self.assertEqual(self._ragged_rows(a), self._ragged_rows(b), msg)
            return
        a, b = self._texts(self._GetNdArray(a), self._GetNdArray(b))
        self.assertEqual(
            a.shape,
            b.shape,
            f"Shape mismatch: expected {a.shape}, got {b.shape}. Contents: {b!r}. {msg or ''}",
        )
        same = np.asarray(a == b)
        if a.dtype.kind in "fc" and b.dtype.kind in "fc":
            same = same | (np.isnan(a) & np.isnan(b))
        if not np.all(same):
            where = np.where(~same) if a.ndim else ()
            lines = [
                *([] if msg is None else [str(msg)]),
                "Arrays are not equal",
                f"not equal where = {where}",
                f"not equal lhs = {a[where]!r}",
                f"not equal rhs = {b[where]!r}",
            ]
            self.fail("\n".join(lines))

    def _texts(self, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Encode text as bytes where it is compared with bytes."""
        if any(each.dtype.kind == "S" or _holds_bytes(each) for each in (a, b)):
            return _encoded(a), _encoded(b)
        return a, b

    def assertNotAllEqual(self, a: TensorLike, b: TensorLike, msg: Any = None) -> None:
        """Assert that some element, or the shape, differs.

        Args:
            a: Tensor, array, or what converts to one.
            b: Tensor or array to compare with.
            msg: Text that the failure shows.
        """
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        self.fail(f"Expected values that differ, but all elements are equal. {msg or ''}")

    # -- close -------------------------------------------------------------------------------

    def assertAllClose(
        self, a: TensorLike, b: TensorLike, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None
    ) -> None:
        """Assert the same structure, and all numbers within the tolerances.

        Args:
            a: Tensor or array, or a structure of them.
            b: A structure to compare with.
            rtol: Tolerance relative to `b`.
            atol: Tolerance in absolute terms.
            msg: Text that the failure shows.

        Example:
            >>> case = tf.test.TestCase()
            >>> case.assertAllClose({"x": [1.0]}, {"x": tf.constant([1.0 + 1e-7])})
        """
        self._close(a, b, rtol, atol, "", msg)

    def _close(self, a: Any, b: Any, rtol: float, atol: float, path: str, msg: Any) -> None:
        message = f"{msg or ''}"
        if _any_ragged(a, b):
            a, b = self._ragged_rows(a), self._ragged_rows(b)
        if isinstance(a, Mapping) or isinstance(b, Mapping):
            if not (isinstance(a, Mapping) and isinstance(b, Mapping)):
                raise ValueError(f"Only one of a{path} and b{path} is a dict. {message}")
            self.assertCountEqual(a.keys(), b.keys(), f"mismatched keys of a{path} and b{path}")
            for key in a:
                self._close(a[key], b[key], rtol, atol, f"{path}[{key}]", msg)
            return
        if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and not _regular(a, b):
            self.assertEqual(len(a), len(b), f"Mismatched length: a{path} and b{path}. {message}")
            for i, (left, right) in enumerate(zip(a, b)):
                self._close(left, right, rtol, atol, f"{path}[{i}]", msg)
            return
        self._arrays_close(self._numbers(a), self._numbers(b), rtol, atol, path, message)

    def _numbers(self, value: TensorLike) -> np.ndarray:
        if isinstance(value, (list, tuple)):
            value = [self._GetNdArray(item) for item in value]
        array = self._GetNdArray(value)
        return array.astype(np.float32) if array.dtype == _BFLOAT16 else array

    def _arrays_close(
        self, a: np.ndarray, b: np.ndarray, rtol: float, atol: float, path: str, message: str
    ) -> None:
        self.assertEqual(
            a.shape,
            b.shape,
            f"Shape mismatch: expected {a.shape}, got {b.shape} with contents {b}.",
        )
        if np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True):
            return
        off = ~np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
        x, y = (a[off], b[off]) if a.ndim else (a, b)
        lines = [
            f"Not equal to tolerance rtol={rtol:g}, atol={atol:g}",
            f"Mismatched value: a{path} is different from b{path}. {message}",
            f"not close where = {np.where(off) if a.ndim else ()}",
            f"not close lhs = {x}",
            f"not close rhs = {y}",
            f"not close dif = {np.abs(x - y)}",
            f"not close tol = {atol + rtol * np.abs(y)}",
            f"dtype = {a.dtype}, shape = {a.shape}",
        ]
        self.fail("\n".join(lines))

    def assertNotAllClose(
        self, a: TensorLike, b: TensorLike, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None
    ) -> None:
        """Assert that some number is not within the tolerances.

        Args:
            a: Tensor, array, or what converts to one.
            b: Tensor or array to compare with.
            rtol: Tolerance relative to `b`.
            atol: Tolerance in absolute terms.
            msg: Text that the failure shows.
        """
        try:
            self.assertAllClose(a, b, rtol=rtol, atol=atol)
        except AssertionError:
            return
        self.fail(f"Expected values that differ, but all elements are close. {msg or ''}")

    def assertAllCloseAccordingToType(
        self,
        a: TensorLike,
        b: TensorLike,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: Any = None,
    ) -> None:
        """Assert closeness with tolerances for the coarser of the two dtypes.

        Args:
            a: Tensor, array, or what converts to one.
            b: Tensor or array to compare with.
            rtol: Relative tolerance of float64.
            atol: Absolute tolerance of float64.
            float_rtol: Relative tolerance of float32.
            float_atol: Absolute tolerance of float32.
            half_rtol: Relative tolerance of float16.
            half_atol: Absolute tolerance of float16.
            bfloat16_rtol: Relative tolerance of bfloat16.
            bfloat16_atol: Absolute tolerance of bfloat16.
            msg: Text that the failure shows.
        """
        kinds = {self._GetNdArray(a).dtype, self._GetNdArray(b).dtype}
        for names, relative, absolute in (
            ((np.float32, np.complex64), float_rtol, float_atol),
            ((np.float16,), half_rtol, half_atol),
            ((_BFLOAT16,), bfloat16_rtol, bfloat16_atol),
        ):
            if kinds & {np.dtype(name) for name in names}:
                rtol, atol = max(rtol, relative), max(atol, absolute)
        self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)

    def assertNear(self, f1: Any, f2: Any, err: float, msg: Any = None) -> None:
        """Assert that two numbers differ by at most `err`.

        Args:
            f1: A number.
            f2: A number to compare with.
            err: The largest difference.
            msg: Text that the failure shows.
        """
        f1, f2 = (float(self._GetNdArray(f)) for f in (f1, f2))
        suffix = f": {msg}" if msg is not None else ""
        self.assertTrue(
            f1 == f2 or abs(f1 - f2) <= err,
            f"{f1:f} != {f2:f} +/- {err:f} (difference: {f1 - f2:f}){suffix}",
        )

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: Any = None) -> None:
        """Assert that two lists of numbers differ by at most `err` element-wise.

        Args:
            farray1: A list of numbers.
            farray2: A list to compare with.
            err: The largest difference.
            msg: Text that the failure shows.
        """
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2):
            self.assertNear(f1, f2, err, msg)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float, msg: Any = None) -> None:
        """Assert that the norm of the difference of two arrays is below `err`.

        Args:
            ndarray1: An array.
            ndarray2: An array to compare with.
            err: The largest difference.
            msg: Text that the failure shows.
        """
        distance = np.linalg.norm(self._GetNdArray(ndarray1) - self._GetNdArray(ndarray2))
        self.assertTrue(distance < err, msg or f"The norm of the difference is {distance:g}.")

    # -- bounds ------------------------------------------------------------------------------

    def assertAllGreater(self, a: TensorLike, comparison_target: Any) -> None:
        """Assert that all elements are greater.

        Args:
            a: Tensor, array, or what converts to one.
            comparison_target: Scalar or array to compare with.
        """
        self.assertGreater(np.min(self._GetNdArray(a)), comparison_target)

    def assertAllGreaterEqual(self, a: TensorLike, comparison_target: Any) -> None:
        """Assert that all elements are greater or equal.

        Args:
            a: Tensor, array, or what converts to one.
            comparison_target: Scalar or array to compare with.
        """
        self.assertGreaterEqual(np.min(self._GetNdArray(a)), comparison_target)

    def assertAllLess(self, a: TensorLike, comparison_target: Any) -> None:
        """Assert that all elements are less.

        Args:
            a: Tensor, array, or what converts to one.
            comparison_target: Scalar or array to compare with.
        """
        self.assertLess(np.max(self._GetNdArray(a)), comparison_target)

    def assertAllLessEqual(self, a: TensorLike, comparison_target: Any) -> None:
        """Assert that all elements are less or equal.

        Args:
            a: Tensor, array, or what converts to one.
            comparison_target: Scalar or array to compare with.
        """
        self.assertLessEqual(np.max(self._GetNdArray(a)), comparison_target)

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Assert that all elements lie between the bounds.

        Args:
            target: Tensor or array.
            lower_bound: The lower bound.
            upper_bound: The upper bound.
            open_lower_bound: Whether the lower bound itself is excluded.
            open_upper_bound: Whether the upper bound itself is excluded.

        Example:
            >>> tf.test.TestCase().assertAllInRange(tf.constant([0.5, 1.0]), 0.0, 1.0)
        """
        array = self._GetNdArray(target)
        if array.dtype.kind not in "fiu" and array.dtype != _BFLOAT16:
            self.fail(
                f"Expected numbers that can be ordered, received dtype {array.dtype}: {target}"
            )
        self._none(np.isnan(array.astype(float)), array, "NaN", "NaN")
        low = array <= lower_bound if open_lower_bound else array < lower_bound
        high = array >= upper_bound if open_upper_bound else array > upper_bound
        brackets = "(" if open_lower_bound else "[", ")" if open_upper_bound else "]"
        span = f"outside the range {brackets[0]}{lower_bound}, {upper_bound}{brackets[1]}"
        self._none(low | high, array, span, "offending")

    def _none(self, wrong: np.ndarray, array: np.ndarray, what: str, which: str) -> None:
        if not np.any(wrong):
            return
        failing = np.argwhere(wrong)
        lines = [f"  {list(map(int, index))} : {array[tuple(index)]}" for index in failing[:10]]
        self.fail(
            f"{len(failing)} of {array.size} element(s) are {what}. The first {which} ones, by "
            "index:\n" + "\n".join(lines)
        )

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """Assert that all elements are members of `expected_set`.

        Args:
            target: Tensor or array.
            expected_set: A list or set of values.
        """
        actual = np.unique(self._GetNdArray(target))
        others = [value for value in actual.tolist() if value not in expected_set]
        if others:
            self.fail(
                f"{len(others)} different element(s) are outside of the set {expected_set}: "
                f"{others}"
            )

    # -- dtypes, shapes, devices -------------------------------------------------------------

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """Assert the dtype of the elements.

        Args:
            target: Tensor or array.
            expected_dtype: The dtype.
        """
        if not isinstance(target, list):
            target = [target]
        for item in target:
            actual = as_dtype(self._GetNdArray(item).dtype)
            self.assertEqual(actual, as_dtype(expected_dtype))

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: Any = None) -> None:
        """Assert that both have the same shape.

        Args:
            input_a: Tensor or array.
            input_b: Tensor or array to compare with.
            msg: Text that the failure shows.

        Example:
            >>> tf.test.TestCase().assertShapeEqual(tf.zeros([2, 3]), np.ones([2, 3]))
        """
        self.assertEqual(tuple(input_a.shape), tuple(input_b.shape), msg)

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: Any = None) -> None:
        """Assert that both name the same device.

        Args:
            device1: The name of a device.
            device2: The name to compare with.
            msg: Text that the failure shows.
        """
        first, second = (devices.parse(d).to_string() if d else "" for d in (device1, device2))
        self.assertEqual(first, second, f"Devices {first} and {second} are not equal. {msg or ''}")

    @contextmanager
    def assertRaisesIncompatibleShapesError(
        self, exception_type: Any = InvalidArgumentError
    ) -> Iterator[None]:
        """Assert that the block raises an error about incompatible shapes.

        Args:
            exception_type: The class of the error.
        """
        with self.assertRaises(exception_type) as caught:
            yield
        pattern = r"([Ii]ncompatible|[Ii]nvalid|required broadcastable) shapes?|must be equal"
        self.assertTrue(re.search(pattern, str(caught.exception)), str(caught.exception))


def _any_ragged(*values: Any) -> bool:
    return any(isinstance(value, (RaggedTensor, RaggedTensorValue)) for value in values)


def _holds_bytes(array: np.ndarray) -> bool:
    return array.dtype.kind == "O" and any(isinstance(x, bytes) for x in array.flat)


def _encoded(array: np.ndarray) -> np.ndarray:
    flat = np.empty(array.size, object)
    flat[:] = [x.encode() if isinstance(x, str) else x for x in array.reshape(-1).tolist()]
    return flat.reshape(array.shape)


def _regular(a: Any, b: Any) -> bool:
    """Whether two sequences convert to rectangular arrays."""
    try:
        arrays = [np.array([evaluate(i) if is_tensor(i) else i for i in value]) for value in (a, b)]
    except (ValueError, TypeError):
        return False
    return all(array.dtype != object for array in arrays)
