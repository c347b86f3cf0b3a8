"""Variables and tensors of `keras.distribution` on meshes of devices, and its processes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tapeflow._src.core import dispatch
from tapeflow._src.core.devices import placement
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.tensor_layout import Layout
from tapeflow._src.distribute import clients
from tapeflow._src.distribute.common_files import written_once as written_once
from tapeflow._src.dtensor.variable import place
from tapeflow._src.eager.dtensor import GATHERED, DTensor, in_layout

MESH_NAME = GATHERED
_JOB = "worker"
_jax_sharding = LazyModule("tapeflow._src.backends.jax_sharding", "tensors on a mesh")
_jax_processes = LazyModule("tapeflow._src.backends.jax_processes", "meshes of several processes")


def place_variable(variable: Any, layout: Layout) -> None:
    """Move the value of a new variable to a mesh: updates keep its layout."""
    if variable._cell.now() is not None:
        place(variable, layout)


def place_tensor(tensor: Any, layout: Layout) -> Any:
    """Return a tensor in a layout, eagerly or in a graph."""
    return in_layout(tensor, layout)


def is_on_mesh(tensor: Any) -> bool:
    """Return whether a tensor lies on a mesh."""
    return isinstance(tensor, DTensor)


def is_eager() -> bool:
    """Return whether operations run at once, not within a function that is traced."""
    return dispatch.current_graph() is None


# -- processes -------------------------------------------------------------------------------------


class Processes(NamedTuple):
    """The processes of the program: how many, which one is this, and how many CPUs each has."""

    size: int
    number: int
    devices: int

    def device(self, index: int) -> str:
        """Return the full name of a CPU, by its number among those of all processes."""
        task, own = divmod(index, self.devices)
        return f"/job:{_JOB}/replica:0/task:{task}/device:CPU:{own}"


def processes() -> Processes | None:
    """Return the processes of the program; None if it has one."""
    group = clients.joined()
    return None if group is None else Processes(group.size, group.rank, group.devices_per_worker)


def join_processes(addresses: Sequence[str], number: int, setting: str) -> None:
    """Meet the other processes of the program.

    Raises:
        ValueError: An address is wrong, or the program belongs to another group.
        NotImplementedError: The devices are no CPUs.
        DeadlineExceededError: A process, which is named, did not come in time.
    """
    if placement.accelerators():
        raise NotImplementedError(
            f"Several processes share CPUs only. Received: {', '.join(placement.accelerators())} "
            f"in this process. Hide them with tf.config.set_visible_devices([], 'GPU'), or train "
            f"with tf.distribute.MultiWorkerMirroredStrategy."
        )
    clients.join(_JOB, addresses, number, setting)


def shared_number(own: int, state: bytes) -> int | None:
    """Return the number of the first process; None if `state` is the same in all processes."""
    group = clients.joined()
    if group is None:
        return None
    (states,) = group.all_gather([np.frombuffer(state, np.uint8)])
    if bool((states == states[0]).all()):
        return None
    (first,) = group.broadcast([np.array([own], np.uint32)])
    return int(first[0])


def rows_of_all(rows: int) -> list[int]:
    """Return how many rows each process has."""
    group = clients.joined()
    if group is None:
        return [rows]
    (counts,) = group.all_gather([np.array([rows], np.int64)])
    return [int(number) for number in counts.ravel()]


def joined_rows(array: np.ndarray, counts: Sequence[int]) -> np.ndarray:
    """Return the rows of all processes together; `counts` says how many each has."""
    group = clients.joined()
    if group is None:
        return array
    padded = np.zeros((max(counts), *array.shape[1:]), array.dtype)
    padded[: len(array)] = array
    (parts,) = group.all_gather([padded])
    return np.concatenate([part[:number] for part, number in zip(parts, counts, strict=True)])


def place_rows(array: np.ndarray, layout: Layout, first: int, total: int) -> Any:
    """Return the tensor of which this process has the rows from `first` on, `total` in all.

    Raises:
        ValueError: A device of this process needs other rows.
    """
    value = _jax_processes.from_rows(array, _jax_sharding.sharding_of(layout), first, total)
    return DTensor(value, layout)
