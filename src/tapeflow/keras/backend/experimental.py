"""The public namespace `tf.keras.backend.experimental`, as Keras 2 had it."""

from tapeflow._src.keras.backend.experimental import (
    disable_tf_random_generator as disable_tf_random_generator,
)
from tapeflow._src.keras.backend.experimental import (
    enable_tf_random_generator as enable_tf_random_generator,
)
from tapeflow._src.keras.backend.experimental import (
    is_tf_random_generator_enabled as is_tf_random_generator_enabled,
)
