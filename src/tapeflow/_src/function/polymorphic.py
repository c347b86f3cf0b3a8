"""`Function`: what `tf.function` returns, a callable with one graph per argument types."""

from __future__ import annotations

import copy
import functools
import inspect
import logging
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MethodType
from typing import Any
from weakref import WeakMethod, ref

from tapeflow._src.autograph.api import convert_entity, do_not_convert
from tapeflow._src.autograph.errors import explaining
from tapeflow._src.core import dispatch, probes
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.log import logger
from tapeflow._src.core.signatures import WrappedSignature
from tapeflow._src.core.source import user_location
from tapeflow._src.core.trace_type import TracingContext
from tapeflow._src.core.tracebacks import fold
from tapeflow._src.core.trackable import Trackable
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.function.arguments import ArgumentMutationCheck
from tapeflow._src.function.cache import TraceCache
from tapeflow._src.function.compiler_ir import compiler_ir
from tapeflow._src.function.concrete import ConcreteFunction
from tapeflow._src.function.function_spec import FunctionSpec
from tapeflow._src.function.function_type import FunctionType
from tapeflow._src.function.history import History, Traced
from tapeflow._src.function.interfaces import PolymorphicFunction
from tapeflow._src.function.keys import WALKS
from tapeflow._src.function.python_state import watched
from tapeflow._src.function.retracing import Detector, detector_for, explain
from tapeflow._src.function.run_eagerly import switches
from tapeflow._src.function.signature import (
    Argument,
    Binder,
    ConcreteSignature,
    check_input_signature,
)
from tapeflow._src.function.trace_lock import refuse_recursion, tracing, turn
from tapeflow._src.function.trace_types import Weakref
from tapeflow._src.function.tracing import current_graph, trace
from tapeflow._src.function.value_types import from_value
from tapeflow._src.function.variable_creation import (
    NOT_IN_LATER_TRACE,
    NOT_IN_SECOND_TRACE,
    VariableCreation,
)
from tapeflow._src.graph.xla_context import XlaContext, enclosing_xla_context

# Needed only to explain a function.
explanation = LazyModule("tapeflow._src.function.explanation", "explanations of functions")


@dataclass(frozen=True)
class Options:
    """How a function is traced and run."""

    input_signature: Any = None
    autograph: bool = True
    jit_compile: bool | None = None
    reduce_retracing: bool = False
    autograph_options: Any = None
    attributes: dict[str, Any] | None = None


class Function(PolymorphicFunction, Trackable):
    """A Python function that runs as graphs.

    A call looks up the trace for its arguments, or creates one. As a class attribute it is a
    method: each object has traces of its own, which die with it.
    """

    __signature__ = WrappedSignature()

    def __init__(
        self, python_function: Any, name: str | None = None, options: Options | None = None
    ) -> None:
        self.static_value = isinstance(python_function, staticmethod)
        if self.static_value:
            python_function = python_function.__func__
        if isinstance(python_function, classmethod):
            raise TypeError(
                f"{python_function!r} is not a callable object: put @classmethod above @tf.function"
            )
        functools.update_wrapper(self, python_function)
        self._python_function = python_function
        self._name: str = name or getattr(python_function, "__name__", None) or "function"
        self._options = options or Options()
        self._methods: dict[int, tuple[Any, dict[str, Any]]] = {}
        self._reset()
        self._binder: Binder = self._make_binder()

    def _reset(self) -> None:
        """Reset to the state before any trace."""
        self._lock = threading.RLock()
        self._cache = TraceCache()
        # Calls within functions to be compiled: libraries choose other algorithms there.
        self._xla_cache = TraceCache()
        # Calls in a replica, by the replica and whether they are to be compiled.
        self._replica_caches: dict[tuple[Any, bool], TraceCache] = {}
        self._detector = detector_for(self._python_function)
        self._fresh = True
        self._created_variables = False
        self._traces = 0
        self._calls = 0
        self._history = History()

    def _make_binder(self) -> Any:
        """Return the binder of calls; an unbound method, whose signature lacks the object, has
        none.
        """
        signature = self._options.input_signature
        if signature is not None:
            check_input_signature(signature)
        try:
            return Binder(self._python_function, signature)
        except TypeError as error:
            around = getattr(self._python_function, "__qualname__", "").rpartition(".")[0]
            if signature is None or not around or around.endswith("<locals>"):
                raise
            return _Unbound(error, around)

    # -- calling -----------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if switches.eagerly:
            return self.python_function(*args, **kwargs)
        key: list[Any] = []
        flat: list[Any] = []
        for value in self._in_order(args, kwargs, key) if kwargs else args:
            # The most frequent case of `keys.gather`, inlined.
            if type(value) is EagerTensor:
                array = value._array
                key.append(array.dtype)
                key.append(array.shape)
                flat.append(value)
            else:
                WALKS[type(value)](value, key, flat)
        try:
            here = dispatch.state
            usual = here.mode.graph is None and here.replica is None
            cache = self._cache if usual else self._cache_here()
            run = cache.by_key.get(tuple(key))
        except TypeError:  # an argument is unhashable: its type will say what is wrong
            run = None
        try:
            if run is None:
                return self._call_by_type(args, kwargs, key, flat)
            self._calls += 1
            return run(flat)
        except Exception as error:
            fold(error)
            raise

    def _in_order(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], key: list[Any]
    ) -> Sequence[Any]:
        """Return the arguments in the order of the parameters."""
        names = tuple(kwargs)
        key.append(names)
        values = (*args, *kwargs.values())
        try:
            order = self._binder.layout(len(args), names)
        except TypeError:  # it does not fit, which binding will tell in full
            return values
        return [values[index] for index in order]

    def _call_by_type(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], key: list[Any], flat: list[Any]
    ) -> Any:
        """Handle a call with a new key: find its trace by types, and cache that under the key."""
        if isinstance(self._binder, _Unbound):
            return self._binder.method_of(self, args)(*args[1:], **kwargs)
        before = self._traces
        arguments = self._binder.bind(args, kwargs)
        concrete = self._concrete_for(arguments)
        types = concrete.signature.function_type.types
        tensors = [t for type_, a in zip(types, arguments) for t in type_.to_tensors(a.value)]
        if self._binder.input_signature is None:
            # Fewer, if a default value is a tensor: then the types are computed each time.
            repeatable = len(flat) == len(tensors)
        else:
            repeatable = len(flat) == len(tensors) and all(map(_same, flat, tensors))
        if repeatable:
            run = watched(self._python_function, concrete.call_flat)
            self._cache_here().remember(tuple(key), run)
        if before == self._traces:
            self._calls += 1
        return concrete.call_flat(tensors)

    # -- tracing -----------------------------------------------------------------------------

    def _cache_here(self) -> TraceCache:
        """Return the traces for calls where this one is."""
        compiled = enclosing_xla_context(current_graph()) is not None
        replica = dispatch.state.replica
        if replica is None:
            return self._xla_cache if compiled else self._cache
        return self._replica_caches.setdefault((replica, compiled), TraceCache())

    def _concrete_for(self, arguments: Sequence[Argument]) -> ConcreteFunction:
        """Return the trace for these arguments, created if missing."""
        cache = self._cache_here()
        request = self._binder.types_of(arguments, TracingContext(cache.on_death()))
        cached: ConcreteFunction | None = cache.find(request)
        if cached is None:
            with turn(self._lock):
                # Another thread may have traced it in the meantime.
                cached = cache.find(request) or self._trace_for(request, arguments)
        return cached

    def _trace_for(self, request: FunctionType, arguments: Sequence[Argument]) -> ConcreteFunction:
        cache = self._cache_here()
        previous = cache.types
        traced_type = cache.generalized(request) if self._options.reduce_retracing else request
        refuse_recursion(cache, traced_type, self._name)
        start = time.perf_counter()
        with tracing(cache, traced_type):
            concrete = self._trace_with_variables(traced_type, arguments)
        seconds = time.perf_counter() - start
        cache.add(traced_type, concrete)
        reason = explain(request, previous)
        if previous and logger.isEnabledFor(logging.INFO):
            logger.info("tf.function `%s` is traced again: %s", self._name, reason)
        called, self._calls = self._calls, 0
        self._history.add(Traced(request, user_location(), reason, seconds, called, ref(concrete)))
        # A retrace of an inner function is due to the outer one; each replica has its own.
        if current_graph() is None and dispatch.state.replica is None:
            self._detector.traced(self._python_function, called, reason)
        return concrete

    def _trace_with_variables(
        self, types: FunctionType, arguments: Sequence[Argument]
    ) -> ConcreteFunction:
        """Trace; if the first trace creates variables, trace again with them in place."""
        if self._fresh:
            creation = VariableCreation()
            concrete = self._trace_once(types, arguments, creation)
            self._fresh = False
            self._created_variables = creation.count > 0
            if not self._created_variables:
                return concrete
        refusal = NOT_IN_LATER_TRACE if self._created_variables else NOT_IN_SECOND_TRACE
        return self._trace_once(types, arguments, VariableCreation(refusal))

    def _trace_once(
        self, types: FunctionType, arguments: Sequence[Argument], creation: VariableCreation
    ) -> ConcreteFunction:
        mutation_checks: list[ArgumentMutationCheck] = []

        def stand_ins(graph: Any) -> Any:
            graph.on_variable = creation
            if self._options.jit_compile:
                graph._control_flow_context = XlaContext()
            args, kwargs = types.placeholders(graph.argument)
            names = [name for name in types.parameters if name not in kwargs]
            mutation_checks.append(ArgumentMutationCheck({**dict(zip(names, args)), **kwargs}))
            return args, kwargs

        self._traces += 1
        with explaining():
            graph, variables = trace(
                self._converted(), stand_ins, self._name, lambda: _arrays(types, arguments)
            )
        mutation_checks[0].check(self._name)
        graph.structured_input_signature = types.structured()
        output = from_value(graph.structured_outputs)
        return ConcreteFunction(
            graph,
            # Variables among the arguments are not the function's own.
            [v for v in variables if isinstance(v.handle, EagerTensor)],
            ConcreteSignature(FunctionType.of(types.typed, output), self._name),
            self._options.jit_compile,
            self._options.attributes,
        )

    def _converted(self) -> Callable[..., Any]:
        """Return the Python function, converted by AutoGraph."""
        if not self._options.autograph:
            as_it_is: Callable[..., Any] = do_not_convert(self.python_function)
            return as_it_is
        features = self._options.autograph_options
        return convert_entity(self.python_function, optional_features=features)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> Any:
        """Return the function of one graph, for arguments given by value or by `tf.TensorSpec`."""
        if isinstance(self._binder, _Unbound):
            method = self._binder.method_of(self, args)
            return method.get_concrete_function(*args[1:], **kwargs)
        if self._binder.input_signature is not None and not args and not kwargs:
            specs = zip(self._binder.function_type.typed, self._binder.input_signature)
            arguments = [Argument(name, kind, spec) for (name, kind, _), spec in specs]
            return self._concrete_for(arguments)
        return self._concrete_for(self._binder.bind(args, kwargs))

    def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        """Return a function from the stage (`"hlo"`, `"optimized_hlo"`, …) to the compiled code."""
        if not self._options.jit_compile:
            raise ValueError("experimental_get_compiler_ir needs a function with jit_compile=True.")
        return compiler_ir(self.get_concrete_function(*args, **kwargs))

    # -- as a method -------------------------------------------------------------------------

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None or self.static_value:
            return self
        # `BoundFunction(self, instance)`, inlined: it runs at every access to a method.
        cached = self._methods.get(id(instance))
        if cached is None or cached[0]() is not instance:
            cached = _bind(self, instance)
        bound = _new(BoundFunction)
        bound.__dict__ = cached[1]
        bound.__func__ = self
        bound.__self__ = instance
        return bound

    # -- properties --------------------------------------------------------------------------

    @property
    def python_function(self) -> Callable[..., Any]:
        """The wrapped Python function."""
        function: Callable[..., Any] = self._python_function
        return function

    @property
    def name(self) -> str:
        return self._name

    @property
    def function_type(self) -> FunctionType:
        """The parameters, with the types that an `input_signature` requires."""
        return self._binder.function_type

    @property
    def function_spec(self) -> FunctionSpec:
        """The parameters, their default values, and the input signature."""
        return FunctionSpec(
            self.python_function, self._binder, self._name, self._options.jit_compile
        )

    @property
    def input_signature(self) -> tuple[Any, ...] | None:
        signature = self._options.input_signature
        return None if signature is None else tuple(signature)

    def explain(self) -> Any:
        """Explain the traces of the function and how they run.

        Returns:
            A `tf.explain.FunctionExplanation`: for each trace the call that caused it, the
            argument that changed, the tier, times, executables and operations left to the host.

        Example:
            >>> @tf.function
            ... def double(x):
            ...     return x * 2.0
            >>> y = double(tf.ones([2])), double(tf.ones([3]))
            >>> explanation = double.explain()
            >>> len(explanation.traces), explanation.calls
            (2, 2)
            >>> explanation.input_signature
            '[tf.TensorSpec([None], tf.float32)]'
        """
        return explanation.explain_function(self)

    def experimental_get_tracing_count(self) -> int:
        """Return how often the Python function has been traced."""
        return self._traces

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """Return the types of all traces as text."""
        separator = "\n\n" if verbose else "\n"
        return separator.join(c.pretty_printed_signature(verbose=verbose) for c in self._cache)

    def signatures_in_replicas(self) -> list[Any]:
        """Return the structured signatures of the calls in replicas of strategies."""
        caches = list(self._replica_caches.values())
        return [trace.structured_input_signature for cache in caches for trace in cache]

    def _list_all_concrete_functions(self) -> list[Any]:
        return list(self._cache)

    def _decorate(self, decorator: Callable[[Any], Any]) -> None:
        """Replace the Python function by a decorated one, before anything is traced."""
        if self._traces:
            raise ValueError(
                f"{self._name} cannot be decorated: it was called already, and has a trace. "
                "Decorate it before the first call."
            )
        self._python_function = self.__wrapped__ = decorator(self._python_function)
        self._binder = self._make_binder()

    # -- as an object ------------------------------------------------------------------------

    def _clone(self, python_function: Any) -> Function:
        return Function(python_function, self._name, self._options)

    def __deepcopy__(self, memo: dict[int, Any]) -> Function:
        clone = self._clone(copy.deepcopy(self._python_function, memo))
        memo[id(self)] = clone
        return clone

    def __reduce__(self) -> Any:
        function = self._python_function
        if _module_attribute(function) is self:
            return function.__qualname__
        return Function, (function, self._name, self._options)


probes.register(Function, "__call__", "function", lambda self, *args, **kwargs: self._name)
probes.register(Function, "_trace_once", "trace", lambda self, *rest: self._name)


def _module_attribute(function: Any) -> Any:
    """Return the object that a function's name refers to in its module, or None."""
    value: Any = sys.modules.get(getattr(function, "__module__", ""))
    for part in getattr(function, "__qualname__", "<unnamed>").split("."):
        value = getattr(value, part, None)
    return value


class _Unbound:
    """Stands for the binder of a method that is not bound to an object."""

    def __init__(self, error: TypeError, class_name: str) -> None:
        self._error = error
        self._class_name = class_name
        self.function_type = None
        self.input_signature = None

    def layout(self, count: int, names: tuple[str, ...]) -> tuple[int, ...]:
        raise self._error

    def method_of(self, function: Function, args: tuple[Any, ...]) -> BoundFunction:
        """Return the method of the first argument: an object of the class, or a class itself."""
        if args:
            cls = args[0] if isinstance(args[0], type) else type(args[0])
            if any(base.__qualname__ == self._class_name for base in cls.__mro__):
                return BoundFunction(function, args[0])
        raise self._error


class BoundFunction(Function):
    """A function as the method of an object. Its state belongs to the object, and dies with it."""

    __slots__ = ("__func__", "__self__")

    def __init__(self, function: Function, instance: Any) -> None:
        """Bind `function` to `instance`, which this handle keeps alive; the traces do not."""
        self.__dict__ = function.__get__(instance).__dict__
        self.__func__ = function
        self.__self__ = instance

    @property
    def python_function(self) -> Callable[..., Any]:
        """The wrapped Python method."""
        return MethodType(self._python_function, self.__self__)

    def __tf_tracing_type__(self, context: Any) -> Weakref:
        # A handle is created at each access: the type lives as long as the object does.
        method: Any = self
        return Weakref(WeakMethod(method, context.on_death))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BoundFunction) and other.__dict__ is self.__dict__

    def __hash__(self) -> int:
        return id(self.__dict__)

    def __deepcopy__(self, memo: dict[int, Any]) -> BoundFunction:
        return BoundFunction(self.__func__, copy.deepcopy(self.__self__, memo))

    def __reduce__(self) -> Any:
        return BoundFunction, (self.__func__, self.__self__)


_new = object.__new__


def _bind(function: Function, instance: Any) -> tuple[Any, dict[str, Any]]:
    """Return the state of `function` as a method of `instance`, without keeping that alive."""
    methods, key = function._methods, id(instance)
    try:
        weak = ref(instance, lambda _: methods.pop(key, None))
    except TypeError as error:
        raise TypeError(
            f"{error}: a tf.function method needs one to keep its traces. Add '__weakref__' to the "
            f"__slots__ of {type(instance).__name__}."
        ) from None
    method = MethodType(function._python_function, instance)
    home = object.__new__(Function)
    home.__dict__.update(function.__dict__)
    home._methods = {}
    home._reset()
    # Many objects that are each traced once, such as models, do not count as retracing.
    home._detector = Detector()
    home._binder = Binder(method, function._options.input_signature)
    home.__dict__["__signature__"] = inspect.signature(method)
    methods[key] = weak, home.__dict__
    return methods[key]


def _same(a: Any, b: Any) -> bool:
    return a is b


def _arrays(types: FunctionType, arguments: Sequence[Argument]) -> list[Any]:
    """Return the values of the tensors among the arguments, None for those without one."""
    arrays: list[Any] = []
    for type_, argument in zip(types.types, arguments):
        try:
            arrays += [_value_now(t) for t in type_.to_tensors(argument.value)]
        except (TypeError, ValueError):  # a spec stands for the value
            arrays += [None] * len(type_.flatten())
    return arrays


def _value_now(tensor: Any) -> Any:
    if isinstance(tensor, EagerTensor):
        return tensor._array
    return tensor.graph.value_now(tensor)._array
