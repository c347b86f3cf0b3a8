"""Vectorisation: a function runs once, on tensors that each stand for a whole batch.

A `BatchedTensor` looks like one tensor and holds many, along a hidden leading axis. While a
`Vectorizer` is the mode, an op with such inputs runs once for all: by its declared batch rule, by
itself if it is element-wise, or else once for each member of the batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from tapeflow._src.core import dispatch, nest
from tapeflow._src.core.batching import Shared
from tapeflow._src.core.dtypes import DType, as_dtype, variant
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.registry import InferError, Op
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.gradients.batch import Batch
from tapeflow._src.gradients.record import flat_inputs
from tapeflow._src.graph.body import EFFECTS
from tapeflow._src.ops.array.common import broadcast_to, fill, pack, scalar_int, static_ints, unpack
from tapeflow._src.ops.lists.tensor_list import (
    empty_tensor_list,
    tensor_list_get_item,
    tensor_list_push_back,
)
from tapeflow._src.ops.operators import Operators


class NotVectorised(TypeError):
    """Not possible in a vectorised function, such as reading one value of a batched tensor."""


class BatchedTensor(Operators, Tensor):
    """A tensor that stands for `n` tensors, stacked along the leading axis of `_value`."""

    __slots__ = ("__weakref__", "_id", "_mode", "_value")

    def __init__(self, value: Any, mode: Vectorizer) -> None:
        self._value = value
        self._mode = mode
        self._id: Any = None

    @property
    def dtype(self) -> DType:
        dtype: DType = self._value.dtype
        return dtype

    @property
    def static_shape(self) -> tuple[int | None, ...]:
        dims: tuple[int | None, ...] = self._value.static_shape[1:]
        return dims

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self.static_shape)

    def set_shape(self, shape: Any) -> None:
        """Check `shape` against the static shape, which is fully known."""
        self.shape.assert_is_compatible_with(shape)

    @property
    def ndim(self) -> int:
        return len(self.static_shape)

    def _twin(self) -> BatchedTensor:
        return BatchedTensor(self._value, self._mode)

    def __len__(self) -> int:
        if not self.static_shape:
            raise TypeError("Scalar tensor has no `len()`")
        size = self.static_shape[0]
        if size is None:
            raise TypeError("The length of this tensor is not known here; use tf.shape.")
        return size

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __hash__(self) -> int:
        raise TypeError(
            "Tensor is unhashable, because == compares values. Use tensor.ref() as a key."
        )

    def numpy(self) -> NoReturn:
        """Raise: there is no single value."""
        self._refuse("numpy()")

    def __bool__(self) -> bool:
        self._refuse("a Python condition (`if`, `while`, `and`)")

    def __int__(self) -> int:
        self._refuse("int()")

    def __float__(self) -> float:
        self._refuse("float()")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        self._refuse("a NumPy function")

    def _refuse(self, what: str) -> NoReturn:
        raise NotVectorised(
            f"{what} needs one value, but this tensor of shape {self.shape} stands for a batch of "
            f"{self._mode.size} of them: the function is being vectorised. Use tf operations such "
            f"as tf.where, or do not vectorise."
        )

    def __repr__(self) -> str:
        return f"<batch of {self._mode.size} tensors: shape={self.shape}, dtype={self.dtype.name}>"


class Vectorizer:
    """The mode that computes with batched tensors.

    The work is done in the mode below, the one that was current before, for the whole batch at
    once. Recorders from outside record that work; those that start in this mode (a tape in the
    vectorised function) record the calls as the function made them.
    """

    # What becomes part of a graph is what the mode below computes.
    graph = None

    def __init__(
        self,
        size: int,
        independent_randomness: bool = False,
        before_looping: Callable[[Op], None] | None = None,
    ) -> None:
        self.size = size
        # Whether random ops draw for each member, or once for all of them.
        self._independent_randomness = independent_randomness
        # Called before an op falls back to one call per member: it may warn or raise.
        self.before_looping = before_looping
        # Whether a stateful op has run, so that nothing may be run again.
        self.has_effects = False
        self._below = dispatch.state.mode
        self._outside = dispatch.state.recorders

    @property
    def is_staged(self) -> bool:
        """Whether the work goes into a graph."""
        return self._below.graph is not None

    @property
    def is_recorded(self) -> bool:
        """Whether a recorder that started in this mode is active."""
        return any(recorder not in self._outside for recorder in dispatch.state.recorders)

    @contextmanager
    def below(self) -> Iterator[None]:
        """Run the block's ops in the mode below, with its recorders."""
        recorders = tuple(r for r in dispatch.state.recorders if r in self._outside)
        with dispatch.use_mode(self._below), dispatch.use_recorders(recorders):
            yield

    @contextmanager
    def above(self) -> Iterator[None]:
        """Run the block's ops in this mode, with the current mode below it."""
        previous = self._below, self._outside
        self._below, self._outside = dispatch.state.mode, dispatch.state.recorders
        try:
            with dispatch.use_mode(self):
                yield
        finally:
            self._below, self._outside = previous

    def wrap(self, value: Any) -> BatchedTensor:
        """Return a batched tensor for a tensor whose first axis is the batch."""
        return BatchedTensor(value, self)

    def unwrap(self, tensor: Any) -> Any:
        """Return the members as one tensor, with the batch as its first axis."""
        return tensor._value if self.owns(tensor) else repeat(tensor, self.size)

    def owns(self, value: Any) -> bool:
        return type(value) is BatchedTensor and value._mode is self

    def convert(self, value: Any, dtype: Any, hint: Any, name: str | None) -> Any:
        """Convert `value` to a tensor: a batched one stays as it is."""
        if type(value) is not BatchedTensor:
            return self._below.convert(value, dtype, hint, name)
        if dtype is not None and as_dtype(dtype) is not value.dtype:
            raise ValueError(
                f"Expected a {as_dtype(dtype).name} tensor, received one of dtype "
                f"{value.dtype.name}; tensors are never converted silently: use tf.cast. The "
                f"tensor: {value!r}"
            )
        return value

    def execute(
        self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None = None
    ) -> Any:
        """Run `op` once for the whole batch, if any of its inputs is batched."""
        for value in inputs:
            if not isinstance(value, Tensor):
                inputs = op.convert_inputs(inputs)
                break
        if op.effect in EFFECTS:
            self.has_effects = True
        if not self._is_batched(op, inputs):
            return self._below.execute(op, inputs, attrs, name)
        _check(op, inputs, attrs)
        state = dispatch.state
        # A vectoriser on top of this one may have passed the call on: then that is the mode.
        mode, recorders = state.mode, state.recorders
        state.mode = self._below
        state.recorders = tuple(r for r in recorders if r in self._outside)
        try:
            result = run_batched(op, inputs, attrs, self)
        finally:
            state.mode, state.recorders = mode, recorders
        if result is None:
            return None
        outputs = tuple(
            r.tensor if type(r) is Shared else self.wrap(r)
            for r in ((result,) if op.single_output else result)
        )
        for recorder in recorders:
            if recorder not in self._outside:
                recorder.record(op, inputs, attrs, outputs)
        return outputs[0] if op.single_output else outputs

    def _is_batched(self, op: Op, inputs: tuple[Any, ...]) -> bool:
        if self._independent_randomness and op.effect == "random":
            return True
        return any(self.owns(tensor) for tensor in flat_inputs(op, inputs))


def _check(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> None:
    """Raise what the op would raise for a single member of the batch."""
    op.check_dtypes(
        tuple(tuple(t.dtype for t in v) if type(v) is tuple else v.dtype for v in inputs)
    )
    try:
        op.infer_outputs(_specs(inputs), attrs)
    except InferError as error:
        raise InvalidArgumentError(None, None, f"{error} [Op:{op.name}]") from error


def _specs(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(
        _specs(v) if type(v) is tuple else Spec(v.static_shape, v.dtype, v.static_value)
        for v in inputs
    )


# -- running a call for the whole batch ---------------------------------------------------------


def run_batched(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], mode: Vectorizer) -> Any:
    """Run a call with batched inputs; return its values, with the batch as first axis."""
    fixed = all(
        kind not in ("Static", "StaticT") or not mode.owns(value)
        for value, kind in zip(inputs, op.kinds, strict=True)
    )
    if fixed:
        batch = Batch(op, mode)
        if op.batch_rule is not None:
            result = op.batch_rule(batch, *inputs, **attrs)
            if result is not NotImplemented:
                return result
        elif op.broadcasts is True:
            return op(*batch.aligned(*inputs), **attrs)
        elif op.keeps_shape and op.effect is None and len({t.static_shape for t in inputs}) == 1:
            return op(*[mode.unwrap(t) for t in inputs], **attrs)
    return one_by_one(op, inputs, attrs, mode)


def repeat(tensor: Any, size: int) -> Any:
    """Repeat `tensor` `size` times along a new first axis."""
    dims = tensor.static_shape
    if dims is None or None in dims or tensor.dtype is variant:
        return _stack_members([tensor] * size)
    return broadcast_to(tensor, static_ints((size, *dims)))


def one_by_one(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], mode: Vectorizer) -> Any:
    """Make the call for each member of the batch: correct for every op, but slow."""
    if mode.before_looping is not None:
        mode.before_looping(op)
    if mode.size == 0:
        return _of_empty_batch(op, inputs, attrs)

    def members(value: Any) -> Any:
        if type(value) is tuple:
            return list(zip(*[members(v) for v in value], strict=True)) or [()] * mode.size
        return (
            _unstack_members(value._value, mode.size) if mode.owns(value) else [value] * mode.size
        )

    columns = [members(value) for value in inputs]
    rows = zip(*columns, strict=True) if columns else [()] * mode.size
    results = [op(*row, **_with_member_seed(op, attrs, i)) for i, row in enumerate(rows)]
    if results[0] is None:
        return None
    if op.single_output:
        return _stack_members(results)
    return tuple(_stack_members(list(column)) for column in zip(*results, strict=True))


def _with_member_seed(op: Op, attrs: dict[str, Any], member: int) -> dict[str, Any]:
    """Return the attributes for one member: seeded random ops must not draw the same numbers."""
    if op.effect != "random" or not (attrs["seed"] or attrs["seed2"]):
        return attrs
    seed = attrs["seed2"]
    return {**attrs, "seed2": type(seed)((seed + member) % (2**31 - 1))}


def _stack_members(members: list[Any]) -> Any:
    """Stack the members of a batch; lists of tensors become a list of lists."""
    if members[0].dtype is not variant:
        return pack(members, axis=0)
    batch = empty_tensor_list(static_ints(()), scalar_int(-1), element_dtype=variant)
    for member in members:
        batch = tensor_list_push_back(batch, member)
    return batch


def _unstack_members(batch: Any, size: int) -> Any:
    """Unstack the members of a batch."""
    if batch.dtype is not variant:
        return unpack(batch, num=size)
    return [
        tensor_list_get_item(batch, scalar_int(i), static_ints(()), element_dtype=variant)
        for i in range(size)
    ]


def _of_empty_batch(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    specs = op.infer_outputs(_specs(inputs), attrs)
    results = tuple(
        fill(static_ints((0, *(n or 0 for n in spec.shape or ()))), dispatch.convert(0, spec.dtype))
        for spec in specs
    )
    return results[0] if op.single_output else results


def vectorize(function: Callable[[Any], Any], elements: Any, mode: Vectorizer) -> Any:
    """Apply `function` to each member of `elements`, stacked along the first axis."""

    def as_tensor(leaf: Any) -> Any:
        return None if leaf is None else dispatch.convert(leaf)

    with dispatch.use_mode(mode):
        result = function(nest.map_structure(mode.wrap, elements, expand_composites=True))
        result = nest.map_structure(as_tensor, result, expand_composites=True)
    return nest.map_structure(
        lambda leaf: None if leaf is None else mode.unwrap(leaf), result, expand_composites=True
    )
