"""`DVariable`: a variable whose value lies on a mesh."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.resource import Cell, hold_on_mesh
from tapeflow._src.core.tensor_layout import Layout
from tapeflow._src.eager.dtensor import DTensor, on_mesh
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.eager.variable import Variable
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.cast import cast

_jax_sharding = LazyModule("tapeflow._src.backends.jax_sharding", "tensors on a mesh")


def place(variable: Variable, layout: Layout, value: EagerTensor | None = None) -> None:
    """Move the value of a new variable to a mesh; `value` instead of that of its cell."""
    cell = variable._cell
    initial = EagerTensor(cell.now()) if value is None else value
    # A copy: the programs that update the variable take ownership of its memory.
    if isinstance(initial, DTensor) and not isinstance(initial.value_on_mesh, np.ndarray):
        array = _jax_sharding.copied(initial.value_on_mesh, layout)
    else:
        array = on_mesh(initial, layout).value_on_mesh
    hold_on_mesh(cell, array)
    variable._handle = DTensor(cell, layout)
    variable._read = ((variable._handle,), {"dtype": variable._dtype})


class DVariable(Variable):
    """A variable on a mesh, in the layout of its initial value, which assignments keep.

    Args:
        initial_value: A DTensor, or a function that returns one.
        dtype: The dtype; by default that of the initial value.
        layout: The layout, where the initial value lies on no mesh.

    Raises:
        InvalidArgumentError: If the initial value lies on no mesh, and no layout is passed.

    Example:
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
        >>> zeros = dtensor.call_with_layout(tf.zeros, dtensor.Layout(["x"], mesh), [4])
        >>> v = dtensor.DVariable(zeros)
        >>> v.assign_add(dtensor.relayout_like(tf.ones([4]), zeros)).layout.sharding_specs
        ['x']
    """

    def __init__(
        self,
        initial_value: Any,
        *args: Any,
        dtype: Any = None,
        layout: Layout | None = None,
        **kwargs: Any,
    ) -> None:
        self._requested_layout = layout
        self._save_as_bf16 = False
        super().__init__(initial_value, *args, dtype=dtype, **kwargs)  # type: ignore[misc]

    def _hold(self, initial_value: Any, dtype: Any, shape: Any, name: str | None) -> None:
        value = self._initial_tensor(initial_value, dtype)
        layout = self._requested_layout
        if layout is None and isinstance(value, DTensor):
            layout = value._layout
        if layout is None:
            raise InvalidArgumentError(
                None,
                None,
                "DVariable needs an initial value on a mesh, or a layout: use "
                "dtensor.call_with_layout or dtensor.copy_to_mesh to create one. Received: "
                f"{value!r}",
            )
        layout.check_shape(value.static_shape)
        self._shape = value.shape
        self._name = dispatch.state.name_scope + (name or "Variable")
        self._dtype = value.dtype
        self._cell = Cell(None, value.dtype, value.static_shape, self._name)
        place(self, layout, value)

    @property
    def layout(self) -> Layout:
        """The layout of the value."""
        layout: Layout = self._handle._layout
        return layout

    @property
    def device(self) -> str:
        """The device that tensors on a mesh report."""
        return DTensor._device

    @property
    def save_as_bf16(self) -> bool:
        """Whether checkpoints hold the value as bfloat16."""
        return self._save_as_bf16

    @save_as_bf16.setter
    def save_as_bf16(self, save_as_bf16: bool) -> None:
        self._save_as_bf16 = bool(save_as_bf16) and self._dtype is dtypes.float32

    def __getitem__(self, key: Any) -> Any:
        return get_item(self.value(), key)

    def _unread(self) -> Any:
        result = _UnreadDVariable.__new__(_UnreadDVariable)
        result.__dict__ = self.__dict__
        return result

    def _serialize_to_tensors(self) -> dict[str, Any]:
        value: Any = self.value()
        if self._save_as_bf16:
            value = cast(value, DstT=dtypes.bfloat16)
        return {"VARIABLE_VALUE": value}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        self._tpf_check_restored(restored_tensors)
        value = restored_tensors["VARIABLE_VALUE"]
        if value.dtype is not self._dtype:
            value = cast(value, DstT=self._dtype)
        self.assign(value, read_value=False)

    def __repr__(self) -> str:
        if dispatch.current_graph() is not None:
            return super().__repr__()
        with dispatch.use_recorders(()):
            summary = self.value().summary()  # type: ignore[attr-defined]
        return (
            f"<tf.Variable '{self.name}' shape={self._shape} dtype={self._dtype.name}, "
            f"value={summary}>"
        )


class _UnreadDVariable(DVariable):
    """The result of an assignment: the variable, for reading its new value."""

    @property
    def name(self) -> str:
        return "UnreadVariable"
