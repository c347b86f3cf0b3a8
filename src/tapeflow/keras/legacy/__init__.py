"""The public namespace `tf.keras.legacy`."""

from tapeflow.keras.legacy import saving as saving
