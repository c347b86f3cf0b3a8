"""`PackedTensor`: an eager tensor of many strings, whose `bytes` objects are created when read.

A tensor of strings becomes one in place as soon as an op that works on packed strings receives it,
and the results of such ops are born so. To everything else it is an ordinary eager tensor.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.backends import numpy as xp
from tapeflow._src.core.dtypes import DType, string
from tapeflow._src.core.registry import Op
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.traits import FORWARDS, PACKS, SHAPE_ONLY
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.kernels.strings.packed import MANY, PackedStrings, pack, together

_ARRAY: Any = vars(EagerTensor)["_array"]
_PACKED: Any = vars(EagerTensor)["_packed"]
_OBJECT = np.dtype(object)
# Marks a tensor of objects that an op has read: the next one packs it.
_READ_ONCE = "read once"


class PackedTensor(EagerTensor):
    """A tensor of strings that are packed; the array of objects is created by the first access."""

    __module__ = "tapeflow._src.eager.ops"
    __slots__ = ()

    def __init__(self, packed: PackedStrings) -> None:
        _ARRAY.__set__(self, None)
        self._packed = packed
        self._id = None

    @property
    def _array(self) -> Any:
        array = _ARRAY.__get__(self)
        if array is None:
            array = self._packed.as_array()
            _ARRAY.__set__(self, array)
        return array

    @property
    def dtype(self) -> DType:
        return string

    @property
    def shape(self) -> TensorShape:
        return TensorShape._from_tuple(self._packed.shape)

    @property
    def static_shape(self) -> tuple[int, ...]:
        shape: tuple[int, ...] = self._packed.shape
        return shape

    @property
    def ndim(self) -> int:
        return len(self._packed.shape)

    def __len__(self) -> int:
        if not self._packed.shape:
            raise TypeError("Scalar tensor has no `len()`")
        return self.static_shape[0]

    def _twin(self) -> EagerTensor:
        return PackedTensor(self._packed)

    def __deepcopy__(self, memo: dict[int, Any]) -> EagerTensor:
        return PackedTensor(self._packed)


# What programs see: how the strings are stored is no concern of theirs.
PackedTensor.__name__ = PackedTensor.__qualname__ = EagerTensor.__name__

EAGER_TYPES = frozenset({EagerTensor, PackedTensor})
"""The classes of tensors with a value on the host."""


def packed_operands(op: Op, inputs: tuple[Any, ...]) -> list[Any] | None:
    """Return the operands of a call, strings packed where they are or should be.

    None if no operand is packed.
    """
    packs = PACKS in op.traits
    operands: list[Any] = []
    packed = op.creates_strings and inputs[0]._array.size >= MANY
    for value in inputs:
        if type(value) is tuple:
            items = [operand_of(item, packs) for item in value]
            packed = packed or any(type(item) is PackedStrings for item in items)
            operands.append(items)
        else:
            operand = operand_of(value, packs)
            packed = packed or type(operand) is PackedStrings
            operands.append(operand)
    return operands if packed else None


def operand_of(tensor: Any, packs: bool) -> Any:
    """Return the array of a tensor, or its packed strings, which `packs` asks for."""
    if type(tensor) is PackedTensor:
        return tensor._packed
    array = tensor._array
    if type(tensor) is not EagerTensor or array.dtype is not _OBJECT or array.size < MANY:
        return array
    if not packs and not _was_read(tensor):
        return array
    packed = pack(array)
    tensor._packed = packed
    tensor.__class__ = PackedTensor
    return packed


def value_of(tensor: Any) -> Any:
    """Return the array of a tensor, or its strings if they are packed."""
    return tensor._packed if type(tensor) is PackedTensor else tensor._array


def _was_read(tensor: EagerTensor) -> bool:
    """Whether an op has read the objects of a tensor before; from now on it has."""
    try:
        return _PACKED.__get__(tensor) is _READ_ONCE
    except AttributeError:
        tensor._packed = _READ_ONCE
        return False


def run_packed(op: Op, operands: list[Any], attrs: dict[str, Any]) -> Any:
    """Run a call with packed operands; NotImplemented if it needs objects."""
    kernel = op.kernels.get("packed")
    if kernel is not None:
        return kernel(xp, *operands, **attrs)
    if FORWARDS in op.traits or SHAPE_ONLY in op.traits:
        return op.run(xp, *operands, **attrs)
    return _moved(op, operands, attrs)


def _moved(op: Op, operands: list[Any], attrs: dict[str, Any]) -> Any:
    """Move the strings of a call as the op moves their numbers."""
    strings = [
        string
        for operand, kind in zip(operands, op.kinds, strict=True)
        for string in _strings_of(operand, kind)
    ]
    if not any(type(string) is PackedStrings for string in strings):
        return NotImplemented
    strings = together(strings)
    first = 0
    numbers = []
    for part in strings:
        numbers.append(np.arange(first, first + part.size).reshape(part.shape))
        first += part.size
    remaining = iter(numbers)
    arguments: list[Any] = []
    for operand, kind in zip(operands, op.kinds, strict=True):
        if kind == "Many":
            arguments.append([next(remaining) for _ in operand])
        else:
            arguments.append(next(remaining) if kind == "T" else operand)
    result = op.run(xp, *arguments, **attrs)
    whole = strings[0]
    if len(strings) > 1:
        starts = np.concatenate([part.starts for part in strings])
        sizes = np.concatenate([part.sizes for part in strings])
        whole = PackedStrings(strings[0].text, starts, sizes)
    if isinstance(result, (list, tuple)):
        return [_taken(whole, indices, numbers[0]) for indices in result]
    return _taken(whole, result, numbers[0])


def _strings_of(operand: Any, kind: str) -> list[Any]:
    """Return the arrays of the op's own dtype in an operand."""
    if kind == "Many":
        return list(operand)
    return [operand] if kind == "T" else []


def _taken(whole: PackedStrings, indices: Any, numbers: np.ndarray) -> Any:
    indices = np.asarray(indices)
    if (
        indices.size == whole.size
        and indices.flags.c_contiguous
        and np.may_share_memory(indices, numbers)
    ):
        # All of the numbers, in their order: the strings have another shape, at most.
        return whole.reshape(indices.shape)
    selected = whole.take(indices)
    return selected if selected.size >= MANY else selected.objects()


def wrap(result: Any) -> EagerTensor:
    """Return the tensor of a result that is packed, unless it is too small to be."""
    return PackedTensor(result) if result.size >= MANY else EagerTensor(result.objects())
