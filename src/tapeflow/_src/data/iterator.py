"""`tf.data.Iterator`: iterate over a dataset, eagerly and in a graph."""

from __future__ import annotations

import threading
from typing import Any

from tapeflow._src.api.elements import Layout, described_specs
from tapeflow._src.api.optionals import AN_OPTIONAL, Optional, OptionalValue
from tapeflow._src.core import dispatch, dtypes, nest
from tapeflow._src.core.errors import FailedPreconditionError, OutOfRangeError
from tapeflow._src.core.infer import fixed
from tapeflow._src.core.registry import MANY_OUTPUTS, Op, Resource, Variant, op
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.core.tracebacks import fold
from tapeflow._src.core.trackable import Trackable
from tapeflow._src.data import loops, states
from tapeflow._src.data.handle_spec import HandleSpec
from tapeflow._src.data.options import ExternalStatePolicy
from tapeflow._src.data.recipe import DatasetLike, described
from tapeflow._src.data.stage import (
    A_DATASET,
    HOST,
    Cursor,
    Element,
    Stage,
    get_position,
    set_position,
    upstream,
)
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.graph.body import Body
from tapeflow._src.ops.state.lookup import (
    lookup_table_export_v2,
    lookup_table_find_v2,
    lookup_table_size_v2,
)

_state = dispatch.state

# A Python loop over an iterator in a graph never ends; nobody calls `next` so often by hand.
_CALLS_IN_GRAPH = 10_000

# Tables are filled before elements are read, and do not change with them.
_OF_TABLES = frozenset({lookup_table_find_v2, lookup_table_size_v2, lookup_table_export_v2})


class Walk:
    """The resource behind an iterator's handle; thread-safe."""

    dtype = dtypes.resource
    value_dtype = dtypes.variant
    shape = ()
    ndim = 0
    size = 1

    def __init__(self) -> None:
        self._stage: Stage | None = None
        self._cursor: Cursor | None = None
        # Whether a position cannot be saved if functions have effects, which it does not hold.
        self.refuses_effects = False
        # Types and shapes of elements, and the string that stands for the iterator, in graphs.
        self.described: Any = None
        self.text = ""
        self._lock = threading.Lock()

    def start(self, stage: Stage) -> None:
        """Start at the first element."""
        self._stage = stage
        self._cursor = stage.cursor()

    @property
    def started(self) -> bool:
        return self._cursor is not None

    def _started(self) -> tuple[Stage, Cursor]:
        if self._stage is None or self._cursor is None:
            raise FailedPreconditionError(None, None, "The iterator has not been initialized.")
        return self._stage, self._cursor

    def next(self) -> Element:
        """Return the next element; raise StopIteration at the end."""
        with self._lock:
            if self._cursor is None:
                self._started()
            return next(self._cursor)  # type: ignore[arg-type]

    def save(self, refuses_effects: bool = False) -> bytes:
        """Return the position as bytes."""
        with self._lock:
            stage, cursor = self._started()
            if refuses_effects or self.refuses_effects:
                _require_no_effects(stage)
            return states.to_bytes(get_position(stage, cursor))

    def restore(self, data: bytes) -> None:
        """Restore a position that `save` of an iterator over an equal dataset returned."""
        with self._lock:
            set_position(*self._started(), states.from_bytes(data))


def walk_of(dataset: DatasetLike) -> Walk:
    """Start at the first element of a dataset, eagerly."""
    walk = Walk()
    walk.start(dataset._variant_tensor._array)
    options = getattr(dataset, "_options", None)
    policy = None if options is None else options.experimental_external_state_policy
    walk.refuses_effects = policy in (None, ExternalStatePolicy.FAIL)
    return walk


def _require_no_effects(stage: Stage) -> None:
    """Raise if functions of a dataset draw random numbers, call Python or use variables."""
    for each in upstream(stage):
        attrs = {} if each.origin is None else each.origin.attrs
        for value in attrs.values():
            if isinstance(value, Body) and _has_state(value):
                raise FailedPreconditionError(
                    None,
                    None,
                    f"The position of the iterator cannot be saved: {each.origin.op.name} has a "
                    f"function with random numbers, variables or calls of Python, whose state is "
                    f"not part of it: elements after a restore would differ. Draw numbers with "
                    f"tf.random.stateless_uniform, or set the option "
                    f"experimental_external_state_policy to WARN or IGNORE.",
                )


def _has_state(body: Body) -> bool:
    """Whether a function has state, or makes datasets whose functions have."""
    for node in body.nodes():
        inner = [value for value in node.attrs.values() if isinstance(value, Body)]
        # The own state of a dataset, such as its seeds, is part of a position.
        holds_it = node.definition.infer_rule is A_DATASET or _is_handle(node)
        if any(map(_has_state, inner)) or (not holds_it and _uses_state(node.definition)):
            return True
    return False


def _uses_state(op: Op) -> bool:
    """Whether results depend on variables, random streams or Python."""
    if op.effect == "io":
        return op.access is not None and op.access.what == "python"
    return op.effect is not None and op not in _OF_TABLES


def _is_handle(node: Any) -> bool:
    """Whether a node only makes a resource, such as the seeds that a dataset takes."""
    return bool(node.outputs) and all(t.dtype is dtypes.resource for t in node.outputs)


@op("AnonymousIteratorV3", infer=fixed((), dtypes.resource), grad=None, host=HOST, effect="io")
def anonymous_iterator_v3(xp, *, output_types, output_shapes):
    """Return the handle of an iterator that is to be made."""
    return Walk()


@op(
    "MakeIterator", infer=lambda op, specs, attrs: (), outputs=(), grad=None, host=HOST, effect="io"
)
def make_iterator(xp, dataset: Variant, iterator: Resource):
    """Let an iterator begin at the first element of a dataset."""
    iterator.start(dataset)


@op("IteratorGetNext", outputs=MANY_OUTPUTS, grad=None, host=HOST, effect="io")
def iterator_get_next(xp, iterator: Resource, *, output_types, output_shapes):
    """Return the next element."""
    try:
        return iterator.next()
    except StopIteration:
        raise OutOfRangeError(None, None, "End of sequence") from None


@iterator_get_next.infer
def _(iterator, *, output_types, output_shapes):
    return described_specs(output_types, output_shapes)


@op("IteratorGetNextAsOptional", infer=AN_OPTIONAL, grad=None, host=HOST, effect="io")
def iterator_get_next_as_optional(xp, iterator: Resource, *, output_types, output_shapes):
    """Return the next element, if there is one."""
    try:
        return OptionalValue(iterator.next())
    except StopIteration:
        return OptionalValue(None)


class Iterator(Trackable):
    """Iterates over the elements of a dataset; created by `iter(dataset)`.

    Its position is saved by `tf.train.Checkpoint`.

    Raises:
        TypeError: If it is created directly.

    Example:
        >>> iterator = iter(tf.data.Dataset.range(2))
        >>> int(next(iterator)), int(next(iterator))
        (0, 1)
    """

    def __init__(self) -> None:
        raise TypeError("A tf.data.Iterator is made by `iter(dataset)`.")

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not say what comes next.")

    @property
    def element_spec(self) -> Any:
        """The type spec of an element."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its elements are.")

    def get_next(self) -> Any:
        """Return the next element.

        Raises:
            tf.errors.OutOfRangeError: At the end.

        Example:
            >>> iterator = iter(tf.data.Dataset.range(2))
            >>> int(iterator.get_next())
            0
        """
        raise NotImplementedError(f"{type(self).__name__} does not say what comes next.")

    def get_next_as_optional(self) -> Optional:
        """Return the next element as an Optional, empty at the end.

        Example:
            >>> iterator = iter(tf.data.Dataset.range(1))
            >>> bool(iterator.get_next_as_optional().has_value())
            True
            >>> bool(iterator.get_next_as_optional().has_value())
            False
        """
        raise NotImplementedError(f"{type(self).__name__} does not say what comes next.")


class OwnedIterator(Iterator):
    """An iterator with a handle: a tensor, which may be symbolic."""

    def __init__(self, handle: Any, layout: Layout, spec: IteratorSpec | None = None) -> None:
        self._handle = handle
        self._layout = layout
        self._spec = spec or IteratorSpec(layout.spec)
        self._pack = layout.pack
        self._calls = 0

    @staticmethod
    def over(dataset: DatasetLike, spec: IteratorSpec) -> OwnedIterator:
        """Create an iterator of that spec at the first element of a dataset."""
        layout = dataset._layout
        if _state.mode is dispatch.base_mode():
            return OwnedIterator(EagerTensor(walk_of(dataset)), layout, spec)  # type: ignore[arg-type]
        handle = anonymous_iterator_v3(**described(layout))
        make_iterator(dataset._variant_tensor, handle)
        return OwnedIterator(handle, layout, spec)

    _tpf_checkpoint_attribute = "ITERATOR"

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {"ITERATOR": dispatch.convert(self._handle._array.save(), dtypes.string)}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        self._handle._array.restore(restored_tensors["ITERATOR"].numpy())

    def _walk(self) -> Any:
        """Return the resource unless a graph is being built, else None."""
        return self._handle._array if _state.mode is dispatch.base_mode() else None

    def __next__(self) -> Any:
        walk = self._walk()
        if walk is None:
            self._count_call()
            return self._next_in_graph()
        try:
            return self._pack([EagerTensor(array) for array in walk.next()])
        except StopIteration:
            raise
        except Exception as error:
            fold(error)
            raise

    # Libraries call it by this name in eager code.
    def _next_internal(self) -> Any:
        return self.get_next()

    def next(self) -> Any:
        """Return the next element, as `next(iterator)` does."""
        return self.__next__()

    def _count_call(self) -> None:
        self._calls += 1
        if self._calls > _CALLS_IN_GRAPH:
            raise RuntimeError(
                "A Python `for` loop over a dataset never ends while a function is traced. Let "
                "AutoGraph turn it into a loop of the graph (leave out autograph=False), or use "
                "Dataset.reduce."
            )

    def _next_in_graph(self, name: str | None = None) -> Any:
        try:
            tensors = iterator_get_next(self._handle, **described(self._layout), name=name)
            return self._pack(tensors)
        except Exception as error:
            fold(error)
            raise

    def get_next(self, name: str | None = None) -> Any:
        """Return the next element; raise OutOfRangeError at the end."""
        return self._next_in_graph(name)

    def get_next_as_optional(self) -> Optional:
        """Return the next element as an Optional, empty at the end."""
        variant = iterator_get_next_as_optional(self._handle, **described(self._layout))
        return Optional._of(variant, self._layout.spec)

    @property
    def element_spec(self) -> Any:
        """The spec of an element."""
        return self._layout.spec

    @property
    def _type_spec(self) -> IteratorSpec:
        return self._spec

    @property
    def _iterator_resource(self) -> Any:
        """The handle, by the name that libraries use."""
        return self._handle

    def __autograph_for__(self, loop: Any) -> None:
        """Trace a `for` loop over the remaining elements."""
        loops.over_iterator(self, self._layout, loop)

    def __autograph_next__(self, *default: Any) -> Any:
        """Trace `next(iterator, default)`."""
        return loops.next_or(self, *default) if default else next(self)


class IteratorSpec(HandleSpec, number=6):
    """The type spec of an iterator: that of its elements.

    Args:
        element_spec: The structure of `tf.TypeSpec` of an element.
    """

    __slots__ = ()

    _tensor_name = "_handle"

    @staticmethod
    def from_value(value: Any) -> IteratorSpec:
        """Return the spec of an iterator.

        Args:
            value: The iterator.
        """
        return IteratorSpec(value.element_spec)

    @property
    def value_type(self) -> type:
        return OwnedIterator

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    @property
    def _component_specs(self) -> Any:
        return TensorSpec([], dtypes.resource)

    def _from_components(self, components: Any) -> Any:
        return OwnedIterator(components, Layout(self._element_spec), self)


nest.register_composite(
    OwnedIterator,
    lambda iterator: (iterator._handle,),
    lambda iterator, parts: OwnedIterator(parts[0], iterator._layout, iterator._spec),
    lambda a, b: isinstance(b, OwnedIterator) and a._type_spec.is_compatible_with(b._type_spec),
)
