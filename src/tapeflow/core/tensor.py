"""`Tensor`: the base class of every tensor: `isinstance(x, tf.Tensor)` holds in each mode."""

from __future__ import annotations

from typing import Any


class Tensor:
    """A multidimensional array of one dtype.

    Eager tensors hold values; symbolic tensors stand for the values a graph will compute.
    """

    __slots__ = ()

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
    def dtype(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not say its dtype.")

    @property
    def shape(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not say its shape.")

    @property
    def _dims(self) -> tuple[int | None, ...] | None:
        """The shape as a plain tuple, `None` for what is not known."""
        raise NotImplementedError(f"{type(self).__name__} does not say its shape.")

    # By what tapes know the tensor, once one has asked (see `gradients.ledger`).
    _id: Any

    @property
    def _static(self) -> Any:
        """The value as a NumPy array if it is known without running anything, else None."""
        return None

    def _elsewhere(self) -> Any:
        """This tensor as one that can be used where its own mode is not in force."""
        raise TypeError(f"{self!r} cannot be used here: it is meant for where it was made.")

    def _as_slice(self, variable: Any, key: Any) -> Any:
        """This tensor, which is `variable[key]`, as a place to assign to."""
        return self

    def _twin(self) -> Any:
        """The same value as another tensor, which no tape knows."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it is repeated.")


def tensor_in(value: Any) -> Any:
    """The tensor in a value that just holds one, as where its dtype is weak; else the value."""
    return value if isinstance(value, Tensor) else getattr(value, "_held", value)
