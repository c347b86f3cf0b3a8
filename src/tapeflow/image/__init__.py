"""`tf.image`: images as tensors `[height, width, channels]`, or batches of them."""

from tapeflow.image.functions import adjust_contrast as adjust_contrast
