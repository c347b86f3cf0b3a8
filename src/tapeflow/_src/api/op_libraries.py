"""Libraries of C++ ops: not supported, with what to do instead."""

from __future__ import annotations

from tapeflow._src.core.refused import refused_function

_REASON = (
    "a library of TensorFlow's compiled ops needs TensorFlow's runtime, which Tapeflow does not "
    "have. Write the op in Python with tf.function or tf.custom_gradient, as a Python function "
    "with tf.numpy_function, or in JAX."
)

load_library = refused_function("load_library", "tf", _REASON, "library_location")
load_op_library = refused_function("load_op_library", "tf", _REASON, "library_filename")
load_file_system_library = refused_function("load_file_system_library", "tf", _REASON)
