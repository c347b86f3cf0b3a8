"""The public namespace `tf.keras.utils`; its names are loaded when they are used."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

_REGISTRATION = (
    "CustomObjectScope",
    "custom_object_scope",
    "get_custom_objects",
    "get_registered_name",
    "get_registered_object",
    "register_keras_serializable",
)
_IMAGES = ("array_to_img", "img_to_array", "load_img", "save_img")
_ENQUEUERS = ("GeneratorEnqueuer", "OrderedEnqueuer", "SequenceEnqueuer")
_CONFIG = (
    "disable_interactive_logging",
    "enable_interactive_logging",
    "is_interactive_logging_enabled",
    "standardize_dtype",
)

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        **dict.fromkeys(_CONFIG, "tapeflow._src.keras.config"),
        **dict.fromkeys(_REGISTRATION, "tapeflow._src.keras.saving.object_registration"),
        **dict.fromkeys(_ENQUEUERS, "tapeflow._src.keras.utils.enqueuers"),
        **dict.fromkeys(_IMAGES, "tapeflow._src.keras.utils.images"),
        "Config": "tapeflow._src.keras.utils.config_container",
        "FeatureSpace": "tapeflow._src.keras.utils.feature_space",
        "PyDataset": "tapeflow._src.keras.trainers.data_adapters.py_dataset",
        "Progbar": "tapeflow._src.keras.utils.progbar",
        "SidecarEvaluator": "tapeflow._src.keras.utils.sidecar_evaluator",
        "StepsPerExecutionTuner": "tapeflow._src.keras.utils.steps_per_execution_tuner",
        "TimedThread": "tapeflow._src.keras.utils.timed_thread",
        "Sequence": "tapeflow._src.keras.trainers.data_adapters.py_dataset",
        "audio_dataset_from_directory": "tapeflow._src.keras.utils.audio_dataset",
        "bounding_boxes": "tapeflow.keras.utils.bounding_boxes",
        "clear_session": "tapeflow._src.keras.session",
        "deserialize_keras_object": "tapeflow._src.keras.saving.deserialization",
        "experimental": "tapeflow.keras.utils.experimental",
        "get_file": "tapeflow._src.keras.utils.file_cache",
        "get_source_inputs": "tapeflow._src.keras.utils.source_inputs",
        "image_dataset_from_directory": "tapeflow._src.keras.utils.image_dataset",
        "legacy": "tapeflow.keras.utils.legacy",
        "is_keras_tensor": "tapeflow._src.keras.keras_tensor",
        "model_to_dot": "tapeflow._src.keras.utils.model_visualization",
        "normalize": "tapeflow._src.keras.utils.arrays",
        "pack_x_y_sample_weight": "tapeflow._src.keras.trainers.data_adapters.packing",
        "pad_sequences": "tapeflow._src.keras.utils.sequences",
        "plot_history": "tapeflow._src.keras.utils.history_plot",
        "plot_model": "tapeflow._src.keras.utils.model_visualization",
        "serialize_keras_object": "tapeflow._src.keras.saving.serialization",
        "set_random_seed": "tapeflow._src.keras.utils.seeds",
        "split_dataset": "tapeflow._src.keras.utils.splitting",
        "text_dataset_from_directory": "tapeflow._src.keras.utils.text_dataset",
        "timeseries_dataset_from_array": "tapeflow._src.keras.utils.timeseries_dataset",
        "to_categorical": "tapeflow._src.keras.utils.arrays",
        "to_ordinal": "tapeflow._src.keras.utils.arrays",
        "unpack_x_y_sample_weight": "tapeflow._src.keras.trainers.data_adapters.packing",
        "warmstart_embedding_matrix": "tapeflow._src.keras.utils.embeddings",
    },
)
