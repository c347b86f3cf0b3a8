"""`DTensor`: an eager tensor that lies on the devices of a mesh.

Its value is the global one; the array behind it is one of JAX, divided as the layout says, and goes
to the host only when it is read there. Ops with such tensors run as programs for the whole mesh: an
executor registers itself for that. Before the first mesh is used, nothing here is consulted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tapeflow._src.core import dispatch
from tapeflow._src.core.device_mesh import Mesh, spans_processes
from tapeflow._src.core.devices import LOCAL, DeviceSpec
from tapeflow._src.core.dtypes import FROM_NUMPY, DType
from tapeflow._src.core.errors import UnimplementedError, UnknownError
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.repr import format_for_print
from tapeflow._src.core.resource import Cell
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.tensor_layout import UNSHARDED, Layout, local_offsets
from tapeflow._src.eager.packed_tensor import EAGER_TYPES
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.ops.array.relayout import relayout
from tapeflow._src.ops.array.shape import identity

DEVICE = f"{LOCAL}/device:CUSTOM:0"
# Sharded tensors on meshes of this name hand out their global values, as Keras expects it.
GATHERED = "keras_distribution"
_jax_sharding = LazyModule("tapeflow._src.backends.jax_sharding", "tensors on a mesh")
_VALUE: Any = vars(EagerTensor)["_array"]


class _Meshes:
    """Whether a tensor has been placed on a mesh yet, and who runs ops on meshes."""

    __slots__ = ("active", "runner")

    def __init__(self) -> None:
        self.active = False
        self.runner: Any = None


meshes = _Meshes()


def register(module: str) -> None:
    """Let the module named `module` run ops and programs on meshes."""
    meshes.runner = LazyModule(module)


class DTensor(EagerTensor):
    """A tensor on a mesh: a global value, divided over the devices by a layout."""

    __module__ = "tapeflow._src.eager.ops"
    __slots__ = ()

    _layout: Layout
    _device = DEVICE

    def __init__(self, value: Any, layout: Layout) -> None:
        meshes.active = True
        _VALUE.__set__(self, value)
        self._id = None
        self._layout = layout

    @property
    def value_on_mesh(self) -> Any:
        """The array as it is stored: of JAX, or of NumPy for strings; a cell for a handle."""
        return _VALUE.__get__(self)

    @property
    def _array(self) -> Any:
        """The global value on the host."""
        value = _VALUE.__get__(self)
        if type(value) is np.ndarray or isinstance(value, Cell):
            return value
        host = self.__dict__.get("_host")
        if host is None:
            host = self.__dict__["_host"] = _jax_sharding.whole(value)
        return host

    @_array.setter
    def _array(self, value: Any) -> None:
        _VALUE.__set__(self, value)

    @property
    def dtype(self) -> DType:
        return FROM_NUMPY[_VALUE.__get__(self).dtype]

    @property
    def shape(self) -> TensorShape:
        value = _VALUE.__get__(self)
        # A handle is a scalar, whatever the shape of what it refers to.
        return TensorShape._from_tuple(() if isinstance(value, Cell) else value.shape)

    @property
    def static_shape(self) -> tuple[int, ...]:
        dims: tuple[int, ...] = _VALUE.__get__(self).shape
        return dims

    @property
    def ndim(self) -> int:
        rank: int = _VALUE.__get__(self).ndim
        return rank

    @property
    def is_packed(self) -> bool:
        return True

    def numpy(self) -> Any:
        self._require_replicated()
        return super().numpy()

    _numpy = numpy

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        self._require_replicated()
        return super().__array__(dtype, copy)

    def _require_replicated(self) -> None:
        layout = self._layout
        if not layout.is_fully_replicated() and layout.mesh.name != GATHERED:
            raise UnimplementedError(
                None,
                None,
                "A sharded DTensor has no single local value: relayout it to "
                "Layout.replicated(mesh, rank) first, or dtensor.unpack it. Received: "
                f"{self!r}",
            )

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("Scalar tensor has no `len()`")
        return self.static_shape[0]

    def _twin(self) -> DTensor:
        return DTensor(_VALUE.__get__(self), self._layout)

    def __deepcopy__(self, memo: dict[int, Any]) -> DTensor:
        return self._twin()

    def components(self) -> list[np.ndarray]:
        """Return the arrays of the devices of this process, in the order of the mesh."""
        value = _VALUE.__get__(self)
        if type(value) is not np.ndarray:
            return [np.asarray(part) for part in _jax_sharding.components(value)]
        parts = self._layout.local_shape_from_global_shape(value.shape)
        return [
            value[tuple(slice(i * n, (i + 1) * n) for i, n in zip(offset, parts))]
            for offset in local_offsets(self._layout)
        ]

    def summary(self) -> str:
        """Return the value, or those of the devices, and the layout as text."""
        value = _VALUE.__get__(self)
        if isinstance(value, Cell):
            text = repr(value)
        elif self._layout.is_fully_replicated():
            text = format_for_print(self._array)
        else:
            names = map(_short_name, self._layout.mesh.local_devices())
            parts = zip(names, self.components(), strict=True)
            text = "{" + ", ".join(f'"{n}": {format_for_print(part)}' for n, part in parts) + "}"
        return f'{text}, layout="{self._layout.to_string()}"'

    def __repr__(self) -> str:
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, value={self.summary()}>"

    def __str__(self) -> str:
        return f"tf.Tensor({self.summary()}, shape={self.shape}, dtype={self.dtype.name})"


def _short_name(device: str) -> str:
    spec = DeviceSpec.from_string(device)
    return f"{spec.device_type}:{spec.device_index}"


# -- placing ---------------------------------------------------------------------------------------


def checked(layout: Layout, dims: tuple[int, ...]) -> Layout:
    """Return the layout; raise unless tensors of this shape can have it."""
    if layout.is_single_device():
        raise NotImplementedError(
            f"Tensors are placed on meshes with axes; create one with dtensor.create_mesh. "
            f"Received: {layout}"
        )
    try:
        layout.check_shape(dims)
    except ValueError as error:
        raise UnknownError(None, None, str(error)) from None
    return layout


def lies_in_several_processes(tensor: Any) -> bool:
    """Return whether a tensor is on a mesh of several processes."""
    return isinstance(tensor, DTensor) and spans_processes(tensor._layout.mesh)


def on_mesh(tensor: EagerTensor, layout: Layout) -> DTensor:
    """Return a tensor in a layout, without a record of it."""
    value = _VALUE.__get__(tensor)
    if not (type(value) is np.ndarray and value.dtype.kind in "OSU"):
        value = _jax_sharding.put(value, layout)
    return DTensor(value, layout)


def moved(tensor: EagerTensor, layout: Layout) -> DTensor:
    """Return a tensor in a layout; for tapes it is the identity."""
    result = on_mesh(tensor, checked(layout, tensor.static_shape))
    for recorder in dispatch.state.recorders:
        recorder.record(identity, (tensor,), {}, (result,))
    return result


def replicated(tensor: EagerTensor, mesh: Mesh) -> DTensor:
    """Return a tensor that is whole on every device of a mesh."""
    return moved(tensor, Layout.replicated(mesh, tensor.ndim))


def resolved(layout: Layout, current: Layout | None) -> Layout:
    """Return a layout with each `MATCH` replaced by what the tensor has there."""
    here = [UNSHARDED] * layout.rank if current is None else current.sharding_specs
    specs = layout.sharding_specs
    sharding = set(specs)
    return Layout(
        [
            (UNSHARDED if old in sharding else old) if new == "match" else new
            for new, old in zip(specs, here, strict=True)
        ],
        layout.mesh,
    )


def in_layout(tensor: Any, layout: Layout | None, name: str | None = None) -> Any:
    """Return a tensor in a layout, eagerly or in a graph; None leaves it as it is."""
    if layout is None:
        return tensor
    if dispatch.current_graph() is not None:
        dims = tensor.static_shape
        if dims is not None and None not in dims:
            checked(layout, dims)
        return relayout(tensor, layout=layout.to_string(), name=name)
    checked(layout, tensor.static_shape)
    own = tensor._layout if isinstance(tensor, DTensor) else None
    return moved(tensor, resolved(layout, own))


# -- the mesh of a call ----------------------------------------------------------------------------


def tensors_in(inputs: Iterable[Any]) -> Iterator[Any]:
    """Yield the tensors among the operands of a call, those of lists too."""
    for value in inputs:
        if type(value) is tuple or type(value) is list:
            yield from value
        else:
            yield value


def mesh_in(inputs: Iterable[Any]) -> Mesh | None:
    """Return the mesh of the operands of a call; None if none lies on a mesh.

    Scalars follow the other operands.

    Raises:
        UnknownError: If there are several.
    """
    mesh: Mesh | None = None
    of_scalars: Mesh | None = None
    for tensor in tensors_in(inputs):
        if type(tensor) is DTensor:
            own = tensor._layout.mesh
            if not tensor._layout.rank and not isinstance(tensor.value_on_mesh, Cell):
                of_scalars = own
            elif mesh is None:
                mesh = own
            elif own is not mesh and own != mesh:
                raise UnknownError(
                    None,
                    None,
                    "The inputs of an operation must lie on one mesh; use dtensor.copy_to_mesh "
                    f"first. Received tensors on {mesh!r} and on {own!r}.",
                )
    return of_scalars if mesh is None else mesh


class MeshPlacer:
    """A recorder that places the results of ops on a mesh: only its blocks pay for it."""

    checks_numerics = False

    def __init__(self, mesh: Mesh) -> None:
        self.mesh = mesh

    def record(
        self, op: Any, inputs: tuple[Any, ...], attrs: dict[str, Any], outputs: tuple[Any, ...]
    ) -> None:
        for tensor in outputs:
            self.place(tensor)

    def place(self, tensor: Any) -> None:
        """Replicate an eager tensor on the mesh, in place."""
        if type(tensor) not in EAGER_TYPES or isinstance(tensor._array, Cell):
            return
        copy = on_mesh(tensor, Layout.replicated(self.mesh, tensor.ndim))
        _become(tensor, copy)

    def variable_accessed(self, variable: Any) -> None:
        """Do nothing: reading a variable is an op as well."""

    def takes(self, tensors: Iterable[Any]) -> bool:
        return False

    def left(self, tensor: Any, how: str) -> None:
        """Ignore values that go to NumPy or Python."""

    def record_custom(
        self, pull: Callable[..., Any], inputs: tuple[Any, ...], outputs: tuple[Any, ...]
    ) -> None:
        """Do nothing: the ops of the call have been recorded."""


def _become(tensor: Any, copy: DTensor) -> None:
    """Let a new tensor be the same as its copy on a mesh; it keeps its identity for tapes."""
    tensor.__class__ = DTensor
    tensor._layout = copy._layout
    _VALUE.__set__(tensor, copy.value_on_mesh)


def default_mesh() -> Mesh | None:
    """Return the mesh of the innermost block of `dtensor.default_mesh`, if any."""
    for recorder in reversed(dispatch.state.recorders):
        if type(recorder) is MeshPlacer:
            return recorder.mesh
    return None


@contextmanager
def placing(mesh: Mesh) -> Iterator[None]:
    """Place the results of the block's ops on a mesh."""
    meshes.active = True
    placer = MeshPlacer(mesh)
    outer = dispatch.state.placer
    dispatch.add_recorder(placer)
    dispatch.state.placer = placer
    dispatch.device_blocks.entered = True
    try:
        yield
    finally:
        dispatch.state.placer = outer
        dispatch.remove_recorder(placer)
