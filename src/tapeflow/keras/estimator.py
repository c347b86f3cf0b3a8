"""The public namespace `tf.keras.estimator`, of which Keras 2 keeps the name alone."""

from tapeflow._src.keras.estimator import model_to_estimator as model_to_estimator
