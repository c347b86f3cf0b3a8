"""The public namespace `tf.nn`."""

from tapeflow.nn.activation import relu as relu
