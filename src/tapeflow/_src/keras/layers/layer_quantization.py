"""Quantization support of `Layer`: the mode, and the default of having none."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.keras.scopes import name_scope

_configs = LazyModule("tapeflow._src.keras.quantizers.configs")


def path_scope(layer: Any) -> name_scope:
    """A scope in which new weights have the path of a layer that was built before."""
    path = layer.path or layer.name
    return name_scope(layer.name, caller=layer, override_parent=path.rpartition("/")[0])


class LayerQuantization:
    """`quantize` and what is called instead of `call` afterwards."""

    quantization_config: Any
    _tpf_is_quantized = False
    # The only class that may be quantized; None for layers that cannot be.
    _tpf_quantizable: Any = None
    _tpf_modes: tuple[str, ...] = ()

    def quantize(self: Any, mode: Any = None, type_check: bool = True, config: Any = None) -> None:
        """Replace the weights by quantized ones.

        Args:
            mode: `"int8"`, `"int4"` or `"float8"`; it may be left out if there is a config.
            type_check: Whether subclasses are refused, whose `call` may need the weights.
            config: A `keras.quantizers.QuantizationConfig` with quantizers.

        Raises:
            NotImplementedError: The layer, or its class, cannot be quantized with this mode.
            ValueError: The layer is not built, or is quantized already.

        Example:
            >>> layer = tf.keras.layers.Dense(3)
            >>> layer.build((None, 4))
            >>> layer.quantize("int8")
            >>> layer.kernel.dtype
            tf.int8
        """
        kind = type(self).__name__
        if self._tpf_quantizable is None or (
            type_check and type(self) is not self._tpf_quantizable
        ):
            raise NotImplementedError(
                f"Layer '{self.name}' cannot be quantized: {kind} does not define `quantize`."
            )
        config = _configs.validate_and_resolve_config(mode, config)
        mode = config.mode
        if not self.built:
            raise ValueError(
                f"Layer '{self.name}' has no weights to quantize before it is built: call it on "
                f"data first."
            )
        if self._tpf_is_quantized:
            raise ValueError(
                f"Layer '{self.name}' is quantized already, with the dtype policy "
                f"'{self._dtype_policy.name}'."
            )
        if mode not in self._tpf_modes:
            raise NotImplementedError(
                f"{kind} '{self.name}' can be quantized with the modes "
                f"{', '.join(self._tpf_modes)}. Received: mode={mode!r}"
            )
        if mode == "int8" and self.compute_dtype == "float16":
            raise ValueError(
                f"Layer '{self.name}' computes in float16, whose range is too small for int8: use "
                f"'mixed_bfloat16' or 'float32'."
            )
        self.quantization_config = config
        with path_scope(self):
            self._tpf_quantize(mode, config)
        self._tpf_is_quantized = True

    def _tpf_quantize(self, mode: str, config: Any) -> None:
        raise NotImplementedError(f"{type(self).__name__} does not define `_quantize`.")

    def quantized_build(self: Any, *args: Any, **kwargs: Any) -> None:
        """Create the variables of a quantized layer.

        Args:
            *args: Shapes, and the mode of quantization, as the layer's class defines them.
            **kwargs: Likewise, by name.

        Raises:
            NotImplementedError: The class does not define it.
        """
        raise NotImplementedError(
            f"Layer {type(self).__name__} does not have a `quantized_build` method implemented."
        )

    def quantized_call(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Compute the outputs of a quantized layer, instead of `call`.

        Args:
            *args: Arguments of `call`.
            **kwargs: Keyword arguments of `call`.

        Raises:
            NotImplementedError: The class does not compute with the layer's mode.
        """
        mode = self.quantization_mode
        call = getattr(self, f"_{mode}_call", None)
        if call is None:
            raise NotImplementedError(
                f"{type(self).__name__} '{self.name}' cannot compute with the quantization mode "
                f"{mode!r}."
            )
        return call(*args, **kwargs)
