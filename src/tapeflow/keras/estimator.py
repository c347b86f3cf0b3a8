"""The public namespace `tf.keras.estimator`, of which Keras 2 keeps the name alone."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.estimator import model_to_estimator as model_to_estimator

_explain_missing(__name__)
