"""Quantization of whole models: of each layer that can be quantized."""

from __future__ import annotations

import re
from typing import Any

from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.quantizers.calibration import calibrate, checked_structure
from tapeflow._src.keras.quantizers.configs import CalibratedConfig, validate_and_resolve_config


def quantize_layers(
    model: Any, mode: Any, config: Any, filters: Any, type_check: bool = True
) -> bool:
    """Quantize the layers of a model, and return whether there was one.

    Args:
        model: The model.
        mode: The mode of quantization, such as `"int8"`.
        config: A quantization config, or None.
        filters: Which layers: a regular expression for their names or several, one of which is
            found there, or a function of the layer; None for all.
        type_check: Whether subclasses of layers that can be quantized are left as they are.
    """
    if filters is not None and not (isinstance(filters, (str, list, tuple)) or callable(filters)):
        raise ValueError(
            f"`filters` must be a regular expression, a list of them, or a function of a layer. "
            f"Received: {filters!r} of type {type(filters).__name__}"
        )
    resolved = validate_and_resolve_config(mode, config)
    structure = None
    parts = [model]
    if isinstance(resolved, CalibratedConfig):
        structure = resolved.quantization_layer_structure
        if structure is None:
            structure = model.get_quantization_layer_structure(resolved.mode)
        # Layers elsewhere are not calibrated, and stay as they are.
        _, parts = checked_structure(resolved, structure)
    changed = False
    layers = {id(layer): layer for part in parts for layer in part._flatten_layers()}
    for layer in layers.values():
        if layer._layers or layer is model or not _is_chosen(layer, filters):
            continue
        try:
            layer.quantize(mode, type_check=type_check, config=config)
            changed = True
        except NotImplementedError as error:
            if layer.weights:
                warn_user(str(error))
    if isinstance(resolved, CalibratedConfig):
        calibrate(resolved, structure, lambda layer: _is_chosen(layer, filters))
    return changed


def _is_chosen(layer: Any, filters: Any) -> bool:
    if filters is None:
        return True
    if isinstance(filters, str):
        return re.search(filters, layer.name) is not None
    if isinstance(filters, (list, tuple)):
        return any(re.search(each, layer.name) for each in filters)
    return bool(filters(layer))
