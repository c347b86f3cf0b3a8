"""SignatureDefs: which tensors of a graph a program feeds and fetches, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tapeflow._src.api.structure_protos import decode, encode
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core import nest, protos
from tapeflow._src.core.dtypes import string
from tapeflow._src.core.spec import TypeSpec
from tapeflow._src.core.tensor import Tensor, acts_as_variable
from tapeflow._src.core.types import TensorLike
from tapeflow._src.graph.operation import Operation
from tapeflow._src.saved_model.model_graph import write_info
from tapeflow._src.sessions.default_graph import default_graph

PREDICT = "tensorflow/serving/predict"
CLASSIFY = "tensorflow/serving/classify"
REGRESS = "tensorflow/serving/regress"


def build_tensor_info(tensor: Any) -> Any:
    """Return the TensorInfo of a tensor, a composite, a variable or an operation of a graph."""
    info = protos.TensorInfo()
    if isinstance(tensor, SparseTensor):
        write_info(info, "", tensor.dtype, tensor.shape)
        info.coo_sparse.values_tensor_name = tensor.values.name
        info.coo_sparse.indices_tensor_name = tensor.indices.name
        info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
        return info
    if isinstance(tensor, Operation):
        info.name = tensor.name
        return info
    spec = getattr(tensor, "_type_spec", None)
    if isinstance(spec, TypeSpec) and not (isinstance(tensor, Tensor) or acts_as_variable(tensor)):
        info.composite_tensor.type_spec.CopyFrom(encode(spec).type_spec_value)
        for part in nest.flatten(tensor, expand_composites=True):
            info.composite_tensor.components.add().CopyFrom(build_tensor_info(part))
        return info
    value = tensor._as_graph_element() if hasattr(tensor, "_as_graph_element") else tensor
    try:
        write_info(info, value.name, value.dtype, value.shape)
    except (AttributeError, RuntimeError) as error:
        raise RuntimeError(
            f"A TensorInfo describes a tensor of a graph, received {tensor!r}."
        ) from error
    return info


def get_tensor_from_tensor_info(
    tensor_info: Any, graph: Any = None, import_scope: str | None = None
) -> Any:
    """Return the tensor of a graph that a TensorInfo describes."""
    graph = default_graph() if graph is None else graph

    def element(name: str) -> Any:
        return graph.as_graph_element(f"{import_scope}/{name}" if import_scope else name)

    kind = tensor_info.WhichOneof("encoding")
    if kind == "name":
        return element(tensor_info.name)
    if kind == "coo_sparse":
        parts = tensor_info.coo_sparse
        names = parts.indices_tensor_name, parts.values_tensor_name, parts.dense_shape_tensor_name
        return SparseTensor(*map(element, names))
    if kind == "composite_tensor":
        composite = tensor_info.composite_tensor
        spec = decode(protos.StructuredValue(type_spec_value=composite.type_spec))
        parts = [element(component.name) for component in composite.components]
        return nest.pack_sequence_as(spec, parts, expand_composites=True)
    raise ValueError(f"A TensorInfo must name a tensor or the parts of another: {tensor_info}")


def build_signature_def(
    inputs: Any = None, outputs: Any = None, method_name: str | None = None, defaults: Any = None
) -> Any:
    """Return a SignatureDef of TensorInfos by name."""
    signature = protos.SignatureDef()
    for name, info in (inputs or {}).items():
        signature.inputs[name].CopyFrom(info)
    for name, info in (outputs or {}).items():
        signature.outputs[name].CopyFrom(info)
    for name, value in (defaults or {}).items():
        signature.defaults[name].CopyFrom(value)
    if method_name is not None:
        signature.method_name = method_name
    return signature


def _infos(kind: str, tensors: Any) -> dict[str, Any]:
    if not isinstance(tensors, Mapping) or not tensors:
        raise ValueError(f"{kind} must be a dict of tensors by name, received {tensors!r}.")
    return {name: build_tensor_info(tensor) for name, tensor in tensors.items()}


def predict_signature_def(inputs: Any, outputs: Any) -> Any:
    """Return a signature of any tensors by name."""
    return build_signature_def(_infos("inputs", inputs), _infos("outputs", outputs), PREDICT)


def _examples(examples: Any) -> dict[str, Any]:
    if examples is None:
        raise ValueError("examples must be a tensor of serialized tf.train.Examples.")
    info = build_tensor_info(examples)
    if info.dtype != string.as_datatype_enum:
        raise ValueError(f"examples must be strings, serialized tf.train.Examples: {examples!r}.")
    return {"inputs": info}


def classification_signature_def(examples: Any, classes: Any, scores: TensorLike) -> Any:
    """Return a signature that classifies serialized examples: classes are
    strings, scores floats.
    """
    inputs = _examples(examples)
    if classes is None and scores is None:
        raise ValueError("A classification needs classes, scores or both; received neither.")
    outputs = {}
    for name, tensor in (("classes", classes), ("scores", scores)):
        if tensor is not None:
            outputs[name] = build_tensor_info(tensor)
    return build_signature_def(inputs, outputs, CLASSIFY)


def regression_signature_def(examples: Any, predictions: TensorLike) -> Any:
    """Return a signature that predicts numbers for serialized examples."""
    inputs = _examples(examples)
    if predictions is None:
        raise ValueError("A regression needs predictions, received None.")
    return build_signature_def(inputs, {"outputs": build_tensor_info(predictions)}, REGRESS)


def is_valid_signature(signature_def: Any) -> bool:
    """Whether a SignatureDef has the inputs and outputs that its method needs."""
    if signature_def is None:
        return False
    inputs, outputs = signature_def.inputs, signature_def.outputs
    match signature_def.method_name:
        case "tensorflow/serving/predict":
            return bool(inputs) and bool(outputs)
        case "tensorflow/serving/classify":
            return (
                set(inputs) == {"inputs"}
                and bool(outputs)
                and {*outputs}
                <= {
                    "classes",
                    "scores",
                }
            )
        case "tensorflow/serving/regress":
            return set(inputs) == {"inputs"} and set(outputs) == {"outputs"}
    return False
