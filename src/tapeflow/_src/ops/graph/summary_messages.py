"""Ops whose results are serialized `Summary` messages, as graphs of TensorFlow 1 have them."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes, protos
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.infer import fixed
from tapeflow._src.core.registry import Free, ManyFree, op
from tapeflow._src.kernels.codecs import png
from tapeflow._src.ops.io import audio as wav
from tapeflow._src.ops.io.tensors import tensor_message

_HOST = "messages"
_TEXT = fixed((), dtypes.string)
_LARGEST = float(np.finfo(np.float64).max)
# What stands where an image is not finite.
RED = np.array([255, 0, 0, 255], np.uint8)
# Images whose largest value is below it are black.
_DARK = 1e-6


def _serialized(message: Any) -> Any:
    result = np.empty((), object)
    result[()] = message.SerializeToString()
    return result


def _text(array: Any) -> str:
    return array.item().decode(errors="replace")


@op("ScalarSummary", infer=_TEXT, outputs=("summary",), host=_HOST, grad=None)
def scalar_summary(xp, tags: Free, values: Free):
    """Return a summary with one number per tag."""
    if tags.shape != values.shape:
        raise InvalidArgumentError(
            None,
            None,
            f"ScalarSummary: expected one value for each tag. Received tags of shape {tags.shape} "
            f"and values of shape {values.shape}.",
        )
    summary = protos.Summary()
    for tag, value in zip(tags.reshape(-1), values.reshape(-1)):
        summary.value.add(tag=tag.decode(errors="replace"), simple_value=float(value))
    return _serialized(summary)


@functools.cache
def _limits() -> Any:
    """Return the upper limits of the buckets: powers of 1.1 from 1e-12 on, of both signs, and 0."""
    positive = [1e-12]
    while positive[-1] * 1.1 < 1e20:
        positive.append(positive[-1] * 1.1)
    positive.append(_LARGEST)
    return np.array([*(-limit for limit in reversed(positive)), 0.0, *positive])


@op("HistogramSummary", infer=_TEXT, outputs=("summary",), host=_HOST, grad=None)
def histogram_summary(xp, tag: Free, values: Free):
    """Return a summary of the distribution of values."""
    flat = values.reshape(-1).astype(np.float64)
    if not np.isfinite(flat).all():
        raise InvalidArgumentError(
            None, None, f"HistogramSummary: the values of {_text(tag)!r} are not all finite."
        )
    limits = _limits()
    counts = np.bincount(np.searchsorted(limits, flat, "right"), minlength=len(limits))
    summary = protos.Summary()
    histogram = summary.value.add(tag=_text(tag)).histo
    histogram.min = float(flat.min()) if flat.size else _LARGEST
    histogram.max = float(flat.max()) if flat.size else -_LARGEST
    histogram.num, histogram.sum = flat.size, float(flat.sum())
    histogram.sum_squares = float(np.square(flat).sum())
    for index, count in enumerate(counts):
        # Of empty buckets beside each other only the last one is written.
        if count or index + 1 == len(counts) or counts[index + 1]:
            histogram.bucket_limit.append(limits[index])
            histogram.bucket.append(count)
    return _serialized(summary)


def _numbered(tag: Any, kind: str, count: int) -> Any:
    """Return the tags of the items of a batch."""
    name = f"{_text(tag)}/{kind}"
    return (f"{name}/{index}" if count > 1 else name for index in range(count))


def _pixels(picture: Any, bad_color: Any) -> Any:
    """Encode an image as bytes: scaled to its largest value, around 128 if values are negative."""
    if picture.dtype == np.uint8:
        return picture
    picture = picture.astype(np.float32)
    finite = np.isfinite(picture)
    values = picture[finite]
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)
    largest = max(abs(low), abs(high)) if low < 0 else high
    reach, offset = (127.0, 128.0) if low < 0 else (255.0, 0.0)
    scale = 0.0 if largest < _DARK else reach / largest
    pixels = (np.where(finite, picture, 0) * np.float32(scale) + np.float32(offset)).astype("uint8")
    return np.where(finite.all(-1, keepdims=True), pixels, bad_color)


@op("ImageSummary", infer=_TEXT, outputs=("summary",), host=_HOST, grad=None)
def image_summary(xp, tag: Free, tensor: Free, *, max_images=3, bad_color=RED):
    """Return a summary of the first images of a batch, as PNG files."""
    summary = protos.Summary()
    _, height, width, channels = tensor.shape
    color = np.asarray(bad_color).reshape(-1)[:channels]
    for picture, name in zip(tensor, _numbered(tag, "image", max_images)):
        image = summary.value.add(tag=name).image
        image.height, image.width, image.colorspace = height, width, channels
        image.encoded_image_string = png.encode(_pixels(picture, color))
    return _serialized(summary)


@op("AudioSummaryV2", infer=_TEXT, outputs=("summary",), host=_HOST, grad=None)
def audio_summary_v2(xp, tag: Free, tensor: Free, sample_rate: Free, *, max_outputs=3):
    """Return a summary of the first sounds of a batch, as WAV files."""
    summary = protos.Summary()
    sounds = tensor[..., np.newaxis] if tensor.ndim == 2 else tensor
    rate = float(sample_rate)
    for sound, name in zip(sounds, _numbered(tag, "audio", max_outputs)):
        audio = summary.value.add(tag=name).audio
        audio.sample_rate, audio.content_type = rate, "audio/wav"
        audio.length_frames, audio.num_channels = sound.shape
        audio.encoded_audio_string = wav.encoded(sound, int(rate))
    return _serialized(summary)


@op("TensorSummaryV2", infer=_TEXT, outputs=("summary",), host=_HOST, grad=None)
def tensor_summary_v2(xp, tag: Free, tensor: Free, serialized_summary_metadata: Free):
    """Return a summary of a tensor, with its metadata."""
    summary = protos.Summary()
    value = summary.value.add(tag=_text(tag))
    value.tensor.MergeFromString(tensor_message(tensor))
    value.metadata.MergeFromString(serialized_summary_metadata.item())
    return _serialized(summary)


@op("MergeSummary", infer=_TEXT, outputs=("summary",), host=_HOST, grad=None)
def merge_summary(xp, inputs: ManyFree):
    """Merge serialized summaries into one; tags must not repeat."""
    summary = protos.Summary()
    tags: set[str] = set()
    for message in (each for array in inputs for each in array.reshape(-1)):
        part = protos.Summary.FromString(message)
        for value in part.value:
            if value.tag in tags:
                raise InvalidArgumentError(
                    None, None, f"MergeSummary: two summaries have the tag {value.tag!r}."
                )
            tags.add(value.tag)
        summary.MergeFrom(part)
    return _serialized(summary)
