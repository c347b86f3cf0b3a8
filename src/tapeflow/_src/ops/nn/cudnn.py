"""Recurrent networks of cuDNN: graphs hold them, only GPUs run them.

Keras 2 and Sonnet trace them beside the implementation that runs on CPUs, and differentiate them,
so that shapes and gradients are declared. Executing one is refused, as TensorFlow does on a CPU.
"""

from __future__ import annotations

from typing import Any, NoReturn

from tapeflow._src.core.dtypes import FLOATING, int8
from tapeflow._src.core.errors import NotFoundError
from tapeflow._src.core.infer import require_rank
from tapeflow._src.core.registry import UNREGISTERED, Free, InferError, op
from tapeflow._src.core.spec import Spec

_MODES = frozenset({"rnn_relu", "rnn_tanh", "lstm", "gru"})
_DIRECTIONS = {"unidirectional": 1, "bidirectional": 2}
_STATES = ("output", "output_h", "output_c", "reserve_space")
_GRADIENTS = tuple(f"{name}_backprop" for name in ("input", "input_h", "input_c", "params"))
_HOST = "cuDNN runs on GPUs only"


def _refuse(name: str) -> NoReturn:
    raise NotFoundError(
        None,
        None,
        f"{name} has a kernel for GPUs only, and there is no GPU here: use a layer that does not "
        "ask for cuDNN, such as tf.keras.layers.LSTM or tf.keras.layers.GRU.",
    )


def _outputs(x: Spec, h: Spec, rnn_mode: str, direction: str) -> Any:
    """Return the specs of the sequence, of both last states, and of the residuals."""
    if rnn_mode not in _MODES:
        raise InferError(f"rnn_mode must be one of {sorted(_MODES)}; received {rnn_mode!r}")
    if direction not in _DIRECTIONS:
        raise InferError(f"direction must be one of {[*_DIRECTIONS]}; received {direction!r}")
    require_rank(x, 3, "input")
    require_rank(h, 3, "input_h")
    first, second, _ = x.shape or (None, None, None)
    units = h.shape[2] if h.shape else None
    wide = None if units is None else units * _DIRECTIONS[direction]
    state = Spec(h.shape, x.dtype)
    cell = state if rnn_mode == "lstm" else Spec((), x.dtype)
    return Spec((first, second, wide), x.dtype), state, cell, Spec(None, x.dtype)


def _backward_attrs(name: str, attrs: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of the backward op, without `is_training`."""
    if not attrs["is_training"]:
        raise ValueError(
            f"{name} is differentiated but was called with is_training=False, which keeps nothing "
            "for the backward pass: call it with is_training=True."
        )
    return {key: value for key, value in attrs.items() if key != "is_training"}


def _same_specs(*inputs: Spec) -> tuple[Spec, ...]:
    return tuple(Spec(each.shape, each.dtype) for each in inputs)


@op("CudnnRNN", dtypes=FLOATING, outputs=_STATES, host=_HOST)
def cudnn_rnn(
    xp,
    input,
    input_h,
    input_c,
    params,
    *,
    rnn_mode="lstm",
    input_mode="linear_input",
    direction="unidirectional",
    dropout=0.0,
    seed=0,
    seed2=0,
    is_training=True,
):
    """Run a recurrent network over sequences, time first."""
    _refuse("CudnnRNN")


@cudnn_rnn.infer
def _(input, input_h, input_c, params, *, rnn_mode, direction, **attrs):
    return _outputs(input, input_h, rnn_mode, direction)


@cudnn_rnn.gradient
def _(
    d_output,
    d_h,
    d_c,
    d_reserve,
    *,
    input,
    input_h,
    input_c,
    params,
    output,
    output_h,
    output_c,
    reserve_space,
    attrs,
):
    states = (output, output_h, output_c, d_output, d_h, d_c, reserve_space)
    kwargs = _backward_attrs("CudnnRNN", attrs)
    return cudnn_rnn_backprop(input, input_h, input_c, params, *states, **kwargs)


@op("CudnnRNNBackprop", dtypes=FLOATING, outputs=_GRADIENTS, grad=UNREGISTERED, host=_HOST)
def cudnn_rnn_backprop(
    xp,
    input,
    input_h,
    input_c,
    params,
    output,
    output_h,
    output_c,
    output_backprop,
    output_h_backprop,
    output_c_backprop,
    reserve_space,
    *,
    rnn_mode="lstm",
    input_mode="linear_input",
    direction="unidirectional",
    dropout=0.0,
    seed=0,
    seed2=0,
):
    """Compute the gradients of `CudnnRNN` w.r.t. its input, its states and its parameters."""
    _refuse("CudnnRNNBackprop")


@cudnn_rnn_backprop.infer
def _(input, input_h, input_c, params, *states, **attrs):
    return _same_specs(input, input_h, input_c, params)


@op("CudnnRNNV2", dtypes=FLOATING, outputs=(*_STATES, "host_reserved"), host=_HOST)
def cudnn_rnn_v2(
    xp,
    input,
    input_h,
    input_c,
    params,
    *,
    rnn_mode="lstm",
    input_mode="linear_input",
    direction="unidirectional",
    dropout=0.0,
    seed=0,
    seed2=0,
    is_training=True,
):
    """Run a recurrent network; return the algorithm of the backward pass, too."""
    _refuse("CudnnRNNV2")


@cudnn_rnn_v2.infer
def _(input, input_h, input_c, params, *, rnn_mode, direction, **attrs):
    return (*_outputs(input, input_h, rnn_mode, direction), Spec(None, int8))


@cudnn_rnn_v2.gradient
def _(
    d_output,
    d_h,
    d_c,
    d_reserve,
    d_host,
    *,
    input,
    input_h,
    input_c,
    params,
    output,
    output_h,
    output_c,
    reserve_space,
    host_reserved,
    attrs,
):
    states = (output, output_h, output_c, d_output, d_h, d_c, reserve_space, host_reserved)
    kwargs = _backward_attrs("CudnnRNNV2", attrs)
    return cudnn_rnn_backprop_v2(input, input_h, input_c, params, *states, **kwargs)


@op("CudnnRNNBackpropV2", dtypes=FLOATING, outputs=_GRADIENTS, grad=UNREGISTERED, host=_HOST)
def cudnn_rnn_backprop_v2(
    xp,
    input,
    input_h,
    input_c,
    params,
    output,
    output_h,
    output_c,
    output_backprop,
    output_h_backprop,
    output_c_backprop,
    reserve_space,
    host_reserved: Free,
    *,
    rnn_mode="lstm",
    input_mode="linear_input",
    direction="unidirectional",
    dropout=0.0,
    seed=0,
    seed2=0,
):
    """Compute the gradients of `CudnnRNNV2` w.r.t. its input, its states and its parameters."""
    _refuse("CudnnRNNBackpropV2")


@cudnn_rnn_backprop_v2.infer
def _(input, input_h, input_c, params, *states, **attrs):
    return _same_specs(input, input_h, input_c, params)


@op("CudnnRNNV3", dtypes=FLOATING, outputs=(*_STATES, "host_reserved"), host=_HOST)
def cudnn_rnn_v3(
    xp,
    input,
    input_h,
    input_c,
    params,
    sequence_lengths: Free,
    *,
    rnn_mode="lstm",
    input_mode="linear_input",
    direction="unidirectional",
    dropout=0.0,
    seed=0,
    seed2=0,
    num_proj=0,
    is_training=True,
    time_major=True,
):
    """Run a recurrent network over sequences of unequal lengths."""
    _refuse("CudnnRNNV3")


@cudnn_rnn_v3.infer
def _(input, input_h, input_c, params, sequence_lengths, *, rnn_mode, direction, **attrs):
    return (*_outputs(input, input_h, rnn_mode, direction), Spec(None, int8))


@cudnn_rnn_v3.gradient
def _(
    d_output,
    d_h,
    d_c,
    d_reserve,
    d_host,
    *,
    input,
    input_h,
    input_c,
    params,
    sequence_lengths,
    output,
    output_h,
    output_c,
    reserve_space,
    host_reserved,
    attrs,
):
    states = (output, output_h, output_c, d_output, d_h, d_c, reserve_space, host_reserved)
    kwargs = _backward_attrs("CudnnRNNV3", attrs)
    gradients = cudnn_rnn_backprop_v3(
        input, input_h, input_c, params, sequence_lengths, *states, **kwargs
    )
    return (*gradients, None)


@op("CudnnRNNBackpropV3", dtypes=FLOATING, outputs=_GRADIENTS, grad=UNREGISTERED, host=_HOST)
def cudnn_rnn_backprop_v3(
    xp,
    input,
    input_h,
    input_c,
    params,
    sequence_lengths: Free,
    output,
    output_h,
    output_c,
    output_backprop,
    output_h_backprop,
    output_c_backprop,
    reserve_space,
    host_reserved: Free,
    *,
    rnn_mode="lstm",
    input_mode="linear_input",
    direction="unidirectional",
    dropout=0.0,
    seed=0,
    seed2=0,
    num_proj=0,
    time_major=True,
):
    """Compute the gradients of `CudnnRNNV3` w.r.t. its input, its states and its parameters."""
    _refuse("CudnnRNNBackpropV3")


@cudnn_rnn_backprop_v3.infer
def _(input, input_h, input_c, params, *states, **attrs):
    return _same_specs(input, input_h, input_c, params)
