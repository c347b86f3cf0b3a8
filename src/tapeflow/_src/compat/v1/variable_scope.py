"""`get_variable` and `variable_scope`: variables that are shared by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from enum import Enum
from typing import Any

from tapeflow._src.api.scopes import init_scope, name_scope
from tapeflow._src.compat.v1.graphs import GraphKeys, get_default_graph
from tapeflow._src.compat.v1.initializers.classes import (
    glorot_uniform_initializer,
    zeros_initializer,
)
from tapeflow._src.compat.v1.variable_store import add_penalty, current_store, scopes
from tapeflow._src.compat.v1.variables import Variable
from tapeflow._src.core import dispatch
from tapeflow._src.core.dtypes import as_dtype, float32
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.types import DTypeLike, Identifier, ShapeLike, TensorLike
from tapeflow._src.eager.replication import VariableAggregation, VariableSynchronization
from tapeflow._src.graph.tensor import tracing


class _Reuse(Enum):
    """Share a variable that exists, create one that does not."""

    AUTO_REUSE = 1


AUTO_REUSE = _Reuse.AUTO_REUSE


class VariableScope:
    """The settings of `get_variable`: the prefix of names, sharing of variables, defaults."""

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        name_scope: str = "",
        dtype: Any = float32,
        use_resource: bool | None = None,
        constraint: Any = None,
    ) -> None:
        self._reuse = reuse
        self._name = name
        self._name_scope = name_scope
        self.initializer = initializer
        self.regularizer = regularizer
        self.custom_getter = custom_getter
        self.dtype = dtype
        self.constraint = constraint
        # Values are read from variables where these are: the caching device changes nothing.
        self.caching_device = caching_device
        self._use_resource = use_resource
        # Of the outermost scope: the full names of scopes opened, so that defaults do not repeat.
        self._opened: set[str] = set()

    @property
    def name(self) -> str:
        return self._name

    @property
    def original_name_scope(self) -> str:
        return self._name_scope

    @property
    def reuse(self) -> Any:
        return self._reuse

    def set_caching_device(self, caching_device: Any) -> None:
        """Set the device that reads of variables are cached on."""
        self.caching_device = caching_device

    def reuse_variables(self) -> None:
        """Reuse existing variables from now on."""
        self._reuse = True

    def set_initializer(self, initializer: Identifier) -> None:
        """Set the initializer of variables that have none of their own."""
        self.initializer = initializer

    def set_regularizer(self, regularizer: Identifier) -> None:
        """Set the regularizer of variables that have none of their own."""
        self.regularizer = regularizer

    def set_custom_getter(self, custom_getter: Any) -> None:
        """Set the function that is called instead of the creation of variables."""
        self.custom_getter = custom_getter

    @property
    def use_resource(self) -> bool | None:
        """Whether variables are resources: all are; graphs say None unless it was requested."""
        return True if self._use_resource is None and not tracing() else self._use_resource

    def set_use_resource(self, use_resource: bool) -> None:
        """Set whether variables are resources. Outside of graphs they always are."""
        if not use_resource and not tracing():
            raise ValueError(
                "Variables are resources while eager execution is enabled: expected "
                f"use_resource=True, received {use_resource}."
            )
        self._use_resource = use_resource

    def set_dtype(self, dtype: DTypeLike) -> None:
        """Set the default dtype of variables."""
        self.dtype = dtype

    def get_collection(self, name: Any) -> list[Any]:
        """Return the items of a collection whose names start with that of this scope."""
        start = f"{self._name}/" if self._name else ""
        return get_default_graph().get_collection(name, start)

    def trainable_variables(self) -> list[Any]:
        """Return the variables of this scope that are trained."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self) -> list[Any]:
        """Return the variables of this scope."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list[Any]:
        """Return the variables of this scope that are not saved."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)


def get_variable_scope() -> VariableScope:
    """Return the scope in force."""
    open_scopes = scopes()
    if not open_scopes:
        open_scopes.append(VariableScope(False))
    scope: VariableScope = open_scopes[-1]
    return scope


@contextmanager
def variable_scope(
    name_or_scope: Any,
    default_name: str | None = None,
    values: TensorLike | None = None,
    initializer: Identifier | None = None,
    regularizer: Identifier | None = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    reuse: Any = None,
    dtype: DTypeLike | None = None,
    use_resource: bool | None = None,
    constraint: Identifier | None = None,
    auxiliary_name_scope: bool = True,
) -> Iterator[VariableScope]:
    """Prefix the names of variables that the block gets with the scope's."""
    if name_or_scope is None and default_name is None:
        raise TypeError(
            "variable_scope needs name_or_scope or default_name, received None for both."
        )
    outer = get_variable_scope()
    inner = _inner(outer, name_or_scope, default_name, reuse)
    inner.initializer = initializer or inner.initializer
    inner.regularizer = regularizer or inner.regularizer
    inner.custom_getter = custom_getter or inner.custom_getter
    inner.constraint = constraint or inner.constraint
    if use_resource is not None:
        inner.set_use_resource(use_resource)
    inner.dtype = inner.dtype if dtype is None else dtype
    open_scopes = scopes()
    opened_names = open_scopes[0]._opened
    opened_names.add(inner.name)
    before = set(opened_names)
    open_scopes.append(inner)
    short = inner.name.rpartition("/")[2]
    try:
        # Outside of graphs names of scopes may repeat: two blocks of one name name alike.
        with name_scope(short) if auxiliary_name_scope and short else _no_scope() as opened:
            inner._name_scope = opened
            yield inner
    finally:
        open_scopes.pop()
        if isinstance(name_or_scope, VariableScope):
            opened_names.clear()
            opened_names.update(before)
        else:
            prefix = f"{inner.name}/"
            opened_names.difference_update([n for n in opened_names if n.startswith(prefix)])


@contextmanager
def _no_scope() -> Iterator[str]:
    yield dispatch.state.name_scope


def _inner(
    outer: VariableScope, name_or_scope: Any, default_name: str | None, reuse: Any
) -> VariableScope:
    """Return the scope that a block opens."""
    if isinstance(name_or_scope, VariableScope):
        name, parent = name_or_scope.name, name_or_scope
    else:
        start = f"{outer.name}/" if outer.name else ""
        name = (
            _unique(f"{start}{default_name}")
            if name_or_scope is None
            else f"{start}{name_or_scope}"
        )
        parent = outer
    inner = VariableScope(parent.reuse if reuse is None else reuse, name)
    if outer.reuse and reuse is None:
        inner._reuse = outer.reuse
    inner.initializer, inner.regularizer = parent.initializer, parent.regularizer
    inner.custom_getter, inner.dtype = parent.custom_getter, parent.dtype
    inner.constraint, inner._use_resource = parent.constraint, parent._use_resource
    return inner


def _unique(name: str) -> str:
    """Return `name`, or `name_1` … if a scope of that name was opened before."""
    opened, number, chosen = scopes()[0]._opened, 0, name
    while chosen in opened:
        number += 1
        chosen = f"{name}_{number}"
    return chosen


def get_variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    initializer: Identifier | None = None,
    regularizer: Identifier | None = None,
    trainable: bool | None = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Identifier | None = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Any:
    """Return the variable of that name in the scope in force: created or shared, as
    the scope says.
    """
    scope = get_variable_scope()
    if partitioner is not None:
        raise NotImplementedError("Variables are not partitioned here: leave out `partitioner`.")
    getter = custom_getter or scope.custom_getter
    options: dict[str, Any] = {
        "shape": shape,
        "dtype": as_dtype(dtype or scope.dtype),
        "initializer": initializer if initializer is not None else scope.initializer,
        "regularizer": regularizer or scope.regularizer,
        "trainable": trainable,
        "collections": collections,
        "validate_shape": validate_shape,
        "constraint": constraint or scope.constraint,
        "synchronization": synchronization,
        "aggregation": aggregation,
        "reuse": scope.reuse,
    }
    if dtype is None and initializer is not None and not callable(initializer):
        options["dtype"] = None
    full = f"{scope.name}/{name}" if scope.name else name
    return _get(full, **options) if getter is None else getter(_get, full, **options)


def _get(
    name: str,
    reuse: Any,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    **options: Any,
) -> Any:
    """Return the variable of that full name: created, or the one that exists, as `reuse` says."""
    store = current_store()
    if store is None:
        return _create(name, shape, dtype, add_penalty, **options)
    variable = store.variables_by_name.get(name)
    if variable is None:
        if reuse is True:
            raise ValueError(
                f"Variable {name} does not exist, so it cannot be reused. Create it first with "
                "tf.compat.v1.get_variable, or open the scope with reuse=tf.compat.v1.AUTO_REUSE."
            )
        variable = _create(name, shape, dtype, store.regularize, **options)
        store.variables_by_name[name] = variable
        return variable
    if not reuse and not store.always_reuse:
        raise ValueError(
            f"Variable {name} already exists. To share it, open the scope with reuse=True or "
            "reuse=tf.compat.v1.AUTO_REUSE."
        )
    if shape is not None and not TensorShape(shape).is_compatible_with(variable.shape):
        raise ValueError(
            f"Variable {name} cannot be shared: it has shape {variable.shape}, received "
            f"shape={TensorShape(shape)}."
        )
    if dtype is not None and as_dtype(dtype) is not variable.dtype:
        raise ValueError(
            f"Variable {name} cannot be shared: it has dtype {variable.dtype.name}, received "
            f"dtype={as_dtype(dtype).name}."
        )
    return variable


def _create(
    name: str,
    shape: Any,
    dtype: Any,
    regularize: Callable[[Any, str, Any], None],
    initializer: Any = None,
    regularizer: Any = None,
    **options: Any,
) -> Any:
    """Return a new variable, outside of the functions that are traced."""
    state = dispatch.state
    # A tensor as first value may be the function's own: tf.Variable takes its value out.
    is_value = initializer is not None and not callable(initializer)
    with nullcontext() if is_value else init_scope():
        outer, state.name_scope = state.name_scope, ""
        try:
            first = _first_value(name, shape, dtype, initializer)
            variable = Variable(first, name=name, dtype=dtype, **options)
        finally:
            state.name_scope = outer
    if regularizer is not None:
        regularize(variable, name, regularizer)
    return variable


def _first_value(name: str, shape: Any, dtype: Any, initializer: Any) -> Any:
    """Return the initial value of a new variable."""
    if initializer is not None and not callable(initializer):
        if shape is not None:
            raise ValueError("A constant as initializer has a shape of its own: leave `shape` out.")
        return initializer
    dims = TensorShape(shape)
    if initializer is None:
        floating = dtype.is_floating or dtype.is_complex
        initializer = glorot_uniform_initializer() if floating else zeros_initializer()
    if shape is None or not dims.is_fully_defined():
        raise ValueError(f"Variable {name} needs a fully defined shape, received {dims}.")
    chosen = initializer() if isinstance(initializer, type) else initializer
    return lambda: chosen(dims.as_list(), dtype=dtype)
