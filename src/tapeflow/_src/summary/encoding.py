"""Arrays as TensorBoard's plugins take them: rows of histograms, PNG and WAV files."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core import protos
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.types import TensorLike
from tapeflow._src.kernels.codecs import png
from tapeflow._src.ops.io import audio as wav

# The content of the metadata of sounds that are WAV files: `encoding=11`.
WAV = b"\x10\x0b"
BUCKETS = 30
# Grey, with and without opacity, and colours.
_CHANNELS = (1, 2, 3, 4)


def metadata(plugin: str, content: bytes = b"", description: str | None = None) -> Any:
    """Return the message that says which plugin of TensorBoard shows a tensor."""
    message = protos.SummaryMetadata()
    message.plugin_data.plugin_name = plugin
    message.plugin_data.content = content
    if description is not None:
        message.summary_description = description
    return message


def histogram_rows(values: TensorLike, buckets: Any = BUCKETS) -> Any:
    """Return a row for each of `buckets` equal parts of the range: both borders, and a count.

    Values that are all equal are in the last bucket. Without values all rows are 0. With NaN among
    them, which have no range, the borders are NaN and the counts 0.
    """
    values = np.asarray(values, np.float64).reshape(-1)
    count = max(0, int(buckets))
    if not values.size or not count:
        return np.zeros((count, 3))
    low, high = values.min(), values.max()
    counts = np.zeros(count)
    if low == high:
        counts[-1] = values.size
        edges = np.full(count + 1, low)
    else:
        with np.errstate(all="ignore"):
            edges = low + np.arange(count + 1) * ((high - low) / count)
            edges[0], edges[-1] = low, high
            positions = np.floor((values - low) / ((high - low) / count))
            inside = positions[positions >= 0]  # not NaN
        counts += np.bincount(np.minimum(inside, count - 1).astype(np.int64), minlength=count)
    return np.stack([edges[:-1], edges[1:], counts], axis=1)


def image_blobs(pixels: Any, count: Any) -> Any:
    """Return the width, the height, and the first images of a batch of bytes as PNG files."""
    if pixels.shape[3] not in _CHANNELS:
        raise InvalidArgumentError(
            None,
            None,
            f"tf.summary.image: expected images of 1 to 4 channels, received shape {pixels.shape}.",
        )
    sizes = [str(size).encode() for size in (pixels.shape[2], pixels.shape[1])]
    return np.array([*sizes, *(png.encode(each) for each in pixels[: int(count)])], object)


def audio_blobs(sounds: Any, sample_rate: Any, count: Any) -> Any:
    """Return a row for each of the first sounds of a batch: a WAV file, and an empty label."""
    rows = [[wav.encoded(each, int(sample_rate)), b""] for each in sounds[: int(count)]]
    return np.array(rows, object).reshape(-1, 2)
