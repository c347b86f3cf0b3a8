"""User functions of transformations: traced once for the element spec, then run on arrays.

A traced function consists of a body, the tensors it captures, and the layout of its results. An op
holds the body and takes the captures; the stage that it creates calls the body.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tapeflow._src.api.control_flow.python_functions import py_function
from tapeflow._src.api.elements import Layout, as_element, spec_of
from tapeflow._src.autograph.api import convert_entity
from tapeflow._src.autograph.errors import explaining
from tapeflow._src.core import dispatch, nest
from tapeflow._src.core.dtypes import DType
from tapeflow._src.core.errors import OpError
from tapeflow._src.core.shape import as_dims
from tapeflow._src.core.tracebacks import fold
from tapeflow._src.data.stage import Element, stacked, unstacked
from tapeflow._src.data.vectorized_calls import is_vectorizable, vectorized
from tapeflow._src.executors.program import Program
from tapeflow._src.function.run_eagerly import functions_run_eagerly
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.graph import FuncGraph
from tapeflow._src.graph.subgraphs import common_inputs
from tapeflow._src.passes.partition import partition

Function = Callable[..., Any]


class _Debugging:
    __slots__ = ("enabled",)

    def __init__(self) -> None:
        self.enabled = False


_debugging = _Debugging()


def enable_debug_mode() -> None:
    """Run functions of datasets as plain Python on each element, so that breakpoints work.

    Datasets that were created before are not affected.

    Returns:
        None.
    """
    _debugging.enabled = True


# -- tracing ----------------------------------------------------------------------------------


class Traced(NamedTuple):
    """A traced function of arrays; `captured` are its further arguments."""

    body: Body
    captured: tuple[Any, ...]
    layout: Layout


def traced(
    func: Function, arguments: Sequence[Layout], of: str, dtype: DType | None = None
) -> Traced:
    """Trace `func` with arguments of these layouts. `of` names the transformation.

    With `dtype`, the result is one tensor of it, which a Python number becomes.
    """
    try:
        function = _traced(convert_entity(func), arguments, of, dtype)
        function.body.graph.label = _label(func, of)
    except Exception as error:
        if isinstance(error, KeyError):
            _note_keys(error, arguments)
        fold(error)
        raise
    if (_debugging.enabled or functions_run_eagerly()) and not _is_ours(func):
        function = _traced(_in_python(func, function.layout), arguments, of, dtype)
        function.body.graph.label = _label(func, of)
    return function


def _label(func: Function, of: str) -> str:
    """Return how errors name a function: its transformation, its name, and where it is defined."""
    name = getattr(func, "__name__", type(func).__name__)
    code = getattr(func, "__code__", None)
    where = "" if code is None else f" ({code.co_filename}:{code.co_firstlineno})"
    return f"Dataset.{of}, function {name}{where}"


def _is_ours(func: Function) -> bool:
    """Whether a function belongs to the library, which debug mode leaves alone."""
    return str(getattr(func, "__module__", "")).partition(".")[0] == "tapeflow"


def _note_keys(error: KeyError, arguments: Sequence[Layout]) -> None:
    """Note the keys that the elements have on an error about one that they do not have."""
    match = re.search(r"KeyError: '([^']*)'", str(error))
    key = match[1] if match else str(error.args[0] if error.args else "")
    for spec in (layout.spec for layout in arguments if isinstance(layout.spec, dict)):
        by_case = {str(name).lower(): name for name in spec}
        similar = difflib.get_close_matches(key.lower(), by_case, 1)
        meant = f" Did you mean {by_case[similar[0]]!r}?" if similar else ""
        error.add_note(f"The elements of the dataset have the keys {list(spec)}.{meant}")


def traced_on_elements(
    func: Function, element: Layout, of: str, dtype: DType | None = None
) -> Traced:
    """Trace a function of one element: the components of a tuple are its arguments."""
    spec = element.spec
    arguments = [Layout(part) for part in spec] if type(spec) is tuple else [element]
    return traced(func, arguments, of, dtype)


def _traced(func: Function, arguments: Sequence[Layout], of: str, dtype: DType | None) -> Traced:
    outer = dispatch.current_graph()
    name = f"{of}_{getattr(func, '__name__', 'function')}"
    graph = FuncGraph(name, outer=outer, part=outer is not None)
    with graph.as_default(), dispatch.use_recorders(()), explaining():
        values = [
            layout.pack([graph.argument(s.dtype, as_dims(s.shape), "args") for s in layout.tensors])
            for layout in arguments
        ]
        result = func(*values)
        is_number = dtype is not None and isinstance(result, int)
        result = dispatch.convert(result, dtype) if is_number else _as_result(result, of)
        layout = Layout(spec_of(result))
        outputs = tuple([graph.adopt(t) for t in layout.flatten(result)])
    captured, (inputs,) = common_inputs([graph])
    return Traced(Body(graph, outputs, inputs), tuple(captured), layout)


def _as_result(result: Any, of: str) -> Any:
    """Convert the result of a function to an element; a top-level list counts as a tuple."""
    try:
        return as_element(tuple(result) if isinstance(result, list) else result)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"The function passed to Dataset.{of}() must return tensors, or values that can become "
            f"tensors. Received: {result}"
        ) from error


def _in_python(func: Function, layout: Layout) -> Function:
    """Return a function that calls `func` eagerly when the graph runs."""

    def call(*arguments: Any) -> Any:
        flat = nest.flatten(arguments)

        def run(*values: Any) -> list[Any]:
            result = func(*nest.pack_sequence_as(arguments, values))
            return layout.flatten(_as_result(result, "map"))

        return layout.pack(py_function(run, flat, layout.tensors))

    return call


# -- running ----------------------------------------------------------------------------------


# Batches of so many sizes are traced for a function: a full one, and the last of an epoch.
_SIZES = 4


class Call:
    """A traced function prepared to run: from an element to an element."""

    __slots__ = ("_body", "_captured", "_picked", "_program", "is_vectorizable")

    def __init__(self, body: Body, captured: Sequence[Any]) -> None:
        self._captured = tuple(captured)
        indices = {id(tensor): index for index, tensor in enumerate(body.inputs)}
        picked = [indices[id(tensor)] for tensor in body.outputs if id(tensor) in indices]
        # A function that only picks among its arguments needs no program.
        only_picks = len(picked) == len(body.outputs) and not body.has_effect
        self._picked = picked if only_picks else None
        self._body = body
        self._program = program_of(body)
        # Whether `on_rows` runs it once for many elements.
        self.is_vectorizable = is_vectorizable(body, len(body.inputs) - len(self._captured))

    def __call__(self, element: Element) -> Element:
        if self._picked is not None:
            arguments = (*element, *self._captured)
            return tuple([arguments[index] for index in self._picked])
        return self._program((*element, *self._captured))

    def locate(self, error: Exception, index: int) -> None:
        """Add to an error of a call which transformation, function and element it is about."""
        label = self._body.graph.label
        if not label:
            return
        note = f"In {label}: element {index} of its input, counted from 0."
        if isinstance(error, OpError):
            error._message = f"{error._message}\n\n{note}"
            error.args = (error._message,)
        else:
            error.add_note(note)

    def on_rows(self, rows: Element) -> Element:
        """Return the results for elements that are rows of arrays, as rows."""
        program = self._on_batches_of(rows[0].shape[0])
        if program is None:
            return stacked([self(element) for element in unstacked(rows)])
        return program((*rows, *self._captured))

    def _on_batches_of(self, size: int) -> Program | None:
        """Return the program for batches of this size, cached with the body."""
        programs = self._body.batched
        if size not in programs and len(programs) < _SIZES:
            elements = len(self._body.inputs) - len(self._captured)
            body = vectorized(self._body, elements, size)
            programs[size] = None if body is None else program_of(body)
        return programs.get(size)


def program_of(body: Body) -> Program:
    """Return the program of a body, cached per body."""
    if body.program is None:
        body.program = Program(body, split=partition)
    return body.program
