"""`Variable`: a name, a handle and a value that can change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any
from weakref import ref

import numpy as np

from tapeflow._src.core import devices, dispatch
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.repr import variable_repr
from tapeflow._src.core.resource import Cell
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.tensor import Tensor, TensorBase, tensor_in
from tapeflow._src.core.trackable import Trackable
from tapeflow._src.core.types import DTypeLike, ShapeLike
from tapeflow._src.eager.creators import ThroughCreators
from tapeflow._src.eager.declaration import Declaration, declaring, handle_of, initial_tensor
from tapeflow._src.eager.legacy_members import LegacyMembers
from tapeflow._src.eager.replication import VariableAggregation, VariableSynchronization
from tapeflow._src.eager.row_updates import RowUpdates
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.ops.array.slicing import get_item, slice_arguments
from tapeflow._src.ops.operators import ValueOperators, values_are_compared
from tapeflow._src.ops.state import variables as state
from tapeflow._src.ops.state.slices import resource_strided_slice_assign

_creation_index = count().__next__


def _refuse_in_place(sign: str, repair: str) -> Callable[[Variable, Any], Any]:
    """Return an operator like `+=` that raises: it would rebind the name to a tensor."""

    def refuse(self: Variable, other: Any) -> Any:
        raise RuntimeError(
            f"`variable {sign}= value` does not change a tf.Variable. Use `variable.{repair}` to "
            f"change it, or `out = variable {sign} value` to get a new tensor."
        )

    return refuse


class Variable(
    ValueOperators, RowUpdates, LegacyMembers, Trackable, TensorBase, metaclass=ThroughCreators
):
    """A value that can change, with a fixed dtype and shape.

    Reading returns a tensor with the value at that time; `assign` and its relatives change it.
    Operators and functions accept a variable wherever they accept a tensor.

    Args:
        initial_value: The first value: anything that converts to a tensor, or a function without
            arguments that returns it.
        trainable: Whether tapes watch it and optimizers find it; by default True, except for
            `VariableSynchronization.ON_READ`.
        validate_shape: In a `tf.compat.v1` graph, False leaves the static shape unknown.
        caching_device: Accepted for compatibility; reads are not cached.
        variable_def: Accepted for compatibility.
        dtype: The dtype; by default that of the initial value.
        import_scope: Accepted for compatibility.
        constraint: Function that an optimizer applies to the value after each update.
        synchronization: When replicas of a distributed variable are aggregated.
        aggregation: How replicas of a distributed variable are aggregated.
        shape: The static shape, if it is more general than that of the initial value.
        experimental_enable_variable_lifting: Accepted for compatibility.

    Raises:
        ValueError: If there is no initial value, it does not fit `shape`, or `constraint` is not
            callable.

    Example:
        >>> v = tf.Variable([1.0, 2.0], name="weights")
        >>> v.assign_add([0.5, 0.5]).numpy()
        array([1.5, 2.5], dtype=float32)
        >>> (v * 2.0).numpy()
        array([3., 5.], dtype=float32)
        >>> v
        <tf.Variable 'weights:0' shape=(2,) dtype=float32, numpy=array([1.5, 2.5],
        dtype=float32)>
    """

    # NumPy must leave `array + variable` to the variable.
    __array_priority__ = 100
    _through_creators = True
    # Its operations in a graph, if it was created in one.
    _declared: Declaration | None = None

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: str | None = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: Any = None,
        experimental_enable_variable_lifting: bool = True,
    ) -> None:
        if initial_value is None:
            raise ValueError(
                "tf.Variable needs initial_value: a value, or a function that returns one."
            )
        if constraint is not None and not callable(constraint):
            raise ValueError(
                f"constraint must be a function of the variable or None, received {constraint!r}."
            )
        if type(synchronization) is not VariableSynchronization:
            raise ValueError(
                f"synchronization must be a tf.VariableSynchronization, got {synchronization!r}."
            )
        if type(aggregation) is not VariableAggregation:
            raise ValueError(f"aggregation must be a tf.VariableAggregation, got {aggregation!r}.")
        creating = getattr(dispatch.state.mode, "creating_variable", None)
        if creating is not None:
            creating()
        if trainable is None:
            # Replicas of ON_READ variables are not trainable.
            trainable = synchronization is not VariableSynchronization.ON_READ
        self._trainable = bool(trainable)
        self._constraint = constraint
        self._synchronization = synchronization
        self._aggregation = aggregation
        self._creation_index = _creation_index()
        # Shared with the results of assignments, which stand for the variable temporarily.
        self._itself = ref(self)
        if getattr(dispatch.state.mode, "declares_variables", False):
            declared = None if validate_shape else TensorShape(None)
            self._declare(initial_value, dtype, declared if shape is None else shape, name)
        else:
            self._hold(initial_value, dtype, shape, name)
        self._read = ((self._handle,), {"dtype": self._dtype})

    def _hold(self, initial_value: Any, dtype: Any, shape: Any, name: str | None) -> None:
        """Store the initial value now."""
        value = self._initial_tensor(initial_value, dtype)
        self._shape = _declared_shape(value, shape)
        self._name = dispatch.state.name_scope + (name or "Variable")
        self._dtype = value.dtype
        # The array may be shared with the tensor passed: the first write in place copies it.
        self._cell = Cell(value._array, value.dtype, _dims_of(self._shape), self._name)
        self._handle: Any = EagerTensor(self._cell)
        device = dispatch.state.device
        # The value is in the memory of the host, also in a block for an accelerator.
        if device and dispatch.state.mode is dispatch.base_mode() and devices.on_host(device):
            self._device = self._handle._device = device

    def _declare(self, initial_value: Any, dtype: Any, shape: Any, name: str | None) -> None:
        """Add the variable to the graph: its initializer assigns the initial value."""
        with declaring(name or "Variable") as (self._name, graph):
            value = initial_tensor(initial_value, dtype)
            self._shape, self._dtype = _declared_shape(value, shape), value.dtype
            dims = _dims_of(self._shape)
            self._cell = Cell(None, self._dtype, dims, self._name)
            self._handle = handle_of(self._name, self._dtype, dims)
            self._declared = Declaration(graph, self._handle, value, self._dtype)
        graph.add_to_collection("variables", self)
        if self._trainable:
            graph.add_to_collection("trainable_variables", self)

    @classmethod
    def _from_handle(
        cls, handle: Any, shape: TensorShape, dtype: DType, trainable: bool, name: str = "Variable"
    ) -> Variable:
        """Return the variable of a handle, such as an argument of a traced function."""
        variable = cls.__new__(cls)
        variable._name = name
        variable._trainable = trainable
        variable._constraint = None
        variable._synchronization = VariableSynchronization.AUTO
        variable._aggregation = VariableAggregation.NONE
        variable._shape = shape
        variable._dtype = dtype
        dims = None if shape.rank is None else tuple(shape)
        value = handle.static_value
        variable._cell = value if isinstance(value, Cell) else Cell(None, dtype, dims, name)
        variable._handle = handle
        variable._read = ((handle,), {"dtype": dtype})
        variable._creation_index = _creation_index()
        variable._itself = ref(variable)
        return variable

    @classmethod
    def _from_declaration(cls, declaration: Declaration, trainable: bool, name: str) -> Variable:
        """Return the variable that operations of a graph declare."""
        value = declaration.value
        handle = declaration.operation.outputs[0]
        variable = cls._from_handle(handle, value.shape, value.dtype, trainable, name)
        variable._declared = declaration
        return variable

    @staticmethod
    def _initial_tensor(initial_value: Any, dtype: DTypeLike) -> Any:
        state = dispatch.state
        traced = state.mode is not dispatch.base_mode() and hasattr(state.mode, "value_now")
        initial_value = tensor_in(initial_value)
        if traced and isinstance(initial_value, Tensor):
            initial_value = state.mode.value_now(initial_value)
        try:
            if state.mode is dispatch.base_mode():
                value = initial_value() if callable(initial_value) else initial_value
                return dispatch.convert(value, dtype)
            # A variable outlives the function that is traced, and so does its initial value.
            with dispatch.use_mode(dispatch.base_mode()), dispatch.use_recorders(()):
                value = initial_value() if callable(initial_value) else initial_value
                return dispatch.convert(value, dtype)
        except ValueError as error:
            raise ValueError(f"initial_value: {error}") from None

    # -- properties --------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return f"{self._name}:0"

    @property
    def _shared_name(self) -> str:
        return self._name

    @property
    def _unique_id(self) -> str:
        """A name that is unique in this process; optimizers use it as a key."""
        return f"{self._name}_{self._creation_index}"

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        return self._shape

    @property
    def static_shape(self) -> tuple[int | None, ...] | None:
        return self._cell.shape

    def get_shape(self) -> TensorShape:
        """Return the static shape, as `.shape`."""
        return self._shape

    @property
    def handle(self) -> Any:
        """The tensor that stands for the variable itself, not for its value."""
        return self._handle

    @property
    def trainable(self) -> bool:
        return self._trainable

    @property
    def constraint(self) -> Callable[[Any], Any] | None:
        """The function that an optimizer applies to the value after each update."""
        return self._constraint

    @property
    def synchronization(self) -> VariableSynchronization:
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        return self._aggregation

    # -- reading -----------------------------------------------------------------------------

    def value(self) -> Tensor:
        """Return the current value as a tensor; later assignments do not change it.

        Example:
            >>> v = tf.Variable(1.0)
            >>> before = v.value()
            >>> v.assign(5.0).numpy(), before.numpy()
            (np.float32(5.0), np.float32(1.0))
        """
        if self._declared is not None and self._declared.changed:
            return self._declared.value
        # Directly to the mode: every use of a variable passes here.
        now = dispatch.state
        if now.recorders:
            variable = self._itself()
            for recorder in now.recorders:
                recorder.variable_accessed(self if variable is None else variable)
        handle, attrs = self._read
        return now.mode.execute(state.read_variable, handle, attrs, None)

    def read_value(self) -> Tensor:
        """Return the current value as a tensor, as `value()` does."""
        return self.value()

    def __tf_tensor__(self, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
        if dtype is not None and as_dtype(dtype) is not self._dtype:
            raise ValueError(
                f"Expected a value of dtype {as_dtype(dtype).name}, but the variable is "
                f"{self._dtype.name}: use tf.cast(variable, {as_dtype(dtype)!r}). The variable: "
                f"{self!r}"
            )
        return self.value()

    def numpy(self) -> np.ndarray[Any, np.dtype[Any]]:
        """Return the current value as a NumPy array of its own.

        Raises:
            NotImplementedError: For a variable of a `tf.compat.v1` graph.

        Example:
            >>> tf.Variable([1, 2]).numpy()
            array([1, 2], dtype=int32)
        """
        if self._declared is not None:
            raise NotImplementedError(
                f"{self.name}.numpy() is not available in a tf.compat.v1 graph: the value is in a "
                "session; use session.run."
            )
        return self.value().numpy()

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return self.value().__array__(dtype, copy)

    # -- assignment --------------------------------------------------------------------------

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable:
        """Assign a new value.

        Args:
            value: The value, of the variable's dtype and of a compatible shape.
            use_locking: Accepted for compatibility; assignments are always atomic.
            read_value: Whether to return the variable.

        Returns:
            The variable with its new value, or None if `read_value` is False.

        Raises:
            ValueError: If the shape is incompatible with that of the variable.

        Example:
            >>> v = tf.Variable([1, 2])
            >>> v.assign([3, 4]).numpy()
            array([3, 4], dtype=int32)
        """
        tensor = self._operand(value)
        is_same_shape = tensor.static_shape == self._cell.shape
        if not is_same_shape and not self._shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Cannot assign a value of shape {tensor.shape} to variable '{self.name}' of shape "
                f"{self._shape}: the shapes are incompatible. Reshape the value, or create the "
                "variable with shape=tf.TensorShape(None)."
            )
        dims = self._cell.shape
        attrs = {"validate_shape": dims is not None and None not in dims}
        dispatch.state.mode.execute(state.assign_variable, (self._handle, tensor), attrs, name)
        return self._unread() if read_value else None  # type: ignore[return-value]

    def assign_add(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable:
        """Add `delta` to the variable.

        Args:
            delta: The value to add, of the variable's dtype and shape.
            use_locking: Accepted for compatibility; assignments are always atomic.
            read_value: Whether to return the variable.

        Returns:
            The variable with its new value, or None if `read_value` is False.

        Example:
            >>> tf.Variable([1, 2]).assign_add([10, 20]).numpy()
            array([11, 22], dtype=int32)
        """
        return self._updated(state.assign_add_variable, delta, name, read_value)

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable:
        """Subtract `delta` from the variable.

        Args:
            delta: The value to subtract, of the variable's dtype and shape.
            use_locking: Accepted for compatibility; assignments are always atomic.
            read_value: Whether to return the variable.

        Returns:
            The variable with its new value, or None if `read_value` is False.

        Example:
            >>> tf.Variable([1, 2]).assign_sub([1, 1]).numpy()
            array([0, 1], dtype=int32)
        """
        return self._updated(state.assign_sub_variable, delta, name, read_value)

    def _operand(self, value: Any) -> Any:
        """Convert the operand of an assignment to a tensor of the variable's dtype."""
        tensor = dispatch.convert(value, self._dtype)
        if type(tensor) is EagerTensor and tensor is not value:
            return dispatch.embedded(tensor, "Const")
        return tensor

    def _updated(self, op: Any, delta: Any, name: str | None, read_value: bool) -> Any:
        # Directly to the mode, as in `value`: training calls this for every variable.
        if type(delta) is not EagerTensor or delta.dtype is not self._dtype:
            delta = self._operand(delta)
        dispatch.state.mode.execute(op, (self._handle, delta), {}, name)
        return self._unread() if read_value else None

    def __getitem__(self, key: Any) -> Tensor:
        part = get_item(self.value(), key)
        if type(part) is EagerTensor:
            return VariableSlice(part, self, key)
        return part._as_slice(self, key)

    def _assign_slice(self, key: Any, value: Any) -> UnreadVariable:
        """Assign to the part of the variable at `key`."""
        where, masks = slice_arguments(key)
        tensor = dispatch.convert(value, self._dtype)
        resource_strided_slice_assign(self._handle, *where, tensor, **masks)
        return self._unread()

    __iadd__ = _refuse_in_place("+", "assign_add(value)")
    __isub__ = _refuse_in_place("-", "assign_sub(value)")
    __imul__ = _refuse_in_place("*", "assign(variable * value)")
    __itruediv__ = _refuse_in_place("/", "assign(variable / value)")
    __ipow__ = _refuse_in_place("**", "assign(variable ** value)")

    # -- checkpoints -------------------------------------------------------------------------

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {"VARIABLE_VALUE": self}

    def _tpf_check_restored(self, restored_tensors: dict[str, Any]) -> None:
        value = restored_tensors["VARIABLE_VALUE"]
        if not self._shape.is_compatible_with(value.shape):
            raise ValueError(
                f"Cannot restore the variable {self.name}: it has the shape {self._shape}, and the "
                f"checkpoint an incompatible tensor of shape {value.shape}. Create the variable "
                f"with the same shape as it was saved; tf.train.list_variables(path) lists the "
                f"shapes of a checkpoint."
            )

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        self._tpf_check_restored(restored_tensors)
        self.assign(restored_tensors["VARIABLE_VALUE"], read_value=False)

    def _as_graph_element(self) -> Any:
        """Return the tensor of the value, which stands for the variable in graphs."""
        return self if self._declared is None else self._declared.value

    # -- as an object ------------------------------------------------------------------------

    def _unread(self) -> UnreadVariable:
        """Return this variable as the result of an assignment."""
        result = UnreadVariable.__new__(UnreadVariable)
        result.__dict__ = self.__dict__
        if self._declared is not None and self._declared.is_being_built():
            changed = self._declared.after_last_node()
            result.__dict__ = {**self.__dict__, "_declared": changed}
        return result

    def is_initialized(self, name: str | None = None) -> Any:
        """Return whether the variable has a value, as a scalar bool tensor."""
        return state.var_is_initialized(self._handle)

    @property
    def initializer(self) -> Any:
        """The op that initializes the variable: None when eager, where it has its value."""
        return None if self._declared is None else self._declared.initializer

    @property
    def op(self) -> Any:
        if self._declared is None:
            raise AttributeError("Variable.op is not defined outside of tf.compat.v1 graphs.")
        return self._declared.operation

    @property
    def graph(self) -> Any:
        if self._declared is None:
            raise AttributeError("Variable.graph is not defined outside of tf.compat.v1 graphs.")
        return self._declared.graph

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        copy = Variable(
            self.numpy(),
            trainable=self._trainable,
            name=self._name,
            dtype=self._dtype,
            constraint=self._constraint,
            synchronization=self._synchronization,
            aggregation=self._aggregation,
            shape=self._shape,
        )
        memo[id(self)] = copy
        return copy

    def __reduce__(self) -> Any:
        arguments = (self.numpy(), self._trainable, self._name, self._dtype, self._shape)
        return _unpickle, (*arguments, self._constraint)

    def __eq__(self, other: Any) -> Any:
        # In graphs for sessions variables are keys, and equal to themselves alone.
        return super().__eq__(other) if dispatch.plain_graph() is None else self is other

    def __ne__(self, other: Any) -> Any:
        return super().__ne__(other) if dispatch.plain_graph() is None else self is not other

    def __hash__(self) -> int:
        if not values_are_compared() or dispatch.plain_graph() is not None:
            return id(self)
        raise TypeError(
            "Variable is unhashable, because == compares values. Use variable.ref() as a key. The "
            f"variable: {self!r}"
        )

    def __bool__(self) -> bool:
        return bool(self.value())

    def __int__(self) -> int:
        return int(self.value())

    def __float__(self) -> float:
        return float(self.value())

    def __complex__(self) -> complex:
        return complex(self.value())

    def __index__(self) -> int:
        return self.value().__index__()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value())

    def __repr__(self) -> str:
        return variable_repr(self.name, self._shape, self._dtype.name, self._cell.now())


def _declared_shape(value: Any, shape: ShapeLike) -> TensorShape:
    """Return the shape of a variable; ValueError unless the initial value fits `shape`."""
    declared = value.shape if shape is None else TensorShape(shape)
    if not declared.is_compatible_with(value.shape):
        raise ValueError(
            f"tf.Variable: the initial value of shape {value.shape} is incompatible with the "
            f"argument shape={shape}."
        )
    return declared


def _dims_of(shape: TensorShape) -> tuple[int | None, ...] | None:
    return None if shape.rank is None else tuple(shape)


class UnreadVariable(Variable):
    """The result of an assignment: the variable, for reading its new value."""

    @property
    def name(self) -> str:
        return "UnreadVariable"

    @property
    def op(self) -> Any:
        """The operation that assigns to the variable; None outside of graphs."""
        return None if self._declared is None else self._declared.operation


class VariableSlice(EagerTensor):
    """`variable[key]`: a tensor that can be assigned to."""

    __slots__ = ("_key", "_variable")

    def __init__(self, part: EagerTensor, variable: Variable, key: Any) -> None:
        super().__init__(part._array)
        # For tapes it is the part that was read.
        self._id = part._id
        self._variable = variable
        self._key = key

    def assign(self, value: Any, name: str | None = None) -> Variable:
        """Assign to this part of the variable."""
        return self._variable._assign_slice(self._key, value)


def _unpickle(
    value: Any, trainable: bool, name: str, dtype: DType, shape: ShapeLike, constraint: Any
) -> Variable:
    return Variable(
        value, trainable=trainable, name=name, dtype=dtype, shape=shape, constraint=constraint
    )
