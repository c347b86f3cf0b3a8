"""Call a layer: conversion, checks, building, scopes, masks, penalties."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.user_errors import fold
from tapeflow._src.keras.argument_errors import defined_at
from tapeflow._src.keras.distribution.arrangement import arrange_outputs, distribution_in_force
from tapeflow._src.keras.generation import is_keras_2
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.layers import mask_passing
from tapeflow._src.keras.layers.call_signature import (
    CallSignature,
    check_positional,
    described,
    with_masks,
    with_numbers_as_tensor,
)
from tapeflow._src.keras.layers.control_flow import convert_after, traced_call
from tapeflow._src.keras.layers.input_spec import check_inputs
from tapeflow._src.keras.layers.layer_losses import ever
from tapeflow._src.keras.layers.masks import get_mask, masks_of, set_masks
from tapeflow._src.keras.operation import any_symbolic
from tapeflow._src.keras.rematerialization import rematerialized
from tapeflow._src.keras.scopes import calls, name_scope

_EAGER = type(tf.constant(0))


class LayerCalls:
    """The part of a layer that leads from `layer(...)` to its `call`."""

    # What `call` takes, read once for each class that has one.
    _tpf_signature: CallSignature
    _tpf_heeds_training = False
    _tpf_quick = False
    _allow_non_tensor_positional_args = False
    _convert_input_args = True

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        # The short way: one tensor as it was last time, and nothing that it must be prepared for.
        if self._tpf_quick and len(args) == 1 and not kwargs:
            x = args[0]
            if (
                type(x) is _EAGER
                and x.shape is self._tpf_accepted
                and x.dtype is self._tpf_quick
                and get_mask(x) is None
                and not ever.added
                and calls.autocast is None
                and tf.executing_eagerly()
            ):
                training = calls.training
                try:
                    if training is None or not self._tpf_heeds_training:
                        return self.call(x)
                    return self.call(x, training=training)
                except Exception as error:
                    self._tpf_explain(error, args, kwargs)
                    raise
        try:
            return self._tpf_call(args, kwargs)
        except Exception as error:
            fold(error)
            raise

    def _tpf_call(self: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call, step by step."""
        self._check_super_called()
        if not args:
            args, kwargs = self._tpf_signature.with_inputs(kwargs)
        raw_args, raw_kwargs = args, kwargs
        args, kwargs = self._tpf_converted(args, kwargs)
        plain = len(args) == 1 and not kwargs and type(args[0]) is _EAGER
        if not plain and not self._allow_non_tensor_positional_args:
            check_positional(args)
        signature = self._tpf_signature
        said = None
        if "training" in kwargs and not (signature.has_training or signature.takes_any):
            # It is for the layers inside; `call` does not take it.
            kwargs = {name: value for name, value in kwargs.items() if name != "training"}
            said = raw_kwargs["training"]
        first = args[0] if args else next(iter(signature.arguments(args, kwargs).values()), None)
        if self._input_spec is not None:
            check_inputs(self._input_spec, first, self.name)
        if not self.built:
            with name_scope(self.name, caller=self):
                self._maybe_build(args, kwargs)
        if not plain and any_symbolic(args, kwargs):
            if calls.captures is not None:
                args, kwargs = calls.captures.filled((raw_args, raw_kwargs))
                return self(*args, **kwargs)
            return self._tpf_symbolic(raw_args, raw_kwargs, args, kwargs)
        training = self._tpf_training(signature, args, kwargs) if said is None else said
        if (
            signature.has_training
            and training is not None
            and len(args) <= signature.training_place
        ):
            kwargs = {**kwargs, "training": training}
        kwargs = with_masks(signature, args, kwargs)
        masks = kwargs.get("mask")
        masks = masks_of(first) if masks is None else masks
        outputs = self._tpf_run(args, kwargs, training)
        if distribution_in_force() is not None:
            outputs = arrange_outputs(f"{self.path}/output", outputs)
        if masks is not None or self._tpf_makes_masks():
            mask_passing.pass_on(self, first, outputs, masks)
        if self.activity_regularizer is not None:
            self._tpf_penalize(outputs)
        self._tpf_consider_short_way(args, kwargs, training)
        return outputs

    def _check_super_called(self: Any) -> None:
        if "_tpf_accepted" not in self.__dict__:
            raise RuntimeError(
                f"{type(self).__name__}.__init__{defined_at(type(self).__init__)} must call "
                f"`super().__init__()` first, before it sets attributes and before the layer is "
                f"called."
            )

    def _tpf_converted(
        self: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with arrays as tensors, and floating-point numbers cast."""
        if not self._convert_input_args:
            return args, kwargs
        policy, autocast, dtype = self._dtype_policy, self.autocast, self.input_dtype

        def convert(leaf: Any) -> Any:
            if leaf is None or isinstance(leaf, (KerasTensor, bool)):
                return leaf
            converted = policy.convert_input(leaf, autocast, dtype)
            if converted is not leaf and get_mask(leaf) is not None:
                set_masks(converted, get_mask(leaf))
            return converted

        if args and (kwargs or len(args) > 1) and is_keras_2():
            # Keras 2 casts the first argument alone.
            first = tf.nest.map_structure(convert, with_numbers_as_tensor(args[:1]))
            autocast = False
            rest, kwargs = tf.nest.map_structure(convert, (args[1:], kwargs))
            return (*first, *rest), kwargs
        if len(args) == 1 and type(args[0]) is _EAGER:
            args = (convert(args[0]),)
        else:
            args = tf.nest.map_structure(convert, with_numbers_as_tensor(args) if args else args)
        return args, tf.nest.map_structure(convert, kwargs) if kwargs else kwargs

    def _tpf_training(
        self: Any, signature: CallSignature, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Whether the layer is trained: said by the caller, by an outer layer, or by default."""
        training = None
        if signature.has_training:
            index = signature.training_place
            training = args[index] if index < len(args) else kwargs.get("training")
        elif signature.takes_any:
            training = kwargs.get("training")
        if training is None:
            training = calls.training
        return signature.training if training is None else training

    def _tpf_run(self: Any, args: tuple[Any, ...], kwargs: dict[str, Any], training: Any) -> Any:
        """`call`, where the layers inside find what holds for them."""
        entry, outer, autocast = calls.entry, calls.training, calls.autocast
        if entry is None:
            calls.entry = self
            if ever.added:
                self._clear_losses()
        calls.training = training
        calls.autocast = self._tpf_autocast_dtype()
        try:
            call = self.quantized_call if self._tpf_is_quantized else traced_call(self)
            if self._remat_mode is not None:
                call = rematerialized(self, call)
            if tf.executing_eagerly() and self._tpf_builds_nothing:
                return call(*args, **kwargs)
            with name_scope(self.name, caller=self):
                return call(*args, **kwargs)
        except Exception as error:
            if convert_after(error, self):
                return self._tpf_run(args, kwargs, training)
            self._tpf_explain(error, args, kwargs)
            raise
        finally:
            calls.entry, calls.training, calls.autocast = entry, outer, autocast

    # Whether `call` makes no variables, so that nobody asks for the path to this layer.
    _tpf_builds_nothing = False

    def _tpf_autocast_dtype(self: Any) -> Any:
        policy = self._dtype_policy.for_path(self._path)
        compute = tf.as_dtype(policy.compute_dtype)
        if not self.autocast or not compute.is_floating:
            return None
        if calls.autocast is None and policy.compute_dtype == policy.variable_dtype:
            return None
        return compute

    def _tpf_consider_short_way(
        self: Any, args: tuple[Any, ...], kwargs: dict[str, Any], training: Any
    ) -> None:
        """Note the input, if a call with another one like it needs no preparation."""
        if len(args) != 1 or type(args[0]) is not _EAGER or self.activity_regularizer is not None:
            return
        if self._remat_mode is not None:
            return
        policy = self._dtype_policy.for_path(self._path)
        if (self._tpf_makes_masks() and self.supports_masking) or self._tpf_is_quantized:
            return
        if self._tpf_builds_nothing and policy.compute_dtype == policy.variable_dtype:
            object.__setattr__(self, "_tpf_accepted", args[0].shape)
            object.__setattr__(self, "_tpf_quick", args[0].dtype)

    def _tpf_explain(
        self: Any, error: Exception, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """Add a note to an error: in which layer it occurred, and what that received."""
        named = {**dict(zip(self._tpf_signature.positional, args)), **kwargs}
        received = [f"{name}={described(value)}" for name, value in named.items()]
        received += [described(value) for value in args[len(self._tpf_signature.positional) :]]
        error.add_note(
            f"Exception encountered when calling {type(self).__name__}.call() of layer "
            f"'{self.name}'. Arguments received: {', '.join(received)}"
        )
