"""`tf.experimental`: what is still being tried."""

from tapeflow.optionals import Optional as Optional

__all__ = ["Optional"]
