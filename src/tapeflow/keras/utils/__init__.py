"""The public namespace `tf.keras.utils`; its names are loaded when they are used."""

from __future__ import annotations

from tapeflow.core.lazy import later as _later

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
        **dict.fromkeys(_CONFIG, "tapeflow.keras.config"),
        **dict.fromkeys(_REGISTRATION, "tapeflow.keras.saving.object_registration"),
        **dict.fromkeys(_ENQUEUERS, "tapeflow.keras.utils.enqueuers"),
        **dict.fromkeys(_IMAGES, "tapeflow.keras.utils.images"),
        "Config": "tapeflow.keras.utils.config_container",
        "FeatureSpace": "tapeflow.keras.utils.feature_space",
        "PyDataset": "tapeflow.keras.trainers.data_adapters.py_dataset",
        "Progbar": "tapeflow.keras.utils.progbar",
        "SidecarEvaluator": "tapeflow.keras.utils.sidecar_evaluator",
        "StepsPerExecutionTuner": "tapeflow.keras.utils.steps_per_execution_tuner",
        "TimedThread": "tapeflow.keras.utils.timed_thread",
        "Sequence": "tapeflow.keras.trainers.data_adapters.py_dataset",
        "audio_dataset_from_directory": "tapeflow.keras.utils.audio_dataset",
        "bounding_boxes": "tapeflow.keras.utils.bounding_boxes",
        "clear_session": "tapeflow.keras.session",
        "deserialize_keras_object": "tapeflow.keras.saving.deserialization",
        "experimental": "tapeflow.keras.utils.experimental",
        "get_file": "tapeflow.keras.utils.file_cache",
        "get_source_inputs": "tapeflow.keras.utils.source_inputs",
        "image_dataset_from_directory": "tapeflow.keras.utils.image_dataset",
        "legacy": "tapeflow.keras.utils.legacy",
        "is_keras_tensor": "tapeflow.keras.keras_tensor",
        "model_to_dot": "tapeflow.keras.utils.model_visualization",
        "normalize": "tapeflow.keras.utils.arrays",
        "pack_x_y_sample_weight": "tapeflow.keras.trainers.data_adapters.packing",
        "pad_sequences": "tapeflow.keras.utils.sequences",
        "plot_history": "tapeflow.keras.utils.history_plot",
        "plot_model": "tapeflow.keras.utils.model_visualization",
        "serialize_keras_object": "tapeflow.keras.saving.serialization",
        "set_random_seed": "tapeflow.keras.utils.seeds",
        "split_dataset": "tapeflow.keras.utils.splitting",
        "text_dataset_from_directory": "tapeflow.keras.utils.text_dataset",
        "timeseries_dataset_from_array": "tapeflow.keras.utils.timeseries_dataset",
        "to_categorical": "tapeflow.keras.utils.arrays",
        "to_ordinal": "tapeflow.keras.utils.arrays",
        "unpack_x_y_sample_weight": "tapeflow.keras.trainers.data_adapters.packing",
        "warmstart_embedding_matrix": "tapeflow.keras.utils.embeddings",
    },
)
