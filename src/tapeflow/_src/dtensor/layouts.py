"""Tensors on meshes: placing, dividing and joining them, and asking for their layouts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from tapeflow._src.core import dispatch, nest
from tapeflow._src.core.device_mesh import Mesh, spans_processes
from tapeflow._src.core.errors import InvalidArgumentError, UnimplementedError
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.tensor import Tensor, TensorBase
from tapeflow._src.core.tensor_layout import Layout
from tapeflow._src.dtensor.variable import DVariable
from tapeflow._src.eager import dtensor
from tapeflow._src.eager.dtensor import DTensor
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.eager.variable import Variable
from tapeflow._src.function.polymorphic import Function
from tapeflow._src.ops.array import relayout as ops

_jax_sharding = LazyModule("tapeflow._src.backends.jax_sharding", "tensors on a mesh")


def _tensor(value: Any) -> Any:
    """Convert to a tensor that is not placed on the mesh of a block by that."""
    return (
        value if isinstance(value, Tensor) else dispatch.state.mode.convert(value, None, None, None)
    )


def is_dtensor(tensor: Any) -> bool:
    """Return whether a tensor or a variable lies on a mesh.

    Args:
        tensor: Any value.

    Returns:
        True for a DTensor and a `DVariable`, else False.

    Example:
        >>> tf.experimental.dtensor.is_dtensor(tf.constant(1))
        False
    """
    if isinstance(tensor, Variable):
        tensor = tensor.handle
    return isinstance(tensor, DTensor)


def fetch_layout(tensor: Any) -> Layout | None:
    """Return the layout of a tensor or a variable on a mesh.

    Args:
        tensor: A DTensor or a `DVariable`.

    Returns:
        A `Layout`; None for what is no tensor.

    Raises:
        InvalidArgumentError: If the tensor lies on no mesh.
        RuntimeError: Within a function: layouts are those of a call.
    """
    if isinstance(tensor, Variable):
        tensor = tensor.handle
    if isinstance(tensor, DTensor):
        return tensor._layout
    if not isinstance(tensor, TensorBase):
        return None
    if not isinstance(tensor, EagerTensor):
        raise RuntimeError(
            "fetch_layout is for eager tensors: within tf.function, layouts are decided for each "
            "call. Use dtensor.relayout to require one."
        )
    raise InvalidArgumentError(
        None, None, f"fetch_layout expects a tensor on a mesh. Received: {tensor!r}"
    )


def check_layout(tensor: Any, layout: Layout) -> None:
    """Raise a ValueError unless a tensor has a layout.

    Args:
        tensor: A DTensor or a `DVariable`.
        layout: The expected layout.

    Raises:
        ValueError: If it has another one.
    """
    own = fetch_layout(tensor)
    if own != layout:
        raise ValueError(f"Expected the layout {layout!r}, but the tensor has {own!r}.")


def relayout(tensor: Any, layout: Layout, name: str | None = None) -> Any:
    """Return a tensor in another layout.

    Args:
        tensor: A tensor, on a mesh or not.
        layout: The layout; axes with `MATCH` stay as they are.
        name: Name of the operation, in a graph.

    Returns:
        A DTensor with the same value.

    Raises:
        UnknownError: If the shape does not fit the layout.

    Example:
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
        >>> t = dtensor.relayout(tf.zeros([4]), dtensor.Layout(["x"], mesh))
        >>> dtensor.fetch_layout(t).sharding_specs
        ['x']
    """
    return dtensor.in_layout(_tensor(tensor), layout, name)


def relayout_like(tensor: Any, layout_tensor: Any, name: str | None = None) -> Any:
    """Return a tensor in the layout of another.

    Args:
        tensor: A tensor.
        layout_tensor: A tensor of the same rank; in a function, of the same shape.
        name: Name of the operation, in a graph.

    Returns:
        A DTensor with the value of `tensor`.
    """
    tensor = _tensor(tensor)
    if dispatch.current_graph() is None:
        layout = fetch_layout(layout_tensor)
        if layout is None:
            raise InvalidArgumentError(
                None, None, f"relayout_like expects a tensor on a mesh. Received: {layout_tensor!r}"
            )
        return relayout(tensor, layout)
    return ops.relayout_like(tensor, _tensor(layout_tensor), name=name)


def copy_to_mesh(tensor: Any, layout: Layout, source_layout: Layout | None = None) -> Any:
    """Copy a tensor to a mesh.

    Args:
        tensor: A tensor, or what converts to one.
        layout: The layout of the copy. A replicated one may have another rank.
        source_layout: Accepted for compatibility; the layout of a tensor is known.

    Returns:
        A DTensor.

    Raises:
        UnknownError: If the shape does not fit the layout.

    Example:
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
        >>> dtensor.copy_to_mesh([1, 2], dtensor.Layout.replicated(mesh, rank=1)).numpy()
        array([1, 2], dtype=int32)
    """
    tensor = _tensor(tensor)
    rank = tensor.shape.rank
    if layout.is_fully_replicated() and rank is not None and rank != layout.rank:
        layout = Layout.replicated(layout.mesh, rank)
    return relayout(tensor, layout)


def pack(tensors: Sequence[Any], layout: Layout) -> Any:
    """Join the components of the devices to one tensor on a mesh.

    Args:
        tensors: The component of each device of this process, in the order of the mesh.
        layout: The layout of the result.

    Returns:
        A DTensor.

    Raises:
        InvalidArgumentError: If their number is not that of the devices, or the rank is wrong.
        UnimplementedError: If they differ in shape.
        RuntimeError: Within a function.

    Example:
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
        >>> dtensor.pack([[1, 2]], dtensor.Layout(["x"], mesh)).shape
        TensorShape([2])
    """
    if dispatch.current_graph() is not None:
        raise RuntimeError("dtensor.pack joins eager tensors; within tf.function, use relayout.")
    parts = [_tensor(tensor) for tensor in tensors]
    count = layout.mesh.num_local_devices()
    if len(parts) != count:
        raise InvalidArgumentError(
            None,
            None,
            f"pack expects a component for each of the {count} devices of this process. Received "
            f"{len(parts)}.",
        )
    shapes = {part.static_shape for part in parts}
    if len(shapes) > 1:
        raise UnimplementedError(
            None, None, f"pack expects components of one shape. Received: {sorted(shapes)}"
        )
    (dims,) = shapes
    if len(dims) != layout.rank:
        raise InvalidArgumentError(
            None,
            None,
            f"pack: the layout is for tensors of rank {layout.rank}, and the components have the "
            f"shape {dims}.",
        )
    arrays = [part._array for part in parts]
    whole = layout.global_shape_from_local_shape(dims)
    if arrays[0].dtype.kind in "OSU":
        return DTensor(_joined(arrays, layout, whole), layout)
    return DTensor(_jax_sharding.from_components(arrays, layout, whole), layout)


def _joined(arrays: Sequence[Any], layout: Layout, dims: tuple[int, ...]) -> np.ndarray:
    """Return the global array of components that stay on the host."""
    if layout.is_fully_replicated():
        return arrays[0]
    if spans_processes(layout.mesh):
        raise NotImplementedError(
            "pack cannot shard strings over several processes, which exchange numbers only. "
            f"Replicate them, or encode them as numbers. Received: {layout}"
        )
    whole = np.empty(dims, arrays[0].dtype)
    for part, offset in zip(arrays, layout.offset_to_shard(), strict=True):
        whole[tuple(slice(i * n, (i + 1) * n) for i, n in zip(offset, part.shape))] = part
    return whole


def unpack(tensor: Any) -> list[Any]:
    """Return the components of a tensor on a mesh, one for each device of this process.

    Args:
        tensor: A DTensor.

    Returns:
        A list of tensors, in the order of the mesh; `device` of each is its device.

    Raises:
        TypeError: For a variable: unpack its value.
        InvalidArgumentError: If the tensor lies on no mesh.
        RuntimeError: Within a function.
    """
    if dispatch.current_graph() is not None:
        raise RuntimeError("dtensor.unpack is for eager tensors, not within tf.function.")
    if not isinstance(tensor, Tensor):
        raise TypeError(f"unpack expects a tensor. Received: {type(tensor).__name__}")
    if not isinstance(tensor, DTensor):
        raise InvalidArgumentError(
            None, None, f"unpack expects a tensor on a mesh. Received: {tensor!r}"
        )
    parts = [EagerTensor(part) for part in tensor.components()]
    for part, device in zip(parts, tensor._layout.mesh.local_devices(), strict=True):
        part._device = device
    return parts


# -- calls -----------------------------------------------------------------------------------------


def call_with_layout(
    fn: Callable[..., Any], layout: Layout | None, *args: Any, **kwargs: Any
) -> Any:
    """Call a function, and return its results in a layout.

    A `tf.function` becomes one program with the layout, of which each device computes its part.

    Args:
        fn: The function.
        layout: The layout of every tensor that it returns; None leaves them as they are.
        *args: Arguments of the function.
        **kwargs: Keyword arguments of the function.

    Returns:
        The results of the function as DTensors.

    Example:
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
        >>> layout = dtensor.Layout(["x"], mesh)
        >>> dtensor.fetch_layout(dtensor.call_with_layout(tf.ones, layout, [4])) == layout
        True
    """
    if layout is None:
        return fn(*args, **kwargs)

    def arranged() -> Any:
        results = fn(*args, **kwargs)
        return nest.map_structure(
            lambda r: dtensor.in_layout(_tensor(r), layout) if isinstance(r, TensorBase) else r,
            results,
        )

    if dispatch.current_graph() is not None:
        return arranged()
    with dtensor.placing(layout.mesh):
        return Function(arranged)() if isinstance(fn, Function) else arranged()


@contextmanager
def default_mesh(mesh: Mesh) -> Iterator[None]:
    """Place the tensors that a block creates on a mesh, replicated.

    Args:
        mesh: The mesh.

    Raises:
        ValueError: If it is no mesh.

    Example:
        >>> dtensor = tf.experimental.dtensor
        >>> with dtensor.default_mesh(dtensor.create_mesh([("x", 1)], devices=["CPU:0"])):
        ...     dtensor.is_dtensor(tf.ones([2]))
        True
    """
    if not isinstance(mesh, Mesh):
        raise ValueError(f"default_mesh expects a Mesh. Received: {mesh!r}")
    with dtensor.placing(mesh):
        yield


def get_default_mesh() -> Mesh | None:
    """Return the mesh of the innermost block of `default_mesh`, or None.

    Returns:
        A `Mesh` or None.
    """
    return dtensor.default_mesh()


@contextmanager
def run_on(mesh: Mesh) -> Iterator[None]:
    """Run the operations of a block on a mesh; `default_mesh` is its newer name.

    Args:
        mesh: The mesh.
    """
    with default_mesh(mesh):
        yield


def device_name() -> str:
    """Return the name of the device that tensors on a mesh report.

    Returns:
        A string.

    Example:
        >>> tf.experimental.dtensor.device_name()
        '/job:localhost/replica:0/task:0/device:CUSTOM:0'
    """
    return dtensor.DEVICE


def enable_save_as_bf16(variables: Sequence[Any]) -> None:
    """Write the float32 variables among these to checkpoints as bfloat16.

    Args:
        variables: Variables; of other classes than `DVariable` none changes.
    """
    for variable in variables:
        if isinstance(variable, DVariable):
            variable.save_as_bf16 = True
