"""Images as the models expect them, and the names of their classes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.keras.applications.architecture import cached_file
from tapeflow._src.keras.config import floatx, image_data_format
from tapeflow._src.keras.keras_tensor import KerasTensor

_CLASSES = "https://storage.googleapis.com/download.tensorflow.org/data/imagenet_class_index.json"
# By mode: whether colours are reversed, what images are divided by, means and deviations.
_MODES: dict[str, tuple[bool, float, Any, Any]] = {
    "caffe": (True, 1.0, (103.939, 116.779, 123.68), None),
    "tf": (False, 127.5, (1.0, 1.0, 1.0), None),
    "torch": (False, 255.0, (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
}


def preprocess_input(x: Any, data_format: str | None = None, mode: str = "caffe") -> Any:
    """Scale images of values from 0 to 255 for a model.

    An array of floating-point numbers is scaled in place, as Keras does.

    Args:
        x: an array or a tensor of images, with 3 channels.
        data_format: "channels_last" or "channels_first"; None for the setting.
        mode: "caffe" (blue first, the mean subtracted), "tf" (from -1 to 1), or "torch" (from 0 to
            1, then the mean subtracted and divided by the standard deviation).

    Returns:
        An array or a tensor of floating-point numbers.

    Raises:
        ValueError: `mode` or `data_format` has another value.

    Example:
        >>> tf.keras.applications.imagenet_utils.preprocess_input(np.zeros((1, 1, 3)), mode="tf")
        array([[[-1., -1., -1.]]])

    Example:
        >>> image = np.full((1, 2, 2, 3), 128.0, np.float32)
        >>> tf.keras.applications.vgg16.preprocess_input(image)[0, 0, 0]
        array([24.060997 , 11.221001 ,  4.3199997], dtype=float32)
    """
    if mode not in _MODES:
        raise ValueError(f"`mode` must be one of {sorted(_MODES)}. Received: mode={mode!r}")
    data_format = image_data_format() if data_format is None else data_format
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(f"Expected 'channels_last' or 'channels_first', received {data_format!r}")
    reverse, scale, mean, deviation = _MODES[mode]
    x = _as_floats(x)
    last = data_format == "channels_last"
    if reverse:
        rank = len(x.shape)
        x = x[..., ::-1] if last else x[::-1] if rank == 3 else x[:, ::-1]
    shape = (3,) if last else (3, 1, 1)
    if isinstance(x, np.ndarray) and x.flags.writeable:
        x /= scale
        x -= np.asarray(mean, x.dtype).reshape(shape)
        if deviation is not None:
            x /= np.asarray(deviation, x.dtype).reshape(shape)
        return x
    dtype = x.dtype if isinstance(x, np.ndarray) else tf.as_dtype(x.dtype).as_numpy_dtype
    x = x / np.asarray(scale, dtype) - np.asarray(mean, dtype).reshape(shape)
    return x if deviation is None else x / np.asarray(deviation, dtype).reshape(shape)


def _as_floats(x: Any) -> Any:
    if isinstance(x, KerasTensor):
        return x if "float" in x.dtype else tf.keras.ops.cast(x, floatx())
    if isinstance(x, (tf.Tensor, tf.Variable)):
        return x if x.dtype.is_floating else tf.cast(x, floatx())
    x = np.asarray(x)
    return x if x.dtype.kind == "f" else x.astype(floatx())


def decode_predictions(preds: Any, top: int = 5) -> list[list[tuple[str, str, float]]]:
    """Return the most probable classes of predictions of an ImageNet model.

    The names come from the file `imagenet_class_index.json` in Keras' cache folder.

    Args:
        preds: Array of shape (batch, 1000).
        top: How many classes to return.

    Returns:
        For each sample a list of (identifier, name, score), the best first.

    Raises:
        ValueError: `preds` has another shape.
        FileNotFoundError: The file is not in the cache folder.
    """
    shape = tuple(preds.shape)
    if len(shape) != 2 or shape[1] != 1000:
        raise ValueError(
            f"Expected predictions of shape (batch, 1000), for the classes of ImageNet. Received: "
            f"{shape}"
        )
    with open(cached_file(_CLASSES), encoding="utf-8") as file:
        names = json.load(file)
    scores = np.asarray(preds)
    best = np.argsort(-scores, axis=1, kind="stable")[:, :top]
    return [
        [(*names[str(number)], row[number]) for number in chosen]
        for row, chosen in zip(scores, best)
    ]


_TEXT = """{what}

    Args:
        x: An array or a tensor of images, with 3 channels.
        data_format: "channels_last" or "channels_first"; None for the setting.

    Returns:
        An array or a tensor; an array of floating-point numbers may be changed in place.
    """


def preprocessor(mode: str | None) -> Callable[..., Any]:
    """Return the function `preprocess_input` of a model.

    Args:
        mode: A mode of `preprocess_input`; None leaves images as they are.

    Returns:
        A function of images and a data format.
    """

    def function(x: Any, data_format: str | None = None) -> Any:
        return x if mode is None else preprocess_input(x, data_format=data_format, mode=mode)

    function.__name__ = function.__qualname__ = "preprocess_input"
    what = (
        "Return images as they are: the model scales them."
        if mode is None
        else f"Scale images of values from 0 to 255 as by `imagenet_utils` in the mode {mode!r}."
    )
    function.__doc__ = _TEXT.format(what=what)
    return function
