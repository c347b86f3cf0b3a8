"""Compiled programs: a graph as one JAX function, compiled for given shapes.

A program takes the values of the variables it uses and returns their new values; the buffers of
those it changes are donated, so that updates happen in place. 64-bit types are exact without a
change to JAX's configuration. Where an op body detected an error, the program returns the old
values of all variables, and the caller runs the graph again on the interpreter, which raises it.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial
from itertools import starmap
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapeflow._src.backends import heap, jax_device, jax_ffi
from tapeflow._src.backends.jax_flags import OUTGROWN, collect_failures, together
from tapeflow._src.backends.jax_lists import DenseList
from tapeflow._src.backends.memory import ALIGNMENT, address, aligned_empty
from tapeflow._src.core import interrupts, probes, random_state
from tapeflow._src.core.errors import ResourceExhaustedError
from tapeflow._src.core.locking import holding, in_order, next_lock
from tapeflow._src.core.resource import hold_on_device, hold_on_mesh
from tapeflow._src.core.tensor_list import TensorList
from tapeflow._src.executors import background, exiting, xla_control, xla_disk, xla_ieee, xla_loops
from tapeflow._src.executors.xla_inputs import Layout
from tapeflow._src.executors.xla_options import splits
from tapeflow._src.executors.xla_replicas import mesh_in, on_all_devices
from tapeflow._src.executors.xla_state import Streams
from tapeflow._src.executors.xla_trace import LIST_ROWS, Trace, traced
from tapeflow._src.executors.xla_trace import CannotCompileError as CannotCompileError
from tapeflow._src.graph.body import Body

# Modules that register the tracing of branches and loops.
STRUCTURES = (xla_control, xla_loops)
# JAX, imported above, cleans up when Python exits; later registrations run before that.
atexit.register(background.leave)
# JAX truncates NumPy arrays of these dtypes unless configured otherwise.
_WIDE = frozenset(map(np.dtype, (np.int64, np.uint64, np.float64, np.complex128)))
# XLA copies arrays of this many bytes on a thread of its own, smaller ones at once.
_ASYNC_COPY_BYTES = 100 << 10
# The words of XLA's errors when memory runs out.
_EXHAUSTED = "RESOURCE_EXHAUSTED"


class Failed(Exception):
    """A call failed, and nothing was changed."""


class Outgrown(Failed):
    """A list outgrew the program's capacity: compile it with more `list_rows`."""


class Executable:
    """A body compiled for the shapes and dtypes of `arrays`. Thread-safe.

    constants: positions of inputs whose values, those in `arrays`, it is compiled for, too.
    """

    def __init__(
        self,
        body: Body,
        arrays: Sequence[Any],
        list_rows: int = LIST_ROWS,
        constants: Sequence[int] = (),
        checked: bool = False,
    ) -> None:
        self._body = body
        self._checks_numerics = checked
        self._list_rows = list_rows
        self._layout = Layout(body, arrays, constants)
        self._cells: list[Any] = list(arrays)
        self._streams_used: list[int] = []
        self._dynamic_streams: list[int] = []
        # For each output: a constant value, the index of an input, or of a result.
        self._sources: list[tuple[str, Any]] = []
        self._can_fail = False
        layout = self._layout
        donated = tuple(range(layout.first_written, layout.first_stream))
        samples = self._samples(arrays)
        # JAX folds constants with NumPy, whose warnings are off while eager ops run, too.
        self._mesh = mesh_in(body)
        # Whether its variables lie on several devices.
        self._on_devices = self._mesh is not None
        with jax.enable_x64(True), np.errstate(all="ignore"):
            program = self._jitted(donated).trace(*samples)
            self._cells.clear()
            self._device = device = self._device_for(program)
            with jax.default_device(device) if self._mesh is None else nullcontext():
                lowered = program.lower()
                xla_ieee.preserve(lowered.compiler_ir())
                compiled = self._compiled(lowered, device)
                self._call: Any = direct(compiled)
        # The contexts of a call.
        self._scopes: list[Callable[[], AbstractContextManager[Any]]] = []
        if any(sample.dtype in _WIDE for sample in samples):
            self._scopes.append(partial(jax.enable_x64, True))
        # Bytes that a call needs, beside its arguments.
        self.memory = _memory(compiled)
        if jax_device.on_processors() and heap.keep(self.memory):
            self._scopes.append(heap.unmapped)
        large = samples if self._mesh is None else ()
        self._large = [i for i, sample in enumerate(large) if _bytes(sample) >= _ASYNC_COPY_BYTES]
        self._changes = bool(layout.written or self._dynamic_streams)
        interrupts.install()
        # The variables of the last call, usually those of the next, and their locks.
        self._last: tuple[list[Any], list[Any]] = ([], [])

    @property
    def name(self) -> str:
        """The name of the function."""
        return self._body.name

    # What programs for several devices do otherwise.

    def _samples(self, arrays: Sequence[Any]) -> list[Any]:
        return self._layout.samples(arrays)

    def _jitted(self, donated: tuple[int, ...]) -> Any:
        placed = {} if self._mesh is None else on_all_devices(self._mesh)
        return jax.jit(self._function, donate_argnums=donated, **placed)

    def _device_for(self, program: Any) -> Any:
        return jax_device.device(self._mesh is None and splits(program.jaxpr))

    def _updated(self, index: int, value: Any) -> Any:
        """Return the new value of the variable that is an input, while tracing."""
        return value

    def _fetched(self, results: list[Any]) -> list[Any]:
        """Return computed outputs as they are handed out: on the host."""
        return [np.asarray(value) for value in results]

    def _compiled(self, lowered: Any, device: Any) -> Any:
        return xla_disk.compiled(lowered, device)

    # -- tracing -----------------------------------------------------------------------------

    def _function(self, *arguments: Any) -> tuple[Any, ...]:
        layout = self._layout
        values = layout.values(self._body, self._cells, arguments)
        counters = dict(zip(layout.streams, arguments[layout.first_stream :]))
        streams = Streams(counters)
        with collect_failures() as failures:
            outputs = Trace(streams, self._list_rows, self._checks_numerics).run(self._body, values)
        self._can_fail = bool(failures)
        wrong = together(failures)
        results = self._outputs(outputs, values)
        for i, old in zip(layout.written, arguments[layout.first_written :]):
            new = self._updated(i, values[i].array)
            results.append(jnp.where(wrong != 0, old, new) if failures else new)
        self._dynamic_streams = [
            k for k, identity in enumerate(layout.streams) if identity in streams.dynamic
        ]
        results += [counters[layout.streams[k]] for k in self._dynamic_streams]
        self._streams_used = [
            0 if k in self._dynamic_streams else streams.used.get(identity, 0)
            for k, identity in enumerate(layout.streams)
        ]
        if failures:
            results.append(wrong)
        return tuple(results)

    def _outputs(self, outputs: list[Any], values: list[Any]) -> list[Any]:
        """Return the outputs to compute; `_sources` maps all outputs to their sources."""
        input_indices = {id(value): i for i, value in enumerate(values)}
        results: list[Any] = []
        self._sources = []
        result_indices: dict[int, int] = {}
        for tensor, value in zip(self._body.outputs, outputs, strict=True):
            if value is None or isinstance(value, np.ndarray):
                self._sources.append(("constant", value))
            elif id(value) in input_indices:
                self._sources.append(("input", input_indices[id(value)]))
            elif isinstance(value, DenseList):
                leaves, tree = jax.tree.flatten(value)
                self._sources.append(("list", _ListResult(tree, len(results), len(leaves))))
                results += leaves
            else:
                if id(value) not in result_indices:
                    result_indices[id(value)] = len(results)
                    results.append(traced(value, tensor.op))  # type: ignore[union-attr]
                self._sources.append(("result", result_indices[id(value)]))
        self._computed = len(results)
        return results

    # -- calling -----------------------------------------------------------------------------

    @exiting.enters_xla
    def __call__(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """Return the outputs as NumPy arrays, or raise `Failed`."""
        if exiting.leaving:
            exiting.park()
        try:
            if self._changes:
                results = holding(self._locks(arrays), self._run, arrays)
            else:
                results = self._run(arrays)
        except (RuntimeError, ValueError) as error:
            if _EXHAUSTED in str(error):
                raise ResourceExhaustedError(
                    None,
                    None,
                    f"Out of memory in the compiled function {self._body.name!r}: {error}",
                ) from error
            if self._changes or "deleted" not in str(error):
                raise
            # Another thread has just donated a variable: its new value follows.
            results = holding(self._locks(arrays), self._run, arrays)
        if interrupts.pending:
            interrupts.deliver()
        return tuple(
            [
                results[source] if kind == "result" else _output(kind, source, arrays, results)
                for kind, source in self._sources
            ]
        )

    @property
    def native(self) -> Any:
        """The C function, where a call is nothing but that and returns its results; else None."""
        if self._scopes or self._large or jax_ffi.interrupts or not self.is_pure:
            return None
        return self._call

    @property
    def is_pure(self) -> bool:
        """Whether a call cannot fail and does nothing but compute results, in order."""
        if self._changes or self._can_fail or self._layout.streams:
            return False
        return self._sources == [("result", index) for index in range(self._computed)]

    def _locks(self, arrays: Sequence[Any]) -> list[Any]:
        """Return the locks of all variables, because some are donated during the call."""
        owners = [arrays[i] for i in self._layout.variables]
        if self._dynamic_streams:
            owners.append(_streams)
        last, locks = self._last
        if owners != last:
            locks = in_order(owners)
            self._last = owners, locks
        return locks

    def _run(self, arrays: Sequence[Any]) -> list[Any]:
        """Return the computed outputs, after updating variables and streams."""
        layout = self._layout
        arguments = layout.arguments(arrays, on_mesh=self._on_devices)
        for index in self._large:
            if type(arguments[index]) is np.ndarray:
                arguments[index] = self._as_argument(arguments[index], index)
        states: list[random_state.State] = []
        if layout.streams:
            states = self._reserve()
            arguments += [random_state.stream(*state) for state in states]
        results: list[Any] = []
        try:
            # Entirely in C: an interrupt arrives when the new values are safe in `results`.
            if self._scopes:
                with ExitStack() as stack:
                    for scope in self._scopes:
                        stack.enter_context(scope())
                    results.extend(*starmap(self._call, (arguments,)))
            else:
                results.extend(*starmap(self._call, (arguments,)))
        except TypeError:
            if any(argument is None for argument in arguments):
                raise Failed from None  # a variable that is not initialized
            raise
        finally:
            if results:
                new = list(zip(layout.written, results[self._computed :]))
                hold = hold_on_mesh if self._on_devices else hold_on_device
                try:
                    for index, value in new:
                        hold(arrays[index], value)
                except BaseException:  # a signal handler raised; the old values are gone
                    for index, value in new:
                        hold(arrays[index], value)
                    raise
        return self._checked(results, states)

    def _as_argument(self, array: np.ndarray, index: int) -> Any:
        """Return a large argument as the program takes it.

        XLA copies such arrays on another thread, which then runs the program too.
        """
        if index >= self._layout.first_written:
            # The program takes ownership of the buffer; from the next call on, it is the program's
            # own.
            with jax.enable_x64(True):
                copy = jax.device_put(array, self._device, may_alias=False)
                return copy.block_until_ready()
        if address(array) % ALIGNMENT or not array.flags.c_contiguous:
            aligned = aligned_empty(array.shape, array.dtype)
            aligned[...] = array
            return aligned
        return array

    def _reserve(self) -> list[random_state.State]:
        layout = self._layout
        return [
            random_state.reserve(identity, attrs, used)
            for identity, attrs, used in zip(
                layout.streams, layout.stream_attrs, self._streams_used, strict=True
            )
        ]

    def _checked(self, results: list[Any], states: list[random_state.State]) -> list[Any]:
        layout = self._layout
        wrong = int(np.asarray(results[-1])) if self._can_fail else 0
        if wrong:
            for identity, state in zip(layout.streams, states, strict=True):
                random_state.move(identity, state)
            raise Outgrown if wrong & OUTGROWN else Failed
        drawn = results[self._computed + len(layout.written) :]
        for k, counter in zip(self._dynamic_streams, drawn):
            words = np.asarray(counter).tolist()
            random_state.move(layout.streams[k], random_state.state_of(words))
        outputs = self._fetched(results[: self._computed])
        if not outputs and results:
            results[0].block_until_ready()
        if jax_ffi.interrupts:
            raise jax_ffi.interrupts.pop()
        return outputs


probes.register(Executable, "__init__", "compile", lambda self, body, *args, **kwargs: body.name)
probes.register(Executable, "__call__", "xla", lambda self, arrays: self._body.name)


class _StreamsLock:
    """Held by programs whose use of random streams is only known after the call."""

    lock = next_lock()


_streams = _StreamsLock()


def _bytes(sample: Any) -> int:
    return int(sample.size * sample.dtype.itemsize)


def _memory(compiled: Any) -> int:
    """Return the memory that a call needs, beside its arguments."""
    sizes = compiled.memory_analysis()
    if sizes is None:
        return 0
    own: int = sizes.output_size_in_bytes - sizes.alias_size_in_bytes
    return own + int(sizes.temp_size_in_bytes)


def direct(compiled: Any) -> Any:
    """Return the C function behind a compiled program, if JAX has one: a Python frame less."""
    make = getattr(getattr(compiled, "_executable", None), "create_cpp_call", None)
    native = None if make is None else make(compiled._params)
    return compiled if native is None else native


def _output(kind: str, source: Any, arrays: Sequence[Any], results: list[Any]) -> Any:
    """Return an output that is not one of the results."""
    if kind == "input":
        return arrays[source]
    return source.assemble(results) if kind == "list" else source


class _ListResult:
    """Rebuilds a list from the results of a program."""

    def __init__(self, tree: Any, first: int, count: int) -> None:
        self._tree = tree
        self._result_slice = slice(first, first + count)

    def assemble(self, results: Sequence[Any]) -> TensorList:
        return _on_the_host(jax.tree.unflatten(self._tree, results[self._result_slice]))


def _on_the_host(dense: DenseList) -> TensorList:
    """Return a list of NumPy arrays from stacked rows."""
    length = int(dense.length)
    kind = dense.value_dtype, dense.element_shape
    count = 0 if dense.items is None else length
    rows = [jax.tree.map(lambda array: array[i, ...], dense.items) for i in range(count)]  # noqa: B023
    items = {i: _on_the_host(r) if isinstance(r, DenseList) else r for i, r in enumerate(rows)}
    return TensorList(*kind, length, items, dense.max_length)
