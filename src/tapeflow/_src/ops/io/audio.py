"""Sound in WAV files: 16 bits a sample, any number of channels."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.errors import InvalidArgumentError, fmt_shape
from tapeflow._src.core.infer import require_rank
from tapeflow._src.core.registry import Index, InferError, op
from tapeflow._src.core.spec import Spec

_HOST = "the bytes of a file"
_FLOAT = frozenset({dtypes.float32})
_STRING = frozenset({dtypes.string})
_FULL = 32768.0
_PCM = 1


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, message)


def encoded(audio: np.ndarray, rate: int) -> bytes:
    """Return a WAV file of samples between -1 and 1, one column a channel."""
    channels = audio.shape[1]
    if not 0 < rate < 2**32:
        raise _invalid(f"sample_rate must be in (0, 2^32), got: {rate}")
    if not 0 < channels < 1024:
        raise _invalid(f"channel_count must be in (0, 1024), got: {channels}")
    scaled = np.clip(np.rint(audio * np.float32(_FULL)), -_FULL, _FULL - 1)
    data = scaled.astype("<i2").tobytes()
    frame = 2 * channels
    head = struct.pack("<4sI4s4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16)
    form = struct.pack("<HHIIHH", _PCM, channels, rate, rate * frame, frame, 16)
    return head + form + struct.pack("<4sI", b"data", len(data)) + data


@op("EncodeWav", dtypes=_FLOAT, grad=None, host=_HOST, checked=True, outputs=("contents",))
def encode_wav(xp, audio, sample_rate: Index):
    """Encode samples between -1 and 1, one column per channel, as a WAV file."""
    contents = np.empty((), object)
    contents[()] = encoded(audio, int(sample_rate))
    return contents


@encode_wav.infer
def _(audio, sample_rate):
    if audio.shape is not None and len(audio.shape) != 2:
        raise InferError(f"audio must be 2-dimensional, got shape {fmt_shape(audio.shape)}")
    require_rank(sample_rate, 0, "sample_rate")
    return Spec((), dtypes.string)


@op(
    "DecodeWav",
    dtypes=_STRING,
    grad=None,
    host=_HOST,
    checked=True,
    outputs=("audio", "sample_rate"),
)
def decode_wav(xp, contents, *, desired_channels=-1, desired_samples=-1):
    """Decode a WAV file into samples between -1 and 1, and the sample rate.

    Missing channels are copies of the last; missing samples are 0.
    """
    rate, audio = _read(contents.item())
    if desired_channels != -1:
        which = np.minimum(np.arange(desired_channels), audio.shape[1] - 1)
        audio = audio[:, which]
    if desired_samples != -1:
        missing = max(desired_samples - len(audio), 0)
        audio = np.pad(audio[:desired_samples], [(0, missing), (0, 0)])
    return audio, np.array(rate, np.int32)


@decode_wav.infer
def _(contents, *, desired_channels, desired_samples):
    if contents.shape not in (None, ()):
        raise InferError(f"contents must be scalar, got shape {fmt_shape(contents.shape)}")
    attributes = (("desired_channels", desired_channels), ("desired_samples", desired_samples))
    for name, value in attributes:
        if value < -1:
            raise InferError(f"{name} must be >= -1, got {value}")
    dims = tuple(None if n == -1 else n for n in (desired_samples, desired_channels))
    return Spec(dims, dtypes.float32), Spec((), dtypes.int32)


def _expect(contents: bytes, at: int, mark: bytes) -> None:
    received = contents[at : at + len(mark)]
    if len(received) < len(mark):
        raise _invalid("Data too short when trying to read string")
    if received != mark:
        shown = received.decode(errors="replace")
        raise _invalid(f"Header mismatch: Expected {mark.decode()} but found {shown}")


def _unpack(form: str, contents: bytes, at: int) -> tuple[Any, ...]:
    try:
        return struct.unpack_from(form, contents, at)
    except struct.error:
        raise _invalid("Data too short when trying to read a number") from None


def _read(contents: bytes) -> tuple[int, np.ndarray]:
    """Return the sample rate and the samples, one column per channel."""
    _expect(contents, 0, b"RIFF")
    _expect(contents, 8, b"WAVE")
    _expect(contents, 12, b"fmt ")
    (size,) = _unpack("<I", contents, 16)
    form, channels, rate, _, _, bits = _unpack("<HHIIHH", contents, 20)
    if size not in (16, 18, 40):
        raise _invalid(f"Bad format chunk size for WAV: Expected 16, 18 or 40, but got {size}")
    if form != _PCM:
        raise _invalid(f"Bad audio format for WAV: Expected 1 (PCM), but got {form}")
    if bits != 16:
        raise _invalid(f"Can only read 16-bit WAV files, but received {bits}")
    if not channels:
        raise _invalid("Bad number of channels for WAV: Expected at least 1, but got 0")
    at = 20 + size
    while at < len(contents):
        mark, length = _unpack("<4sI", contents, at)
        at += 8
        if mark == b"data":
            if at + length > len(contents):
                raise _invalid("Data too short when trying to read samples")
            flat = np.frombuffer(contents, "<i2", length // (2 * channels) * channels, at)
            return rate, (flat / np.float32(_FULL)).astype(np.float32).reshape(-1, channels)
        at += length + length % 2
    raise _invalid("No data chunk found in WAV")
