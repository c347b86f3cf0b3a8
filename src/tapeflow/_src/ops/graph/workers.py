"""Collectives between the processes of a multi-worker program.

They run on the host, in the order of the program: compiled functions are cut around them. So each
process may compile when it likes, and a compiled part that is run again repeats no collective.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core import process_group
from tapeflow._src.core.errors import FailedPreconditionError, InvalidArgumentError
from tapeflow._src.core.registry import MANY_OUTPUTS, ManyFree, op
from tapeflow._src.core.spec import Spec

_HOST = "exchanges values with other workers"


def _group(name: str) -> Any:
    group = process_group.joined()
    if group is None:
        raise FailedPreconditionError(
            None,
            None,
            f"{name} exchanges values with other workers, and this process has none: create "
            f"tf.distribute.MultiWorkerMirroredStrategy at the start of the program.",
        )
    return group


def _same(op: Any, specs: Any, attrs: Any) -> tuple[Spec, ...]:
    return tuple(Spec(spec.shape, spec.dtype) for spec in specs[0])


def _numeric(name: str, values: Any) -> list[np.ndarray]:
    """Return arrays, of which all have numbers."""
    arrays = [np.asarray(value) for value in values]
    for array in arrays:
        if array.dtype.kind in "OSU":
            raise InvalidArgumentError(
                None,
                None,
                f"{name}: strings cannot be exchanged with other workers, numbers can. Encode "
                f"them, for instance with tf.strings.to_hash_bucket_fast or tf.io.decode_raw.",
            )
    return arrays


@op("_WorkerSum", infer=_same, outputs=MANY_OUTPUTS, effect="io", host=_HOST)
def worker_sum(xp, values: ManyFree):
    """Return the sums of tensors over all workers."""
    arrays = _numeric("_WorkerSum", values)
    if any(array.dtype.kind == "b" for array in arrays):
        raise InvalidArgumentError(None, None, "Booleans cannot be summed over workers: cast them.")
    return tuple(_group("_WorkerSum").all_reduce(arrays))


@worker_sum.gradient
def _(dzs=None, *, values):
    connected = [dz for dz in dzs if dz is not None]
    sums = iter(worker_sum(connected) if connected else ())
    return ([None if dz is None else next(sums) for dz in dzs],)


@op("_WorkerBroadcast", infer=_same, outputs=MANY_OUTPUTS, effect="io", host=_HOST, grad=None)
def worker_broadcast(xp, values: ManyFree, *, root: int = 0):
    """Return the tensors of one worker."""
    arrays = _numeric("_WorkerBroadcast", values)
    return tuple(_group("_WorkerBroadcast").broadcast(arrays, root))


def _stacked(op: Any, specs: Any, attrs: Any) -> tuple[Spec, ...]:
    count = attrs["count"]
    return tuple(
        Spec(None if spec.shape is None else (count, *spec.shape), spec.dtype) for spec in specs[0]
    )


@op("_WorkerGather", infer=_stacked, outputs=MANY_OUTPUTS, effect="io", host=_HOST, grad=None)
def worker_gather(xp, values: ManyFree, *, count: int):
    """Return tensors of all `count` workers, stacked; shapes are the same everywhere."""
    return tuple(_group("_WorkerGather").all_gather(_numeric("_WorkerGather", values)))


def _joined(op: Any, specs: Any, attrs: Any) -> tuple[Spec, ...]:
    axis = attrs["axis"]

    def without_size(shape: Any) -> Any:
        if shape is None:
            return None
        position = axis % len(shape) if shape else 0
        return tuple(None if i == position else size for i, size in enumerate(shape))

    return tuple(Spec(without_size(spec.shape), spec.dtype) for spec in specs[0])


@op("_WorkerConcat", infer=_joined, outputs=MANY_OUTPUTS, effect="io", host=_HOST, grad=None)
def worker_concat(xp, values: ManyFree, *, axis: int = 0):
    """Return tensors of all workers, concatenated; their sizes along the axis may differ."""
    arrays = _numeric("_WorkerConcat", values)
    group = _group("_WorkerConcat")
    shapes = group.all_gather([np.array(array.shape, np.int64) for array in arrays])
    padded = []
    for array, each in zip(arrays, shapes, strict=True):
        _require_same_rows(array, each, axis)
        missing = int(each[:, axis].max()) - array.shape[axis]
        widths = [(0, 0)] * array.ndim
        widths[axis] = (0, missing)
        padded.append(np.pad(array, widths) if missing else array)
    stacked = group.all_gather(padded)
    results = []
    for parts, each in zip(stacked, shapes, strict=True):
        sizes = each[:, axis].tolist()
        rows = [np.take(part, range(n), axis) for part, n in zip(parts, sizes, strict=True)]
        results.append(np.concatenate(rows, axis))
    return tuple(results)


def _require_same_rows(array: np.ndarray, shapes: np.ndarray, axis: int) -> None:
    """Raise unless the shapes of all workers are equal except along the axis."""
    if not -array.ndim <= axis < array.ndim:
        raise InvalidArgumentError(
            None,
            None,
            f"Values of workers cannot be concatenated along axis {axis}: their rank is "
            f"{array.ndim}. Scalars need an axis first: tf.reshape(x, [1]).",
        )
    others = np.delete(shapes, axis, axis=1)
    if (others != others[0]).any():
        raise InvalidArgumentError(
            None,
            None,
            f"Values of workers can be concatenated along axis {axis} if their shapes are equal "
            f"otherwise, received {[tuple(shape) for shape in shapes.tolist()]}.",
        )
