"""Names of devices: their syntax, the available ones, and placement of unavailable ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.log import warn_first

LOCAL = "/job:localhost/replica:0/task:0"


class LogicalDevice(NamedTuple):
    """A device as programs address it: its name and type.

    Args:
        name: The name, such as "/device:CPU:0".
        device_type: The type, such as "CPU".

    Example:
        >>> tf.config.list_logical_devices("CPU")[0].name
        '/device:CPU:0'
    """

    name: str
    device_type: str


class DeviceSpec:
    """The parts of a device's name; None for unspecified parts.

    Args:
        job: The job.
        replica: The number of the replica.
        task: The number of the task.
        device_type: The type, such as "CPU".
        device_index: The number of the device.

    Example:
        >>> tf.DeviceSpec(job="worker", device_type="CPU", device_index=0).to_string()
        '/job:worker/device:CPU:0'
    """

    __slots__ = ("_parts",)

    def __init__(
        self,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        device_type: str | None = None,
        device_index: int | None = None,
    ) -> None:
        self._parts = (
            None if job is None else str(job),
            None if replica is None else int(replica),
            None if task is None else int(task),
            None if device_type is None else _kind(str(device_type)),
            None if device_index is None else int(device_index),
        )

    @property
    def job(self) -> str | None:
        return self._parts[0]

    @property
    def replica(self) -> int | None:
        return self._parts[1]

    @property
    def task(self) -> int | None:
        return self._parts[2]

    @property
    def device_type(self) -> str | None:
        return self._parts[3]

    @property
    def device_index(self) -> int | None:
        return self._parts[4]

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        """Parse a name such as `/job:worker/task:1/device:GPU:0`.

        Args:
            spec: A name such as `/job:worker/task:1/device:GPU:0`.

        Raises:
            ValueError: If it is no such name.

        Example:
            >>> tf.DeviceSpec.from_string("/job:worker/device:GPU:1").device_index
            1
        """
        return cls(**_parsed(spec))

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """Parse a name: nothing is taken from this spec.

        Args:
            spec: A name such as `/job:worker/task:1/device:GPU:0`.

        Example:
            >>> tf.DeviceSpec().parse_from_string("/job:worker/task:1/device:CPU:0").task
            1
        """
        return self.from_string(spec)

    def to_string(self) -> str:
        """Return the name.

        Example:
            >>> tf.DeviceSpec(job="worker", device_type="CPU", device_index=0).to_string()
            '/job:worker/device:CPU:0'
        """
        parts = [
            f"/job:{self.job}" if self.job is not None else "",
            f"/replica:{self.replica}" if self.replica is not None else "",
            f"/task:{self.task}" if self.task is not None else "",
        ]
        if self.device_type is not None:
            index = "*" if self.device_index is None else self.device_index
            parts.append(f"/device:{self.device_type}:{index}")
        return "".join(parts)

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """Return `dev` with unspecified parts taken from this one.

        Args:
            dev: The other spec.

        Example:
            >>> host, gpu = tf.DeviceSpec(job="worker"), tf.DeviceSpec(device_type="GPU")
            >>> host.make_merged_spec(gpu).to_string()
            '/job:worker/device:GPU:*'
        """
        specified = {name: part for name, part in dev._named().items() if part is not None}
        return self.replace(**specified)

    def replace(self, **kwargs: Any) -> DeviceSpec:
        """Return a copy with some parts replaced.

        Example:
            >>> tf.DeviceSpec(job="worker").replace(task=2).to_string()
            '/job:worker/task:2'
        """
        return type(self)(**{**self._named(), **kwargs})

    def _named(self) -> dict[str, Any]:
        return dict(zip(_PARTS, self._parts, strict=True))

    def _matches(self, other: DeviceSpec) -> bool:
        """Whether `other` agrees with every part that this one specifies."""
        pairs = zip(self._parts, other._parts, strict=True)
        return all(field is None or field == other_field for field, other_field in pairs)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._parts == getattr(other, "_parts", None)

    def __hash__(self) -> int:
        return hash(self._parts)

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={part}" for name, part in self._named().items())
        return f"<DeviceSpec({parts})>"


_PARTS = ("job", "replica", "task", "device_type", "device_index")


class _Placement:
    """How names are resolved to devices.

    `soft`: whether an unavailable device is replaced by an available one, with a warning.
    `logical_cpus`: the number of devices that the processor counts as. `in_use`: whether they have
    been listed or computed on, after which their number is fixed. `accelerators`: returns the
    types of the visible GPUs and TPUs, in order; `accelerator_numbers`, where each of them is among
    all accelerators of this process. `own_task`: the job and task of this process, by which
    it is known to the other workers of a cluster.
    """

    def __init__(self) -> None:
        self.soft = True
        self.logical_cpus = 1
        self.in_use = False
        self.accelerators: Callable[[], Sequence[str]] = tuple
        self.accelerator_numbers: Callable[[], Sequence[int]] = tuple
        self.own_task: tuple[str, int] | None = None


placement = _Placement()


def available() -> list[str]:
    """Return the devices of this process, by their full names."""
    placement.in_use = True
    names = [f"{LOCAL}/device:CPU:{i}" for i in range(placement.logical_cpus)]
    indices: dict[str, int] = {}
    for kind in placement.accelerators():
        names.append(f"{LOCAL}/device:{kind}:{indices.setdefault(kind, 0)}")
        indices[kind] += 1
    return names


def parse(name: Any) -> DeviceSpec:
    """Parse a name such as `/job:worker/task:1/device:GPU:0`, `GPU:0` or `/cpu:0`."""
    if isinstance(name, LogicalDevice):
        name = name.name
    return name if isinstance(name, DeviceSpec) else _spec_of(str(name))


@lru_cache(maxsize=256)
def _spec_of(text: str) -> DeviceSpec:
    return DeviceSpec.from_string(text)


def _parsed(text: str | None) -> dict[str, Any]:
    """Return the parts of a name, as `DeviceSpec` takes them."""
    parts: dict[str, Any] = {}
    for piece in (text or "").split("/"):
        key, _, rest = piece.partition(":")
        if not piece:
            continue
        if key in ("job", "replica", "task") and rest:
            parts[key] = rest if key == "job" else _number(rest, text)
            continue
        kind, colon, index = rest.partition(":") if key == "device" else (key.upper(), ":", rest)
        if not kind or not colon or (key != "device" and kind not in _KINDS):
            raise ValueError(
                f"Unknown attribute {key!r} in the device string {text!r}. Write for example "
                "'/CPU:0' or '/job:worker/task:0/device:GPU:1'."
            )
        if "device_type" in parts:
            raise ValueError(
                f"The device string {text!r} names two device types; keep one of them."
            )
        parts["device_type"] = None if kind == "*" else kind
        parts["device_index"] = _number(index or "*", text)
    return parts


_KINDS = ("CPU", "GPU", "TPU")


def _kind(name: str) -> str:
    """Return the device type: case does not matter for the types that exist."""
    return name.upper() if name.upper() in _KINDS else name


def _number(text: str, whole: str | None) -> int | None:
    if text == "*":
        return None
    if not re.fullmatch(r"\d+", text):
        raise ValueError(f"{text!r} is not a number in the device spec {whole!r}.")
    return int(text)


def matching(spec: DeviceSpec) -> list[str]:
    """Return the devices that match a spec, by their full names."""
    if placement.own_task is not None and (spec.job, spec.task) == placement.own_task:
        spec = spec.replace(job=None, task=None)
    return [full for full in available() if spec._matches(parse(full))]


def on_host(name: str) -> bool:
    """Return whether a full name is that of a processor."""
    return parse(name).device_type == "CPU"


def of_other_process(spec: DeviceSpec) -> bool:
    """Return whether a spec names a job, replica or task that this process is not."""
    return not matching(spec.replace(device_type=None, device_index=None))


def resolve(spec: DeviceSpec) -> str:
    """Resolve a spec to a device; InvalidArgumentError if there is none.

    Raises:
        InvalidArgumentError: The device is of another process, or missing without soft placement.
    """
    matches = matching(spec)
    if matches:
        return matches[0]
    if of_other_process(spec):
        raise InvalidArgumentError(
            None,
            None,
            f"{spec.to_string()} is an unknown device: it belongs to another process, and "
            f"operations run in the one that calls them, on {available()}. Leave job, replica and "
            "task out of the name, as in tf.device('/CPU:0').",
        )
    missing = (
        f"Could not satisfy device specification {spec.to_string()!r}. All available devices "
        f"{available()}."
    )
    if placement.soft:
        warn_first(
            f"device {spec.device_type}:{spec.device_index}",
            1,
            "%s Running on %s. tf.config.set_soft_device_placement(False) makes this an error.",
            missing,
            available()[0],
        )
        return available()[0]
    raise InvalidArgumentError(
        None,
        None,
        f"{missing} Name one of these, as in tf.device('/CPU:0'), or let "
        "tf.config.set_soft_device_placement(True) choose one; "
        "tf.config.list_logical_devices() lists them.",
    )
