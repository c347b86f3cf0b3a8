"""`tf.ragged`: tensors with rows of different lengths."""

from tapeflow.ragged.functions import constant as constant
