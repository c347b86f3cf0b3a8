"""Members of models that only Keras 2 has."""

from __future__ import annotations

from collections import deque
from typing import Any

import tapeflow as tf
from tapeflow.__internal__ import saved_model as saved_models
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.metrics.metric import Metric


class LegacyModelMembers:
    """Members of models that Keras 2 has and Keras 3 dropped."""

    layers: list[Any]
    input_dtype: Any

    def get_weight_paths(self) -> dict[str, Any]:
        """Return the variables by the attributes that lead to them.

        >>> inputs = tf.keras.Input((3,))
        >>> model = tf.keras.Model(inputs, tf.keras.layers.Dense(2, name="d1")(inputs))
        >>> list(model.get_weight_paths())
        ['d1.kernel', 'd1.bias']
        """
        return weight_paths(self)

    def save_spec(self, dynamic_batch: bool = True) -> tuple[list[Any], dict[str, Any]] | None:
        """Return the specs of the arguments of a call; None before the model has inputs.

        Args:
            dynamic_batch: Whether the batch size is None, whatever the model was built for.

        Returns:
            A list of specs and an empty dict, or None.
        """
        functional = self.__dict__.get("_functional", self)
        if isinstance(getattr(functional, "inputs", None), list):
            tensors = functional.input
            return [tf.nest.map_structure(lambda x: _spec_of(x, dynamic_batch), tensors)], {}
        shapes = list((getattr(self, "_build_shapes_dict", None) or {}).values())
        if not shapes:
            return None
        specs = [_specs_of_shape(shape, self.input_dtype, dynamic_batch) for shape in shapes]
        for number, spec in enumerate(tf.nest.flatten(specs), 1):
            spec._name = spec.name or f"input_{number}"
        return specs, {}

    @property
    def state_updates(self) -> list[Any]:
        """Empty: assignments are made when layers are called."""
        return []

    def to_yaml(self, **kwargs: Any) -> str:
        """Raise: YAML can run code when it is read."""
        raise RuntimeError(
            f"Models are not written as YAML, which can run code when it is read. Use "
            f"`{getattr(self, 'name', 'model')}.to_json()` and `keras.models.model_from_json`."
        )


def _spec_of(tensor: KerasTensor, dynamic_batch: bool) -> Any:
    shape = (None, *tensor.shape[1:]) if dynamic_batch else tensor.shape
    return tf.TensorSpec(shape, tensor.dtype, name=tensor._keras_history.operation.name)


def _specs_of_shape(shape: Any, dtype: Any, dynamic_batch: bool) -> Any:
    """The specs of a shape, or of a structure of shapes."""
    if isinstance(shape, dict):
        return {k: _specs_of_shape(v, dtype, dynamic_batch) for k, v in shape.items()}
    if shape and isinstance(shape[0], (tuple, list, dict)):
        return [_specs_of_shape(each, dtype, dynamic_batch) for each in shape]
    return tf.TensorSpec((None, *shape[1:]) if dynamic_batch else shape, dtype)


def weight_paths(model: Any) -> dict[str, Any]:
    """Return all variables of a model by their shortest paths, such as `encoder.dense.kernel`.

    Layers of a functional or sequential model are named by `layer.name`, those of models inside
    of it by their number.
    """
    names = {id(layer): layer.name for layer in model.layers}
    waiting: deque[tuple[Any, tuple[str, ...]]] = deque([(model, ())])
    seen = {id(model)}
    paths = {}
    while waiting:
        value, path = waiting.popleft()
        for name, child in _children(value).items():
            if id(child) in seen or (isinstance(child, Metric) and name.startswith("_")):
                continue
            seen.add(id(child))
            if not path and name.startswith("layer"):
                name = names.get(id(child), name)
            if isinstance(child, tf.Variable):
                paths[".".join((*path, name))] = child
            else:
                waiting.append((child, (*path, name)))
    return paths


def _children(value: Any) -> dict[str, Any]:
    legacy = getattr(value, "_tpf_legacy_children", None)
    if legacy is None or isinstance(value, Metric):
        children: dict[str, Any] = saved_models.model_children(value)
        return children
    order = {id(weight): number for number, weight in enumerate(getattr(value, "weights", ()))}
    return dict(sorted(legacy().items(), key=lambda item: order.get(id(item[1]), -1)))
