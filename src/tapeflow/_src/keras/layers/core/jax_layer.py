"""`JaxLayer` and `FlaxLayer`: models written in JAX or Flax as layers."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.internal.argument_types import ShapeLike, TensorLike
from tapeflow._src.internal.jax_functions import JaxFunction, jax_module
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.random.seed_generator import SeedGenerator, draw_seed
from tapeflow._src.keras.saving.deserialization import fail, in_safe_mode, located, read_object
from tapeflow._src.keras.saving.registry import FUNCTION, VALUE
from tapeflow._src.keras.saving.serialization import serialize_keras_object
from tapeflow._src.keras.variables import Variable

_flax: Any = LazyModule("flax.linen", "keras.layers.FlaxLayer")

_CALL_ARGUMENTS = ("params", "state", "rng", "inputs", "training")
_INIT_ARGUMENTS = ("rng", "inputs", "training")


class JaxLayer(Layer):
    """Runs a model that is written in JAX, and trains its parameters.

    The function is compiled together with the code around it, and its gradients are JAX's.

    Args:
        call_fn: The model. It takes `inputs` and any of `params` (trained), `state` (not trained;
            the function then returns `(outputs, new_state)`), `rng` (a key for `jax.random` while
            training, None otherwise) and `training`, in any order.
        init_fn: Returns the initial `params`, or `(params, state)` if `call_fn` takes a state. It
            takes `inputs` (ones of the right shape) and any of `rng` and `training`.
        params: Initial parameters, a pytree of arrays, instead of `init_fn`.
        state: The initial state likewise.
        seed: An integer that the keys of `call_fn` depend on.
        native_serialization_platforms: The platforms that SavedModels are written for, as in
            `("cpu", "cuda")`; the one in use if None.

    Raises:
        ValueError: A function takes other arguments, or nothing sets initial values.

    Example:
        >>> import jax.numpy as jnp
        >>> layer = tf.keras.layers.JaxLayer(
        ...     lambda params, inputs: inputs @ params["w"], params={"w": jnp.ones((3, 2))}
        ... )
        >>> layer(tf.ones((1, 3))).numpy().tolist()
        [[3.0, 3.0]]
    """

    _tpf_builds_nothing = False
    params: Any
    state: Any
    _TF_MODULE_IGNORED_PROPERTIES = Layer._TF_MODULE_IGNORED_PROPERTIES | {"params", "state"}

    def __init__(
        self,
        call_fn: Callable[..., Any],
        init_fn: Callable[..., Any] | None = None,
        params: Any = None,
        state: Any = None,
        seed: int | None = None,
        native_serialization_platforms: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.call_fn = call_fn
        self.init_fn: Any = init_fn
        self.native_serialization_platforms = native_serialization_platforms
        self.call_fn_arguments = _checked_arguments(call_fn, "call_fn", _CALL_ARGUMENTS)
        self.call_fn_has_params = "params" in self.call_fn_arguments
        self.call_fn_has_state = "state" in self.call_fn_arguments
        needs_weights = self.call_fn_has_params or self.call_fn_has_state
        if init_fn is None and params is None and state is None and needs_weights:
            raise ValueError(
                f"{type(self).__name__}: `call_fn` takes `params` or `state`, but nothing says "
                f"their initial values. Pass `init_fn`, or the values as `params` and `state`."
            )
        if init_fn is not None:
            self.init_fn_arguments = _checked_arguments(init_fn, "init_fn", _INIT_ARGUMENTS)
        self._function = JaxFunction(call_fn, native_serialization_platforms)
        self._set_variables(params, state)
        has_rng = "rng" in self.call_fn_arguments
        self.seed_generator = SeedGenerator(seed) if has_rng else None
        if params is not None or state is not None:
            self.built = True

    # -- variables ---------------------------------------------------------------------------

    def _set_variables(self, params: Any, state: Any) -> None:
        """Make variables of the leaves, in structures that JAX can take apart.

        The structures are not tracked themselves: the flat lists of their variables are.
        """
        for name, values, trainable in (("params", params, True), ("state", state, False)):
            variables = jax_module().tree_util.tree_map(
                lambda value, trainable=trainable: self._as_variable(value, trainable), values
            )
            object.__setattr__(self, name, variables)
            setattr(self, f"tracked_{name}", jax_module().tree_util.tree_leaves(variables))

    def _as_variable(self, value: Any, trainable: bool) -> Any:
        """A variable with this initial value; what is neither array nor number stays as it is."""
        if not isinstance(
            value, (tf.Tensor, np.ndarray, np.generic, bool, int, float, jax_module().Array)
        ):
            return value
        tensor = tf.convert_to_tensor(value)
        return self.add_weight(
            shape=tuple(tensor.shape),
            initializer=lambda shape, dtype: tf.cast(tensor, dtype),
            # The layer's policy decides for floating-point numbers.
            dtype=None if tensor.dtype.is_floating else tensor.dtype,
            trainable=trainable,
        )

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        children = super()._trackable_children(save_type, **kwargs)
        return {name: each for name, each in children.items() if name not in ("params", "state")}

    def build(self, input_shape: Any) -> None:
        """Create the variables with `init_fn`, unless the constructor received their values.

        Args:
            input_shape: Shape of the inputs, or a structure of shapes; None in it counts as 1.
        """
        has_values = self.params is not None or self.state is not None
        if not has_values and (self.call_fn_has_params or self.call_fn_has_state):
            self._set_variables(*self._initial_values(input_shape))
        super().build(input_shape)

    def _initial_values(self, input_shape: ShapeLike) -> tuple[Any, Any]:
        values = {"inputs": _placeholders(input_shape), "training": True}
        if "rng" in self.init_fn_arguments:
            keys = jax_module().tree_util.tree_map(_as_key, self._get_init_rng())
            values["rng"] = jax_module().tree_util.tree_map(
                lambda key: jax_module().numpy.asarray(key.numpy()), keys
            )
        initial = self.init_fn(*(values[name] for name in self.init_fn_arguments))
        return initial if self.call_fn_has_state else (initial, None)

    # -- random keys -------------------------------------------------------------------------

    def _get_init_seed(self) -> Any:
        """A new seed for `init_fn`: an integer tensor of shape (2,)."""
        return draw_seed(None)

    def _get_init_rng(self) -> Any:
        """The seed, or a structure of seeds, that `init_fn` receives keys for."""
        return self._get_init_seed()

    def _get_call_seed(self) -> Any:
        """A new seed for `call_fn`: an integer tensor of shape (2,)."""
        return draw_seed(self.seed_generator)

    def _get_call_rng(self, training: Any) -> Any:
        """The seed, or a structure of seeds, that `call_fn` receives keys for."""
        return self._get_call_seed() if training else None

    # -- calling -----------------------------------------------------------------------------

    def call(self, inputs: Any, training: Any = False) -> Any:
        tree_map = jax_module().tree_util.tree_map
        values: dict[str, Any] = {"inputs": inputs, "training": bool(training)}
        if self.call_fn_has_params:
            values["params"] = tree_map(_value, self.params)
        if self.call_fn_has_state:
            values["state"] = tree_map(_value, self.state)
        if "rng" in self.call_fn_arguments:
            values["rng"] = tree_map(_as_key, self._get_call_rng(training))
        returned = self._function(*(values[name] for name in self.call_fn_arguments))
        if not self.call_fn_has_state:
            return returned
        outputs, state = returned
        self._assign_state(state)
        return outputs

    def _assign_state(self, state: Any) -> None:
        own, structure = jax_module().tree_util.tree_flatten(self.state)
        new, received = jax_module().tree_util.tree_flatten(state)
        if structure != received:
            raise ValueError(
                f"Layer '{self.name}': `call_fn` must return a state of the structure that it "
                f"takes. Expected: {structure}. Received: {received}"
            )
        for variable, value in zip(own, new, strict=True):
            if isinstance(variable, tf.Variable):
                variable.assign(value)

    # -- configs -----------------------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "call_fn": serialize_keras_object(self.call_fn),
            "init_fn": serialize_keras_object(self.init_fn),
            "native_serialization_platforms": self.native_serialization_platforms,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        config = dict(config)
        for part in ("call_fn", "init_fn"):
            if config.get(part) is not None:
                config[part] = _read(config[part], f".{part}", FUNCTION, custom_objects)
        return cls(**config)


def _read(config: Any, step: str, kind: Any, custom_objects: Any, required: bool = True) -> Any:
    safe = in_safe_mode() is not False
    with located(step):
        return read_object(config, kind, custom_objects, safe, required=required)


def _checked_arguments(function: Any, name: str, allowed: tuple[str, ...]) -> list[str]:
    """The names of the parameters of `function`, which must be among those allowed."""
    names = list(inspect.signature(function).parameters)
    if "inputs" not in names:
        raise ValueError(f"`{name}` must take `inputs`. Received a function of {names}")
    unknown = [each for each in names if each not in allowed]
    if unknown:
        raise ValueError(
            f"`{name}` may take {', '.join(allowed)}. Received a function of {names}: rename or "
            f"bind {', '.join(unknown)}."
        )
    return names


def _placeholders(shape: Any) -> Any:
    """Ones of a shape or of a structure of shapes, with 1 for sizes that are not known."""
    if isinstance(shape, dict):
        return {name: _placeholders(each) for name, each in shape.items()}
    if all(each is None or isinstance(each, int) for each in shape):
        return jax_module().numpy.ones([1 if each is None else each for each in shape])
    return type(shape)(_placeholders(each) for each in shape)


def _value(leaf: Any) -> Any:
    """The value of a variable, in the dtype of computations; other leaves as they are."""
    return leaf() if isinstance(leaf, Variable) else leaf


def _as_key(seed: Any) -> Any:
    """The key of `jax.random` for the two numbers of a seed."""
    return tf.cast(seed, tf.uint32)


class FlaxLayer(JaxLayer):
    """Runs a `flax.linen.Module`, and trains its collection "params".

    All other collections are state, which is not trained. While training, the module receives a
    key for "dropout". Flax must be installed.

    Args:
        module: The module.
        method: What to call instead of `module.__call__`: a method of the module, or a function
            of the module and the inputs. It takes `inputs` and may take `training`.
        variables: Initial variables as `module.init` returns them, which is called otherwise.
        **kwargs: Further arguments of `JaxLayer`.

    Example:
        >>> import flax.linen as nn  # doctest: +SKIP
        >>> layer = tf.keras.layers.FlaxLayer(nn.Dense(3))  # doctest: +SKIP
        >>> layer(tf.ones((2, 4))).shape  # doctest: +SKIP
        TensorShape([2, 3])
    """

    module: Any
    method: Any

    def __init__(
        self, module: Any, method: Any = None, variables: Any = None, **kwargs: Any
    ) -> None:
        call_fn, init_fn = _functions_of(module, method)
        params, state = _split(variables)
        super().__init__(call_fn=call_fn, init_fn=init_fn, params=params, state=state, **kwargs)
        object.__setattr__(self, "module", module)
        object.__setattr__(self, "method", method)

    def _get_init_rng(self) -> Any:
        return {"params": self._get_init_seed(), "dropout": self._get_init_seed()}

    def _get_call_rng(self, training: Any) -> Any:
        return {"dropout": self._get_call_seed()} if training else {}

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["call_fn"], config["init_fn"]
        method = self.method
        if method is not None and getattr(method, "__self__", None) == self.module:
            method = method.__name__
        return {
            **config,
            "module": serialize_keras_object(self.module),
            "method": serialize_keras_object(method),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        config = dict(config)
        # A module need not be callable, which `required` would ask for.
        module = _read(config["module"], ".module", VALUE, custom_objects, required=False)
        if not isinstance(module, _flax.Module):
            raise fail(f"Expected a module of Flax, but received a {type(module).__name__}.")
        config["module"] = module
        method = config.get("method")
        if isinstance(method, str):
            config["method"] = _method_of(module, method)
        elif method is not None:
            config["method"] = _read(method, ".method", FUNCTION, custom_objects)
        return cls(**config)


def _method_of(module: Any, name: str) -> Any:
    """The method of a module that a config names: one of its class, and no internal one."""
    function = getattr(type(module), name, None)
    if not inspect.isfunction(function) or (name.startswith("_") and name != "__call__"):
        with located(".method"):
            raise fail(f"{type(module).__name__} has no method {name!r} that can be called.")
    return getattr(module, name)


def _functions_of(module: Any, method: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The `call_fn` and `init_fn` of a module of Flax."""
    mutable = _flax.DenyList(["params"])

    def apply(params: Any, state: Any, rng: Any, inputs: Any, **kwargs: Any) -> Any:
        variables = {**(params or {}), **(state or {})}
        return module.apply(variables, inputs, rngs=rng, method=method, mutable=mutable, **kwargs)

    def call(params: Any, state: Any, rng: Any, inputs: Any) -> Any:
        return apply(params, state, rng, inputs)

    def call_training(params: TensorLike, state: Any, rng: Any, inputs: Any, training: Any) -> Any:
        return apply(params, state, rng, inputs, training=training)

    def init(rng: Any, inputs: Any) -> Any:
        return _split(module.init(rng, inputs, method=method))

    def init_training(rng: Any, inputs: Any, training: Any) -> Any:
        return _split(module.init(rng, inputs, method=method, training=training))

    if "training" in inspect.signature(method or module.__call__).parameters:
        return call_training, init_training
    return call, init


def _split(variables: Any) -> tuple[Any, Any]:
    """Variables of Flax as parameters and state, both dicts of collections."""
    if variables is None:
        return None, None
    params = {name: each for name, each in variables.items() if name == "params"}
    state = {name: each for name, each in variables.items() if name != "params"}
    return params, state
