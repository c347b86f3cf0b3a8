"""The registry of Keras' own classes and functions: all that a config can name without the user.

A name is looked up in the public list of one of the namespaces below, never through the attributes
of what is found there, and only a class or function of a serialisable kind is returned. Whoever
reads a config says which kind is expected at that place. A new public name of a namespace is in
the registry without further ado.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tapeflow as tf
from tapeflow._src.core.lazy import LazyModule

# Where Keras defines its classes; operations of `keras.ops` carry the name of the public module.
_HOMES_OF_CODE = ("tapeflow._src.keras.", "tapeflow.keras.")
_ROOT = ""
# The namespaces that are searched, below `keras`; those that do not exist are skipped.
_NAMESPACES = frozenset(
    {
        *(
            _ROOT,
            "applications",
            "layers",
            "models",
            "optimizers",
            "optimizers.schedules",
            "losses",
            "metrics",
            "distillation",
        ),
        *("initializers", "regularizers", "constraints", "dtype_policies", "random", "quantizers"),
        *("mixed_precision", "activations", "backend"),
    }
)
# Packages of other versions, and the namespace that has their public classes now.
_RENAMED = {
    "engine": "models",
    "legacy_tf_layers": "layers",
    "mixed_precision": "dtype_policies",
    "op_tensors": "op_tensors",
    "tf_functions": "tf_functions",
    "trainers": "models",
}
_KERAS = frozenset({"keras", "tf_keras"})
# Classes that files name although no namespace offers them.
_UNLISTED = {
    ("models", "Functional"): LazyModule("tapeflow._src.keras.models.functional"),
    ("applications", "CustomScaleLayer"): LazyModule(
        "tapeflow._src.keras.applications.inception_residual"
    ),
    ("applications", "LayerScale"): LazyModule("tapeflow._src.keras.applications.conv_next"),
    ("applications", "StochasticDepth"): LazyModule("tapeflow._src.keras.applications.conv_next"),
    ("activations", "Mish"): LazyModule("tapeflow._src.keras.activations.activations"),
    ("activations", "ReLU"): LazyModule("tapeflow._src.keras.activations.activations"),
    ("backend", "BackendFunction"): LazyModule("tapeflow._src.keras.backend.in_models"),
    ("layers", "TFDConcat"): LazyModule("tapeflow._src.keras.layers.preprocessing.feature_space"),
    ("layers", "TFDIdentity"): LazyModule("tapeflow._src.keras.layers.preprocessing.feature_space"),
    ("utils", "FeatureSpace"): LazyModule("tapeflow._src.keras.utils.feature_space"),
    ("layers", "IndexLookup"): LazyModule("tapeflow._src.keras.layers.preprocessing.index_lookup"),
    ("op_tensors", "TFOpLambda"): LazyModule("tapeflow._src.keras.op_tensors"),
    ("tf_functions", "TFFunction"): LazyModule("tapeflow._src.keras.tf_functions"),
    ("losses", "LossFunctionWrapper"): LazyModule("tapeflow._src.keras.losses.loss"),
}
# The modules that Keras has such classes in, where they are others.
_ELSEWHERE = {
    "tapeflow._src.keras.applications.conv_next": "applications.convnext",
    "tapeflow._src.keras.applications.inception_residual": "applications.inception_resnet_v2",
}
# Where the classes of a namespace, or of a base at the root, are when no module is named.
_HOMES = {"layers": ("layers", "models"), "Operation": ("layers", "models")}
_ops = LazyModule("tapeflow._src.keras.ops.declaring")
# The tables of functions, by namespace.
_FUNCTIONS = {
    "activations": LazyModule("tapeflow._src.keras.activations.lookup"),
    "losses": LazyModule("tapeflow._src.keras.losses.lookup"),
    "metrics": LazyModule("tapeflow._src.keras.metrics.lookup"),
}


@dataclass(frozen=True)
class Kind:
    """Kind of object expected at a position of a config."""

    description: str
    # Public base classes below `tf.keras`: an object is an instance of one of them.
    bases: tuple[str, ...] = ()
    # Namespaces whose functions may stand there as well.
    functions: tuple[str, ...] = ()
    # Whether any callable that the program has registered may stand there, too.
    own_callables: bool = False

    @property
    def label(self) -> str:
        """The description without its article."""
        return self.description.partition(" ")[2]

    def classes(self) -> tuple[type, ...]:
        """The base classes."""
        return tuple(_base(path) for path in self.bases)

    def accepts(self, value: Any) -> bool:
        """Whether a value is of this kind."""
        return isinstance(value, self.classes()) or (self.own_callables and callable(value))


OPERATION = Kind("an operation or a layer", ("Operation",))
LAYER = Kind("a layer", ("layers.Layer",))
CELL = Kind("a cell of a recurrent layer", ("layers.Layer",), (), True)
OPTIMIZER = Kind("an optimizer", ("optimizers.Optimizer",))
OPTIMIZER_MAP = Kind("a map of optimizers", ("optimizers.OptimizerMap",))
SCHEDULE = Kind(
    "a learning rate schedule", ("optimizers.schedules.LearningRateSchedule",), (), True
)
LOSS = Kind("a loss", ("losses.Loss",), ("losses", "metrics"), True)
DISTILLATION_LOSS = Kind("a distillation loss", ("distillation.DistillationLoss",))
METRIC = Kind("a metric", ("metrics.Metric",), ("metrics", "losses"), True)
INITIALIZER = Kind("an initializer", ("initializers.Initializer",), (), True)
REGULARIZER = Kind("a regularizer", ("regularizers.Regularizer",), (), True)
CONSTRAINT = Kind("a constraint", ("constraints.Constraint",), (), True)
ACTIVATION = Kind("an activation function", ("layers.Layer",), ("activations",), True)
FUNCTION = Kind("a function", (), ("activations", "losses", "metrics"), True)
DTYPE_POLICY = Kind("a dtype policy", ("dtype_policies.DTypePolicy",))
QUANTIZER = Kind(
    "a quantizer or a quantization config",
    ("quantizers.Quantizer", "quantizers.QuantizationConfig"),
    (),
    True,
)
SEED = Kind("a seed generator", ("random.SeedGenerator",))
# A number, a text, a tensor, …; of objects only those that the program has registered.
VALUE = Kind("a plain value", (), (), True)
_ALL = (OPERATION, OPTIMIZER, OPTIMIZER_MAP, SCHEDULE, LOSS, METRIC, INITIALIZER, REGULARIZER)
_KINDS = (*_ALL, CONSTRAINT, DTYPE_POLICY, QUANTIZER, SEED, DISTILLATION_LOSS)
ANY = Kind(
    "an object of Keras",
    tuple(base for kind in _KINDS for base in kind.bases),
    FUNCTION.functions,
    True,
)


def _base(path: str) -> Any:
    namespace, _, name = path.rpartition(".")
    return getattr(_namespace(namespace), name)


def _namespace(path: str) -> Any:
    """A public namespace below `tf.keras`, or None."""
    namespace: Any = tf.keras
    for part in path.split(".") if path else ():
        namespace = getattr(namespace, part, None)
    return namespace


def find_class(module: Any, name: str) -> Any:
    """The class that a config names, such as (`keras.layers`, `Dense`); None unless registered."""
    path = _below_keras(module)
    if path is None or name.startswith("_"):
        return None
    if path[:1] == ("ops",):
        return _ops.operation_class(".".join(path[1:]), name)
    namespace = _namespace_of(path)
    unlisted = _UNLISTED.get((path[0] if namespace is None else namespace, name))
    if unlisted is not None:
        return getattr(unlisted, name)
    if namespace is None:
        return None
    offered = _namespace(namespace)
    if offered is None or name not in getattr(offered, "__all__", dir(offered)):
        return None
    candidate = getattr(offered, name)
    return candidate if _is_serializable(candidate) else None


def find_by_name(name: str, kind: Kind) -> Any:
    """The class of a kind that a config names without its module, as Keras 2 does; else None."""
    for base in kind.bases:
        home = base.rpartition(".")[0]
        for namespace in _HOMES.get(home or base, (home,)):
            cls = find_class(f"keras.{namespace}", name)
            if cls is not None:
                return cls
    return None


def find_function(module: Any, name: str, kind: Kind) -> Any:
    """The function that a config names, if it may stand where `kind` is expected; else None."""
    path = _below_keras(module)
    if module != "builtins" and path is None:
        return None
    for namespace in kind.functions:
        if path and path[0] != namespace:
            continue
        function = functions(namespace).get(name)
        if function is not None:
            return function
    return None


def functions(namespace: str) -> dict[str, Any]:
    """The registered functions of a namespace, by name."""
    return _FUNCTIONS[namespace].FUNCTIONS


def _is_serializable(candidate: Any) -> bool:
    return (
        isinstance(candidate, type)
        and candidate.__module__.startswith(_HOMES_OF_CODE)
        and issubclass(candidate, ANY.classes())
    )


def _below_keras(module: Any) -> tuple[str, ...] | None:
    """The parts of a module's name after `keras` and `keras.src`; None for other packages."""
    if not isinstance(module, str):
        return None
    parts = tuple(module.split("."))
    if parts[0] not in _KERAS:
        return None
    return parts[2:] if parts[1:2] in (("src",), ("api",)) else parts[1:]


def _namespace_of(path: tuple[str, ...]) -> str | None:
    """The namespace that a module belongs to: `layers` for `layers.core.dense`."""
    if path[:1] and path[0] in _RENAMED:
        return _RENAMED[path[0]]
    for length in range(len(path), 0, -1):
        if ".".join(path[:length]) in _NAMESPACES:
            return ".".join(path[:length])
    return None if path else _ROOT


def public_module(obj: Any) -> str | None:
    """The namespace that offers a class or function, from `keras` on; None for a user's own."""
    home = getattr(obj, "__module__", None) or ""
    path = next((home[len(h) :] for h in _HOMES_OF_CODE if home.startswith(h)), None)
    if path is None:
        return None
    name = obj.__name__
    if getattr(tf.keras, name, None) is obj:
        return "keras"
    namespace: Any = tf.keras
    public = "keras"
    for part in path.split("."):
        namespace, public = getattr(namespace, part, None), f"{public}.{part}"
        if hasattr(namespace, "__path__") and getattr(namespace, name, None) is obj:
            return public
    # Classes that no namespace offers, such as what `Model(inputs, outputs)` returns.
    return f"keras.src.{_ELSEWHERE.get(home, path)}"
