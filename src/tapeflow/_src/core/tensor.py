"""`Tensor`: the base class of every tensor: `isinstance(x, tf.Tensor)` holds in each mode.

The operators belong to a higher layer, which registers them here (see `ops.operators`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    import numpy as np

    from tapeflow._src.core.dtypes import DType
    from tapeflow._src.core.shape import TensorShape


class TensorBase:
    """Tensors, variables, and stand-ins such as variables of other libraries."""

    __slots__ = ()

    if TYPE_CHECKING:
        # The operators that `ops.operators` registers, and what eager tensors define, for editors.
        def __add__(self, other: Any, /) -> Tensor: ...
        def __radd__(self, other: Any, /) -> Tensor: ...
        def __sub__(self, other: Any, /) -> Tensor: ...
        def __rsub__(self, other: Any, /) -> Tensor: ...
        def __mul__(self, other: Any, /) -> Tensor: ...
        def __rmul__(self, other: Any, /) -> Tensor: ...
        def __truediv__(self, other: Any, /) -> Tensor: ...
        def __rtruediv__(self, other: Any, /) -> Tensor: ...
        def __floordiv__(self, other: Any, /) -> Tensor: ...
        def __rfloordiv__(self, other: Any, /) -> Tensor: ...
        def __mod__(self, other: Any, /) -> Tensor: ...
        def __rmod__(self, other: Any, /) -> Tensor: ...
        def __pow__(self, other: Any, /) -> Tensor: ...
        def __rpow__(self, other: Any, /) -> Tensor: ...
        def __matmul__(self, other: Any, /) -> Tensor: ...
        def __rmatmul__(self, other: Any, /) -> Tensor: ...
        def __lt__(self, other: Any, /) -> Tensor: ...
        def __le__(self, other: Any, /) -> Tensor: ...
        def __gt__(self, other: Any, /) -> Tensor: ...
        def __ge__(self, other: Any, /) -> Tensor: ...
        def __and__(self, other: Any, /) -> Tensor: ...
        def __rand__(self, other: Any, /) -> Tensor: ...
        def __or__(self, other: Any, /) -> Tensor: ...
        def __ror__(self, other: Any, /) -> Tensor: ...
        def __xor__(self, other: Any, /) -> Tensor: ...
        def __rxor__(self, other: Any, /) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...
        def __pos__(self) -> Tensor: ...
        def __eq__(self, other: object, /) -> Tensor: ...  # type: ignore[override]
        def __ne__(self, other: object, /) -> Tensor: ...  # type: ignore[override]
        def __getitem__(self, key: Any, /) -> Tensor: ...
        def __float__(self) -> float: ...
        def __int__(self) -> int: ...
        def __index__(self) -> int: ...
        def __hash__(self) -> int: ...
        def numpy(self) -> np.ndarray[Any, np.dtype[Any]]: ...
        def ref(self) -> Any: ...
        @property
        def device(self) -> str: ...


class Tensor(TensorBase):
    """A multidimensional array of one dtype.

    Eager tensors hold values; symbolic tensors stand for the values a graph will compute. Both have
    `dtype`, `shape` and Python's operators, and cannot be changed.

    Example:
        >>> x = tf.constant([[1, 2], [3, 4]])
        >>> x.shape, x.dtype
        (TensorShape([2, 2]), tf.int32)
        >>> (x[0] * 10).numpy()
        array([10, 20], dtype=int32)
        >>> x @ x
        <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
        array([[ 7, 10],
               [15, 22]], dtype=int32)>
    """

    __slots__ = ()
    # NumPy must leave `array + tensor` to the tensor.
    __array_priority__ = 100

    # The names of the operators that tensors define.
    OVERLOADABLE_OPERATORS = frozenset(
        f"__{name}__"
        for name in (
            *("abs", "add", "and", "eq", "floordiv", "ge", "getitem", "gt", "invert", "le", "lt"),
            *("matmul", "mod", "mul", "ne", "neg", "or", "pow", "radd", "rand", "rfloordiv"),
            *("rmatmul", "rmod", "rmul", "ror", "rpow", "rsub", "rtruediv", "rxor", "sub"),
            *("truediv", "xor"),
        )
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise TypeError(
            "tf.Tensor is a base class and is not made by hand. For a tensor with a value write "
            "tf.constant(...), e.g. tf.constant([3.0]); gradients need a floating-point dtype."
        )

    @property
    def dtype(self) -> DType:
        raise NotImplementedError(f"{type(self).__name__} does not say its dtype.")

    @property
    def shape(self) -> TensorShape:
        raise NotImplementedError(f"{type(self).__name__} does not say its shape.")

    @property
    def name(self) -> str:
        raise AttributeError(f"{type(self).__name__} has no name.")

    @property
    def ndim(self) -> int | None:
        """The number of axes."""
        raise AttributeError(f"{type(self).__name__} does not say its number of axes.")

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Compute the value in a session, for a tensor of its graph.

        Args:
            feed_dict: Values of placeholders.
            session: The session; the default one by default.

        Raises:
            TypeError: For a tensor of another kind.
        """
        self._undefined("eval")

    @property
    def static_shape(self) -> tuple[int | None, ...] | None:
        """The static shape as a plain tuple, `None` for what is unknown."""
        raise NotImplementedError(f"{type(self).__name__} does not say its shape.")

    @classmethod
    def _define_operators(cls, operators: type) -> None:
        """Register the class with the operators, which the base class then has, too."""
        for name in (*cls.OVERLOADABLE_OPERATORS, "ref", "experimental_ref"):
            setattr(cls, name, vars(operators)[name])

    def get_shape(self) -> TensorShape:
        """Return the static shape, as `.shape`.

        Example:
            >>> tf.constant([[1, 2]]).get_shape()
            TensorShape([1, 2])
        """
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Check a shape against the static shape, and refine that.

        Args:
            shape: A shape that is compatible with the static shape.

        Raises:
            ValueError: If the shapes are incompatible.

        Example:
            >>> tf.constant([1, 2]).set_shape([None])
        """
        self._undefined("set_shape")

    def __bool__(self) -> bool:
        self._undefined("__bool__")

    def __nonzero__(self) -> bool:
        """The Python 2 name of `__bool__`; libraries copy both."""
        return self.__bool__()

    def __len__(self) -> int:
        self._undefined("__len__")

    def __iter__(self) -> Iterator[Any]:
        self._undefined("__iter__")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        self._undefined("__array__")

    def _undefined(self, method: str) -> NoReturn:
        raise TypeError(f"{type(self).__name__} does not define {method}.")

    # The token under which tapes know the tensor, once requested (see `gradients.ledger`).
    _id: Any

    @property
    def static_value(self) -> Any:
        """The static value as a NumPy array, known without running anything, else None."""
        return None

    def _portable(self) -> Any:
        """Return this tensor in a form that can be used outside of its own mode."""
        raise TypeError(f"{self!r} cannot be used here: it is meant for where it was made.")

    def _as_slice(self, variable: Any, key: Any) -> Any:
        """Return this tensor, which is `variable[key]`, as an assignable slice."""
        return self

    def _twin(self) -> Any:
        """Return the same value as another tensor, unknown to tapes."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it is repeated.")


def acts_as_variable(value: Any) -> bool:
    """Whether an object wraps a variable, as classes of other libraries do.

    They have `handle`, and are marked by the attribute `_should_act_as_resource_variable`.
    """
    return not isinstance(value, Tensor) and hasattr(value, "_should_act_as_resource_variable")


def handle_in(value: Any) -> Any:
    """Return the handle of an object that acts as a variable, or None if it is no such object."""
    return value.handle if acts_as_variable(value) else None


def tensor_in(value: Any) -> Any:
    """Return the tensor of a wrapper, such as a weakly typed one; other values unchanged."""
    return value if isinstance(value, Tensor) else getattr(value, "_value_tensor", value)
