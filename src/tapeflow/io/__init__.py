"""`tf.io`: reading values out of bytes."""

from tapeflow.io.functions import decode_raw as decode_raw
