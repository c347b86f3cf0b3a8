"""Models for serving, as SavedModels: functions of fixed signatures, and the variables they use."""

from __future__ import annotations

import functools
import inspect
import os
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.tracking import AutoTrackable
from tapeflow._src.keras.layers.input_spec import InputSpec
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.scopes import calls

DEFAULT_ENDPOINT = "serve"


class ExportArchive:
    """Writes functions of models as a SavedModel, which `tf.saved_model.load` loads.

    Args:
        format: "saved_model", the only one.

    Example:
        >>> model = tf.keras.Sequential([keras.Input((3,)), tf.keras.layers.Dense(2)])
        >>> archive = tf.keras.export.ExportArchive()
        >>> archive.track(model)
        >>> serve = archive.add_endpoint(
        ...     "serve", model.call, [tf.TensorSpec((None, 3), tf.float32)]
        ... )
        >>> archive.write_out("served", verbose=False)
        >>> tf.saved_model.load("served").serve(tf.ones((1, 3))).shape
        TensorShape([1, 2])
    """

    def __init__(self, format: str = "saved_model") -> None:
        check_format(format)
        self._root: Any = AutoTrackable()
        self._endpoints: dict[str, Any] = {}
        self._tracked: list[Any] = []
        self._root._resources = []

    @property
    def variables(self) -> list[Any]:
        """The variables of what is tracked."""
        return [v for resource in self._tracked for v in getattr(resource, "variables", ())]

    @property
    def trainable_variables(self) -> list[Any]:
        tracked = (getattr(resource, "trainable_variables", ()) for resource in self._tracked)
        return [v for variables in tracked for v in variables]

    @property
    def non_trainable_variables(self) -> list[Any]:
        trained = {id(v) for v in self.trainable_variables}
        return [v for v in self.variables if id(v) not in trained]

    def track(self, resource: Any) -> None:
        """Save the variables of a layer or a model with the endpoints, which use them.

        Args:
            resource: A built layer or model, or another trackable object.

        Raises:
            ValueError: It is not trackable, or not built.
        """
        if not isinstance(resource, tf.__internal__.tracking.Trackable):
            raise ValueError(
                f"Only layers, models and other trackable objects have variables to save. "
                f"Received: {resource!r} of type {type(resource).__name__}"
            )
        if isinstance(resource, Layer) and not resource.built:
            raise ValueError(
                f"Layer '{resource.name}' is not built, so it has no variables: call it on data "
                f"first."
            )
        self._tracked.append(resource)
        self._root._resources = [*self._root._resources, resource]

    def add_endpoint(self, name: str, fn: Any, input_signature: Any = None, **kwargs: Any) -> Any:
        """Offer a function under a name.

        Args:
            name: the name.
            fn: the function; a `tf.function` that was called may be without a signature.
            input_signature: the specs of its arguments, as a list.

        Returns:
            The traced function.
        """
        if kwargs:
            raise ValueError(f"`add_endpoint` received the unknown arguments {sorted(kwargs)}.")
        if name in self._endpoints:
            raise ValueError(f"There is an endpoint '{name}' already.")
        if input_signature is None:
            if not hasattr(fn, "get_concrete_function"):
                raise ValueError(
                    f"Endpoint '{name}': pass `input_signature`, or a `tf.function` that was "
                    f"called, whose arguments are known."
                )
            if fn.input_signature is None and not fn._list_all_concrete_functions():
                raise ValueError(
                    f"Endpoint '{name}': the `tf.function` was never called, so that the types of "
                    f"its arguments are not known. Call it first, or pass `input_signature`."
                )
            function = fn
        else:
            signature = [_specs(each) for each in _as_list(input_signature)]
            call = _with_names(fn, len(signature))
            function = tf.function(call, input_signature=signature, autograph=False)
            function.get_concrete_function()
        self._endpoints[name] = function
        setattr(self._root, name, function)
        return function

    def track_and_add_endpoint(
        self, name: str, resource: Any, input_signature: Any, **kwargs: Any
    ) -> Any:
        """Track a model, and offer its call under a name.

        Args:
            name: Name of the endpoint.
            resource: A built layer or model.
            input_signature: Specs of its inputs, as a list.
            **kwargs: None.
        """
        self.track(resource)
        return self.add_endpoint(name, resource.__call__, input_signature, **kwargs)

    def add_variable_collection(self, name: str, variables: Any) -> None:
        """Save a list of variables under a name.

        Args:
            name: Name of the collection.
            variables: List of variables.

        Raises:
            ValueError: It is something else.
        """
        if not isinstance(variables, (list, tuple, set)) or not all(
            isinstance(v, tf.Variable) for v in variables
        ):
            raise ValueError(f"Expected a list of variables, but received {variables!r}.")
        setattr(self._root, name, list(variables))

    def write_out(self, filepath: Any, options: Any = None, verbose: Any = True) -> None:
        """Write the SavedModel; the first endpoint, or `serve`, is the default signature.

        Args:
            filepath: Folder to write.
            options: A `tf.saved_model.SaveOptions`.
            verbose: Whether to print the names of the endpoints.

        Raises:
            ValueError: There is no endpoint.
        """
        if not self._endpoints:
            raise ValueError("There is nothing to export: call `add_endpoint()` first.")
        self._list_variables()
        signatures = {
            name: function.get_concrete_function()
            for name, function in self._endpoints.items()
            if getattr(function, "input_signature", None) is not None
        }
        default = signatures.get(DEFAULT_ENDPOINT, next(iter(signatures.values()), None))
        if default is not None:
            signatures = {"serving_default": default, **signatures}
        tf.saved_model.save(self._root, os.fspath(filepath), signatures, options)
        if verbose:
            names = ", ".join(f"'{name}'" for name in self._endpoints)
            print(f"Saved {filepath} with the endpoints {names}.")

    def _list_variables(self) -> None:
        """Save the variables as lists, those among them that only endpoints use."""
        variables = {id(v): v for v in self.variables}
        trained = {id(v): v for v in self.trainable_variables}
        for function in self._endpoints.values():
            for concrete in function._list_all_concrete_functions():
                for variable in concrete.variables:
                    if id(variable) not in variables and variable.trainable:
                        trained[id(variable)] = variable
                    variables[id(variable)] = variable
        self._root.variables = list(variables.values())
        self._root.trainable_variables = list(trained.values())
        rest = [v for key, v in variables.items() if key not in trained]
        self._root.non_trainable_variables = rest


def export_model(
    model: Any, filepath: Any, format: str, verbose: Any, input_signature: Any
) -> None:
    """Write a model as a SavedModel with the endpoint `serve`."""
    check_format(format)
    if input_signature is None:
        input_signature = _named_as_inputs(model, model._tpf_serving_signature())
        if input_signature is None:
            raise ValueError(
                f"The model '{model.name}' was never called, so the shape of its input is not "
                f"known: call it on data, or pass `input_signature`."
            )
    archive = ExportArchive()
    archive.track_and_add_endpoint(DEFAULT_ENDPOINT, model, input_signature)
    archive.write_out(filepath, verbose=verbose is not False and verbose is not None)


def _named_as_inputs(model: Any, signature: Any) -> Any:
    """The specs of a call with the names that clients of Keras' exports use.

    They are those of the model's inputs; the argument of a model without any is `args_0`.
    """
    inputs = getattr(model, "inputs", None)
    if signature is None or len(signature) != 1:
        return signature
    names = ["args_0"] if not inputs else [tensor.name for tensor in inputs]
    specs = tf.nest.flatten(signature)
    if len(names) != len(specs):
        return signature
    named = [tf.TensorSpec(spec.shape, spec.dtype, name=name) for spec, name in zip(specs, names)]
    return tf.nest.pack_sequence_as(signature, named)


def check_format(format: str) -> None:
    """Raise ValueError for another format than a SavedModel."""
    if format not in ("saved_model", "tf_saved_model"):
        raise ValueError(
            f"Models are exported as 'tf_saved_model' only; ONNX, OpenVINO and LiteRT have "
            f"converters of their own, which read that. Received: format={format!r}"
        )


def _with_names(fn: Any, count: int) -> Any:
    """A function of so many arguments, which have the names of those of `fn`."""
    call: Any = functools.partial(_portable, fn)
    parameters = list(inspect.signature(fn).parameters.values())[:count]
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if len(parameters) == count and all(each.kind in plain for each in parameters):
        bare = [each.replace(default=each.empty, annotation=each.empty) for each in parameters]
        call.__signature__ = inspect.Signature(bare)
    return call


def _portable(fn: Any, *args: Any, **kwargs: Any) -> Any:
    before, calls.portable = calls.portable, True
    try:
        return fn(*args, **kwargs)
    finally:
        calls.portable = before


def _as_list(signature: Any) -> list[Any]:
    return list(signature) if isinstance(signature, (list, tuple)) else [signature]


def _specs(structure: Any) -> Any:
    """Keras' specs and tensors as TensorFlow's specs."""

    def spec_of(leaf: Any) -> Any:
        if isinstance(leaf, InputSpec):
            return tf.TensorSpec(leaf.shape, leaf.dtype or "float32", name=leaf.name)
        if isinstance(leaf, tf.TypeSpec):
            return leaf
        if not hasattr(leaf, "shape") or not hasattr(leaf, "dtype"):
            raise TypeError(f"Expected the spec of a tensor, but received {leaf!r}.")
        return tf.TensorSpec(leaf.shape, leaf.dtype, name=getattr(leaf, "name", None))

    return tf.nest.map_structure(spec_of, structure)
