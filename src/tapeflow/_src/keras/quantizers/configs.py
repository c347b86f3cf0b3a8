"""Quantization configs: the mode, and quantizers of weights and activations."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.quantizers.quantizer import AbsMaxQuantizer, Quantizer
from tapeflow._src.keras.saving.deserialization import read_object
from tapeflow._src.keras.saving.registry import QUANTIZER
from tapeflow._src.keras.saving.serialization import serialize_keras_object

MODES = ("int8", "float8", "int4", "gptq", "awq")


class QuantizationConfig:
    """The base of all configs: quantizers for weights and for activations, or None.

    Args:
        weight_quantizer: Quantizer of weights; None for the default of the mode.
        activation_quantizer: Quantizer of activations; None for none.
    """

    def __init__(self, weight_quantizer: Any = None, activation_quantizer: Any = None) -> None:
        self.weight_quantizer = weight_quantizer
        self.activation_quantizer = activation_quantizer

    @property
    def mode(self) -> str:
        """The mode of quantization, such as `"int8"`."""
        raise NotImplementedError(
            f"{type(self).__name__} must define `mode`: use one of its subclasses, such as "
            f"`Int8QuantizationConfig`."
        )

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that `from_config` creates an equal config from, as a dict."""
        return {
            "weight_quantizer": serialize_keras_object(self.weight_quantizer),
            "activation_quantizer": serialize_keras_object(self.activation_quantizer),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Create a quantization config from the dict of `get_config`.

        Args:
            config: The dict.
        """
        config = dict(config)
        for name in ("weight_quantizer", "activation_quantizer"):
            if isinstance(config.get(name), dict):
                config[name] = read_object(config[name], QUANTIZER)
        return cls(**config)

    @staticmethod
    def weight_quantizer_or_default(config: Any, default: Any) -> Any:
        """Return the quantizer of weights of `config`, or `default` if it has none.

        Args:
            config: A config, or None.
            default: A quantizer.
        """
        if config is not None and config.weight_quantizer is not None:
            return config.weight_quantizer
        return default

    @staticmethod
    def activation_quantizer_or_default(config: Any, default: Any) -> Any:
        """Return the quantizer of activations of `config`; `default` without a config.

        Args:
            config: A config, or None.
            default: A quantizer.
        """
        return default if config is None else config.activation_quantizer


class Int8QuantizationConfig(QuantizationConfig):
    """Weights as int8, and activations too unless `activation_quantizer` is None.

    Args:
        weight_quantizer: Quantizer of weights to int8; None for `AbsMaxQuantizer`.
        activation_quantizer: Quantizer of activations; "default" is `AbsMaxQuantizer`, None for
            none.

    Example:
        >>> config = tf.keras.quantizers.Int8QuantizationConfig(activation_quantizer=None)
        >>> config.mode
        'int8'
    """

    def __init__(self, weight_quantizer: Any = None, activation_quantizer: Any = "default") -> None:
        if isinstance(activation_quantizer, str) and activation_quantizer == "default":
            activation_quantizer = AbsMaxQuantizer()
        super().__init__(weight_quantizer, activation_quantizer)
        _check_int8(type(self).__name__, weight_quantizer)

    @property
    def mode(self) -> str:
        return "int8"


class Int4QuantizationConfig(QuantizationConfig):
    """Weights as 4-bit integers.

    Args:
        weight_quantizer: A quantizer with `value_range=(-8, 7)`.
        activation_quantizer: A quantizer of activations; by default they are not quantized.
        block_size: The number of weights with a common scale and zero point; None or -1 for one
            scale for each output.
    """

    def __init__(
        self,
        weight_quantizer: Any = None,
        activation_quantizer: Any = "default",
        block_size: int | None = 128,
    ) -> None:
        if isinstance(activation_quantizer, str) and activation_quantizer == "default":
            activation_quantizer = None
        super().__init__(weight_quantizer, activation_quantizer)
        if block_size is not None and block_size != -1 and block_size <= 0:
            raise ValueError(
                f"Int4QuantizationConfig: expected a positive `block_size`, or None or -1 for one "
                f"scale for each output. Received: block_size={block_size}"
            )
        self.block_size = block_size
        grouped = block_size is not None and block_size > 0
        if grouped and (weight_quantizer is not None or activation_quantizer is not None):
            raise ValueError(
                f"Int4QuantizationConfig: quantizers of your own need `block_size=None`. "
                f"Received: block_size={block_size}"
            )
        if weight_quantizer is not None and tuple(weight_quantizer.value_range) != (-8, 7):
            raise ValueError(
                f"Int4QuantizationConfig: the range of 4-bit integers is (-8, 7). Received a "
                f"`weight_quantizer` with value_range={weight_quantizer.value_range}"
            )
        _check_int8(type(self).__name__, weight_quantizer)

    @property
    def mode(self) -> str:
        return "int4"

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "block_size": self.block_size}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        # Files from before there were blocks have none.
        return super().from_config({"block_size": None, **config})


class Float8QuantizationConfig(QuantizationConfig):
    """Training with 8-bit floating-point numbers, which has no options."""

    def __init__(self) -> None:
        super().__init__(None, None)

    @property
    def mode(self) -> str:
        return "float8"

    def get_config(self) -> dict[str, Any]:
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return cls()


class CalibratedConfig(QuantizationConfig):
    """A config of a method that needs examples: a dataset and a tokenizer."""

    # The options in the order of the config; the first two are not saved.
    _options: tuple[str, ...]
    dataset: Any
    tokenizer: Any
    weight_bits: int
    num_samples: int
    sequence_length: int
    group_size: int
    quantization_layer_structure: Any

    def _set(self, **options: Any) -> None:
        QuantizationConfig.__init__(self)
        for name in ("num_samples", "sequence_length", "num_grid_points"):
            if name in options and options[name] <= 0:
                raise ValueError(
                    f"{type(self).__name__}: `{name}` must be positive. Received: {options[name]}"
                )
        if options["group_size"] < -1 or options["group_size"] == 0:
            raise ValueError(
                f"{type(self).__name__}: `group_size` must be positive, or -1 for no groups. "
                f"Received: group_size={options['group_size']}"
            )
        for name, value in options.items():
            setattr(self, name, value)
        self._options = tuple(options)[2:]

    def dtype_policy_string(self) -> str:
        """Return the beginning of the name of the dtype policy."""
        return f"{self.mode}/{self.weight_bits}/{self.group_size}"

    def get_config(self) -> dict[str, Any]:
        # What serves the calibration alone is not saved.
        calibration = {"dataset": None, "tokenizer": None, "quantization_layer_structure": None}
        options = {name: getattr(self, name) for name in self._options}
        return {"dataset": None, "tokenizer": None, **options, **calibration}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return cls(**config)


class GPTQConfig(CalibratedConfig):
    """The options of GPTQ (Frantar et al., 2022).

    Args:
        dataset: The examples for the calibration: texts, or arrays of tokens. Files have none.
        tokenizer: Maps a text to its tokens, by a method `tokenize` or as a function.
        weight_bits: The number of bits of a weight: 2, 3, 4 or 8; two of 4 are stored in a byte.
        num_samples: The number of sequences of the calibration.
        per_channel: Whether each output has scales of its own.
        sequence_length: The number of tokens of a sequence.
        hessian_damping: What is added to the diagonal of the Hessian, relative to its mean.
        group_size: The number of inputs that share scales and zero points; -1 for all.
        symmetric: Whether the range of weights is centered on zero.
        activation_order: Whether the weights of large inputs are quantized first.
        quantization_layer_structure: The layers to quantize, see
            `Model.get_quantization_layer_structure`.

    Example:

    >>> model = tf.keras.Sequential(
    ...     [tf.keras.Input((8,)), tf.keras.layers.Embedding(20, 4), tf.keras.layers.Dense(4)]
    ... )
    >>> config = tf.keras.quantizers.GPTQConfig(
    ...     dataset=[np.arange(20)],
    ...     tokenizer=list,
    ...     num_samples=2,
    ...     sequence_length=8,
    ...     quantization_layer_structure={
    ...         "pre_block_layers": model.layers[:1],
    ...         "sequential_blocks": model.layers[1:],
    ...     },
    ... )
    >>> import contextlib, io
    >>> with contextlib.redirect_stdout(io.StringIO()):  # it shows its progress
    ...     model.quantize(config=config)
    >>> model.layers[1].dtype_policy.name
    'gptq/4/128_from_float32'
    """

    def __init__(
        self,
        dataset: Any,
        tokenizer: Any,
        *,
        weight_bits: int = 4,
        num_samples: int = 128,
        per_channel: bool = True,
        sequence_length: int = 512,
        hessian_damping: float = 0.01,
        group_size: int = 128,
        symmetric: bool = False,
        activation_order: bool = False,
        quantization_layer_structure: Any = None,
    ) -> None:
        if weight_bits not in (2, 3, 4, 8):
            raise ValueError(f"GPTQ has 2, 3, 4 or 8 bits. Received: weight_bits={weight_bits}")
        if not 0 <= hessian_damping <= 1:
            raise ValueError(
                f"GPTQConfig: expected `hessian_damping` from 0 to 1. Received: {hessian_damping}"
            )
        self._set(
            dataset=dataset,
            tokenizer=tokenizer,
            weight_bits=weight_bits,
            num_samples=num_samples,
            per_channel=per_channel,
            sequence_length=sequence_length,
            hessian_damping=hessian_damping,
            group_size=group_size,
            symmetric=symmetric,
            activation_order=activation_order,
            quantization_layer_structure=quantization_layer_structure,
        )

    per_channel: bool
    hessian_damping: float
    symmetric: bool
    activation_order: bool

    @property
    def mode(self) -> str:
        return "gptq"


class AWQConfig(CalibratedConfig):
    """The options of AWQ (Lin et al., 2023).

    Args:
        dataset: The examples for the calibration: texts, or arrays of tokens. Files have none.
        tokenizer: Maps a text to its tokens, by a method `tokenize` or as a function.
        weight_bits: The number of bits of a weight: 4.
        num_samples: The number of sequences of the calibration.
        sequence_length: The number of tokens of a sequence.
        group_size: The number of inputs that share scales and zero points; -1 for all.
        num_grid_points: The number of exponents that are tried for the factors of inputs.
        quantization_layer_structure: The layers to quantize, see
            `Model.get_quantization_layer_structure`.
    """

    def __init__(
        self,
        dataset: Any,
        tokenizer: Any,
        *,
        weight_bits: int = 4,
        num_samples: int = 128,
        sequence_length: int = 512,
        group_size: int = 128,
        num_grid_points: int = 20,
        quantization_layer_structure: Any = None,
    ) -> None:
        if weight_bits != 4:
            raise ValueError(f"AWQ has 4 bits. Received: weight_bits={weight_bits}")
        self._set(
            dataset=dataset,
            tokenizer=tokenizer,
            weight_bits=weight_bits,
            num_samples=num_samples,
            sequence_length=sequence_length,
            group_size=group_size,
            num_grid_points=num_grid_points,
            quantization_layer_structure=quantization_layer_structure,
        )

    num_grid_points: int

    @property
    def mode(self) -> str:
        return "awq"


def _check_int8(kind: str, quantizer: Quantizer | None) -> None:
    if quantizer is not None and quantizer.output_dtype != "int8":
        raise ValueError(
            f"{kind} stores weights as int8. Received a `weight_quantizer` with "
            f"output_dtype={quantizer.output_dtype!r}"
        )


_DEFAULTS: dict[str, Any] = {
    "int8": Int8QuantizationConfig,
    "int4": Int4QuantizationConfig,
    "float8": Float8QuantizationConfig,
}


def validate_and_resolve_config(mode: Any, config: Any) -> QuantizationConfig:
    """Return the config of a quantization that is described by a mode, a config or both."""
    if isinstance(config, str):
        mode, config = config, None
    if mode is not None and mode not in MODES:
        raise ValueError(f"Unknown quantization mode {mode!r}: use one of {', '.join(MODES)}.")
    if config is None:
        if mode not in _DEFAULTS:
            needed = "a `mode` or a `config`" if mode is None else f"a `{mode.upper()}Config`"
            raise ValueError(f"`quantize` needs {needed}. Received: mode={mode!r}, config=None")
        return _DEFAULTS[mode]()
    if not isinstance(config, QuantizationConfig):
        raise ValueError(
            f"`config` must be a `keras.quantizers.QuantizationConfig`. Received: {config!r} of "
            f"type {type(config).__name__}"
        )
    if mode is not None and config.mode != mode:
        raise ValueError(
            f"`mode` and `config` contradict each other. Received: mode={mode!r} and a config for "
            f"{config.mode!r}"
        )
    if config.mode not in MODES:
        raise ValueError(f"Unknown quantization mode {config.mode!r}: use one of {MODES}.")
    return config
