"""Traces as FunctionDefs, and what a SavedModel says of them besides.

TensorFlow's functions take keyword arguments sorted by name after the others; here they come as
declared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tapeflow._src.api.structure_protos import encode
from tapeflow._src.checkpoint.assets import AssetPath
from tapeflow._src.core import nest, protos
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.function.concrete import ConcreteFunction
from tapeflow._src.function.function_type import KEYWORD_ONLY, FunctionType
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.serialize import Library, write_function
from tapeflow._src.saved_model.function_specs import spec_of_trace


def stored_order(function_type: FunctionType) -> list[int]:
    """Return the places of the tensors among the arguments, in the order in which
    files have them.
    """
    starts, at = [], 0
    for type_ in function_type.types:
        count = len(type_.flatten())
        starts.append(range(at, at + count))
        at += count
    named = list(zip(function_type.parameters.values(), starts))
    positional = [places for p, places in named if p.kind is not KEYWORD_ONLY]
    keywords = sorted(
        (p.name, places.start, places) for p, places in named if p.kind is KEYWORD_ONLY
    )
    return [i for places in (*positional, *(k[2] for k in keywords)) for i in places]


def _paths(concrete: ConcreteFunction) -> list[tuple[AssetPath, Any]]:
    """Return the paths of assets that a trace holds as constants, with the tensors of its graph."""
    constants = concrete.graph._constants.values()
    return [(tensor, inner) for tensor, inner in constants if isinstance(tensor, AssetPath)]


def captures_of(concrete: ConcreteFunction) -> list[Any]:
    """Return the captured tensors of a trace, including the paths of assets."""
    return [*concrete.captured_inputs, *(path for path, _ in _paths(concrete))]


def stored_inputs(concrete: ConcreteFunction) -> list[Any]:
    """Return the inputs of a trace's graph, in the order in which files have them."""
    inputs = concrete._callee.body.inputs
    order = stored_order(concrete.function_type)
    first = [inputs[i] for i in order]
    return [*first, *inputs[len(order) :], *(inner for _, inner in _paths(concrete))]


def write_concrete(library: Library, concrete: ConcreteFunction) -> Any:
    """Return the FunctionDef of a trace; what it calls is added to the library."""
    body = concrete._callee.body
    function = protos.FunctionDef()
    whole = Body(body.graph, body.outputs, tuple(stored_inputs(concrete)))
    outputs: Any = body.outputs
    write_function(function, whole, outputs, library.name_of, add_shapes=True)
    function.signature.name = concrete.name
    return function


def describe_concrete(message: Any, concrete: ConcreteFunction, bound: Sequence[int]) -> None:
    """Fill a SavedConcreteFunction."""
    message.bound_inputs.extend(bound)
    signature = encode(concrete.structured_input_signature)
    message.canonicalized_input_signature.CopyFrom(signature)
    message.output_signature.CopyFrom(encode(output_specs(concrete)))


def describe_bare(message: Any, concrete: ConcreteFunction) -> None:
    """Fill a SavedBareConcreteFunction."""
    function_type = concrete.function_type
    names = concrete.signature.flat_names
    message.concrete_function_name = concrete.name
    message.argument_keywords.extend(names[i] for i in stored_order(function_type))
    positional, keywords, count = [], [], 0
    for name, kind, type_ in function_type.typed:
        if kind is KEYWORD_ONLY:
            keywords.append(name)
        else:
            positional.append(name)
            count += len(type_.flatten())
    message.allowed_positional_arguments = 1 if len(names) == 1 else count
    message.function_spec.CopyFrom(spec_of_trace(positional, keywords))


def output_specs(concrete: ConcreteFunction) -> Any:
    """Return the structure of results of a trace; specs in a dict are named by its keys."""
    outputs = concrete.structured_outputs
    if isinstance(outputs, Mapping):
        return {key: nest.map_structure(lambda t: _spec(t, key), v) for key, v in outputs.items()}  # noqa: B023
    return nest.map_structure(_spec, outputs)


def _spec(value: Any, name: Any = None) -> Any:
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype, name if isinstance(name, str) else None)
    return getattr(value, "_type_spec", value)
