"""The public namespace `tf.keras.backend.experimental`, as Keras 2 had it."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.backend.experimental import (
    disable_tf_random_generator as disable_tf_random_generator,
)
from tapeflow._src.keras.backend.experimental import (
    enable_tf_random_generator as enable_tf_random_generator,
)
from tapeflow._src.keras.backend.experimental import (
    is_tf_random_generator_enabled as is_tf_random_generator_enabled,
)

_explain_missing(__name__)
