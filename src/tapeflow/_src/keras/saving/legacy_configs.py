"""Configs in HDF5 files: the older form of Keras 2, which Keras 3 writes and reads there, too.

Layers bear the name of their class without its module, calls are lists of `[layer, call, output,
kwargs]`, and what Keras 2 has no argument for is left out while it is None, as it is by default.
"""

from __future__ import annotations

import inspect
from typing import Any

from tapeflow._src.keras.saving import registry
from tapeflow._src.keras.saving.deserialization import fail, shown

_POLICIES = frozenset({"DTypePolicy", "FloatDTypePolicy", "Policy"})
# What configs of Keras 2 have that is no argument: it repeats others, or has no meaning here.
_KERNEL = ("kernel_initializer", "kernel_regularizer", "kernel_constraint")
_RANDOM = ("Brightness", "Contrast", "Crop", "Flip", "Height", "Rotation", "Translation", "Width")
_TRANSPOSED = ("Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose")
_ONLY_KERAS_2 = {
    "MultiHeadAttention": ("query_shape", "key_shape", "value_shape", "softmax_robust_masking"),
    **dict.fromkeys(("DepthwiseConv1D", "DepthwiseConv2D", *_TRANSPOSED), ("groups",)),
    **dict.fromkeys(("SeparableConv1D", "SeparableConv2D"), ("groups", *_KERNEL)),
    **{f"Random{kind}": ("rng_type",) for kind in (*_RANDOM, "Zoom")},
}
# What both generations have, and Keras 3 does not load a layer without.
_REQUIRED = frozenset({"ngrams"})
# What only Keras 3 has an argument for, and what Keras 2 does always.
_LAST = {"data_format": "channels_last"}
_ONLY_KERAS_3: dict[str, dict[str, Any]] = {
    **{f"Random{kind}": _LAST for kind in (*_RANDOM, "Zoom")},
    **dict.fromkeys(("CenterCrop", "ZeroPadding1D"), _LAST),
    **{kind: {"oov_method": "floormod"} for kind in ("IntegerLookup", "StringLookup")},
    "LayerNormalization": {"rms_scaling": False},
    "MultiHeadAttention": {"use_gate": False},
    "RandomContrast": {**_LAST, "value_range": [0, 255]},
    "Resizing": {
        **_LAST,
        "pad_to_aspect_ratio": False,
        "fill_mode": "constant",
        "fill_value": 0.0,
        "antialias": False,
    },
}
# The layers of vocabularies, whose dtype is that of their outputs or of texts in Keras 2.
_LOOKUPS = ("IntegerLookup", "StringLookup", "TextVectorization")
# Layers of Keras 2 that are functions of `tf`.
_FUNCTION_LAYERS = ("TFOpLambda", "SlicingOpLambda")
# Layers of members of sparse and ragged tensors, and where their configs name them.
_MEMBER_LAYERS = {"InstanceProperty": "attr_name", "InstanceMethod": "method_name"}
_TENSOR, _LAMBDA = "__keras_tensor__", "__lambda__"
# What Keras 2 says about the functions of a Lambda layer.
_LAMBDA_NOTES = ("module", "function_type", "output_shape_type", "output_shape_module")
# The first optimizers with state of their own were registered under this package.
_PACKAGE = "Custom>"
# `adapted` is a note of ours, which Keras 2 and Keras 3 pass over.
_BESIDE_CONFIG = ("name", "inbound_nodes", "adapted")


def _is_object(value: Any) -> bool:
    return isinstance(value, dict) and "class_name" in value and "config" in value


# -- writing -------------------------------------------------------------------------------------


def simplified(config: Any, keras_2: bool = False) -> Any:
    """A config in the older form, which Keras 2 and Keras 3 read; with `keras_2`, only that."""
    if isinstance(config, (list, tuple)):
        return [simplified(item, keras_2) for item in config]
    if not isinstance(config, dict):
        return config
    if not _is_object(config):
        return {key: simplified(value, keras_2) for key, value in config.items()}
    name, inner = config["class_name"], config["config"]
    if name in _POLICIES:
        return inner["name"]
    if name == "function":
        return inner
    if "module" not in config or not isinstance(inner, dict):
        return config
    cls = registry.find_class(config["module"], name)
    own = cls is None
    inner = {
        key: simplified(value, keras_2) if key == "layers" else _part(value, keras_2)
        for key, value in inner.items()
        if own or value is not None or key in _REQUIRED or not _is_none_by_default(cls, key)
    }
    if not own and not issubclass(cls, registry.LAYER.classes()):
        return {**config, "config": inner}
    if keras_2 and name == "MultiHeadAttention":
        inner = {**inner, **_attention_shapes(config)}
    written = {
        "class_name": config.get("registered_name") or name,
        "config": _layer(name, inner, keras_2),
    }
    written |= {key: config[key] for key in _BESIDE_CONFIG if key in config}
    if keras_2 and not own and "inbound_nodes" in written:
        written["inbound_nodes"] = [_by_name(cls, node) for node in written["inbound_nodes"]]
    return written


def _attention_shapes(config: dict[str, Any]) -> dict[str, Any]:
    """The shapes that Keras 2 builds an attention layer with, which Keras 3 has elsewhere."""
    shapes = (config.get("build_config") or {}).get("shapes_dict") or {}
    key = shapes.get("key_shape", shapes.get("value_shape"))
    return {
        "query_shape": shapes.get("query_shape"),
        "key_shape": key,
        "value_shape": shapes.get("value_shape"),
    }


def _part(value: Any, keras_2: bool) -> Any:
    """Return an object's content; nested layers keep `module`, which Keras 3 needs."""
    if isinstance(value, (list, tuple)):
        return [_part(item, keras_2) for item in value]
    written = simplified(value, keras_2)
    if keras_2 or not _is_object(value) or not _is_object(written):
        return written
    names = {key: value[key] for key in ("module", "registered_name") if key in value}
    return {**written, **names, "class_name": value["class_name"]}


def _is_none_by_default(cls: Any, key: str) -> bool:
    for base in cls.__mro__:
        parameters = inspect.signature(base.__init__).parameters if "__init__" in vars(base) else {}
        if key in parameters:
            return parameters[key].default is None
    return True


def _layer(name: str, config: dict[str, Any], keras_2: bool) -> dict[str, Any]:
    if name == "InputLayer":
        config = dict(config)
        config["batch_input_shape"] = config.pop("batch_shape", None)
    elif name == "Lambda":
        config = _lambda_layer(config)
    elif "input_layers" in config:
        config = _functional(config, keras_2)
    return _keras_2_layer(name, config) if keras_2 else config


def _keras_2_layer(name: str, config: dict[str, Any]) -> dict[str, Any]:
    """A layer with the arguments of Keras 2; another one's stays if it changes the results."""
    always = _ONLY_KERAS_3.get(name, {})
    config = {
        key: value for key, value in config.items() if key not in always or value != always[key]
    }
    if name == "LeakyReLU":
        config["alpha"] = config.pop("negative_slope")
    elif name == "TextVectorization":
        config["dtype"] = "string"
    elif name in _LOOKUPS and config["output_mode"] == "int":
        config["dtype"] = "int64"
    return config


def _functional(config: dict[str, Any], keras_2: bool) -> dict[str, Any]:
    """A functional model with its calls in the older form.

    Keras 2 counts the calls of a model inside it from one, Keras 3 from zero, in this form, too,
    and neither reads the other's: with such models the calls stay in the form of Keras 3.
    """
    layers = config["layers"]
    models = {each["name"] for each in layers if "layers" in each["config"]}
    if models and not keras_2:
        return config

    def counted(place: Any) -> Any:
        """A place with the number that Keras 2 has for the call."""
        if _is_place(place):
            name, number, *rest = place
            return [name, number + (name in models), *map(counted, rest)]
        if isinstance(place, dict):
            return {key: counted(value) for key, value in place.items()}
        return [counted(each) for each in place] if isinstance(place, (list, tuple)) else place

    calls = [[_call(node, keras_2) for node in each["inbound_nodes"]] for each in layers]
    layers = [{**each, "inbound_nodes": counted(nodes)} for each, nodes in zip(layers, calls)]
    ends = {key: _ends(counted(config[key])) for key in ("input_layers", "output_layers")}
    return {**config, "layers": layers, **ends}


def _ends(places: Any) -> Any:
    """The inputs or outputs of a model, of which Keras 2 has a list even for one."""
    single = isinstance(places, list) and len(places) == 3 and isinstance(places[0], str)
    return [places] if single else places


def _lambda_layer(config: dict[str, Any]) -> dict[str, Any]:
    function = config["function"]
    notes: dict[str, Any] = {"module": None, "function_type": "function"}
    if _is_object(function) and function["class_name"] == _LAMBDA:
        inner = function["config"]
        function = [inner["code"], inner["defaults"], inner["closure"]]
        notes["function_type"] = "lambda"
    notes |= {"output_shape_type": "raw", "output_shape_module": None}
    return {"output_shape": None, **config, "function": function, **notes}


def _by_name(cls: Any, node: dict[str, Any]) -> dict[str, Any]:
    """A call with the names of all arguments but the first, as Keras 2 writes it."""
    first, *rest = node["args"] or [None]
    names = list(inspect.signature(cls.call).parameters)[2:]
    if not rest or len(names) < len(rest):
        return node
    return {**node, "args": [first], "kwargs": dict(zip(names, rest)) | node["kwargs"]}


def _call(node: Any, keras_2: bool) -> Any:
    """A call in the older form; as it is if that cannot express it.

    Keras 2 has tensors among the named arguments, too, which Keras 3 does not read in this form.
    """
    args, kwargs = node["args"], node["kwargs"]
    kwargs = {key: value for key, value in kwargs.items() if value is not None}
    if len(args) != 1 or (not keras_2 and any(map(_has_tensor, kwargs.values()))):
        return node
    tensors = args[0] if isinstance(args[0], (list, tuple)) else [args[0]]
    if not tensors or not all(_is_object(t) and t["class_name"] == _TENSOR for t in tensors):
        return node
    kwargs = _with_places(kwargs)
    return [[*tensor["config"]["keras_history"], kwargs] for tensor in tensors]


def _with_places(value: Any) -> Any:
    """A value with the places of tensors instead of their descriptions."""
    if isinstance(value, dict):
        if value.get("class_name") == _TENSOR:
            return list(value["config"]["keras_history"])
        return {key: _with_places(each) for key, each in value.items()}
    return [_with_places(each) for each in value] if isinstance(value, (list, tuple)) else value


def _is_place(value: Any) -> bool:
    """Whether a value is the place of a tensor: a layer, a call, an output, maybe kwargs."""
    if not isinstance(value, (list, tuple)) or len(value) < 3:
        return False
    return isinstance(value[0], str) and isinstance(value[1], int)


def _has_tensor(value: Any) -> bool:
    if isinstance(value, dict):
        return value.get("class_name") == _TENSOR or any(map(_has_tensor, value.values()))
    return isinstance(value, (list, tuple)) and any(map(_has_tensor, value))


# -- reading -------------------------------------------------------------------------------------


def modernized(config: Any) -> Any:
    """A config of an HDF5 file in the form that the readers of configs expect."""
    if isinstance(config, (list, tuple)):
        return [modernized(item) for item in config]
    if not isinstance(config, dict):
        return config
    config = {key: modernized(value) for key, value in config.items()}
    if not _is_object(config) or not isinstance(config["class_name"], str):
        return config
    name, inner = config["class_name"], config["config"]
    if name == "Sequential" and isinstance(inner, list):  # the form of Keras 1
        inner = {"layers": inner}
    if not isinstance(inner, dict):
        return config
    if name in _POLICIES and isinstance(inner.get("name"), str):
        return inner["name"]
    shape = inner.pop("batch_input_shape", None)
    if name == "InputLayer" and shape is not None:
        inner["batch_shape"] = shape
    elif name == "Lambda":
        inner = _modern_lambda(inner)
    elif (name in _FUNCTION_LAYERS and "function" in inner) or name in _MEMBER_LAYERS:
        if name in _MEMBER_LAYERS:
            inner = {"function": f"__members__.{inner.get(_MEMBER_LAYERS[name])}", **inner}
        name = "TFFunction"
        config["module"] = "keras.src.tf_functions"
        for key in ("registered_name", "build_config"):  # of a layer, which it is no more
            config.pop(key, None)
    elif name == "Model" and "input_layers" in inner:
        name = "Functional"
    elif name == "Sequential" and isinstance(inner.get("layers"), list):
        inner["layers"] = _with_input(inner["layers"])
    elif name == "MultiHeadAttention":
        config.pop("build_config", None)  # it has the shape of the query alone
    for key in _ONLY_KERAS_2.get(name, ()):
        inner.pop(key, None)
    axis = inner.get("axis")
    if isinstance(axis, list) and len(axis) == 1:
        inner["axis"] = axis[0]
    if shape is not None and name != "InputLayer":
        config["_batch_input_shape"] = shape
    return {**config, "class_name": name, "config": inner}


def _with_input(layers: list[Any]) -> list[Any]:
    """The layers of a Sequential model, after the input that the first one may declare."""
    first: Any = layers[0] if layers else None
    shapes = [layer.pop("_batch_input_shape", None) for layer in layers if isinstance(layer, dict)]
    if not _is_object(first) or not shapes or shapes[0] is None:
        return layers
    config = {"batch_shape": shapes[0]}
    if isinstance(first["config"].get("name"), str):
        config["name"] = f"{first['config']['name']}_input"
    return [{"class_name": "InputLayer", "config": config}, *layers]


def _modern_lambda(config: dict[str, Any]) -> dict[str, Any]:
    config = {key: value for key, value in config.items() if key not in _LAMBDA_NOTES}
    for key in ("function", "output_shape", "mask"):
        value = config.get(key)
        if key != "output_shape" and isinstance(value, list):
            if len(value) != 3:
                raise fail(f"Expected the code of a lambda in '{key}', received {shown(value)}.")
            parts = dict(zip(("code", "defaults", "closure"), value))
            config[key] = {"class_name": _LAMBDA, "config": parts}
    return config


def modern_model(config: dict[str, Any]) -> dict[str, Any]:
    """The config of a `.keras` file of Keras 2, without what only Keras 2 knows of."""
    compiled = config.get("compile_config")
    config = modernized({key: value for key, value in config.items() if key != "compile_config"})
    if isinstance(compiled, dict):
        parts = ("loss", "metrics", "weighted_metrics")
        compiled = compiled | {key: modern_part(compiled[key]) for key in parts if key in compiled}
        if _is_object(compiled.get("optimizer")):
            compiled["optimizer"] = modern_optimizer(compiled["optimizer"])
    return config if compiled is None else {**config, "compile_config": compiled}


def modern_optimizer(config: Any) -> Any:
    """The config of an optimizer of Keras 2, without what only Keras 2 knows of."""
    config = modernized(config)
    if not _is_object(config) or not isinstance(config["config"], dict):
        raise fail(f"Expected the config of an optimizer, but received {shown(config)}.")
    name = config["class_name"]
    if isinstance(name, str):
        config["class_name"] = name.removeprefix(_PACKAGE)
    unknown = ("jit_compile", "is_legacy_optimizer", "decay")
    inner = {key: value for key, value in config["config"].items() if key not in unknown}
    if not inner.get("use_ema"):
        inner.pop("ema_overwrite_frequency", None)
    return {**config, "config": inner}


def modern_part(config: Any) -> Any:
    """Losses and metrics of Keras 2: objects by class, without what only Keras 2 knows of."""
    if isinstance(config, (list, tuple)):
        return [modern_part(item) for item in config]
    if not isinstance(config, dict):
        return config
    if not _is_object(config) or not isinstance(config["config"], dict):
        return {key: modern_part(value) for key, value in config.items()}
    inner = dict(config["config"])
    if config["class_name"] not in ("MeanMetricWrapper", "LossFunctionWrapper"):
        inner.pop("fn", None)
    elif isinstance(inner.get("fn"), str):
        inner["fn"] = {"module": "builtins", "class_name": "function", "config": inner["fn"]}
    if inner.get("reduction") == "auto":
        inner["reduction"] = "sum_over_batch_size"
    return {**config, "config": inner}
