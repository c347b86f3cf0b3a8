"""`tf.xla`: compilation by XLA."""

from tapeflow.xla import experimental as experimental
