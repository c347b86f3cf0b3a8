"""`from_generator`: the elements that a Python generator yields."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tapeflow._src.api.elements import Layout, as_element
from tapeflow._src.core import dispatch, nest
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.errors import error_of_python, invalid
from tapeflow._src.core.registry import ManyFree
from tapeflow._src.core.shape import TensorShape, as_shape
from tapeflow._src.core.source import Location
from tapeflow._src.core.spec import TensorSpec, TypeSpec
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.recipe import Recipe, described
from tapeflow._src.data.stage import Cursor, Element, Stage

Generator = Callable[..., Any]
# Values that errors show are cut at this length.
_LONGEST_TEXT = 200


class Generated(Stage):
    """The elements that `generator(*arguments)` yields; it is called for each iteration."""

    def __init__(self, generator: Generator, arguments: tuple[Any, ...], layout: Layout) -> None:
        self._generator = generator
        self._arguments = arguments
        self._layout = layout

    def cursor(self) -> Cursor:
        return _GeneratorCursor(self._generator, self._arguments, self._layout)


class _GeneratorCursor(Cursor):
    def __init__(self, generator: Generator, arguments: tuple[Any, ...], layout: Layout) -> None:
        self._generator = generator
        self._arguments = arguments
        self._layout = layout
        self._values: Iterator[Any] | None = None
        self._count = 0  # values that were yielded

    def __next__(self) -> Element:
        value = self._yielded()
        return self._as_arrays(value)

    def _yielded(self) -> Any:
        try:
            if self._values is None:
                self._values = iter(self._generator(*self._arguments))
            value = next(self._values)
        except StopIteration:
            raise
        except Exception as error:
            raise error_of_python(error, f"{type(error).__name__}: {error}") from error
        self._count += 1
        return value

    def get_state(self) -> int:
        return self._count

    def set_state(self, state: int) -> None:
        """Call the generator anew and skip as many values: it is assumed to yield the same."""
        self._values, self._count = None, 0
        for _ in range(state):
            try:
                self._yielded()
            except StopIteration:
                return

    def _as_arrays(self, value: Any) -> Element:
        spec = self._layout.spec
        with dispatch.use_mode(dispatch.base_mode()):
            try:
                tensors = self._layout.flatten(_fitted(spec, value))
            except (TypeError, ValueError) as error:
                raise invalid(
                    f"TypeError: `generator` yielded {_mismatch(spec, value)}, "
                    f"{self._where()}. {_REPAIR}"
                ) from error
        for index, (tensor, expected) in enumerate(zip(tensors, self._layout.tensors, strict=True)):
            if not expected.shape.is_compatible_with(tensor.shape):
                raise invalid(
                    f"TypeError: `generator` yielded shape {tensor.shape} for component {index}, "
                    f"where {expected.shape} was expected: {_shown(tensor)}, {self._where()}. "
                    f"{_REPAIR} A size that varies is None: {_merged(expected, tensor)}."
                )
        return tuple([tensor._array for tensor in tensors])

    def _where(self) -> str:
        """Return which element was yielded last, and by which line."""
        where = f"in element {self._count - 1}, counted from 0"
        frame = getattr(self._values, "gi_frame", None)
        if frame is None:
            return where
        code = frame.f_code
        location = Location(code.co_filename, frame.f_lineno, code.co_name)
        return f"{where}, by `{location.code()}` at {location.file}:{location.line}"


def _merged(expected: TensorSpec, tensor: Any) -> TensorSpec:
    """Return a spec that admits both the expected shape and that of a tensor."""
    return TensorSpec(expected.shape.most_specific_compatible_shape(tensor.shape), expected.dtype)


_REPAIR = "Yield what `output_signature` declares, or declare what is yielded."


def _fitted(spec: Any, value: Any) -> Any:
    """Convert a value to an element of the spec; a list becomes a tensor where the spec has one."""
    if isinstance(spec, TensorSpec):
        return dispatch.convert(value, spec.dtype)
    if isinstance(spec, TypeSpec):
        return value
    parts = nest.flatten_up_to(spec, value, check_types=False)
    return nest.pack_sequence_as(
        spec, [_fitted(leaf, part) for leaf, part in zip(nest.flatten(spec), parts)]
    )


def _shown(tensor: Any) -> str:
    """Return a value as a short text."""
    text = repr(tensor.numpy().tolist())
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…"


def _mismatch(spec: Any, value: Any) -> str:
    """Describe the mismatch of a value: its structure, or one of its components."""
    try:
        parts = nest.flatten_up_to(spec, value, check_types=False)
    except (TypeError, ValueError):
        return f"an element of another structure: expected {spec}, received {value!r}"
    for index, (leaf, part) in enumerate(zip(nest.flatten(spec), parts)):
        try:
            Layout(leaf).flatten(_fitted(leaf, part))
        except (TypeError, ValueError):
            return f"{part!r} as component {index}, where {leaf} was expected"
    return f"{value!r}, which does not match {spec}"


@dataset_op("GeneratorDataset", effect="io")
def generator_dataset(
    xp,
    init_func_other_args: ManyFree,
    next_func_other_args: ManyFree,
    finalize_func_other_args: ManyFree,
    *,
    init_func,
    next_func,
    finalize_func,
    output_types,
    output_shapes,
    metadata="",
):
    """Return a dataset of the elements of a generator; here, `init_func` creates its stage."""
    return init_func(init_func_other_args)


generator_dataset.accesses("python")


# -- the transformation -------------------------------------------------------------------------


def from_generator(
    generator: Generator,
    output_types: Any,
    output_shapes: Any,
    args: Any,
    output_signature: Any,
    name: str | None,
) -> Recipe:
    """Create a dataset of the elements that `generator(*args)` yields."""
    if not callable(generator):
        raise TypeError(
            f"`generator` must be a Python callable: a function that returns a new iterator each "
            f"time. Received a {type(generator).__name__}; pass the function itself, without "
            f"calling it, or `lambda: iter(values)`."
        )
    spec = _signature(output_types, output_shapes, output_signature)
    layout = Layout(spec)
    taken = as_element(tuple(args) if args is not None else ())
    argument_layout = Layout.of(taken)

    def stage(arrays: list[Any]) -> Stage:
        return Generated(generator, tuple([_as_value(a) for a in arrays]), layout)

    variant = generator_dataset(
        argument_layout.flatten(taken),
        (),
        (),
        init_func=stage,
        next_func=None,
        finalize_func=None,
        **described(layout),
        name=name,
    )
    return Recipe("_FlatMapDataset", variant, spec)


def _as_value(array: Any) -> Any:
    """Convert an argument of a generator to an array or a NumPy scalar."""
    return array.copy() if array.ndim else array[()]


def _signature(output_types: Any, output_shapes: Any, output_signature: Any) -> Any:
    """Return the spec of the elements from either way to describe it."""
    if output_signature is not None:
        for value, argument in ((output_types, "output_types"), (output_shapes, "output_shapes")):
            if value is not None:
                raise TypeError(
                    f"`output_signature` already describes the elements: leave `{argument}` out."
                )
        for leaf in nest.flatten(output_signature):
            if not isinstance(leaf, TypeSpec):
                raise TypeError(
                    f"`output_signature` must be made of specs, such as tf.TensorSpec. Received: "
                    f"{leaf!r} of type {type(leaf).__name__}"
                )
        return output_signature
    if output_types is None:
        raise TypeError(
            "`from_generator` needs `output_signature`, the spec of an element, such as "
            "tf.TensorSpec(shape=(), dtype=tf.int32); or the legacy `output_types`."
        )
    types = nest.map_structure(as_dtype, output_types)
    if output_shapes is None:
        return nest.map_structure(lambda dtype: TensorSpec(None, dtype), types)
    return _with_shapes(types, output_shapes)


def _with_shapes(types: Any, shapes: Any) -> Any:
    if not nest.is_nested(types):
        return TensorSpec(as_shape(shapes), types)
    flat = nest.flatten_up_to(types, shapes, check_types=False)
    specs = [
        TensorSpec(shape if isinstance(shape, TensorShape) else as_shape(shape), dtype)
        for dtype, shape in zip(nest.flatten(types), flat)
    ]
    return nest.pack_sequence_as(types, specs)
