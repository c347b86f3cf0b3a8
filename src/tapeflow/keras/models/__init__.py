"""The public namespace `tf.keras.models`."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.models.cloning import clone_model as clone_model
from tapeflow._src.keras.models.cloning import model_from_config as model_from_config
from tapeflow._src.keras.models.cloning import model_from_json as model_from_json
from tapeflow._src.keras.models.cloning import model_from_yaml as model_from_yaml
from tapeflow._src.keras.models.functional import Functional as _Functional  # noqa: F401
from tapeflow._src.keras.models.model import Model as Model
from tapeflow._src.keras.models.model_files import load_model as load_model
from tapeflow._src.keras.models.model_files import save_model as save_model
from tapeflow._src.keras.models.sequential import Sequential as Sequential
from tapeflow.keras.models import experimental as experimental

_explain_missing(__name__)
