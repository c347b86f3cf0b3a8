"""`EinsumDense`: a dense layer whose product is an einsum equation."""

from __future__ import annotations

import copy
import re
import string
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import ShapeLike, TensorLike
from tapeflow._src.keras.layers.arguments import as_numbers_of
from tapeflow._src.keras.layers.core.dense import with_quantization_config
from tapeflow._src.keras.layers.core.quantized_kernel import QuantizedKernel
from tapeflow._src.keras.layers.input_spec import InputSpec
from tapeflow._src.keras.layers.weight_arguments import (
    add_weight_for,
    serialized,
    set_weight_arguments,
)
from tapeflow._src.keras.saving.serialization import serialize_keras_object
from tapeflow.keras import activations
from tapeflow.keras.initializers import VarianceScaling

_PLAIN = re.compile(r"([a-zA-Z]+),([a-zA-Z]+)->([a-zA-Z]+)")
_LEFT = re.compile(r"\.\.\.([a-zA-Z]+),([a-zA-Z]+)->\.\.\.([a-zA-Z]+)")
_RIGHT = re.compile(r"([a-zA-Z]{2,})\.\.\.,([a-zA-Z]+)->([a-zA-Z]+)\.\.\.")

Dims = tuple[int | None, ...]


class EinsumDense(QuantizedKernel):
    """Dense layer for any einsum: `activation(einsum(equation, inputs, kernel) + bias)`.

    The equation names the axes of the inputs, of the kernel and of the outputs; the shape of the
    kernel follows from it, from the input shape and from `output_shape`.

    Args:
        equation: Einsum of inputs and kernel, such as `"btf,fh->bth"`; it may contain `...` at the
            left or at the right.
        output_shape: Sizes of the outputs without the batch (and without axes under `...`); None
            where they vary. One integer for one axis.
        activation: Activation function, or its name.
        bias_axes: Letters of the output axes that have a bias, such as `"d"`; None for no bias.
        kernel_initializer: Initializer of the kernel. Fans of a variance scaling initializer are
            counted over the axes that the equation contracts.
        bias_initializer: Initializer of the bias.
        kernel_regularizer: Penalty on the kernel.
        bias_regularizer: Penalty on the bias.
        kernel_constraint: Projection of the kernel after each optimizer step.
        bias_constraint: Projection of the bias after each optimizer step.
        lora_rank: Rank of a low-rank adapter (LoRA); the kernel itself is then frozen.
        lora_alpha: Scale of the adapter, applied as `lora_alpha / lora_rank`.
        gptq_unpacked_column_size: Number of columns of a kernel that GPTQ has packed; read from
            files.
        quantization_config: Mode and quantizers for a quantized layer.

    Raises:
        ValueError: The equation cannot be read, or contradicts the shapes.

    Example:
        >>> layer = tf.keras.layers.EinsumDense("btf,fhk->bthk", (5, 2, 3), bias_axes="hk")
        >>> layer(tf.ones((2, 5, 4))).shape
        TensorShape([2, 5, 2, 3])
        >>> layer.kernel.shape
        TensorShape([4, 2, 3])
    """

    _zero_name = "zero_point"

    def __init__(
        self,
        equation: str,
        output_shape: Any,
        activation: Any = None,
        bias_axes: str | None = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        lora_rank: int | None = None,
        lora_alpha: float | None = None,
        gptq_unpacked_column_size: int | None = None,
        quantization_config: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._set_lora(lora_rank, lora_alpha)
        self.quantization_config = quantization_config
        self.gptq_unpacked_column_size = gptq_unpacked_column_size
        self.equation = equation
        single = isinstance(output_shape, int)
        self.partial_output_shape = (output_shape,) if single else tuple(output_shape)
        self.bias_axes = bias_axes
        self.activation = activations.get(activation)
        set_weight_arguments(
            self, "kernel", kernel_initializer, kernel_regularizer, kernel_constraint
        )
        set_weight_arguments(self, "bias", bias_initializer, bias_regularizer, bias_constraint)
        self.bias: Any = None

    def _analyzed(self, input_shape: ShapeLike) -> tuple[Dims, Dims | None, Dims]:
        return analyze(self.equation, self.bias_axes, input_shape, self.partial_output_shape)

    def build(self, input_shape: Any) -> None:
        kernel_shape, bias_shape, _ = self._analyzed(input_shape)
        self.input_spec = InputSpec(ndim=len(input_shape))
        self._letters = _letters_of(self.equation, len(input_shape))
        mode = self.quantization_mode
        if mode is not None:
            self.quantized_build(kernel_shape, mode, self.quantization_config)
        if mode in (None, "float8"):
            self._kernel = add_weight_for(
                self, "kernel", kernel_shape, initializer=self._initializer_by_axes()
            )
        if bias_shape is not None:
            self.bias = add_weight_for(self, "bias", bias_shape)
        self.built = True
        if self.lora_rank:
            self.enable_lora(self.lora_rank, self.lora_alpha)

    def _initializer_by_axes(self) -> Any:
        """The initializer of the kernel, with the axes that belong to inputs and to outputs."""
        initializer = self.kernel_initializer
        if not isinstance(initializer, VarianceScaling) or not (
            initializer.input_axes is None or initializer.output_axes is None
        ):
            return initializer
        scaled = copy.copy(initializer)
        scaled.input_axes = list(self._reduced_axes())
        scaled.output_axes = [
            axis for axis in range(len(self._letters[1])) if axis not in scaled.input_axes
        ]
        return scaled

    def _contract(self, inputs: Any, kernel: TensorLike) -> Any:
        return tf.einsum(self.equation, as_numbers_of(inputs, kernel), kernel)

    def _reduced_axes(self) -> tuple[int, ...]:
        _, weights, outputs = self._letters
        return tuple(axis for axis, letter in enumerate(weights) if letter not in outputs)

    def _input_axes(self) -> tuple[int, ...]:
        inputs, _, outputs = self._letters
        return tuple(axis for axis, letter in enumerate(inputs) if letter not in outputs)

    def _matrix_shape(self, kernel_shape: tuple[int, ...]) -> tuple[int, int]:
        """Return the number of inputs and of outputs of a kernel seen as a matrix.

        Files have the layout that Keras infers: the largest axis of a kernel with three is that
        of the model's features, at the beginning of a projection to heads or at the end.
        """
        if len(kernel_shape) not in (2, 3):
            raise ValueError(
                f"EinsumDense layer '{self.name}': kernels with 2 or 3 axes can be calibrated. "
                f"Received: kernel shape {tuple(kernel_shape)}"
            )
        if kernel_shape[0] == max(kernel_shape) or len(kernel_shape) == 2:
            return super()._matrix_shape(kernel_shape)
        return kernel_shape[0] * kernel_shape[1], kernel_shape[2]

    def _build_calibrated(self, mode: str, config: Any) -> None:
        super()._build_calibrated(mode, config)
        if mode == "gptq":
            self.gptq_unpacked_column_size = self._matrix_shape(self._kernel_shape)[1]

    def _scale_shape(self) -> tuple[int, ...]:
        _, weights, outputs = self._letters
        sizes = dict(zip(weights, self._kernel_shape))
        return tuple(sizes.get(letter, 1) for letter in outputs)

    def _stored_scale(self, scale: TensorLike) -> Any:
        """In the order of the output's axes, with 1 for those that the kernel does not have."""
        _, weights, outputs = self._letters
        squeezed = tf.squeeze(scale, list(self._reduced_axes()))
        held = [letter for letter in weights if letter in outputs]
        order = [held.index(letter) for letter in outputs if letter in held]
        return tf.reshape(tf.transpose(squeezed, order), self._scale_shape())

    def _scale_for_kernel(self, scale: TensorLike) -> Any:
        _, weights, outputs = self._letters
        sizes = dict(zip(weights, self._kernel_shape))
        held = [letter for letter in outputs if letter in weights]
        order = [held.index(letter) for letter in weights if letter in held]
        scale = tf.transpose(tf.reshape(scale, [sizes[letter] for letter in held]), order)
        return tf.reshape(scale, [sizes[n] if n in outputs else 1 for n in weights])

    def call(self, inputs: Any, training: Any = None) -> Any:
        kernel = self._kernel.value()
        if self.lora_enabled:
            kernel = self._with_lora(kernel)
        x = tf.einsum(self.equation, as_numbers_of(inputs, kernel), kernel)
        if self.bias is not None:
            x = x + self.bias.value()
        return x if self.activation is None else self.activation(x)

    def compute_output_shape(self, input_shape: Any) -> Dims:
        return self._analyzed(input_shape)[2]

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "output_shape": self.partial_output_shape,
            "equation": self.equation,
            **serialized(self, "activation"),
            "bias_axes": self.bias_axes,
            **serialized(self, "kernel_initializer", "bias_initializer"),
            **serialized(self, "kernel_regularizer", "bias_regularizer", "activity_regularizer"),
            **serialized(self, "kernel_constraint", "bias_constraint"),
            "quantization_config": serialize_keras_object(self.quantization_config),
            **self._lora_config(),
            **self._calibrated_config(),
        }

    def _calibrated_config(self) -> dict[str, Any]:
        size = self.gptq_unpacked_column_size
        return {"gptq_unpacked_column_size": size} if size else {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return super().from_config(with_quantization_config(config))


EinsumDense._tpf_quantizable = EinsumDense


def _letters_of(equation: str, rank: int) -> tuple[str, str, str]:
    """The letters of inputs, weights and outputs, with new ones for an ellipsis."""
    parts = equation.replace(" ", "").replace("->", ",").split(",")
    used = set("".join(parts))
    fresh = [letter for letter in string.ascii_letters if letter not in used]
    elided = "".join(fresh[: rank - len(parts[0].replace("...", ""))])
    inputs, weights, outputs = (part.replace("...", elided) for part in parts)
    return inputs, weights, outputs


def analyze(
    equation: str, bias_axes: str | None, input_shape: ShapeLike, output_shape: ShapeLike
) -> tuple[Dims, Dims | None, Dims]:
    """The shapes of the kernel, of the bias and of the output that an equation leads to."""
    spaceless = equation.replace(" ", "")
    for pattern, left_elided in ((_PLAIN, False), (_LEFT, True), (_RIGHT, False)):
        match = pattern.fullmatch(spaceless)
        if match:
            parts = match.groups()
            return _shapes(parts, bias_axes, input_shape, output_shape, left_elided)
    raise ValueError(
        f"EinsumDense cannot read the equation '{equation}'. It must have the form 'ab,bc->ac', "
        f"'...b,bc->...c' or 'ab...,bc->ac...': inputs, weights, output."
    )


def _shapes(
    parts: tuple[str, ...],
    bias_axes: str | None,
    input_shape: Any,
    output_shape: Any,
    left_elided: bool,
) -> tuple[Dims, Dims | None, Dims]:
    inputs, weights, outputs = parts
    elided = len(input_shape) - len(inputs)
    full = list(output_shape)
    batch = [input_shape[0]]
    if elided > 0 and left_elided:
        full = list(input_shape[1:elided]) + full
    elif elided > 0:
        full = full + list(input_shape[-elided:])
    full = batch + full
    shift = elided if left_elided else 0
    from_end = len(full) - len(outputs) if left_elided else 0
    sizes_in = {letter: input_shape[index + shift] for index, letter in enumerate(inputs)}
    sizes_out = {letter: full[index + from_end] for index, letter in enumerate(outputs)}
    for letter, size in sizes_in.items():
        if letter in sizes_out:
            declared = sizes_out[letter]
            if declared not in (None, size) and size is not None:
                raise ValueError(
                    f"EinsumDense: the dimension '{letter}' has size {size} in the inputs but "
                    f"{declared} in `output_shape`; the two must be equal."
                )
            full[outputs.index(letter) + from_end] = size
    for letter in outputs:
        if letter not in inputs and letter not in weights:
            raise ValueError(
                f"EinsumDense: the output '{outputs}' has the dimension '{letter}', which neither "
                f"the inputs '{inputs}' nor the weights '{weights}' have."
            )
    kernel = []
    for letter in weights:
        if letter not in sizes_in and letter not in sizes_out:
            raise ValueError(
                f"EinsumDense: the size of the weights' dimension '{letter}' is unknown, because "
                f"neither the inputs '{inputs}' nor the output '{outputs}' have it."
            )
        kernel.append(sizes_in.get(letter, sizes_out.get(letter)))
    trailing = 0 if left_elided else elided
    bias = _bias_shape(bias_axes, outputs, full[from_end:], trailing)
    return tuple(kernel), bias, tuple(full)


def _bias_shape(
    bias_axes: str | None, outputs: str, sizes: list[Any], trailing: int
) -> Dims | None:
    if not bias_axes:
        return None
    for letter in bias_axes:
        if letter not in outputs:
            raise ValueError(
                f"EinsumDense: `bias_axes` names '{letter}', which must be one of the output's "
                f"dimensions '{outputs}'."
            )
    first = min(outputs.find(letter) for letter in bias_axes)
    named = [size if letter in bias_axes else 1 for letter, size in zip(outputs, sizes)]
    return (*named[first:], *[1] * trailing)
