"""`tf.experimental.tensorrt`: behaves as a TensorFlow built without TensorRT."""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn


class ConversionParams(NamedTuple):
    """How a saved model is to be converted.

    Args:
        max_workspace_size_bytes: Memory that an engine may use.
        precision_mode: "FP32", "FP16" or "INT8".
        minimum_segment_size: The least number of nodes of an engine.
        maximum_cached_engines: How many engines are cached.
        use_calibration: Whether INT8 is calibrated.
        allow_build_at_runtime: Whether engines may be built when the model runs.
    """

    max_workspace_size_bytes: int = 1 << 30
    precision_mode: str = "FP32"
    minimum_segment_size: int = 3
    maximum_cached_engines: int = 1
    use_calibration: bool = True
    allow_build_at_runtime: bool = True


class Converter:
    """Converts saved models for TensorRT, on machines that have it: not available.

    Args:
        input_saved_model_dir: The folder of the model.
        input_saved_model_tags: Tags of the graph.
        input_saved_model_signature_key: The signature.
        use_dynamic_shape: Whether shapes vary.
        dynamic_shape_profile_strategy: How profiles of shapes are chosen.
        max_workspace_size_bytes: Memory that an engine may use.
        precision_mode: "FP32", "FP16" or "INT8".
        minimum_segment_size: The least number of nodes of an engine.
        maximum_cached_engines: How many engines are cached.
        use_calibration: Whether INT8 is calibrated.
        allow_build_at_runtime: Whether engines may be built when the model runs.
        conversion_params: These parameters in one object.

    Raises:
        RuntimeError: Always.
    """

    def __init__(
        self,
        input_saved_model_dir: str | None = None,
        input_saved_model_tags: Any = None,
        input_saved_model_signature_key: str | None = None,
        use_dynamic_shape: bool | None = None,
        dynamic_shape_profile_strategy: str | None = None,
        max_workspace_size_bytes: int = 1 << 30,
        precision_mode: str = "FP32",
        minimum_segment_size: int = 3,
        maximum_cached_engines: int = 1,
        use_calibration: bool = True,
        allow_build_at_runtime: bool = True,
        conversion_params: ConversionParams | None = None,
    ) -> NoReturn:
        raise RuntimeError(
            "TensorRT is not available: Tapeflow runs functions on the CPU, compiled by XLA. Save "
            "the model, and convert it with a TensorFlow that has TensorRT support."
        )


__all__ = ["ConversionParams", "Converter"]
