"""`tf.audio`: read and write WAV files."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.tensor import Tensor as _Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.io import audio as ops


def decode_wav(
    contents: TensorLike,
    desired_channels: int = -1,
    desired_samples: int = -1,
    name: str | None = None,
) -> Any:
    """Decode a 16-bit WAV file to float samples in [-1, 1] and its sample rate.

    Args:
        contents: The file, a scalar string.
        desired_channels: Number of channels; -1 for that of the file.
        desired_samples: Number of samples, cut or padded with zeros; -1 for that of the file.

    Returns:
        A named tuple: `audio` of shape (samples, channels), and `sample_rate`.

    Example:
        >>> file = tf.audio.encode_wav([[0.0], [0.5]], 8000)
        >>> tf.audio.decode_wav(file).audio.numpy().round(2)
        array([[0. ],
               [0.5]], dtype=float32)
    """
    result = ops.decode_wav(
        contents, desired_channels=desired_channels, desired_samples=desired_samples, name=name
    )
    return ops.decode_wav.result_type(*result)


def encode_wav(audio: TensorLike, sample_rate: Any, name: str | None = None) -> _Tensor:
    """Encode samples in [-1, 1], of shape `[samples, channels]`, as a 16-bit WAV file.

    Args:
        audio: Floats of shape (samples, channels).
        sample_rate: Samples a second.

    Returns:
        A scalar string tensor: the file.

    Example:
        >>> tf.audio.encode_wav([[0.0], [0.5]], 8000).dtype
        tf.string
    """
    return ops.encode_wav(dispatch.convert(audio, dtypes.float32), sample_rate, name=name)
