"""`SymbolicTensor`: stands for a value that a graph will compute."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

from tapeflow._src.core import dispatch
from tapeflow._src.core.default_session import session_for
from tapeflow._src.core.dtypes import DType, resource
from tapeflow._src.core.errors import OperatorNotAllowedInGraphError
from tapeflow._src.core.infer import merge_shape
from tapeflow._src.core.registry import InferError
from tapeflow._src.core.removed_names import attribute_hint
from tapeflow._src.core.shape import TensorShape, as_dims
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.thread_state import inherited
from tapeflow._src.core.types import DTypeLike, ShapeLike
from tapeflow._src.ops.operators import Operators

if TYPE_CHECKING:
    from tapeflow._src.graph.graph import Graph
    from tapeflow._src.graph.operation import Operation


class SymbolicTensor(Operators, Tensor):
    """One of the outputs of an operation in a graph.

    `_origin` is the tensor in the operation's `outputs`: a twin, which tapes treat as another
    tensor, is the same value. `static_value` is the value where tracing already knows it;
    `_partial`, for small integer tensors, is an array with None for unknown elements.
    """

    __slots__ = (
        "__dict__",  # users may hang attributes of their own on a tensor, as Keras does
        "__weakref__",
        "_dtype",
        "_id",
        "_origin",
        "_partial",
        "op",
        "static_shape",
        "static_value",
        "value_index",
    )

    def __init__(
        self,
        op: Operation,
        value_index: int,
        dims: tuple[int | None, ...] | None,
        dtype: DType,
        static: Any = None,
    ) -> None:
        self.op = op
        self.value_index = value_index
        self.static_shape = dims  # type: ignore[misc]
        self._dtype = dtype
        self.static_value = static  # type: ignore[misc]
        self._partial: Any = None
        self._id: Any = None
        self._origin = self

    # -- properties --------------------------------------------------------------------------

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        # A handle is a scalar, whatever the shape of the variable.
        return TensorShape(() if self._dtype is resource else self._origin.static_shape)

    @property
    def ndim(self) -> int | None:
        dims = self._origin.static_shape
        return None if dims is None else len(dims)

    @property
    def graph(self) -> Graph:
        return self.op.graph

    @property
    def name(self) -> str:
        return f"{self.op.name}:{self.value_index}"

    @property
    def device(self) -> str:
        return self.op.device

    def set_shape(self, shape: ShapeLike) -> None:
        """Refine the static shape."""
        origin = self._origin
        try:
            dims = merge_shape(origin.static_shape, as_dims(shape))
        except InferError:
            raise ValueError(
                f"The shape {self.shape} is not compatible with {TensorShape(shape)}, which "
                "set_shape received."
            ) from None
        origin.static_shape = self.static_shape = dims  # type: ignore[misc]

    def consumers(self) -> list[Operation]:
        """Return the operations that take this tensor."""
        origin = self._origin
        return [n for n in self.graph.nodes if any(t is origin for t in n.inputs)]

    def _portable(self) -> Any:
        """Return the replacement of this tensor in a replay of its graph: `replacing_tensors`."""
        for stand_ins in reversed(_stand_ins.stack):
            stand_in = stand_ins.get(id(self._origin))
            if stand_in is not None:
                return stand_in
        raise out_of_scope(self) from None

    def _as_slice(self, variable: Any, key: Any) -> SymbolicSlice:
        part = SymbolicSlice(
            self.op, self.value_index, self.static_shape, self._dtype, self.static_value
        )
        part._origin, part._id = self._origin, self._id
        part._variable, part._key = variable, key
        return part

    def _twin(self) -> SymbolicTensor:
        twin = SymbolicTensor(
            self.op, self.value_index, self.static_shape, self._dtype, self.static_value
        )
        twin._origin = self._origin
        return twin

    # -- what needs a value --------------------------------------------------------------------

    def _refuse(self, task: str) -> NoReturn:
        raise OperatorNotAllowedInGraphError(
            f"{task} is not allowed here: {self.name} is symbolic, without a value while the "
            f"function that computes it is traced. AutoGraph converts `if`, `while` and `for` over "
            f"tensors in functions whose source it can read, unless `autograph=False`. Elsewhere "
            f"use tf.cond, tf.while_loop or tf.where, or run eagerly."
        )

    def __bool__(self) -> bool:
        self._refuse("Using a tensor as a Python `bool`")

    def __iter__(self) -> Iterator[Any]:
        self._refuse("Iterating over a tensor")

    def __index__(self) -> int:
        self._refuse("Using a tensor as a Python index")

    def __int__(self) -> int:
        raise self._no_number("int")

    def __float__(self) -> float:
        raise self._no_number("float")

    def __complex__(self) -> complex:
        raise self._no_number("complex")

    def _no_number(self, kind: str) -> TypeError:
        return TypeError(
            f"{kind}() argument must be a number, not the symbolic tensor {self.name}: it has no "
            f"value yet. Use tf.cast, or return the tensor and convert it outside the function."
        )

    def __len__(self) -> int:
        raise TypeError(
            f"len() is not defined for the symbolic tensor {self.name}: use x.shape[0], or "
            "tf.shape(x)[0] if the size is not known while tracing."
        )

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
        raise NotImplementedError(
            f"NumPy was called with the symbolic tensor {self.name}, which has no value while the "
            "function is traced and cannot become a numpy array. Use the tf function of that "
            "name, or tf.numpy_function."
        )

    def __getattr__(self, name: str) -> Any:
        hint = attribute_hint("Tensor", name)
        error = AttributeError(f"'SymbolicTensor' object has no attribute {name!r}{hint}")
        if name == "numpy":
            error.add_note(
                f"The symbolic tensor {self.name} has no value while its function is traced. Use "
                f"tf operations, tf.print or tf.py_function; or return the tensor and call numpy() "
                f"outside."
            )
        raise error

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Compute the value in `session` or in the default one."""
        task = f"evaluate tensor {self.name}"
        return session_for(session, task, "eval").run(self, feed_dict)

    def __hash__(self) -> int:
        if self.op.graph.building_function:
            raise TypeError(
                "Tensor is unhashable, because == compares values. Use tensor.ref() as a key."
            )
        # In graphs for sessions tensors are keys, and equal to themselves alone.
        return id(self._origin)

    def __eq__(self, other: Any) -> Any:
        if self.op.graph.building_function:
            return super().__eq__(other)
        return isinstance(other, SymbolicTensor) and self._origin is other._origin

    def __ne__(self, other: Any) -> Any:
        if self.op.graph.building_function:
            return super().__ne__(other)
        return not self == other

    def __copy__(self) -> SymbolicTensor:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> SymbolicTensor:
        return self

    def __str__(self) -> str:
        dims = self._origin.static_shape
        shape = "" if dims is None else f", shape={self.shape}"
        return f'Tensor("{self.name}"{shape}, dtype={self.dtype.name})'

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    def __format__(self, spec: str) -> str:
        return str(self).__format__(spec)


class SymbolicSlice(SymbolicTensor):
    """`variable[key]`: a tensor that can be assigned to."""

    __slots__ = ("_key", "_variable")

    _key: Any
    _variable: Any

    def assign(self, value: Any, name: str | None = None) -> Any:
        """Assign to this part of the variable."""
        return self._variable._assign_slice(self._key, value)


class _StandIns(threading.local):
    def __init__(self) -> None:
        self.stack: list[dict[int, Any]] = []


_stand_ins = inherited(_StandIns())


@contextmanager
def replacing_tensors(tensors: dict[int, Any]) -> Iterator[None]:
    """In the block, replace tensors of a replayed graph by the replayed ones.

    `tensors` maps the identity of the graph's own tensors to them. Gradient functions that were
    written in a function's graph, and refer to its tensors, need it when the function was called in
    another.
    """
    _stand_ins.stack.append(tensors)
    try:
        yield
    finally:
        _stand_ins.stack.pop()


def out_of_scope(tensor: SymbolicTensor) -> TypeError:
    """Return the error for a tensor used outside its graph, with the line that created it."""
    function = getattr(tensor.graph, "name", None)
    origin = f"while {function!r} was traced" if function else "in another graph"
    frames = tensor.op.traceback
    created = ""
    if frames:
        file, line, _, code = frames[0]
        created = f", at {file}:{line}" + (f" `{code}`" if code else "")
    return TypeError(
        f"{tensor!r} is out of scope: it was created {origin}{created}, and "
        f"has no value outside of that graph. Python code, such as appending to a list, runs only "
        f"while tracing. Return the tensor from the function, or collect values with "
        f"tf.TensorArray or a tf.Variable."
    )


def is_symbolic(value: Any) -> bool:
    """Whether `value` is a tensor of a graph that is being traced."""
    return isinstance(value, SymbolicTensor)


def tracing() -> bool:
    """Whether ops are being added to a graph rather than run."""
    return dispatch.current_graph() is not None
