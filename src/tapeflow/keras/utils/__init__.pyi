# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.config import (
    is_interactive_logging_enabled as is_interactive_logging_enabled,
)
from tapeflow._src.keras.config import disable_interactive_logging as disable_interactive_logging
from tapeflow._src.keras.config import enable_interactive_logging as enable_interactive_logging
from tapeflow._src.keras.config import standardize_dtype as standardize_dtype
from tapeflow._src.keras.keras_tensor import is_keras_tensor as is_keras_tensor
from tapeflow._src.keras.saving.deserialization import (
    deserialize_keras_object as deserialize_keras_object,
)
from tapeflow._src.keras.saving.object_registration import (
    custom_object_scope as custom_object_scope,
)
from tapeflow._src.keras.saving.object_registration import (
    get_registered_name as get_registered_name,
)
from tapeflow._src.keras.saving.object_registration import (
    get_registered_object as get_registered_object,
)
from tapeflow._src.keras.saving.object_registration import (
    register_keras_serializable as register_keras_serializable,
)
from tapeflow._src.keras.saving.object_registration import CustomObjectScope as CustomObjectScope
from tapeflow._src.keras.saving.object_registration import get_custom_objects as get_custom_objects
from tapeflow._src.keras.saving.serialization import (
    serialize_keras_object as serialize_keras_object,
)
from tapeflow._src.keras.session import clear_session as clear_session
from tapeflow._src.keras.trainers.data_adapters.packing import (
    pack_x_y_sample_weight as pack_x_y_sample_weight,
)
from tapeflow._src.keras.trainers.data_adapters.packing import (
    unpack_x_y_sample_weight as unpack_x_y_sample_weight,
)
from tapeflow._src.keras.trainers.data_adapters.py_dataset import PyDataset as PyDataset
from tapeflow._src.keras.trainers.data_adapters.py_dataset import Sequence as Sequence
from tapeflow._src.keras.utils.arrays import normalize as normalize
from tapeflow._src.keras.utils.arrays import to_categorical as to_categorical
from tapeflow._src.keras.utils.arrays import to_ordinal as to_ordinal
from tapeflow._src.keras.utils.audio_dataset import (
    audio_dataset_from_directory as audio_dataset_from_directory,
)
from tapeflow._src.keras.utils.config_container import Config as Config
from tapeflow._src.keras.utils.embeddings import (
    warmstart_embedding_matrix as warmstart_embedding_matrix,
)
from tapeflow._src.keras.utils.enqueuers import GeneratorEnqueuer as GeneratorEnqueuer
from tapeflow._src.keras.utils.enqueuers import OrderedEnqueuer as OrderedEnqueuer
from tapeflow._src.keras.utils.enqueuers import SequenceEnqueuer as SequenceEnqueuer
from tapeflow._src.keras.utils.feature_space import FeatureSpace as FeatureSpace
from tapeflow._src.keras.utils.file_cache import get_file as get_file
from tapeflow._src.keras.utils.history_plot import plot_history as plot_history
from tapeflow._src.keras.utils.image_dataset import (
    image_dataset_from_directory as image_dataset_from_directory,
)
from tapeflow._src.keras.utils.images import array_to_img as array_to_img
from tapeflow._src.keras.utils.images import img_to_array as img_to_array
from tapeflow._src.keras.utils.images import load_img as load_img
from tapeflow._src.keras.utils.images import save_img as save_img
from tapeflow._src.keras.utils.model_visualization import model_to_dot as model_to_dot
from tapeflow._src.keras.utils.model_visualization import plot_model as plot_model
from tapeflow._src.keras.utils.progbar import Progbar as Progbar
from tapeflow._src.keras.utils.seeds import set_random_seed as set_random_seed
from tapeflow._src.keras.utils.sequences import pad_sequences as pad_sequences
from tapeflow._src.keras.utils.sidecar_evaluator import SidecarEvaluator as SidecarEvaluator
from tapeflow._src.keras.utils.source_inputs import get_source_inputs as get_source_inputs
from tapeflow._src.keras.utils.splitting import split_dataset as split_dataset
from tapeflow._src.keras.utils.steps_per_execution_tuner import (
    StepsPerExecutionTuner as StepsPerExecutionTuner,
)
from tapeflow._src.keras.utils.text_dataset import (
    text_dataset_from_directory as text_dataset_from_directory,
)
from tapeflow._src.keras.utils.timed_thread import TimedThread as TimedThread
from tapeflow._src.keras.utils.timeseries_dataset import (
    timeseries_dataset_from_array as timeseries_dataset_from_array,
)
from tapeflow.keras.utils import bounding_boxes as bounding_boxes
from tapeflow.keras.utils import experimental as experimental
from tapeflow.keras.utils import legacy as legacy
