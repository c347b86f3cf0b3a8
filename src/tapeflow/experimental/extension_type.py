"""`tf.experimental.extension_type`: functions of values of extension types."""

from tapeflow._src.composite.extension_types.extension_type import as_dict as as_dict

__all__ = ["as_dict"]
