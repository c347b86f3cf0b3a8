"""Images as the models expect them, and the names of their classes."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from tapeflow._src.keras.applications.imagenet_utils import preprocess_input as preprocess_input
from tapeflow._src.keras.applications.imagenet_utils import preprocessor as preprocessor

_explain_missing(__name__)
