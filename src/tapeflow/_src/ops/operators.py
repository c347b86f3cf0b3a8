"""The Python operators of tensors, for every tensor class and for variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from tapeflow._src.core import dispatch
from tapeflow._src.core.reference import Reference
from tapeflow._src.core.registry import Op
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.tracebacks import fold
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.linalg import matmul
from tapeflow._src.ops.math import arithmetic, comparison, logical, power

_Binary = Callable[[Any, Any], Any]
_state = dispatch.state


def _call_of(compute: _Binary) -> _Binary:
    """Return `compute`; an op of just two tensors is called directly."""
    if not isinstance(compute, Op) or compute.arity != 2 or compute.attr_names:
        return compute
    op = compute

    def call(x: Any, y: Any) -> Any:
        return _state.mode.execute(op, (x, y), {}, None)

    return call


# Called for the result of an operator, by its name, that refused its operands: libraries have
# classes that borrow the operators of tensors. NotImplemented where it knows none.
_Fallback = Callable[[str, tuple[Any, ...]], Any]
_fallback: _Fallback | None = None


def set_fallback(fallback: _Fallback) -> None:
    """Set the function to call when an operator refuses its operands."""
    global _fallback
    _fallback = fallback


def _recovered(name: str, *operands: Any) -> Any:
    """Return the result of an operator that refused its operands, or NotImplemented."""
    return NotImplemented if _fallback is None else _fallback(name, operands)


def _unary(name: str, compute: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def operator(self: Any) -> Any:
        try:
            return compute(self)
        except (TypeError, ValueError):
            result = _recovered(name, self)
            if result is NotImplemented:
                raise
            return result

    return operator


def _plain(name: str, compute: _Binary) -> _Binary:
    """Return an operator that never consults the reflected one."""

    def operator(self: Any, other: Any) -> Any:
        try:
            return compute(self, other)
        except (TypeError, ValueError):
            result = _recovered(name, self, other)
            if result is NotImplemented:
                raise
            return result

    return operator


def _forward(name: str, compute: _Binary, reflected: str, *, lenient: bool = False) -> _Binary:
    """Return an operator that refuses Python values that cannot have the tensor's dtype.

    A `lenient` one takes it as a tensor of its own dtype, for the op to refuse.
    """
    compute = _call_of(compute)

    def operator(self: Any, other: Any) -> Any:
        try:
            return compute(self, other)
        except (TypeError, ValueError) as error:
            # Not a value we can convert: the other class may know what to do.
            if _defines(other, reflected):
                return NotImplemented
            result = _recovered(name, self, other)
            if result is not NotImplemented:
                return result
            if not lenient or isinstance(other, Operators):
                fold(error)
                raise
        except Exception as error:
            fold(error)
            raise
        # What clashes are then two tensors' dtypes, as TF reports it.
        return compute(self, dispatch.convert(other))

    return operator


def _defines(other: Any, reflected: str) -> bool:
    is_operand = isinstance(other, (ValueOperators, *_PYTHON_VALUES))
    # A tensor whose class has operators of its own, as KerasTensors, knows what to do, too.
    own = getattr(Operators, reflected)
    return not is_operand and getattr(type(other), reflected, own) is not own


_PYTHON_VALUES = (bool, int, float, complex, str, bytes, list, tuple)


def _reflected(name: str, compute: _Binary) -> _Binary:
    compute = _call_of(compute)

    def operator(self: Any, other: Any) -> Any:
        try:
            return compute(other, self)
        except Exception as error:
            if isinstance(error, (TypeError, ValueError)):
                result = _recovered(name, other, self)
                if result is not NotImplemented:
                    return result
            fold(error)
            raise

    return operator


def _equal(self: Any, other: Any) -> Any:
    if other is None:
        return False
    return comparison.equal(self, _convert_like(self, other), incompatible_shape_error=False)


def _not_equal(self: Any, other: Any) -> Any:
    if other is None:
        return True
    return comparison.not_equal(self, _convert_like(self, other), incompatible_shape_error=False)


def _convert_like(tensor: Any, other: Any) -> Any:
    """Convert a Python value that is compared with a tensor to its dtype."""
    return other if hasattr(other, "dtype") else dispatch.convert(other, tensor.dtype)


class Operators:
    """Python's operators, each one op."""

    __slots__ = ()

    # Of `+` and `@` TensorFlow says what clashes in another way than of the others.
    __add__ = _forward("add", arithmetic.plus, "__radd__", lenient=True)
    __radd__ = _reflected("add", arithmetic.plus)
    __sub__ = _forward("sub", arithmetic.sub, "__rsub__")
    __rsub__ = _reflected("sub", arithmetic.sub)
    __mul__ = _forward("mul", logical.times, "__rmul__")
    __rmul__ = _reflected("mul", logical.times)
    __truediv__ = _forward("truediv", arithmetic.true_divide, "__rtruediv__")
    __rtruediv__ = _reflected("truediv", arithmetic.true_divide)
    __floordiv__ = _forward("floordiv", arithmetic.floor_div, "__rfloordiv__")
    __rfloordiv__ = _reflected("floordiv", arithmetic.floor_div)
    __mod__ = _forward("mod", arithmetic.floor_mod, "__rmod__")
    __rmod__ = _reflected("mod", arithmetic.floor_mod)
    __pow__ = _forward("pow", power.pow_, "__rpow__")
    __rpow__ = _reflected("pow", power.pow_)
    __matmul__ = _forward("matmul", matmul.matmul, "__rmatmul__", lenient=True)
    __rmatmul__ = _reflected("matmul", matmul.matmul)
    __lt__ = _forward("lt", comparison.less, "__gt__")
    __le__ = _forward("le", comparison.less_equal, "__ge__")
    __gt__ = _forward("gt", comparison.greater, "__lt__")
    __ge__ = _forward("ge", comparison.greater_equal, "__le__")
    __and__ = _forward("and", logical.and_, "__rand__")
    __rand__ = _reflected("and", logical.and_)
    __or__ = _forward("or", logical.or_, "__ror__")
    __ror__ = _reflected("or", logical.or_)
    __xor__ = _forward("xor", logical.xor, "__rxor__")
    __rxor__ = _reflected("xor", logical.xor)

    __invert__ = _unary("invert", logical.invert)
    __neg__ = _unary("neg", arithmetic.neg)
    __abs__ = _unary("abs", arithmetic.absolute)

    def __pos__(self) -> Any:
        return self

    __eq__ = _plain("eq", _equal)
    __ne__ = _plain("ne", _not_equal)
    __getitem__ = _plain("getitem", get_item)

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        raise TypeError(
            f"'{type(self).__name__}' object does not support item assignment: tensors are "
            f"immutable. tf.tensor_scatter_nd_update returns a changed copy; a tf.Variable is "
            f"changed in place by v[key].assign(value)."
        )

    def ref(self) -> Reference:
        """Return a hashable reference to this object, usable as a dict key.

        Example:
            >>> x, y = tf.constant(1.0), tf.constant(2.0)
            >>> names = {x.ref(): "x", y.ref(): "y"}
            >>> names[x.ref()]
            'x'
        """
        return Reference(self)

    def experimental_ref(self) -> Reference:
        """Deprecated: the former name of `ref`."""
        return Reference(self)


Tensor._define_operators(Operators)


def _of_value(name: str) -> Callable[[Any, Any], Tensor]:
    """Return an operator that is applied to the value of its operand."""

    def operator(self: Any, other: Any) -> Any:
        return getattr(self.value(), name)(other)

    return operator


class ValueOperators(Operators):
    """Python's operators of a variable: it is read, and its value does the rest."""

    __slots__ = ()

    __add__ = _of_value("__add__")
    __radd__ = _of_value("__radd__")
    __sub__ = _of_value("__sub__")
    __rsub__ = _of_value("__rsub__")
    __mul__ = _of_value("__mul__")
    __rmul__ = _of_value("__rmul__")
    __truediv__ = _of_value("__truediv__")
    __rtruediv__ = _of_value("__rtruediv__")
    __floordiv__ = _of_value("__floordiv__")
    __rfloordiv__ = _of_value("__rfloordiv__")
    __mod__ = _of_value("__mod__")
    __rmod__ = _of_value("__rmod__")
    __pow__ = _of_value("__pow__")
    __rpow__ = _of_value("__rpow__")
    __matmul__ = _of_value("__matmul__")
    __rmatmul__ = _of_value("__rmatmul__")
    __lt__ = _of_value("__lt__")
    __le__ = _of_value("__le__")
    __gt__ = _of_value("__gt__")
    __ge__ = _of_value("__ge__")
    __and__ = _of_value("__and__")
    __rand__ = _of_value("__rand__")
    __or__ = _of_value("__or__")
    __ror__ = _of_value("__ror__")
    __xor__ = _of_value("__xor__")
    __rxor__ = _of_value("__rxor__")


# -- other ways to behave ----------------------------------------------------------------------

_PROMOTED = (
    *("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "floordiv", "rfloordiv"),
    *("mod", "rmod", "pow", "rpow", "lt", "le", "gt", "ge", "eq", "ne"),
    *("and", "rand", "or", "ror", "xor", "rxor"),
)
_NAMES = [*(f"__{name}__" for name in _PROMOTED), "__matmul__", "__rmatmul__", "__getitem__"]
_PLAIN: dict[str, Any] = {name: vars(Operators)[name] for name in _NAMES}


def behave(
    promote: Callable[[Any, Any], tuple[Any, ...]] | None = None,
    promoted: Sequence[str] = _PROMOTED,
    matmul: _Binary | None = None,
    get_item: _Binary | None = None,
) -> None:
    """Set how the operators of the whole process behave; what is None is as TensorFlow has it.

    promote: converts both operands to one dtype, before the operators named in `promoted`.
    matmul: what `@` is. get_item: what `tensor[key]` is.
    """
    chosen = dict(_PLAIN)
    if promote is not None:
        for name in promoted:
            dunder = f"__{name}__"
            chosen[dunder] = _promoting(_PLAIN[dunder], promote)
    if matmul is not None:
        chosen["__matmul__"], chosen["__rmatmul__"] = (
            _forward("matmul", matmul, ""),
            _reflected("matmul", matmul),
        )
    if get_item is not None:
        chosen["__getitem__"] = get_item
    for name, function in chosen.items():
        setattr(Operators, name, function)


def _promoting(plain: _Binary, promote: Callable[[Any, Any], tuple[Any, ...]]) -> _Binary:
    """Return the operator `plain` of operands promoted to one dtype."""

    def operator(self: Any, other: Any) -> Any:
        if other is None:
            return plain(self, other)
        try:
            x, y = promote(self, other)
        except (TypeError, ValueError):
            # Not convertible: the plain operator raises, or defers to the value's class.
            return plain(self, other)
        return plain(x, y)

    return operator


_BY_VALUE = {name: _PLAIN[name] for name in ("__eq__", "__ne__")}


def _is_same(self: Any, other: Any) -> bool:
    return self is other


def _is_not(self: Any, other: Any) -> bool:
    return self is not other


def compare_values(enabled: bool) -> None:
    """Set whether `==` and `!=` compare elements; otherwise they compare identities, and variables
    are hashable."""
    chosen = _BY_VALUE if enabled else {"__eq__": _is_same, "__ne__": _is_not}
    _PLAIN.update(chosen)
    for name, function in chosen.items():
        setattr(Operators, name, function)


def values_are_compared() -> bool:
    """Whether `==` compares elements."""
    return _PLAIN["__eq__"] is not _is_same
