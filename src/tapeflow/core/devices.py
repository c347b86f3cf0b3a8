"""Names of devices: how they are written, which there are, and what happens to one that is not."""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass
from typing import Any

from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.log import warn_first

LOCAL = "/job:localhost/replica:0/task:0"


@dataclass(frozen=True)
class DeviceName:
    """The parts of a device's name; None where it says nothing."""

    job: str | None = None
    replica: int | None = None
    task: int | None = None
    kind: str | None = None
    index: int | None = None

    def __str__(self) -> str:
        parts = [
            f"/job:{self.job}" if self.job is not None else "",
            f"/replica:{self.replica}" if self.replica is not None else "",
            f"/task:{self.task}" if self.task is not None else "",
        ]
        if self.kind is not None:
            parts.append(f"/device:{self.kind}:{'*' if self.index is None else self.index}")
        return "".join(parts)

    def within(self, outer: DeviceName) -> DeviceName:
        """This name, with what it leaves open taken from `outer`."""
        pairs = zip(astuple(self), astuple(outer), strict=True)
        return DeviceName(*(theirs if mine is None else mine for mine, theirs in pairs))


class _Placement:
    """How names are matched with devices.

    `soft`: whether a device that is not there is replaced by one that is, with a warning.
    `logical_cpus`: as how many devices the processor is seen.
    """

    soft = True
    logical_cpus = 1


placement = _Placement()


def available() -> list[str]:
    """The devices of this process, by their full names."""
    return [f"{LOCAL}/device:CPU:{i}" for i in range(placement.logical_cpus)]


def parse(name: Any) -> DeviceName:
    """The parts of a name such as `/job:worker/task:1/device:GPU:0`, `GPU:0` or `/cpu:0`."""
    text = str(name)
    parts: dict[str, Any] = {}
    for piece in text.strip("/").split("/"):
        key, _, rest = piece.partition(":")
        if key in ("job", "replica", "task"):
            parts[key] = rest if key == "job" else _number(rest, text)
        elif key == "device":
            kind, _, index = rest.partition(":")
            parts["kind"], parts["index"] = kind.upper(), _number(index or "*", text)
        elif key.upper() in ("CPU", "GPU", "TPU"):
            parts["kind"], parts["index"] = key.upper(), _number(rest or "*", text)
        else:
            raise ValueError(
                f"Unknown attribute {piece!r} is encountered while parsing the device spec: "
                f"{text!r}. Write for example '/CPU:0' or '/job:worker/task:0/device:GPU:1'."
            )
    return DeviceName(**parts)


def _number(text: str, whole: str) -> int | None:
    if text == "*":
        return None
    if not re.fullmatch(r"\d+", text):
        raise ValueError(f"{text!r} is not a number in the device spec {whole!r}.")
    return int(text)


def matching(wanted: DeviceName) -> list[str]:
    """The devices a name may stand for, by their full names."""
    parts = astuple(wanted)
    return [
        full
        for full in available()
        if all(w is None or w == h for w, h in zip(parts, astuple(parse(full)), strict=True))
    ]


def resolve(wanted: DeviceName) -> str:
    """The device a name stands for, or InvalidArgumentError if there is none."""
    found = matching(wanted)
    if found:
        return found[0]
    missing = (
        f"Could not satisfy device specification {str(wanted)!r}. All available devices "
        f"{available()}."
    )
    if placement.soft:
        warn_first(
            f"device {wanted}",
            1,
            "%s Running on %s. tf.config.set_soft_device_placement(False) makes this an error.",
            missing,
            available()[0],
        )
        return available()[0]
    raise InvalidArgumentError(None, None, missing)
