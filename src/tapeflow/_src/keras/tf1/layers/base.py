"""`Layer`: a Keras layer whose weights are those of `tf.compat.v1.get_variable`.

Its weights have the names of the variable scope that it is first called in, and are shared as that
scope says. In graphs, penalties and updates go to the collections that sessions run.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, Identifier, ShapeLike
from tapeflow._src.keras.layers.layer import Layer as KerasLayer
from tapeflow._src.keras.name_first import accepts_name_first
from tapeflow._src.keras.scopes import calls
from tapeflow._src.keras.utils.naming import to_snake_case
from tapeflow.keras import constraints, initializers, regularizers

v1 = tf.compat.v1
_ASSIGNMENTS = ("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp")


class Layer(KerasLayer):
    """Base class of the layers of `tf.compat.v1.layers`."""

    def __init__(self, trainable: bool = True, name: Any = None, dtype: Any = None, **kwargs: Any):
        scope = kwargs.pop("_scope", None)
        self._reuse = kwargs.pop("_reuse", None)
        named = name.name if isinstance(name, v1.VariableScope) else name
        self._base_name = named or to_snake_case(type(self).__name__)
        self._scope: Any = None
        # Without a dtype of its own, a layer has that of the first inputs it is called with.
        self._infers_dtype = dtype is None
        kwargs.setdefault("autocast", False)
        super().__init__(trainable=trainable, name=_short(named), dtype=dtype, **kwargs)
        if scope is not None:
            with v1.variable_scope(scope) as self._scope:
                pass

    @property
    def scope_name(self) -> str:
        """The name of the variable scope of the weights."""
        if self._scope is None:
            raise ValueError(
                f"Layer '{self.name}' has no variable scope before it is called: the first call "
                f"determines it."
            )
        name: str = self._scope.name
        return name

    def _set_scope(self, scope: Any) -> None:
        if self._scope is None:
            chosen = self._base_name if scope is None and self._reuse else scope
            with v1.variable_scope(chosen, default_name=self._base_name) as self._scope:
                pass

    @accepts_name_first(
        *("name", "shape", "dtype", "initializer", "regularizer", "trainable", "constraint")
    )
    def add_weight(  # type: ignore[override]
        self,
        shape: ShapeLike | None = None,
        initializer: Identifier | None = None,
        dtype: DTypeLike | None = None,
        trainable: bool | None = None,
        regularizer: Identifier | None = None,
        constraint: Identifier | None = None,
        name: str | None = None,
        autocast: bool = False,
        synchronization: Any = tf.VariableSynchronization.AUTO,
        aggregation: Any = tf.VariableAggregation.NONE,
        **kwargs: Any,
    ) -> Any:
        """Get the variable `name` of the layer's scope: created, or shared as the scope says."""
        self._set_scope(None)
        kind = tf.as_dtype(self.variable_dtype if dtype is None else dtype)
        on_read = synchronization is tf.VariableSynchronization.ON_READ
        wanted = not on_read if trainable is None else trainable
        regularizer = regularizers.get(regularizer)
        reuse = self.built or self._reuse
        with v1.variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as scope:
            if initializer is None:
                default = "glorot_uniform" if kind.is_floating else "zeros"
                initializer = default if scope.initializer is None else scope.initializer
            variable: Any = v1.get_variable(
                name,  # type: ignore[arg-type]
                shape=shape,
                dtype=kind,
                initializer=initializers.get(initializer),
                regularizer=regularizer,
                trainable=wanted and self.trainable,
                constraint=constraints.get(constraint),
                synchronization=synchronization,
                aggregation=aggregation,
            )
        # `losses` computes the penalties of weights that have this attribute.
        variable.regularizer = regularizer
        self._tpf_keep(variable)
        return variable

    def add_loss(self, loss: Any = None, *, losses: Any = None) -> None:
        """Add to the losses; in a graph, also to its regularization losses."""
        loss = losses if loss is None else loss
        super().add_loss(loss)
        if _in_graph():
            for item in tf.nest.flatten(loss):
                value = item() if callable(item) else item
                v1.add_to_collection(v1.GraphKeys.REGULARIZATION_LOSSES, value)

    def _infer_dtype(self, inputs: Any) -> None:
        if self._infers_dtype and not self.built:
            for each in tf.nest.flatten(inputs):
                dtype = getattr(each, "dtype", None)
                if dtype is not None and tf.as_dtype(dtype).is_floating:
                    self.dtype_policy = tf.as_dtype(dtype).name
                    break
            self._infers_dtype = False

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        self._infer_dtype(inputs)
        self._set_scope(kwargs.pop("scope", None))
        reuse = True if self.built else self._reuse
        with (
            v1.variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False),
            self._op_names(),
            _updates_collected(self),
        ):
            return super().__call__(inputs, *args, **kwargs)

    def apply(self, *args: Any, **kwargs: Any) -> Any:
        """Call the layer."""
        return self(*args, **kwargs)

    @contextmanager
    def _op_names(self) -> Iterator[None]:
        """Name ops after the variable scope, instead of after the layer."""
        names, owners = calls.names, calls.owners
        calls.names, calls.owners = (*names, self.name), (*owners, self)
        scope = self._scope.original_name_scope
        try:
            with nullcontext() if tf.executing_eagerly() or not scope else tf.name_scope(scope):
                yield
        finally:
            calls.names, calls.owners = names, owners


def _short(name: str | None) -> str | None:
    """The name of a layer in a scope: names of layers have no '/'."""
    return None if name is None else name.rpartition("/")[2]


def _in_graph() -> bool:
    """Whether a graph for sessions is built: that of a function has no collections to run."""
    return not tf.executing_eagerly() and not v1.get_default_graph().building_function


@contextmanager
def _updates_collected(layer: Layer) -> Iterator[None]:
    """Add the operations of the block that assign to the layer's weights to `UPDATE_OPS`."""
    if not _in_graph():
        yield
        return
    graph = v1.get_default_graph()
    before = len(graph.get_operations())
    yield
    updated = [variable for variable in layer.weights if not variable.trainable]
    handles = {id(variable.handle) for variable in updated}
    first = {id(variable.initializer) for variable in updated}
    for node in graph.get_operations()[before:]:
        is_update = node.type in _ASSIGNMENTS and id(node) not in first
        if is_update and id(node.inputs[0]) in handles:
            v1.add_to_collection(v1.GraphKeys.UPDATE_OPS, node)


def as_function(layer_class: Any, name: str, summary: str) -> Callable[..., Any]:
    """A function that creates a layer and calls it: its parameters are `inputs`, those of the
    layer, and `reuse`."""
    of_layer = inspect.signature(layer_class).parameters.values()
    plain = [p for p in of_layer if p.kind is p.POSITIONAL_OR_KEYWORD]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    inputs = inspect.Parameter("inputs", kind)
    has_weights = any(parameter.name == "trainable" for parameter in plain)
    reuse = [inspect.Parameter("reuse", kind, default=None)] if has_weights else []
    signature = inspect.Signature([inputs, *plain, *reuse])

    def call(*args: Any, **kwargs: Any) -> Any:
        arguments = signature.bind(*args, **kwargs).arguments
        inputs = arguments.pop("inputs")
        scope, reused = arguments.get("name"), arguments.pop("reuse", None)
        return layer_class(**arguments, _scope=scope, _reuse=reused)(inputs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = summary
    call.__signature__ = signature  # type: ignore[attr-defined]
    return call
