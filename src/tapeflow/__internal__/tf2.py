"""Whether the behaviour of TensorFlow 2 is in force."""

from tapeflow._src.internal.tf2 import enabled as enabled
