"""`get_variable` and `variable_scope`: variables found again by their names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any

from tapeflow.compat.v1.graphs import GraphKeys, get_default_graph
from tapeflow.compat.v1.initializers import glorot_uniform_initializer, zeros_initializer
from tapeflow.compat.v1.variables import Variable
from tapeflow.core import dispatch
from tapeflow.core.dtypes import as_dtype, float32
from tapeflow.core.shape import TensorShape
from tapeflow.eager.variable import VariableAggregation, VariableSynchronization

_STORE, _SCOPE = "_variable_store", "_variable_scope"


class _Reuse(Enum):
    """Take a variable that is there, make one that is not."""

    AUTO_REUSE = 1


AUTO_REUSE = _Reuse.AUTO_REUSE


class VariableScope:
    """What `get_variable` goes by: the start of names, whether variables are reused, defaults."""

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
        # How often each name was opened as a scope here, for names that must not repeat.
        self._opened: dict[str, int] = {}

    @property
    def name(self) -> str:
        return self._name

    @property
    def original_name_scope(self) -> str:
        return self._name_scope

    @property
    def reuse(self) -> Any:
        return self._reuse

    def reuse_variables(self) -> None:
        """Take variables that are there, from now on."""
        self._reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Set what variables without an initializer of their own start with."""
        self.initializer = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        """Set what is added to the losses for each variable."""
        self.regularizer = regularizer

    def set_dtype(self, dtype: Any) -> None:
        """Set the dtype of variables that say none."""
        self.dtype = dtype

    def get_collection(self, name: Any) -> list[Any]:
        """What the graph keeps under `name` with a name of this scope."""
        start = f"{self._name}/" if self._name else ""
        return get_default_graph().get_collection(name, start)

    def trainable_variables(self) -> list[Any]:
        """The variables of this scope that are trained."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self) -> list[Any]:
        """The variables of this scope."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list[Any]:
        """The variables of this scope that are not saved."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def unique(self, name: str) -> str:
        """`name`, or `name_1` … if a scope of that name was opened here before."""
        count = self._opened.get(name, 0)
        self._opened[name] = count + 1
        return name if not count else f"{name}_{count}"


def get_variable_scope() -> VariableScope:
    """The scope in force."""
    kept = get_default_graph().get_collection_ref(_SCOPE)
    if not kept:
        kept.append(VariableScope(False))
    scope: VariableScope = kept[-1]
    return scope


@contextmanager
def variable_scope(
    name_or_scope: Any,
    default_name: str | None = None,
    values: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    reuse: Any = None,
    dtype: Any = None,
    use_resource: bool | None = None,
    constraint: Any = None,
    auxiliary_name_scope: bool = True,
) -> Iterator[VariableScope]:
    """Variables of the block are found under names that start with the scope's."""
    if name_or_scope is None and default_name is None:
        raise TypeError(
            "variable_scope needs name_or_scope or default_name, received None for both."
        )
    graph, outer = get_default_graph(), get_variable_scope()
    inner = _inner(outer, name_or_scope, default_name, reuse)
    inner.initializer = initializer or inner.initializer
    inner.regularizer = regularizer or inner.regularizer
    inner.custom_getter = custom_getter or inner.custom_getter
    inner.constraint = constraint or inner.constraint
    inner.dtype = inner.dtype if dtype is None else dtype
    kept = graph.get_collection_ref(_SCOPE)
    kept.append(inner)
    short = inner.name.rpartition("/")[2]
    try:
        with graph.name_scope(short) if auxiliary_name_scope and short else _no_scope() as opened:
            inner._name_scope = opened
            yield inner
    finally:
        kept.pop()


@contextmanager
def _no_scope() -> Iterator[str]:
    yield dispatch.state.name_scope


def _inner(outer: VariableScope, given: Any, default_name: str | None, reuse: Any) -> VariableScope:
    """The scope that a block opens."""
    if isinstance(given, VariableScope):
        name, parent = given.name, given
    else:
        short = given if given is not None else outer.unique(default_name or "")
        name, parent = (f"{outer.name}/{short}" if outer.name else short), outer
    inner = VariableScope(parent.reuse if reuse is None else reuse, name)
    if outer.reuse and reuse is None:
        inner._reuse = outer.reuse
    inner.initializer, inner.regularizer = parent.initializer, parent.regularizer
    inner.custom_getter, inner.dtype = parent.custom_getter, parent.dtype
    inner.constraint = parent.constraint
    return inner


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Any:
    """The variable of that name in the scope in force: made, or found, as the scope says."""
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


def _get(name: str, reuse: Any, shape: Any = None, dtype: Any = None, **options: Any) -> Any:
    """The variable of that full name."""
    kept = get_default_graph().get_collection_ref(_STORE)
    store: dict[str, Any] = kept[0] if kept else {}
    if not kept:
        kept.append(store)
    found = store.get(name)
    if found is None:
        if reuse is True:
            raise ValueError(
                f"Variable {name} does not exist, so it cannot be reused. Create it first with "
                "tf.compat.v1.get_variable, or open the scope with reuse=tf.compat.v1.AUTO_REUSE."
            )
        found = store[name] = _made(name, shape, dtype, **options)
        return found
    if not reuse:
        raise ValueError(
            f"Variable {name} already exists. To share it, open the scope with reuse=True or "
            "reuse=tf.compat.v1.AUTO_REUSE."
        )
    if shape is not None and not TensorShape(shape).is_compatible_with(found.shape):
        raise ValueError(
            f"Trying to share variable {name}, but specified shape {TensorShape(shape)} and found "
            f"shape {found.shape}."
        )
    if dtype is not None and as_dtype(dtype) is not found.dtype:
        raise ValueError(
            f"Trying to share variable {name}, but specified dtype {as_dtype(dtype).name} and "
            f"found dtype {found.dtype.name}."
        )
    return found


def _made(
    name: str,
    shape: Any,
    dtype: Any,
    initializer: Any = None,
    regularizer: Any = None,
    **options: Any,
) -> Any:
    state = dispatch.state
    outer, state.name_scope = state.name_scope, ""
    try:
        first = _first_value(name, shape, dtype, initializer)
        variable = Variable(first, name=name, dtype=dtype, **options)
    finally:
        state.name_scope = outer
    if regularizer is not None:
        with get_default_graph().name_scope(f"{name}/Regularizer/"):
            loss = regularizer(variable)
        if loss is not None:
            get_default_graph().add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
    return variable


def _first_value(name: str, shape: Any, dtype: Any, initializer: Any) -> Any:
    """What a new variable starts with."""
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
