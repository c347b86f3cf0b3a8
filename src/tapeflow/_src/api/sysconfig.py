"""`tf.sysconfig`: build information, and the location of headers."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from tapeflow._src.core.refused import refused_function as _refused

_REASON = (
    "Tapeflow is written in Python and has no C++ headers or libraries to build against. Write the "
    "op as a Python function, with tf.numpy_function or in JAX."
)

CXX11_ABI_FLAG = 1
CXX_VERSION = 201703
MONOLITHIC_BUILD = 0


def get_build_info() -> OrderedDict[str, Any]:
    """Return what the library was built for: no GPU libraries.

    Returns:
        A dict from names to values.

    Example:
        >>> tf.sysconfig.get_build_info()["is_cuda_build"]
        False
    """
    return OrderedDict(is_cuda_build=False, is_rocm_build=False, is_tensorrt_build=False)


get_compile_flags = _refused("get_compile_flags", "tf.sysconfig", _REASON)
get_include = _refused("get_include", "tf.sysconfig", _REASON)
get_lib = _refused("get_lib", "tf.sysconfig", _REASON)
get_link_flags = _refused("get_link_flags", "tf.sysconfig", _REASON)
