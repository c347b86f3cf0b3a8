"""Dtype policies of quantized layers: a mode besides the dtypes of the policy before."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.dtype_policies.policy import DTypePolicy, dtype_policy

MODES = ("int8", "float8", "int4", "gptq", "awq")


class QuantizedDTypePolicy(DTypePolicy):
    """The policy of a layer that was quantized.

    Args:
        mode: The mode of quantization, such as `"int8"`.
        source_name: The name of the policy before quantization; that of the global policy if it
            is None.
    """

    def __init__(self, mode: str, source_name: str | None = None) -> None:
        source_name = dtype_policy().name if source_name is None else source_name
        super().__init__(source_name)
        if mode not in MODES:
            raise ValueError(
                f"{type(self).__name__}: unknown quantization mode {mode!r}. Use one of "
                f"{', '.join(MODES)}."
            )
        if mode == "int8" and self.compute_dtype == "float16":
            raise ValueError(
                f"{type(self).__name__}: int8 needs a compute dtype with a larger range than "
                f"float16. Received: source_name={source_name!r}"
            )
        self._name = f"{mode}_from_{source_name}"
        self._source_name = source_name
        self._quantization_mode = mode

    @property
    def quantization_mode(self) -> str:  # type: ignore[override]
        """The mode of quantization."""
        return self._quantization_mode

    def _details(self) -> tuple[Any, ...]:
        return (type(self), self._name, self._quantization_mode, self._source_name)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, QuantizedDTypePolicy) and self._details() == other._details()

    def __hash__(self) -> int:
        return hash(self._details())

    def __repr__(self) -> str:
        return f'<{type(self).__name__} "{self._name}">'

    def get_config(self) -> dict[str, Any]:
        return {"mode": self._quantization_mode, "source_name": self._source_name}


class QuantizedFloat8DTypePolicy(QuantizedDTypePolicy):
    """The policy of a layer that is trained with 8-bit floating-point numbers.

    Args:
        mode: `"float8"`.
        source_name: The name of the policy before quantization.
        amax_history_length: How many steps the scales look back.
    """

    default_amax_history_length = 1024

    def __init__(
        self, mode: str, source_name: str | None = None, amax_history_length: int = 1024
    ) -> None:
        super().__init__(mode, source_name)
        if not isinstance(amax_history_length, int):
            raise TypeError(
                f"`amax_history_length` must be an integer. Received: {amax_history_length!r}"
            )
        self._amax_history_length = amax_history_length

    @property
    def amax_history_length(self) -> int:
        """How many steps the scales look back."""
        return self._amax_history_length

    def _details(self) -> tuple[Any, ...]:
        return (*super()._details(), self._amax_history_length)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "amax_history_length": self._amax_history_length}


class _WithOptions(QuantizedDTypePolicy):
    """A policy whose mode carries numbers, such as `gptq/4/128`."""

    _base: str
    # The names of the numbers, with the values that each may have; the last is the group size.
    _numbers: tuple[tuple[str, tuple[int, ...] | None], ...]

    def __init__(self, mode: str, source_name: str | None = None) -> None:
        base, *parts = mode.split("/")
        form = "/".join([self._base, *(f"<{name}>" for name, _ in self._numbers)])
        try:
            numbers = [int(part) for part in parts]
        except ValueError:
            numbers = []
        if base != self._base or len(numbers) != len(self._numbers):
            raise ValueError(
                f"{type(self).__name__}: expected a mode of the form '{form}' with integers. "
                f"Received: mode={mode!r}"
            )
        for number, (name, allowed) in zip(numbers, self._numbers):
            wrong = number not in allowed if allowed else number < -1 or number == 0
            if wrong:
                expected = f"one of {allowed}" if allowed else "-1 or a positive integer"
                raise ValueError(
                    f"{type(self).__name__}: `{name}` must be {expected}. Received: mode={mode!r}"
                )
            setattr(self, name, number)
        super().__init__(base, source_name)
        self.mode = base
        self._full_mode = mode
        self._name = f"{mode}_from_{self._source_name}"

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "mode": self._full_mode}


class Int4DTypePolicy(_WithOptions):
    """The policy of weights in 4 bits; the mode is `int4/<block_size>`, -1 without blocks.

    Args:
        mode: "int4/<block_size>".
        source_name: Name of the policy before quantization; None is the global one.

    Raises:
        ValueError: The mode has another form.

    Example:
        >>> tf.keras.dtype_policies.Int4DTypePolicy("int4/64", "float32").block_size
        64
    """

    _base = "int4"
    _numbers = (("block_size", None),)
    block_size: int


class GPTQDTypePolicy(_WithOptions):
    """The policy of GPTQ; the mode is `gptq/<weight_bits>/<group_size>`.

    Args:
        mode: "gptq/<weight_bits>/<group_size>", with 2, 3, 4 or 8 bits.
        source_name: Name of the policy before quantization; None is the global one.

    Raises:
        ValueError: The mode has another form.

    Example:
        >>> tf.keras.dtype_policies.GPTQDTypePolicy("gptq/4/128", "float32").weight_bits
        4
    """

    _base = "gptq"
    _numbers = (("weight_bits", (2, 3, 4, 8)), ("group_size", None))
    weight_bits: int
    group_size: int


class AWQDTypePolicy(_WithOptions):
    """The policy of AWQ; the mode is `awq/4/<group_size>`.

    Args:
        mode: "awq/4/<group_size>".
        source_name: Name of the policy before quantization; None is the global one.

    Raises:
        ValueError: The mode has another form.
    """

    _base = "awq"
    _numbers = (("weight_bits", (4,)), ("group_size", None))
    weight_bits: int
    group_size: int


_CLASSES: dict[str, Any] = {
    "int8": QuantizedDTypePolicy,
    "int4": QuantizedDTypePolicy,
    "float8": QuantizedFloat8DTypePolicy,
    "gptq": GPTQDTypePolicy,
    "awq": AWQDTypePolicy,
}


def from_name(name: str) -> QuantizedDTypePolicy:
    """Return the policy of a name such as `int8_from_float32`."""
    mode, _, source = name.partition("_from_")
    if not source:
        raise ValueError(
            f"The name of a quantized policy has the form 'int8_from_float32'. Received: {name!r}"
        )
    base = mode.partition("/")[0]
    cls = Int4DTypePolicy if base == "int4" and "/" in mode else _CLASSES.get(base)
    if cls is None:
        raise ValueError(f"Unknown quantization mode {mode!r} in the policy {name!r}.")
    return cls(mode, source)
