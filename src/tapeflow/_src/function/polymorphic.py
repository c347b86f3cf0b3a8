"""`Function`: what `tf.function` makes, a callable that has a graph for each types of arguments."""

from __future__ import annotations

import copy
import functools
import inspect
import logging
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MethodType
from typing import Any
from weakref import WeakMethod, ref

from tapeflow._src.autograph.api import convert_entity, do_not_convert
from tapeflow._src.autograph.errors import explaining
from tapeflow._src.core.log import logger
from tapeflow._src.core.signatures import WrappedSignature
from tapeflow._src.core.trace_type import TracingContext
from tapeflow._src.core.tracebacks import fold
from tapeflow._src.core.trackable import Trackable
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.function.arguments import Untouched
from tapeflow._src.function.cache import TraceCache
from tapeflow._src.function.compiler_ir import compiler_ir
from tapeflow._src.function.concrete import ConcreteFunction
from tapeflow._src.function.function_spec import FunctionSpec
from tapeflow._src.function.function_type import FunctionType
from tapeflow._src.function.interfaces import PolymorphicFunction
from tapeflow._src.function.keys import WALKS
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
from tapeflow._src.function.variable_creation import NOT_ALONE, TOO_LATE, VariableCreation


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

    A call finds the trace for its arguments, or makes one. As a class attribute it is a method:
    each object has traces of its own, which die with it.
    """

    __signature__ = WrappedSignature()

    def __init__(
        self, python_function: Any, name: str | None = None, options: Options | None = None
    ) -> None:
        self._static = isinstance(python_function, staticmethod)
        if self._static:
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
        self._start_anew()
        self._binder: Binder = self._make_binder()

    def _start_anew(self) -> None:
        """Nothing traced yet."""
        self._lock = threading.RLock()
        self._cache = TraceCache()
        self._on_death = self._cache.on_death()
        self._detector = detector_for(self._python_function)
        self._fresh = True
        self._made_variables = False
        self._traces = 0
        self._calls = 0

    def _make_binder(self) -> Any:
        """What binds calls; for a method, whose signature leaves out the object, there is none."""
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
            # The most frequent case of `keys.gather`, without the call.
            if type(value) is EagerTensor:
                array = value._array
                key.append(array.dtype)
                key.append(array.shape)
                flat.append(value)
            else:
                WALKS[type(value)](value, key, flat)
        try:
            run = self._cache.by_key.get(tuple(key))
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
        """The arguments in the order of the parameters."""
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
        """A call whose key is new: its types decide, and the answer is remembered."""
        if isinstance(self._binder, _Unbound):
            return self._binder.method_of(self, args)(*args[1:], **kwargs)
        before = self._traces
        arguments = self._binder.bind(args, kwargs)
        concrete = self._concrete_for(arguments)
        types = concrete.signature.function_type.types
        tensors = [t for type_, a in zip(types, arguments) for t in type_.to_tensors(a.value)]
        if self._binder.input_signature is None:
            # Fewer, if a default value is a tensor: then the types are asked each time.
            repeatable = len(flat) == len(tensors)
        else:
            repeatable = len(flat) == len(tensors) and all(map(_same, flat, tensors))
        if repeatable:
            self._cache.remember(tuple(key), concrete.call_flat)
        if before == self._traces:
            self._calls += 1
        return concrete.call_flat(tensors)

    # -- tracing -----------------------------------------------------------------------------

    def _concrete_for(self, arguments: Sequence[Argument]) -> ConcreteFunction:
        """The trace for these arguments, made now if there is none."""
        request = self._binder.types_of(arguments, TracingContext(self._on_death))
        found: ConcreteFunction | None = self._cache.find(request)
        if found is None:
            with turn(self._lock):
                # Another thread may have made it meanwhile.
                found = self._cache.find(request) or self._trace_for(request, arguments)
        return found

    def _trace_for(self, request: FunctionType, arguments: Sequence[Argument]) -> ConcreteFunction:
        known = self._cache.types
        wanted = self._cache.generalized(request) if self._options.reduce_retracing else request
        refuse_recursion(self._cache, wanted, self._name)
        with tracing(self._cache, wanted):
            concrete = self._trace_with_variables(wanted, arguments)
        self._cache.add(wanted, concrete)
        if known and logger.isEnabledFor(logging.INFO):
            logger.info("tf.function `%s` is traced again: %s", self._name, explain(request, known))
        # What is traced as a part of another function is traced because of that one.
        if current_graph() is None:
            called = self._calls
            self._detector.traced(self._python_function, called, lambda: explain(request, known))
        self._calls = 0
        return concrete

    def _trace_with_variables(
        self, types: FunctionType, arguments: Sequence[Argument]
    ) -> ConcreteFunction:
        """A trace; the first one may make variables, and is then made again with them in place."""
        if self._fresh:
            creation = VariableCreation()
            concrete = self._trace_once(types, arguments, creation)
            self._fresh = False
            self._made_variables = creation.count > 0
            if not self._made_variables:
                return concrete
        refusal = NOT_ALONE if self._made_variables else TOO_LATE
        return self._trace_once(types, arguments, VariableCreation(refusal))

    def _trace_once(
        self, types: FunctionType, arguments: Sequence[Argument], creation: VariableCreation
    ) -> ConcreteFunction:
        untouched: list[Untouched] = []

        def stand_ins(graph: Any) -> Any:
            graph.on_variable = creation
            args, kwargs = types.placeholders(graph.argument)
            names = [name for name in types.parameters if name not in kwargs]
            untouched.append(Untouched({**dict(zip(names, args)), **kwargs}))
            return args, kwargs

        self._traces += 1
        with explaining():
            graph, variables = trace(
                self._to_be_traced(), stand_ins, self._name, lambda: _arrays(types, arguments)
            )
        untouched[0].check(self._name)
        graph.structured_input_signature = types.structured()
        output = from_value(graph.structured_outputs)
        return ConcreteFunction(
            graph,
            # Those among the arguments are not the function's own.
            [v for v in variables if isinstance(v.handle, EagerTensor)],
            ConcreteSignature(FunctionType.of(types.typed, output), self._name),
            self._options.jit_compile,
            self._options.attributes,
        )

    def _to_be_traced(self) -> Callable[..., Any]:
        """The Python function, with its control flow made ready for tensors."""
        if not self._options.autograph:
            as_it_is: Callable[..., Any] = do_not_convert(self.python_function)
            return as_it_is
        features = self._options.autograph_options
        return convert_entity(self.python_function, optional_features=features)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> Any:
        """The function of one graph, for arguments given by value or by `tf.TensorSpec`."""
        if isinstance(self._binder, _Unbound):
            method = self._binder.method_of(self, args)
            return method.get_concrete_function(*args[1:], **kwargs)
        if self._binder.input_signature is not None and not args and not kwargs:
            given = zip(self._binder.function_type.typed, self._binder.input_signature)
            arguments = [Argument(name, kind, spec) for (name, kind, _), spec in given]
            return self._concrete_for(arguments)
        return self._concrete_for(self._binder.bind(args, kwargs))

    def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        """A function of the stage (`"hlo"`, `"optimized_hlo"`, …) that gives the compiled code."""
        if not self._options.jit_compile:
            raise ValueError("experimental_get_compiler_ir needs a function with jit_compile=True.")
        return compiler_ir(self.get_concrete_function(*args, **kwargs))

    # -- as a method -------------------------------------------------------------------------

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None or self._static:
            return self
        # What `BoundFunction(self, instance)` does, at every access to a method.
        found = self._methods.get(id(instance))
        if found is None or found[0]() is not instance:
            found = _bind(self, instance)
        bound = _new(BoundFunction)
        bound.__dict__ = found[1]
        bound.__func__ = self
        bound.__self__ = instance
        return bound

    # -- what it is --------------------------------------------------------------------------

    @property
    def python_function(self) -> Callable[..., Any]:
        """The Python function it was made from."""
        function: Callable[..., Any] = self._python_function
        return function

    @property
    def name(self) -> str:
        return self._name

    @property
    def function_type(self) -> FunctionType:
        """The parameters, with the types that an `input_signature` demands."""
        return self._binder.function_type

    @property
    def function_spec(self) -> FunctionSpec:
        """The parameters, their default values, and what is demanded of arguments."""
        return FunctionSpec(
            self.python_function, self._binder, self._name, self._options.jit_compile
        )

    @property
    def input_signature(self) -> tuple[Any, ...] | None:
        signature = self._options.input_signature
        return None if signature is None else tuple(signature)

    def experimental_get_tracing_count(self) -> int:
        """How often the Python function has been run to make a graph."""
        return self._traces

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The types of all traces as text."""
        separator = "\n\n" if verbose else "\n"
        return separator.join(c.pretty_printed_signature(verbose=verbose) for c in self._cache)

    def _list_all_concrete_functions(self) -> list[Any]:
        return list(self._cache)

    def _decorate(self, decorator: Callable[[Any], Any]) -> None:
        """Let a decorator stand for the Python function, before anything is traced."""
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
        if _found_by_name(function) is self:
            return function.__qualname__
        return Function, (function, self._name, self._options)


def _found_by_name(function: Any) -> Any:
    """What a function's name stands for in its module; None if it stands for nothing."""
    found: Any = sys.modules.get(getattr(function, "__module__", ""))
    for part in getattr(function, "__qualname__", "<unnamed>").split("."):
        found = getattr(found, part, None)
    return found


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
        """The method of the first argument: an object of the class, or a class itself."""
        if args:
            cls = args[0] if isinstance(args[0], type) else type(args[0])
            if any(base.__qualname__ == self._class_name for base in cls.__mro__):
                return BoundFunction(function, args[0])
        raise self._error


class BoundFunction(Function):
    """A function as the method of an object. Its state is the object's own, and dies with it."""

    __slots__ = ("__func__", "__self__")

    def __init__(self, function: Function, instance: Any) -> None:
        """`function` for `instance`, which this handle keeps alive; the traces do not."""
        self.__dict__ = function.__get__(instance).__dict__
        self.__func__ = function
        self.__self__ = instance

    @property
    def python_function(self) -> Callable[..., Any]:
        """The Python method it was made from."""
        return MethodType(self._python_function, self.__self__)

    def __tf_tracing_type__(self, context: Any) -> Weakref:
        # A handle is made at each access: the type lives as long as the object does.
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
    """The state of `function` as a method of `instance`, which does not keep that alive."""
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
    home._start_anew()
    # Objects that are each traced once, such as many models, do not make a function retraced.
    home._detector = Detector()
    home._binder = Binder(method, function._options.input_signature)
    home.__dict__["__signature__"] = inspect.signature(method)
    methods[key] = weak, home.__dict__
    return methods[key]


def _same(a: Any, b: Any) -> bool:
    return a is b


def _arrays(types: FunctionType, arguments: Sequence[Argument]) -> list[Any]:
    """The values of the tensors among the arguments, None for those that have none yet."""
    found: list[Any] = []
    for type_, argument in zip(types.types, arguments):
        try:
            found += [_value_now(t) for t in type_.to_tensors(argument.value)]
        except (TypeError, ValueError):  # a spec stands for the value
            found += [None] * len(type_.flatten())
    return found


def _value_now(tensor: Any) -> Any:
    if isinstance(tensor, EagerTensor):
        return tensor._array
    return tensor.graph.value_now(tensor)._array
