"""The values of a checkpoint on their way into objects: all of them, or none.

Every value is read and checked before the first object changes. Should an object refuse its values
all the same, those that have changed by then get their old values back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow._src.checkpoint.bundle import BundleReader
from tapeflow._src.core.default_session import session_for
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.errors import InvalidArgumentError, NotFoundError
from tapeflow._src.core.trackable import Trackable
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.eager.variable import Variable

Values = dict[str, Any]


def read_values(reader: BundleReader, value: Trackable, keys: dict[str, str]) -> Values:
    """Read and check the values that an object has under `keys` in a checkpoint.

    Args:
        reader: The checkpoint.
        value: The object.
        keys: The names of values in the checkpoint, by the object's own names for them.
    """
    current = value._serialize_to_tensors()
    restored = {name: _read(reader, key, current[name]) for name, key in keys.items()}
    value._tpf_check_restored(restored)
    return restored


def _read(reader: BundleReader, key: str, like: Any) -> EagerTensor:
    if key not in reader.entries:
        near = [name for name in reader.entries if name.startswith(key)]
        raise NotFoundError(
            None,
            None,
            f"Key {key} not found in checkpoint {reader.prefix}, which has {near}: the object was "
            f"saved in an unknown form, as TensorFlow's iterators are.",
        )
    dtype, stored = getattr(like, "dtype", None), reader.dtype(key)
    if dtype is not None and dtype is not stored:
        raise InvalidArgumentError(
            None,
            None,
            f"{reader.prefix}: {key} has dtype {stored.name}; the object it is restored to expects "
            f"dtype {dtype.name}.",
        )
    return EagerTensor(reader.read(key))


def in_graphs(
    restored: Sequence[tuple[Trackable, Values]],
) -> list[tuple[Variable, Values]]:
    """Return the objects that are variables of graphs: sessions hold their values."""
    return [
        (value, tensors)
        for value, tensors in restored
        if isinstance(value, Variable) and value._declared is not None
    ]


def load_in_session(restored: Sequence[tuple[Variable, Values]], session: Any) -> None:
    """Assign the values that were read to variables of a graph, in a session."""
    if not restored:
        return
    chosen = session_for(session, "restore a checkpoint", "run_restore_ops")
    for variable, tensors in restored:
        for tensor in tensors.values():
            variable.load(tensor.numpy(), chosen)


def restore_all(restored: Sequence[tuple[Trackable, Values]]) -> None:
    """Restore objects from values that were read; if one fails, none is changed.

    Variables of graphs are left to `load_in_session`.
    """
    later = {id(variable) for variable, _ in in_graphs(restored)}
    restored = [(value, tensors) for value, tensors in restored if id(value) not in later]
    before: list[tuple[Trackable, Values]] = []
    try:
        for value, tensors in restored:
            current = value._serialize_to_tensors()
            before.append((value, {name: convert(current[name]) for name in tensors}))
            value._restore_from_tensors(tensors)
    except BaseException:
        for value, tensors in reversed(before):
            value._restore_from_tensors(tensors)
        raise
