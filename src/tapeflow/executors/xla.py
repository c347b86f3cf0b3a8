"""Compiled programs: a graph as one function of JAX's, compiled for given shapes.

A program takes the values of the variables it uses and gives back what they became; the memory of
those it changes is handed over, so that updates happen in place. 64-bit types are exact without a
change to JAX's configuration. Where an op body found something wrong, the program gives back the
old values of all variables, and the caller runs the graph again on the interpreter, which tells.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import starmap
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapeflow.backends import jax as jax_xp
from tapeflow.backends import jax_ffi
from tapeflow.core import random_state
from tapeflow.core.resource import Cell, updating
from tapeflow.executors import xla_control
from tapeflow.executors.xla_state import (
    Box,
    Streams,
    random_nodes,
    stream_identity,
    written_inputs,
)
from tapeflow.executors.xla_trace import CannotCompileError as CannotCompileError
from tapeflow.executors.xla_trace import Trace, any_failed, traced
from tapeflow.graph.body import Body, attributes

STRUCTURES = xla_control.STRUCTURES
# JAX takes NumPy arrays of these for shorter ones unless it is told otherwise.
_WIDE = frozenset(map(np.dtype, (np.int64, np.uint64, np.float64, np.complex128)))


class Failed(Exception):
    """Something in a call failed, and nothing was changed."""


class _Layout:
    """Where the inputs of a body go among the arguments of the compiled function.

    The arguments are: arrays, variables only read, variables changed, streams.
    """

    def __init__(self, body: Body, arrays: Sequence[Any]) -> None:
        self.plain = [i for i, a in enumerate(arrays) if not isinstance(a, Cell)]
        changed_places = written_inputs(body)
        first_place: dict[int, int] = {}
        for i, a in enumerate(arrays):
            if isinstance(a, Cell):
                first_place.setdefault(id(a), i)
        # A variable may be passed twice: it is one all the same.
        self.same_as = {i: first_place[id(a)] for i, a in enumerate(arrays) if isinstance(a, Cell)}
        changed = {self.same_as[i] for i in changed_places}
        self.read = [i for i in first_place.values() if i not in changed]
        self.written = sorted(changed)
        nodes = {stream_identity(node): node for node in random_nodes(body)}
        self.streams: list[Hashable] = list(nodes)
        self.stream_attrs = [attributes(node) for node in nodes.values()]
        self.first_written = len(self.plain) + len(self.read)
        self.first_stream = self.first_written + len(self.written)

    def samples(self, arrays: Sequence[Any]) -> list[Any]:
        """What describes the arguments to the compiler."""
        held = [arrays[i].held() for i in (*self.read, *self.written)]
        described = [
            jax.ShapeDtypeStruct(a.shape, a.dtype) for a in [arrays[i] for i in self.plain] + held
        ]
        return described + [jax.ShapeDtypeStruct((6,), np.uint32)] * len(self.streams)

    def values(self, arrays: Sequence[Any], arguments: Sequence[Any]) -> list[Any]:
        """The inputs of the body, for tracing."""
        of = dict(zip(self.plain, arguments))
        for i, argument in zip((*self.read, *self.written), arguments[len(self.plain) :]):
            of[i] = Box(argument, arrays[i])
        return [of[self.same_as.get(i, i)] for i in range(len(arrays))]


class Executable:
    """A body compiled for the shapes and dtypes of `arrays`. May be called by several threads."""

    def __init__(self, body: Body, arrays: Sequence[Any]) -> None:
        self._body = body
        self._layout = _Layout(body, arrays)
        self._cells: list[Any] = list(arrays)
        self._streams_used: list[int] = []
        self._dynamic_streams: list[int] = []
        # For each output: a value always the same, the place of an input, or of a result.
        self._given: list[tuple[str, Any]] = []
        self._can_fail = False
        layout = self._layout
        donated = tuple(range(layout.first_written, layout.first_stream))
        samples = layout.samples(arrays)
        self._wide = any(sample.dtype in _WIDE for sample in samples)
        with jax.enable_x64(True):
            lowered = jax.jit(self._function, donate_argnums=donated).lower(*samples)
            self._cells.clear()
            self._call: Any = lowered.compile()
        self._results = len(self._given)

    # -- tracing -----------------------------------------------------------------------------

    def _function(self, *arguments: Any) -> tuple[Any, ...]:
        layout = self._layout
        values = layout.values(self._cells, arguments)
        counters = dict(zip(layout.streams, arguments[layout.first_stream :]))
        streams = Streams(counters)
        with jax_xp.collect_failures() as failures:
            outputs = Trace(streams).run(self._body, values)
        self._can_fail = bool(failures)
        failed = any_failed(failures)
        results = self._outputs(outputs, values)
        for i, old in zip(layout.written, arguments[layout.first_written :]):
            new = values[i].array
            results.append(jnp.where(failed, old, new) if failures else new)
        self._dynamic_streams = [
            k for k, identity in enumerate(layout.streams) if identity in streams.dynamic
        ]
        results += [counters[layout.streams[k]] for k in self._dynamic_streams]
        self._streams_used = [
            0 if k in self._dynamic_streams else streams.used.get(identity, 0)
            for k, identity in enumerate(layout.streams)
        ]
        if failures:
            results.append(failed)
        return tuple(results)

    def _outputs(self, outputs: list[Any], values: list[Any]) -> list[Any]:
        """Those outputs that must be computed; for each of all, `_given` says where to find it."""
        places = {id(value): i for i, value in enumerate(values)}
        results: list[Any] = []
        self._given = []
        found: dict[int, int] = {}
        for tensor, value in zip(self._body.outputs, outputs, strict=True):
            if value is None or isinstance(value, np.ndarray):
                self._given.append(("constant", value))
            elif id(value) in places:
                self._given.append(("input", places[id(value)]))
            else:
                if id(value) not in found:
                    found[id(value)] = len(results)
                    results.append(traced(value, tensor.op))  # type: ignore[union-attr]
                self._given.append(("result", found[id(value)]))
        self._computed = len(results)
        return results

    # -- calling -----------------------------------------------------------------------------

    def __call__(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """The outputs as NumPy arrays, or `Failed`."""
        if self._layout.written or self._dynamic_streams:
            with updating:
                results = self._run(arrays)
        else:
            results = self._run(arrays)
        return tuple(
            [
                found if kind == "constant" else (arrays if kind == "input" else results)[found]
                for kind, found in self._given
            ]
        )

    def _run(self, arrays: Sequence[Any]) -> list[Any]:
        """The computed outputs; variables and streams are left as the call leaves them."""
        layout = self._layout
        arguments = [arrays[i] for i in layout.plain]
        arguments += [arrays[i].held() for i in layout.read]
        arguments += [arrays[i].held() for i in layout.written]
        if any(argument is None for argument in arguments):
            raise Failed  # a variable that is not initialized
        states = self._reserve()
        arguments += [random_state.stream(*state) for state in states]
        results: list[Any] = []
        try:
            # In C throughout: an interrupt comes when the new values are safe in `results`.
            if self._wide:
                with jax.enable_x64(True):
                    results.extend(*starmap(self._call, (arguments,)))
            else:
                results.extend(*starmap(self._call, (arguments,)))
        finally:
            if results:
                new = results[self._computed :]
                for i, value in zip(layout.written, new):
                    arrays[i].hold(value)
        return self._checked(results, states)

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
        if self._can_fail and np.asarray(results[-1]):
            for identity, state in zip(layout.streams, states, strict=True):
                random_state.move(identity, state)
            raise Failed
        drawn = results[self._computed + len(layout.written) :]
        for k, counter in zip(self._dynamic_streams, drawn):
            words = np.asarray(counter).tolist()
            random_state.move(layout.streams[k], random_state.state_of(words))
        outputs = [np.asarray(value) for value in results[: self._computed]]
        if not outputs and results:
            results[0].block_until_ready()
        if jax_ffi.interrupts:
            raise jax_ffi.interrupts.pop()
        return outputs
