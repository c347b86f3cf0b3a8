"""`TensorArray`: elements of one dtype that are written, read and collected one by one."""

from __future__ import annotations

import operator
from typing import Any

from tapeflow._src.composite.tensor_array_values import (
    FlowingElements,
    ListedElements,
    identity_of,
    shape_argument,
)
from tapeflow._src.core import dispatch, dtypes, nest
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.shape import TensorShape, as_shape
from tapeflow._src.core.spec import TensorSpec, TypeSpec
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike, TensorLike
from tapeflow._src.ops.lists.tensor_list import tensor_list_reserve


class TensorArray:
    """An array of tensors, for loops that compute one element at a time.

    Use what `write`, `unstack`, `scatter` and `split` return: in a graph, that is the array after
    the change. Eagerly an element is cleared when it is read, unless `clear_after_read=False`.

    Args:
        dtype: The dtype of the elements.
        size: The number of elements.
        dynamic_size: Whether writing beyond the end makes the array longer.
        clear_after_read: Whether an element can be read only once, eagerly; True by default.
        tensor_array_name: Accepted for compatibility.
        handle: Accepted in functions; must be None elsewhere.
        flow: The flow of another array, whose elements this one has.
        infer_shape: Whether all elements must have one shape.
        element_shape: The static shape of the elements.
        colocate_with_first_write_call: Accepted for compatibility.

    Raises:
        ValueError: If there is no size, or a handle outside of functions.

    Example:
        >>> squares = tf.TensorArray(tf.int32, size=3)
        >>> for index in range(3):
        ...     squares = squares.write(index, index * index)
        >>> squares.stack().numpy()
        array([0, 1, 4], dtype=int32)
    """

    def __init__(
        self,
        dtype: DTypeLike,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        dtype, shape = as_dtype(dtype), as_shape(element_shape)
        flows = flow is not None and flow.dtype is dtypes.variant
        self._elements: Any
        if flows or dispatch.state.mode is not dispatch.base_mode():
            if flow is not None and not flows:
                raise TypeError(
                    "flow must be the variant tensor of another TensorArray (its .flow), received "
                    f"dtype {flow.dtype.name}."
                )
            if flow is None and size is None:
                raise ValueError("TensorArray needs a size, or the flow of another TensorArray.")
            if flow is None:
                flow, size = _reserved(dtype, shape, size, name)
            self._elements = FlowingElements(
                dtype, flow, _static(size), bool(dynamic_size), infer_shape, [shape]
            )
            return
        if handle is not None:
            raise ValueError(
                "A TensorArray has no handle outside of functions: leave `handle` out."
            )
        if size is None:
            raise ValueError(
                "TensorArray needs a size outside of functions; use size=0 with dynamic_size=True "
                "if it is not known."
            )
        self._elements = ListedElements(
            dtype,
            max(0, operator.index(size)),
            bool(dynamic_size),
            clear_after_read is None or bool(clear_after_read),
            infer_shape,
            shape,
        )

    def _after(self, elements: Any) -> TensorArray:
        """Return the array after a change; eagerly, it has been changed itself."""
        if elements is None:
            return self
        array = object.__new__(TensorArray)
        array._elements = elements
        return array

    # -- what it is --------------------------------------------------------------------------

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        dtype: DType = self._elements.dtype
        return dtype

    @property
    def flow(self) -> Any:
        """The tensor that carries this version of the array through a graph."""
        return self._elements.flow

    @property
    def handle(self) -> None:
        """There is no handle: the array is a value."""

    @property
    def dynamic_size(self) -> bool:
        """Whether writing beyond the end makes the array longer."""
        dynamic: bool = self._elements.dynamic_size
        return dynamic

    @property
    def element_shape(self) -> TensorShape:
        """The static shape of the elements."""
        shape: TensorShape = self._elements.element_shape
        return shape

    @property
    def _type_spec(self) -> TensorArraySpec:
        return TensorArraySpec.from_value(self)

    def size(self, name: str | None = None) -> Any:
        """Return the number of elements.

        Example:
            >>> int(tf.TensorArray(tf.float32, size=3).size())
            3
        """
        return self._elements.size(name)

    def close(self, name: str | None = None) -> None:
        """Release the elements."""
        self._elements.close()

    def identity(self) -> TensorArray:
        """Return an array with the same elements.

        Example:
            >>> array = tf.TensorArray(tf.float32, size=2).unstack([1.0, 2.0])
            >>> array.identity().stack().numpy()
            array([1., 2.], dtype=float32)
        """
        elements = self._elements
        return self._after(identity_of(elements) if type(elements) is FlowingElements else None)

    def grad(self, source: str, flow: Any = None, name: str | None = None) -> Any:
        """Raise NotImplementedError: gradients flow through arrays by themselves.

        Args:
            source: Unused.
            flow: Unused.
        """
        raise NotImplementedError(
            "TensorArray.grad is not available: gradients pass through arrays by themselves. Use "
            "tf.GradientTape."
        )

    # -- elements ----------------------------------------------------------------------------

    def read(self, index: Any, name: str | None = None) -> Any:
        """Return the element at `index`; zeros if it was not written.

        Args:
            index: Integer scalar.

        Example:
            >>> array = tf.TensorArray(tf.int32, size=2).unstack([5, 7])
            >>> int(array.read(1))
            7
        """
        return self._elements.read(index, name)

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """Return the array with `value` at `index`.

        Args:
            index: Integer scalar.
            value: The element, of the array's dtype.

        Example:
            >>> array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
            >>> array = array.write(0, 1.0).write(1, 2.0)
            >>> array.stack().numpy()
            array([1., 2.], dtype=float32)
        """
        return self._after(self._elements.write(index, value, name))

    def stack(self, name: str | None = None) -> Any:
        """Stack all elements along a new first axis.

        Example:
            >>> tf.TensorArray(tf.int32, size=2).unstack([[1, 2], [3, 4]]).stack().numpy()
            array([[1, 2],
                   [3, 4]], dtype=int32)
        """
        return self._elements.stack(name)

    def gather(self, indices: Any, name: str | None = None) -> Any:
        """Return the elements at `indices` in one tensor, along a new first axis.

        Args:
            indices: Vector of integers.

        Example:
            >>> tf.TensorArray(tf.int32, size=3).unstack([5, 6, 7]).gather([2, 0]).numpy()
            array([7, 5], dtype=int32)
        """
        return self._elements.gather(indices, name)

    def concat(self, name: str | None = None) -> Any:
        """Concatenate all elements along their first axis.

        Example:
            >>> array = tf.TensorArray(tf.int32, size=2, infer_shape=False)
            >>> array.write(0, [1, 2]).write(1, [3]).concat().numpy()
            array([1, 2, 3], dtype=int32)
        """
        return self._elements.concat(name)

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """Return the array whose elements are the rows of `value`.

        Args:
            value: Tensor with one row per element.

        Example:
            >>> array = tf.TensorArray(tf.int32, size=2).unstack([5, 7])
            >>> array.stack().numpy()
            array([5, 7], dtype=int32)
        """
        return self._after(self._elements.unstack(value, name))

    def scatter(self, indices: TensorLike, value: Any, name: str | None = None) -> TensorArray:
        """Return the array with the rows of `value` at `indices`.

        Args:
            indices: Vector of integers.
            value: Tensor with one row per index.

        Example:
            >>> array = tf.TensorArray(tf.int32, size=2).scatter([1, 0], [5, 7])
            >>> array.stack().numpy()
            array([7, 5], dtype=int32)
        """
        return self._after(self._elements.scatter(indices, value, name))

    def split(self, value: Any, lengths: TensorLike, name: str | None = None) -> TensorArray:
        """Return the array whose elements are pieces of `value` along its first axis.

        Args:
            value: Tensor of rank 1 or more.
            lengths: The length of each piece; their sum is the size of the first axis.

        Example:
            >>> array = tf.TensorArray(tf.int32, size=2, infer_shape=False)
            >>> array = array.split([1, 2, 3], lengths=[2, 1])
            >>> array.read(0).numpy(), array.read(1).numpy()
            (array([1, 2], dtype=int32), array([3], dtype=int32))
        """
        return self._after(self._elements.split(value, lengths, name))


def _reserved(dtype: DType, shape: TensorShape, size: Any, name: str | None) -> tuple[Any, Any]:
    count = size if isinstance(size, Tensor) else dispatch.convert(size, dtypes.int32)
    label = name or "TensorArrayV2"
    handle = tensor_list_reserve(shape_argument(shape), count, element_dtype=dtype, name=label)
    return handle, count


def _static(size: Any) -> int | None:
    """Return the number of elements, if it is known while tracing."""
    value = size.static_value if isinstance(size, Tensor) else size
    return None if value is None else int(value)


class TensorArraySpec(TypeSpec):
    """The type of a `TensorArray`.

    Args:
        element_shape: The static shape of the elements.
        dtype: The dtype of the elements.
        dynamic_size: Whether the array may become longer.
        infer_shape: Whether all elements have one shape.
    """

    __slots__ = ("_dtype", "_dynamic_size", "_element_shape", "_infer_shape")

    def __init__(
        self,
        element_shape: Any = None,
        dtype: DTypeLike = dtypes.float32,
        dynamic_size: bool = False,
        infer_shape: bool = True,
    ) -> None:
        self._element_shape = as_shape(element_shape)
        self._dtype = as_dtype(dtype)
        self._dynamic_size = dynamic_size
        self._infer_shape = infer_shape

    @staticmethod
    def from_value(value: Any) -> TensorArraySpec:
        """Return the spec of an array.

        Args:
            value: The array.

        Raises:
            TypeError: If it is something else.
        """
        if not isinstance(value, TensorArray):
            raise TypeError(
                f"Expected a TensorArray, received {value!r} of type {type(value).__name__}."
            )
        elements = value._elements
        return TensorArraySpec(
            elements.element_shape, elements.dtype, elements.dynamic_size, elements.infer_shape
        )

    @property
    def value_type(self) -> type:
        return TensorArray

    def is_compatible_with(self, other: Any) -> bool:
        """Return whether the array, or some array that the spec describes, fits this spec.

        Args:
            other: A `TensorArray` or a spec.
        """
        return super().is_compatible_with(other)

    @property
    def _component_specs(self) -> Any:
        return [TensorSpec((), dtypes.variant)]

    def _to_components(self, value: Any) -> Any:
        return [value._elements.as_list()]

    def _from_components(self, components: Any) -> Any:
        return TensorArray(
            self._dtype,
            dynamic_size=self._dynamic_size,
            flow=components[0],
            infer_shape=self._infer_shape,
            element_shape=self._element_shape,
        )

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_shape, self._dtype, self._dynamic_size, self._infer_shape


def _carried(array: TensorArray, parts: list[Any]) -> TensorArray:
    """Return an array like `array`, whose flow is the result of a loop or a call."""
    elements = array._elements
    if type(elements) is FlowingElements:
        return array._after(elements.apart().with_flow(parts[0]))
    return TensorArray(
        elements.dtype,
        dynamic_size=elements.dynamic_size,
        flow=parts[0],
        infer_shape=elements.infer_shape,
        element_shape=elements.element_shape,
    )


nest.register_composite(
    TensorArray,
    lambda array: (array._elements.as_list(),),
    _carried,
    lambda a, b: isinstance(b, TensorArray) and a.dtype is b.dtype,
)
