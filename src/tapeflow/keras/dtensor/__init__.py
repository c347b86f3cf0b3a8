"""The public namespace `tf.keras.dtensor`, as Keras 2 has it."""

from tapeflow.keras.dtensor import experimental as experimental
