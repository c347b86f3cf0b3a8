"""`tf.config` and `tf.device`: devices that are there, and devices that are not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tapeflow as tf
from tapeflow._src.api.config import devices as config_devices
from tapeflow._src.backends import jax_device
from tapeflow._src.core import devices

EXPERIMENTAL = tf.config.experimental
CPU = tf.config.list_physical_devices()[0]
FULL = "/job:localhost/replica:0/task:0/device:CPU:0"
SECOND = "/job:localhost/replica:0/task:0/device:CPU:1"


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    devices.placement.soft = True
    devices.placement.logical_cpus = 1
    devices.placement.in_use = False
    devices.placement.own_task = None
    tf.debugging.set_log_device_placement(False)
    tf.config.threading.set_inter_op_parallelism_threads(0)
    EXPERIMENTAL.set_device_policy(None)
    EXPERIMENTAL.set_synchronous_execution(None)
    EXPERIMENTAL.enable_tensor_float_32_execution(True)


# -- which there are ----------------------------------------------------------------------------


def test_devices() -> None:
    assert repr(CPU) == "PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')"
    assert tf.config.list_physical_devices("GPU") == tf.config.list_physical_devices("zz") == []
    assert tf.config.get_visible_devices("CPU") == [CPU]
    [logical] = tf.config.list_logical_devices()
    assert repr(logical) == "LogicalDevice(name='/device:CPU:0', device_type='CPU')"
    assert tf.constant(1.0).device == FULL


def test_visible_devices() -> None:
    tf.config.set_visible_devices([], "GPU")
    tf.config.set_visible_devices(CPU)
    tf.config.set_visible_devices([CPU], "CPU")
    assert tf.config.get_visible_devices() == [CPU]
    for wrong in ([3], "CPU", None):
        with pytest.raises(ValueError, match="Unrecognized device"):
            tf.config.set_visible_devices(wrong)
    with pytest.raises(ValueError, match="Unrecognized device"):
        tf.config.set_visible_devices(CPU, "GPU")
    with pytest.raises(RuntimeError, match="cannot be hidden"):
        tf.config.set_visible_devices([], "CPU")


def test_logical_devices() -> None:
    devices.placement.in_use = False
    assert tf.config.get_logical_device_configuration(CPU) is None
    two = [tf.config.LogicalDeviceConfiguration()] * 2
    tf.config.set_logical_device_configuration(CPU, two)
    assert tf.config.get_logical_device_configuration(CPU) == two
    names = [d.name for d in tf.config.list_logical_devices("CPU")]
    assert names == ["/device:CPU:0", "/device:CPU:1"]
    assert tf.config.list_physical_devices("CPU") == [CPU]
    with pytest.raises(ValueError, match="at least one"):
        tf.config.set_logical_device_configuration(CPU, [])
    tf.config.set_logical_device_configuration(CPU, two)
    with pytest.raises(RuntimeError, match="in use"):
        tf.config.set_logical_device_configuration(CPU, two[:1])


def test_tensors_and_variables_are_on_the_device_of_their_block() -> None:
    devices.placement.logical_cpus = 2
    second = FULL.replace("CPU:0", "CPU:1")
    double = tf.function(lambda x: x * 2)
    with tf.device("CPU:1"), tf.GradientTape() as tape:
        x, v = tf.constant(1.0), tf.Variable(2.0)
        placed = [x, x + 1, v, double(x), tf.random.normal([2])]
        tape.watch(x)
        y = double(x)
    assert [t.device for t in placed] == [second] * 5
    assert float(tape.gradient(y, x)) == 2.0
    assert (x + 1).device == double(x).device == tf.constant(1).device == FULL


@pytest.mark.parametrize(
    "name",
    [
        *("/CPU:1", "cpu:1", "/cpu:1", "/device:CPU:1", "/device:cpu:1", "/device:*:1"),
        *("/job:localhost/replica:0/task:0/device:CPU:1", "/task:0/CPU:1", SECOND),
        tf.config.LogicalDevice("/device:CPU:1", "CPU"),
        tf.DeviceSpec(device_type="CPU", device_index=1),
    ],
)
def test_all_spellings_of_a_device(name: Any) -> None:
    devices.placement.logical_cpus = 2
    with tf.device(name):
        placed = [tf.constant(1.0), tf.ones([2]) + 1, tf.Variable(1.0), tf.Variable(1.0).handle]
    assert [each.device for each in placed] == [SECOND] * 4


@pytest.mark.parametrize("name", ["foo", "/foo:0", "CPU:x", "/device:CPU", CPU, 3, " CPU:1"])
def test_names_that_are_no_devices(name: Any) -> None:
    with pytest.raises(ValueError):
        tf.device(name)


def test_blocks_for_parts_of_a_name_keep_the_rest() -> None:
    devices.placement.logical_cpus = 3
    third = FULL.replace("CPU:0", "CPU:2")
    found = []
    with tf.device("CPU:1"), tf.device("CPU:2"):
        for name in ("", "/job:localhost", "/device:CPU:*", None, "CPU:1"):
            with tf.device(name):
                found.append(tf.constant(1.0).device)
    assert found == [third, third, third, FULL, SECOND]
    with tf.device(""):
        assert tf.constant(1.0).device == FULL

    @tf.function
    def function(x: Any) -> Any:
        with tf.device("CPU:2"), tf.device(""):
            found.append((x + 1.0).device)
        return x

    function(tf.constant(1.0))
    assert found[-1] == "/device:CPU:2"


@pytest.mark.parametrize("name", ["/job:worker/CPU:0", "/task:1/CPU:0", "/replica:1/CPU:0"])
def test_devices_of_other_processes_are_refused_although_placement_is_soft(name: str) -> None:
    @tf.function
    def function(x: Any) -> Any:
        with tf.device(name):
            return x + 1.0

    for call in (tf.device(name).__enter__, lambda: function(tf.constant(1.0))):
        with pytest.raises(tf.errors.InvalidArgumentError, match="unknown device"):
            call()
    with tf.Graph().as_default(), tf.device(name):
        assert tf.constant(1.0).device.startswith(name.partition("/CPU")[0])


def test_a_worker_has_the_devices_of_its_task() -> None:
    devices.placement.own_task = ("worker", 1)
    with tf.device("/job:worker/replica:0/task:1/device:CPU:0"):
        assert tf.constant(1.0).device == FULL
    with pytest.raises(tf.errors.InvalidArgumentError, match="another process"):
        tf.device("/job:worker/replica:0/task:0/device:CPU:0").__enter__()


def test_log_of_devices(capsys: pytest.CaptureFixture[str]) -> None:
    devices.placement.logical_cpus = 2
    tf.debugging.set_log_device_placement(True)
    assert tf.debugging.get_log_device_placement()
    x = tf.constant([1.0])
    v = tf.Variable(1.0)

    @tf.function
    def function(x: Any) -> Any:
        y = x + 1.0
        with tf.device("CPU:1"):
            y = tf.tanh(y)
        with tf.device("GPU:7"):
            return -y

    capsys.readouterr()
    _ = x * x
    with tf.device("CPU:1"):
        tf.exp(x)
    v.assign(2.0)
    function(x)
    expected = ["Mul", "Exp", "AssignVariableOp", "AddV2", "Tanh", "Neg"]
    places = [FULL, SECOND, FULL, FULL, SECOND, FULL]
    lines = [line for line in capsys.readouterr().err.splitlines() if "Executing" in line]
    assert lines == [
        f"Executing op {op} in device {at}" for op, at in zip(expected, places, strict=True)
    ]


@pytest.mark.parametrize(
    ("device", "logical"),
    [
        (3, [tf.config.LogicalDeviceConfiguration()]),
        (tf.config.PhysicalDevice("a", "GPU"), [tf.config.LogicalDeviceConfiguration()]),
        (CPU, []),
        (CPU, [tf.config.LogicalDeviceConfiguration(memory_limit=100)]),
        (CPU, [tf.config.LogicalDeviceConfiguration(experimental_priority=1)]),
    ],
)
def test_logical_devices_that_cannot_be(device: Any, logical: Any) -> None:
    with pytest.raises(ValueError):
        tf.config.set_logical_device_configuration(device, logical)


# -- experimental ---------------------------------------------------------------------------------


def test_memory() -> None:
    for ask in (EXPERIMENTAL.get_memory_info, EXPERIMENTAL.get_memory_usage):
        with pytest.raises(ValueError, match="Allocator stats not available for device 'CPU:0'"):
            ask("CPU:0")
    with pytest.raises(ValueError, match="Cannot reset memory stats for device 'CPU:0'"):
        EXPERIMENTAL.reset_memory_stats("CPU:0")
    for ask in (EXPERIMENTAL.get_memory_info, EXPERIMENTAL.reset_memory_stats):
        for name in ("GPU:0", "unheard_of:0"):
            with pytest.raises(ValueError, match=f"No matching devices found for '{name}'"):
                ask(name)
        for name in ("zz", "CPU"):
            with pytest.raises(ValueError, match="Failed parsing device name"):
                ask(name)
    with pytest.raises(ValueError, match="Memory growth"):
        EXPERIMENTAL.set_memory_growth(CPU, True)
    with pytest.raises(ValueError, match="Memory growth"):
        EXPERIMENTAL.get_memory_growth(CPU)
    with pytest.raises(ValueError, match="Unrecognized device"):
        EXPERIMENTAL.set_memory_growth(tf.config.PhysicalDevice("a", "GPU"), True)


def test_details() -> None:
    assert EXPERIMENTAL.get_device_details(CPU) == {}
    with pytest.raises(ValueError, match=r"Expected a tf.config.PhysicalDevice"):
        EXPERIMENTAL.get_device_details(3)
    with pytest.raises(ValueError, match=r"Expected a tf.config.PhysicalDevice"):
        EXPERIMENTAL.get_device_details(tf.config.PhysicalDevice("/physical_device:GPU:0", "GPU"))


def test_filters_of_clusters() -> None:
    filters = EXPERIMENTAL.ClusterDeviceFilters()
    filters.set_device_filters("worker", 0, ["/job:ps"])
    with pytest.raises(TypeError, match="name of a job"):
        filters.set_device_filters("worker", "0", ["/job:ps"])


def test_switches() -> None:
    assert EXPERIMENTAL.get_synchronous_execution()
    EXPERIMENTAL.set_synchronous_execution(False)
    assert not EXPERIMENTAL.get_synchronous_execution()
    for policy in ("explicit", "warn", "silent_for_int32", "silent"):
        EXPERIMENTAL.set_device_policy(policy)
        assert EXPERIMENTAL.get_device_policy() == policy
    with pytest.raises(ValueError, match="Invalid argument `device_policy`: 'zz'"):
        EXPERIMENTAL.set_device_policy("zz")
    assert EXPERIMENTAL.tensor_float_32_execution_enabled()
    EXPERIMENTAL.enable_tensor_float_32_execution(False)
    assert not EXPERIMENTAL.tensor_float_32_execution_enabled()
    assert EXPERIMENTAL.enable_mlir_bridge() is EXPERIMENTAL.disable_mlir_bridge() is None


def test_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    threading = tf.config.threading
    told: list[int] = []
    monkeypatch.setattr("tapeflow._src.backends.blas.set_num_threads", told.append)
    monkeypatch.setattr("tapeflow._src.backends.onednn.set_num_threads", told.append)
    assert threading.get_inter_op_parallelism_threads() == 0
    threading.set_inter_op_parallelism_threads(2)
    assert threading.get_inter_op_parallelism_threads() == 2
    threading.set_intra_op_parallelism_threads(3)
    assert threading.get_intra_op_parallelism_threads() == 3
    assert told == [3, 3]
    threading.set_intra_op_parallelism_threads(0)
    assert told == [3, 3, 0]
    with pytest.raises(TypeError, match="must be an int"):
        threading.set_intra_op_parallelism_threads("two")
    with pytest.raises(ValueError, match="must not be negative"):
        threading.set_inter_op_parallelism_threads(-1)


# -- tf.device in functions -----------------------------------------------------------------------


def test_graphs_keep_the_device_that_was_asked_for() -> None:
    found: list[str] = []

    @tf.function(autograph=False)
    def function(x: Any) -> Any:
        with tf.device("/CPU:0"):
            y = x + 1.0
            with tf.device(None):
                z = x + 2.0
            with tf.device("/job:localhost"):
                w = x + 3.0
        found.extend(t.device for t in (x, y, z, w, x * 2.0))
        return y

    with tf.device("CPU:0"):
        result = function(tf.constant(1.0))
    assert found == ["", "/device:CPU:0", "", "/job:localhost/device:CPU:0", ""]
    assert result.device == FULL


def test_devices_that_are_not_there() -> None:
    @tf.function
    def function(x: Any) -> Any:
        with tf.device("/TPU:3"):
            return x + 1.0

    tf.config.set_soft_device_placement(False)
    assert not tf.config.get_soft_device_placement()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not satisfy device spec"):
        function(tf.constant(1.0))
    tf.config.set_soft_device_placement(True)
    assert function(tf.constant(1.0)).numpy() == 2.0


# -- accelerators, as JAX describes them ----------------------------------------------------------


class _Accelerator:
    """A GPU as `jax.local_devices` lists it: there is none where the tests run."""

    platform = "gpu"
    device_kind = "Model X"
    compute_capability = "8.6"

    def __init__(self, number: int) -> None:
        self.number = number

    def memory_stats(self) -> dict[str, int]:
        return {"bytes_in_use": 10 + self.number, "peak_bytes_in_use": 20 + self.number}


@pytest.fixture
def three_gpus(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[_Accelerator]]:
    gpus = [_Accelerator(number) for number in range(3)]
    monkeypatch.setattr(jax_device.jax, "default_backend", lambda: "gpu")
    monkeypatch.setattr(jax_device.jax, "local_devices", lambda: gpus)
    monkeypatch.setattr(config_devices, "_accelerators", jax_device.accelerators)
    jax_device.on_processors.cache_clear()
    yield gpus
    jax_device.on_processors.cache_clear()
    config_devices._visibility.chosen = None


def test_gpus_are_listed_and_described(three_gpus: list[_Accelerator]) -> None:
    physical = tf.config.list_physical_devices("GPU")
    assert [gpu.name for gpu in physical] == [f"/physical_device:GPU:{i}" for i in range(3)]
    expected = {"device_name": "Model X", "compute_capability": (8, 6)}
    assert EXPERIMENTAL.get_device_details(physical[1]) == expected
    assert EXPERIMENTAL.get_memory_info("GPU:2") == {"current": 12, "peak": 22}
    assert EXPERIMENTAL.get_memory_usage("GPU:0") == 10
    EXPERIMENTAL.set_memory_growth(physical[0], True)
    assert EXPERIMENTAL.get_memory_growth(physical[0])
    assert not jax_device.on_processors() and jax_device.device(split=True) is three_gpus[0]


def test_visible_gpus_are_numbered_anew(three_gpus: list[_Accelerator]) -> None:
    devices.placement.in_use = False
    physical = tf.config.list_physical_devices("GPU")
    tf.config.set_visible_devices([physical[1], physical[2]], "GPU")
    assert [d.name for d in tf.config.list_logical_devices("GPU")] == [
        "/device:GPU:0",
        "/device:GPU:1",
    ]
    assert jax_device.logical_devices(["GPU:0", "GPU:1"]) == three_gpus[1:]
    assert jax_device.device(split=True) is three_gpus[1]


def test_programs_run_on_the_processor_if_all_gpus_are_hidden(
    three_gpus: list[_Accelerator],
) -> None:
    devices.placement.in_use = False
    tf.config.set_visible_devices([], "GPU")
    assert tf.config.list_logical_devices("GPU") == []
    assert jax_device.on_processors()
    assert jax_device.device(split=True).platform == "cpu"


def test_eager_tensors_say_that_they_are_on_the_host(
    three_gpus: list[_Accelerator], caplog: pytest.LogCaptureFixture
) -> None:
    with tf.device("GPU:1"):
        x = tf.constant([1.0]) + 1.0
        v = tf.Variable(1.0)
    assert x.device == v.device == FULL
    assert "eager operations run on the processor" in caplog.text
