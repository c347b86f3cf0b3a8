"""Iterators of plain graphs: each session has its own position in the dataset.

`tf.compat.v1.data` offers them. The handle of such an iterator is a resource of the session, which
passes it to all runs; what starts it is an operation of the graph.
"""

from __future__ import annotations

from itertools import count
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from tapeflow._src.api.elements import Layout
from tapeflow._src.api.scopes import executing_eagerly
from tapeflow._src.composite.ragged.tensor import RaggedTensor, RaggedTensorSpec
from tapeflow._src.composite.sparse_tensor import SparseTensor, SparseTensorSpec
from tapeflow._src.core import dispatch, dtypes, nest
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.errors import invalid
from tapeflow._src.core.infer import fixed
from tapeflow._src.core.registry import Free, Resource, Variant, op
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.data.iterator import OwnedIterator, Walk, make_iterator
from tapeflow._src.data.recipe import DatasetLike, described
from tapeflow._src.data.stage import HOST
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.subgraphs import current_graph


@op("IteratorV2", infer=fixed((), dtypes.resource), grad=None, host=HOST, effect="io")
def iterator_v2(xp, *, output_types, output_shapes, shared_name="", container=""):
    """Return the handle of an iterator that an initializer starts."""
    walk = Walk()
    walk.described = output_types, output_shapes
    return walk


iterator_v2.owned_by_sessions = True


@op("_StartedIterator", infer=fixed((), dtypes.resource), grad=None, host=HOST, effect="io")
def started_iterator(xp, dataset: Variant, iterator: Resource):
    """Return an iterator that the first run starts at the first element of a dataset."""
    if not iterator.started:
        iterator.start(dataset)
    return iterator


# Iterators by the handles that were asked of them, while they are in use.
_by_handle: WeakValueDictionary[str, Walk] = WeakValueDictionary()
_handles = count()


@op("IteratorToStringHandle", infer=fixed((), dtypes.string), grad=None, host=HOST, effect="io")
def iterator_to_string_handle(xp, resource_handle: Resource):
    """Return a string that stands for an iterator in this process."""
    if not resource_handle.text:
        resource_handle.text = f"iterator_{next(_handles)}"
        _by_handle[resource_handle.text] = resource_handle
    return np.array(resource_handle.text.encode(), object)


@op(
    "IteratorFromStringHandleV2",
    infer=fixed((), dtypes.resource),
    grad=None,
    host=HOST,
    effect="io",
)
def iterator_from_string_handle_v2(xp, string_handle: Free, *, output_types, output_shapes):
    """Return the iterator that a string stands for."""
    text = string_handle.item().decode(errors="replace")
    walk = _by_handle.get(text)
    if walk is None:
        raise invalid(f"There is no iterator with the string handle {text!r} in this process.")
    types, shapes = walk.described
    fits = tuple(types) == tuple(output_types) and all(
        TensorShape(expected).is_compatible_with(shape)
        for expected, shape in zip(output_shapes, shapes, strict=True)
    )
    if not fits:
        raise invalid(
            f"Expected an iterator over elements of types {output_types} and shapes "
            f"{output_shapes}, received one of types {types} and shapes {shapes}."
        )
    return walk


class Iterator(OwnedIterator):
    """An iterator of a graph, which operations of the graph start at elements of datasets.

    Example:
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        ...     iterator = tf.compat.v1.data.Iterator.from_structure(tf.int64, [])
        ...     start = iterator.make_initializer(tf.data.Dataset.range(2))
        ...     element = iterator.get_next()
        ...     _ = session.run(start)
        ...     [int(session.run(element)) for _ in range(2)]
        [0, 1]
    """

    def __init__(self, handle: Any, layout: Layout, initializer: Operation | None = None) -> None:
        super().__init__(handle, layout)
        self._initializer = initializer
        self._string_handle: Any = None

    @staticmethod
    def from_structure(
        output_types: Any,
        output_shapes: Any = None,
        shared_name: str | None = None,
        output_classes: Any = None,
    ) -> Iterator:
        """Return an iterator that `make_initializer` starts, at any dataset of such elements.

        Args:
            output_types: The dtypes of an element, in its structure.
            output_shapes: The shapes; unknown by default.
            shared_name: The name of the resource in the graph.
            output_classes: The classes, for sparse and ragged tensors.

        Raises:
            TypeError: if types and shapes differ in structure.
        """
        layout = Layout(_spec(output_types, output_shapes, output_classes))
        return Iterator(iterator_v2(**described(layout), shared_name=shared_name or ""), layout)

    @staticmethod
    def from_string_handle(
        string_handle: Any, output_types: Any, output_shapes: Any = None, output_classes: Any = None
    ) -> Iterator:
        """Return the iterator that the string stands for, which may be fed.

        Args:
            string_handle: What `string_handle()` of an iterator evaluates to: a string scalar.
            output_types: The dtypes of an element, in its structure.
            output_shapes: The shapes; unknown by default.
            output_classes: The classes, for sparse and ragged tensors.
        """
        layout = Layout(_spec(output_types, output_shapes, output_classes))
        handle = dispatch.convert(string_handle, dtypes.string)
        return Iterator(iterator_from_string_handle_v2(handle, **described(layout)), layout)

    @property
    def initializer(self) -> Operation:
        """The operation that starts the iterator at the first element.

        Raises:
            ValueError: if there is none; `make_initializer` makes one for a dataset.
        """
        if self._initializer is None:
            raise ValueError("The iterator has no initializer: call make_initializer(dataset).")
        return self._initializer

    def make_initializer(self, dataset: DatasetLike, name: str | None = None) -> Any:
        """Return the operation that starts the iterator at the first element of a dataset.

        Args:
            dataset: The dataset, with elements of the iterator's types and shapes.
            name: The name of the operation.

        Raises:
            TypeError: if its elements are others.
            ValueError: if they differ in structure.
        """
        expected, spec = self.element_spec, dataset._layout.spec
        nest.assert_same_structure(expected, spec)
        if not all(map(_accepts, nest.flatten(expected), nest.flatten(spec))):
            raise TypeError(f"Expected a dataset with elements of {expected}, received {spec}.")
        make_iterator(dataset._variant_tensor, self._handle, name=name)
        return None if executing_eagerly() else current_graph().nodes[-1]

    def string_handle(self, name: str | None = None) -> Any:
        """Return a string tensor that stands for the iterator, for `from_string_handle`.

        Args:
            name: The name of the operation.
        """
        if name is not None or self._string_handle is None:
            tensor = iterator_to_string_handle(self._handle, name=name)
            if name is not None:
                return tensor
            self._string_handle = tensor
        return self._string_handle

    @property
    def output_types(self) -> Any:
        """The dtypes of an element."""
        return nest.map_structure(lambda spec: spec.dtype, self.element_spec)

    @property
    def output_shapes(self) -> Any:
        """The static shapes of an element."""
        return nest.map_structure(lambda spec: spec.shape, self.element_spec)

    @property
    def output_classes(self) -> Any:
        """The classes of the parts of an element."""
        return nest.map_structure(lambda spec: spec.value_type, self.element_spec)


def _accepts(expected: Any, spec: Any) -> bool:
    """Whether an iterator over elements of a spec can be started at those of another."""
    return bool(expected.dtype is spec.dtype and expected.is_compatible_with(spec))


def _spec(types: Any, shapes: Any, classes: Any) -> Any:
    """Return the spec of elements that is described by separate structures."""
    flat = [as_dtype(each) for each in nest.flatten(types)]
    if shapes is None:
        dims: list[Any] = [None] * len(flat)
    else:
        dims = nest.flatten_up_to(types, shapes)
    kinds = [Tensor] * len(flat) if classes is None else nest.flatten(classes)
    specs = [_leaf(*leaf) for leaf in zip(flat, map(TensorShape, dims), kinds, strict=True)]
    return nest.pack_sequence_as(types, specs)


def _leaf(dtype: Any, shape: TensorShape, kind: Any) -> Any:
    if kind is SparseTensor:
        return SparseTensorSpec(shape, dtype)
    if kind is RaggedTensor:
        return RaggedTensorSpec(shape, dtype)
    return TensorSpec(shape, dtype)


def make_initializable_iterator(dataset: DatasetLike, shared_name: str | None = None) -> Any:
    """Return an iterator over a dataset for sessions, which run its `initializer` first.

    Args:
        dataset: What to iterate over.
        shared_name: The name of the resource in the graph.

    Raises:
        RuntimeError: ops run eagerly here.
    """
    if executing_eagerly():
        raise RuntimeError(
            "make_initializable_iterator is for graphs that sessions run; here ops run eagerly. "
            "Use `iter(dataset)`, or a `for` loop."
        )
    layout = dataset._layout
    handle = iterator_v2(**described(layout), shared_name=shared_name or "")
    make_iterator(dataset._variant_tensor, handle)
    return Iterator(handle, layout, current_graph().nodes[-1])


def make_one_shot_iterator(dataset: DatasetLike) -> Any:
    """Return an iterator over a dataset that needs no initializer and is not started again."""
    if executing_eagerly() or current_graph().building_function:
        return iter(dataset)  # type: ignore[call-overload]
    layout = dataset._layout
    handle = started_iterator(dataset._variant_tensor, iterator_v2(**described(layout)))
    return Iterator(handle, layout)
