"""Functions and objects that come out of a SavedModel: they have traces, but no Python code."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from tapeflow._src.api.structure_protos import decode
from tapeflow._src.checkpoint.assets import Asset
from tapeflow._src.checkpoint.tables import RESTORE, SAVE
from tapeflow._src.core import dispatch
from tapeflow._src.core.errors import NotFoundError
from tapeflow._src.core.paths import as_text
from tapeflow._src.core.shape import as_dims
from tapeflow._src.core.trace_type import CastContext
from tapeflow._src.core.trackable import AutoTrackable
from tapeflow._src.eager.variable import Variable
from tapeflow._src.function.cache import TraceCache
from tapeflow._src.function.concrete import ConcreteFunction
from tapeflow._src.function.function_type import FunctionType
from tapeflow._src.function.polymorphic import Function, Options
from tapeflow._src.function.signature import Argument, Binder, ConcreteSignature
from tapeflow._src.function.value_types import from_value
from tapeflow._src.graph.deserialize import Importer, Library, results
from tapeflow._src.graph.graph import FuncGraph
from tapeflow._src.graph.safe_mode import Guard
from tapeflow._src.saved_model.function_specs import identifier, with_signature
from tapeflow._src.saved_model.model_functions import stored_order

_CAST = CastContext()


class LoadedObject(AutoTrackable):
    """An object of a SavedModel: its attributes are what was saved of the original's."""


class CallableObject(LoadedObject):
    """An object of which the call was saved, too."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__dict__["__call__"](*args, **kwargs)


class LoadedResource(LoadedObject):
    """Something with a handle, such as a table, that functions of the model have made."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    @property
    def resource_handle(self) -> Any:
        """The handle that ops take."""
        return self._handle

    def can_be_saved_by(self, name: str, save: ConcreteFunction, restore: ConcreteFunction) -> None:
        """Its entries are saved under `name` by functions of the model, too."""
        self._tpf_checkpoint_attribute = name
        setattr(self, SAVE, save)
        setattr(self, RESTORE, restore)

    def _serialize_to_tensors(self) -> dict[str, Any]:
        if self._tpf_checkpoint_attribute is None:
            return {}
        parts = getattr(self, SAVE)(dispatch.convert(self._tpf_checkpoint_attribute))
        return {as_text(part["name"].numpy()): part["tensor"] for part in parts}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        names = self._serialize_to_tensors()
        getattr(self, RESTORE).call_flat([restored_tensors[name] for name in names])


class UnavailableFunction(ConcreteFunction):
    """A trace with ops that are not known here. It says so when it is called, or saved."""

    error: NotFoundError

    def call_flat(self, tensors: Sequence[Any]) -> Any:
        raise self.error


class RestoredFunction(Function):
    """A function that has the traces it was saved with, and never makes another."""

    def __init__(
        self,
        name: str,
        signature: inspect.Signature,
        traces: Sequence[ConcreteFunction],
        input_signature: Any = None,
        jit_compile: bool | None = None,
    ) -> None:
        python_function = with_signature(signature, name, self._run_anyway)
        options = Options(input_signature=input_signature, jit_compile=jit_compile)
        super().__init__(python_function, name, options)
        for trace in traces:
            self._cache.add(FunctionType.of(trace.function_type.typed), trace)
        self._fresh = False

    @property
    def concrete_functions(self) -> list[ConcreteFunction]:
        """The traces."""
        return list(self._cache)

    def _run_anyway(self, *args: Any, **kwargs: Any) -> Any:
        """Return a call where functions should run as Python code: there is none,
        the graph runs.
        """
        return self._call_by_type(args, kwargs, [], [])

    def _cache_here(self) -> TraceCache:
        return self._cache

    def _trace_for(self, request: FunctionType, arguments: Sequence[Argument]) -> ConcreteFunction:
        """Return the first trace whose types the arguments can be brought to."""
        for trace in self._cache:
            if _fits(trace.function_type, arguments):
                concrete: ConcreteFunction = trace
                return concrete
        raise ValueError(_no_match(arguments, self.concrete_functions))


def _fits(function_type: FunctionType, arguments: Sequence[Argument]) -> bool:
    typed = function_type.typed
    if [(a.name, a.kind) for a in arguments] != [(name, kind) for name, kind, _ in typed]:
        return False
    try:
        for argument, type_ in zip(arguments, function_type.types):
            type_.cast(argument.value, _CAST)
    except (TypeError, ValueError):
        return False
    return True


def _no_match(arguments: Sequence[Argument], traces: Sequence[ConcreteFunction]) -> str:
    received = {argument.name: argument.value for argument in arguments}
    options = [
        f"Option {i}:\n  {trace.structured_input_signature}" for i, trace in enumerate(traces, 1)
    ]
    if not traces:
        return (
            "This function has no traces in the SavedModel: it was never called before it was "
            "saved. Give it an `input_signature`, or call `get_concrete_function(...)` on it, "
            "before tf.saved_model.save."
        )
    return (
        f"No trace in the SavedModel fits these arguments:\n  {received}\n\nTraces that were saved "
        f"({len(traces)} option(s)):\n\n" + "\n\n".join(options) + "\n\nPass arguments of these "
        "dtypes, shapes and Python values, or trace the function for others before saving it: "
        "get_concrete_function(...)."
    )


def restored_trace(
    name: str,
    described: Any,
    signature: inspect.Signature,
    bound: Sequence[tuple[Any, Any]],
    library: Library,
    jit_compile: bool | None = None,
) -> ConcreteFunction:
    """Return the trace of the library's function of that name.

    described: its SavedConcreteFunction. bound: what it takes from outside, as tensors, each with
    its variable, if it is the handle of one. ValueError if these do not fit together.
    """
    try:
        return _trace(
            library.function(name, name), described, signature, bound, library, jit_compile
        )
    except (TypeError, LookupError, AttributeError, ArithmeticError, StopIteration) as error:
        raise ValueError(
            f"The function {name!r} of the SavedModel is not what its description says: {error}"
        ) from error


def _trace(
    definition: Any,
    described: Any,
    signature: inspect.Signature,
    bound: Sequence[tuple[Any, Any]],
    library: Library,
    jit_compile: bool | None,
) -> ConcreteFunction:
    name = _plain(definition.signature.name)
    args, kwargs = decode(described.canonicalized_input_signature)
    binder = Binder(with_signature(signature, name, _never))
    arguments = binder.bind(args, {identifier(key): value for key, value in kwargs.items()})
    typed = [(a.name, a.kind, from_value(a.value)) for a in arguments]
    output = from_value(decode(described.output_signature))
    function_type = FunctionType.of(typed, output)
    graph = FuncGraph(name, outer=None)
    graph.structured_input_signature = function_type.structured()
    call_signature = ConcreteSignature(function_type, name)
    inputs = _inputs(graph, definition, call_signature, bound, library.guard)
    variables = list({id(v): v for _, v in bound if isinstance(v, Variable)}.values())
    try:
        with graph.as_default(), library.entered(definition.signature.name):
            done = Importer(graph, library).run(definition.node_def, "", inputs)
            graph.outputs = results(definition, done, inputs)
            graph.structured_outputs = output.from_tensors(iter(graph.outputs))
    except NotFoundError as error:
        unavailable = UnavailableFunction(graph, variables, call_signature)
        unavailable.error = error
        return unavailable
    return ConcreteFunction(graph, variables, call_signature, jit_compile)


def _inputs(
    graph: FuncGraph,
    definition: Any,
    signature: ConcreteSignature,
    bound: Sequence[tuple[Any, Any]],
    guard: Guard,
) -> dict[str, Any]:
    """Return the inputs of a function's graph by the names that its nodes know them by."""
    leaves: list[Any] = signature.function_type.flat_inputs
    with graph.as_default():
        inner = [
            graph.argument(spec.dtype, as_dims(spec.shape), name)
            for spec, name in zip(leaves, signature.flat_names)
        ]
        inputs = [inner[i] for i in stored_order(signature.function_type)]
        for tensor, value in bound:
            inputs.append(graph.capture(tensor))
            if isinstance(value, Asset):
                guard.add_asset(inputs[-1])
    names = [argument.name for argument in definition.signature.input_arg]
    if len(names) != len(inputs):
        raise ValueError(
            f"The function {definition.signature.name!r} has {len(names)} inputs, but its "
            f"description says {len(inputs)}."
        )
    return dict(zip(names, inputs))


def _never(*args: Any, **kwargs: Any) -> Any:
    raise NotImplementedError("This function only has parameters.")


def _plain(name: str) -> str:
    """Return the name of the Python function: `__inference_name_12` was made of it."""
    head, _, number = name.removeprefix("__inference_").rpartition("_")
    return head if head and number.isdigit() else name
