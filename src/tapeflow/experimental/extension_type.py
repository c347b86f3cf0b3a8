"""`tf.experimental.extension_type`: functions of values of extension types."""

from tapeflow.extension_types.extension_type import as_dict as as_dict

__all__ = ["as_dict"]
