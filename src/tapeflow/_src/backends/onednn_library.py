"""The oneDNN shared library: where it is, how it is loaded, its C signatures.

Knows the C API of oneDNN 3 (as shipped on PyPI by `onednn-cpu-gomp`) and nothing of arrays. Nothing
is opened before the first call of `library()`.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import sys
import threading
from collections.abc import Callable, Iterator
from ctypes import byref, c_char, c_char_p, c_float, c_int, c_int64, c_size_t, c_uint, c_void_p
from enum import IntEnum
from typing import Any

from tapeflow._src.core.lazy import LazyModule

# A file to load in place of the installed one; set but empty, it turns oneDNN off.
LIBRARY_VARIABLE = "TAPEFLOW_ONEDNN_LIBRARY"

Dims = c_int64 * 12
_glob = LazyModule("glob")

_CPU_ENGINE = 1
_IN_ORDER_STREAM = 1
_USER_SCRATCHPAD = 1
_OMP_RUNTIME = 2
# How often OpenMP's threads poll for work before they sleep; 20 ns each time.
_SPIN_VARIABLE, _SPINS = "GOMP_SPINCOUNT", "100000"


class DataType(IntEnum):
    """`dnnl_data_type_t`, the members in use."""

    float16 = 1
    bfloat16 = 2
    float32 = 3


class Arg(IntEnum):
    """`DNNL_ARG_*`: the role a memory plays in one execution."""

    SRC = 1
    SRC_1 = 2
    DST = 17
    WEIGHTS = 33
    MEAN = 49
    VARIANCE = 50
    SCALE = 51
    SHIFT = 52
    WORKSPACE = 64
    SCRATCHPAD = 80
    DIFF_SRC = 129
    DIFF_DST = 145
    DIFF_WEIGHTS = 161
    DIFF_SCALE = 255
    DIFF_SHIFT = 256
    POST_OP_SRC_1 = 32770


class Binary(IntEnum):
    """`dnnl_alg_kind_t`, those of two operands that are in use."""

    MAX = 0x1FFF2
    SUB = 0x1FFF5


class Query(IntEnum):
    """`dnnl_query_t`: the queries of a primitive descriptor."""

    IMPLEMENTATION = 8
    SRC = 129
    DIFF_SRC = 130
    WEIGHTS = 131
    DIFF_WEIGHTS = 132
    DST = 133
    DIFF_DST = 134
    WORKSPACE = 135
    SCRATCHPAD = 136


_STATUS = {
    1: "out of memory",
    2: "invalid arguments",
    3: "unimplemented",
    4: "last implementation reached",
    5: "runtime error",
    6: "not required",
}


class OneDnnError(RuntimeError):
    """A oneDNN call that did not succeed; `status` is the code it returned."""

    def __init__(self, call: str, status: int) -> None:
        super().__init__(f"{call} failed with status {status} ({_STATUS.get(status, 'unknown')})")
        self.call = call
        self.status = status


class OneDnnUnavailableError(RuntimeError):
    """oneDNN cannot be loaded on this machine; the message lists what was tried."""


class ExecArg(ctypes.Structure):
    """`dnnl_exec_arg_t`."""

    _fields_ = [("arg", c_int), ("memory", c_void_p)]


class _Version(ctypes.Structure):
    _fields_ = [
        ("major", c_int),
        ("minor", c_int),
        ("patch", c_int),
        ("hash", c_char_p),
        ("cpu_runtime", c_uint),
        ("gpu_runtime", c_uint),
    ]


class Handle:
    """An object of the library, destroyed with its last Python reference."""

    __slots__ = ("_as_parameter_", "_destroy", "value")

    def __init__(self, value: int, destroy: Callable[[int], None]) -> None:
        self.value = value
        self._as_parameter_ = c_void_p(value)
        self._destroy = destroy

    def __del__(self) -> None:
        self._destroy(self.value)


_P = c_void_p
_WINDOW = [_P, _P, _P, _P]  # strides, dilations, padding before, padding after

# Calls that compile or compute release the GIL.
_LONG_CALLS: dict[str, list[Any]] = {
    "dnnl_convolution_forward_primitive_desc_create": (
        [_P, _P, c_int, c_int, _P, _P, _P, _P, *_WINDOW, _P]
    ),
    "dnnl_convolution_backward_data_primitive_desc_create": (
        [_P, _P, c_int, _P, _P, _P, *_WINDOW, _P, _P]
    ),
    "dnnl_convolution_backward_weights_primitive_desc_create": (
        [_P, _P, c_int, _P, _P, _P, _P, *_WINDOW, _P, _P]
    ),
    "dnnl_pooling_forward_primitive_desc_create": (
        [_P, _P, c_int, c_int, _P, _P, _P, *_WINDOW, _P]
    ),
    "dnnl_pooling_backward_primitive_desc_create": ([_P, _P, c_int, _P, _P, _P, *_WINDOW, _P, _P]),
    "dnnl_batch_normalization_forward_primitive_desc_create": (
        [_P, _P, c_int, _P, _P, c_float, c_uint, _P]
    ),
    "dnnl_batch_normalization_backward_primitive_desc_create": (
        [_P, _P, c_int, _P, _P, _P, c_float, c_uint, _P, _P]
    ),
    "dnnl_binary_primitive_desc_create": [_P, _P, c_int, _P, _P, _P, _P],
    "dnnl_reorder_primitive_desc_create": [_P, _P, _P, _P, _P, _P],
    "dnnl_primitive_create": [_P, _P],
    "dnnl_primitive_execute": [_P, _P, c_int, _P],
    "dnnl_sgemm": (
        [c_char, c_char, c_int64, c_int64, c_int64]
        + [c_float, _P, c_int64, _P, c_int64, c_float, _P, c_int64]
    ),
}
# Calls too short for releasing and reacquiring the GIL to pay.
_SHORT_CALLS: dict[str, list[Any]] = {
    "dnnl_engine_create": [_P, c_int, c_size_t],
    "dnnl_stream_create": [_P, _P, c_uint],
    "dnnl_stream_destroy": [_P],
    "dnnl_primitive_attr_create": [_P],
    "dnnl_primitive_attr_set_scratchpad_mode": [_P, c_int],
    "dnnl_primitive_attr_set_post_ops": [_P, _P],
    "dnnl_primitive_attr_destroy": [_P],
    "dnnl_post_ops_create": [_P],
    "dnnl_post_ops_append_binary": [_P, c_int, _P],
    "dnnl_post_ops_destroy": [_P],
    "dnnl_memory_desc_create_with_strides": [_P, c_int, _P, c_int, _P],
    "dnnl_memory_desc_create_with_tag": [_P, c_int, _P, c_int, c_int],
    "dnnl_memory_desc_destroy": [_P],
    "dnnl_memory_create": [_P, _P, _P, _P],
    "dnnl_memory_set_data_handle": [_P, _P],
    "dnnl_memory_destroy": [_P],
    "dnnl_primitive_desc_query": [_P, c_int, c_int, _P],
    "dnnl_primitive_desc_destroy": [_P],
    "dnnl_primitive_destroy": [_P],
}
# Calls that return a value in place of a status.
_VALUE_CALLS: dict[str, tuple[Any, list[Any]]] = {
    "dnnl_primitive_desc_query_md": (_P, [_P, c_int, c_int]),
    "dnnl_memory_desc_get_size": (c_size_t, [_P]),
    "dnnl_memory_desc_equal": (c_int, [_P, _P]),
    "omp_get_max_threads": (c_int, []),
    "omp_set_num_threads": (None, [c_int]),
}


class Library:
    """The loaded library: its functions by their C names without `dnnl_`, statuses checked."""

    def __init__(self, path: str) -> None:
        with _brief_waiting():
            releasing = ctypes.CDLL(path)
        holding = ctypes.PyDLL(path)
        _check_version(holding, path)
        for source, table in ((releasing, _LONG_CALLS), (holding, _SHORT_CALLS)):
            for name, argtypes in table.items():
                function = getattr(source, name)
                function.argtypes, function.restype = argtypes, c_int
                setattr(self, name.removeprefix("dnnl_"), _checked(function, name))
        for name, (restype, argtypes) in _VALUE_CALLS.items():
            function = getattr(holding, name)
            function.argtypes, function.restype = argtypes, restype
            setattr(self, name.removeprefix("dnnl_"), function)
        # How programs for GNU's OpenMP run a function on a team of threads: other runtimes of
        # OpenMP need not have it.
        self.run_on_team = getattr(releasing, "GOMP_parallel", None)
        if self.run_on_team is not None:
            self.run_on_team.argtypes, self.run_on_team.restype = [_P, _P, c_uint, c_uint], None

    def __getattr__(self, name: str) -> Callable[..., Any]:
        raise AttributeError(f"oneDNN function {name!r} has no signature in {__name__}")

    def create(self, kind: str, *arguments: Any, using: str = "") -> Handle:
        """Create an object of `kind` with the function `using` (by default `<kind>_create`)."""
        out = c_void_p()
        getattr(self, using or f"{kind}_create")(byref(out), *arguments)
        return Handle(out.value or 0, getattr(self, f"{kind}_destroy"))

    @functools.cached_property
    def engine(self) -> int:
        """The CPU."""
        out = c_void_p()
        self.engine_create(byref(out), _CPU_ENGINE, 0)
        return out.value or 0

    @functools.cached_property
    def attributes(self) -> int:
        """The attributes of every primitive: scratch memory comes from us.

        Scratch memory owned by the library ties a primitive to the thread that created it.
        """
        out = c_void_p()
        self.primitive_attr_create(byref(out))
        self.primitive_attr_set_scratchpad_mode(out, _USER_SCRATCHPAD)
        return out.value or 0

    def attributes_then(self, operation: Binary, second: Handle) -> Handle:
        """Return the same, and a post-op that combines each result with a second operand."""
        attributes = self.create("primitive_attr")
        self.primitive_attr_set_scratchpad_mode(attributes, _USER_SCRATCHPAD)
        after = self.create("post_ops")
        self.post_ops_append_binary(after, operation, second)
        self.primitive_attr_set_post_ops(attributes, after)
        return attributes

    def new_stream(self) -> Handle:
        return self.create("stream", self.engine, _IN_ORDER_STREAM)

    def implementation(self, primitive_desc: Handle) -> str:
        """Return the name of the code a primitive will run, such as `brgconv:avx512_core`."""
        name = c_char_p()
        self.primitive_desc_query(primitive_desc, Query.IMPLEMENTATION, 0, byref(name))
        return (name.value or b"").decode()


def _checked(function: Any, name: str) -> Callable[..., None]:
    def call(*arguments: Any) -> None:
        status = function(*arguments)
        if status:
            raise OneDnnError(name, status)

    return call


def _check_version(opened: ctypes.PyDLL, path: str) -> None:
    if not hasattr(opened, "dnnl_version"):
        raise OneDnnUnavailableError(f"{path} is not oneDNN")
    opened.dnnl_version.argtypes = []
    opened.dnnl_version.restype = ctypes.POINTER(_Version)
    version = opened.dnnl_version().contents
    if version.major != 3 or version.cpu_runtime != _OMP_RUNTIME:
        raise OneDnnUnavailableError(
            f"{path} is oneDNN {version.major}.{version.minor} with CPU runtime "
            f"{version.cpu_runtime}; version 3 built for OpenMP (runtime {_OMP_RUNTIME}) is "
            "needed: pip install onednn-cpu-gomp"
        )


@contextlib.contextmanager
def _brief_waiting() -> Iterator[None]:
    """While the library is opened, ask OpenMP for threads that spin for about 2 ms.

    Between two calls of a compiled program there is less than that, and waking a thread takes 50 to
    100 µs. By default they spin longer, against the threads of NumPy's BLAS. OpenMP reads its
    variables once, as it is loaded; the user's setting stands, and child processes see the
    environment unchanged.
    """
    chosen = "OMP_WAIT_POLICY" in os.environ or _SPIN_VARIABLE in os.environ
    if chosen:
        yield
        return
    os.environ[_SPIN_VARIABLE] = _SPINS
    try:
        yield
    finally:
        del os.environ[_SPIN_VARIABLE]


def candidates() -> list[str]:
    """Return files that may be the library, best first."""
    chosen = os.environ.get(LIBRARY_VARIABLE)
    if chosen is not None:
        return [chosen] if chosen else []
    paths = []
    for folder in sys.path:
        # The wheel installs the library outside of site-packages; its record says where.
        pattern = os.path.join(_glob.escape(folder), "onednn_cpu_gomp-*.dist-info", "RECORD")
        for record in _glob.glob(pattern):
            with open(record, encoding="utf-8") as lines:
                names = [line.split(",")[0] for line in lines]
            paths += [os.path.join(folder, name) for name in names if name.endswith("libdnnl.so.3")]
    paths.append(os.path.join(sys.prefix, "lib", "libdnnl.so.3"))
    return [os.path.normpath(path) for path in paths if os.path.exists(path)]


def _load() -> Library | OneDnnUnavailableError:
    tried = []
    for path in candidates():
        try:
            return Library(path)
        except (OSError, OneDnnUnavailableError) as error:
            tried.append(str(error))
    where = "; ".join(tried) or f"no libdnnl.so.3 found ({LIBRARY_VARIABLE} can name one)"
    return OneDnnUnavailableError(
        f"oneDNN is not available: {where}. It comes with: pip install onednn-cpu-gomp"
    )


_lock = threading.Lock()
_loaded: list[Library | OneDnnUnavailableError] = []


def library() -> Library:
    """Return the library, opened by the first call; raise `OneDnnUnavailableError` without one."""
    if not _loaded:
        with _lock:
            if not _loaded:
                _loaded.append(_load())
    loaded = _loaded[0]
    if isinstance(loaded, OneDnnUnavailableError):
        raise OneDnnUnavailableError(*loaded.args)
    return loaded


def available() -> bool:
    """Whether oneDNN can be used on this machine."""
    try:
        library()
    except OneDnnUnavailableError:
        return False
    return True
