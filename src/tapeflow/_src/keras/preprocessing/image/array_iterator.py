"""`NumpyArrayIterator`: augmented batches of images in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.config import floatx, image_data_format
from tapeflow._src.keras.preprocessing.image.iterator import Iterator


class NumpyArrayIterator(Iterator):
    """Batches of images, targets and weights from arrays (Keras 2).

    Args:
        x: Images of rank 4, or a pair of them and other arrays, which are passed along.
        y: Targets; None for none.
        image_data_generator: An `ImageDataGenerator`, which transforms the images.
        batch_size: Number of images per batch.
        shuffle: Whether the order is another one in each epoch.
        sample_weight: Weights of the samples.
        seed: Seed of the order and of what is random about the images.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        save_to_dir: Folder that transformed images are written to; None for none.
        save_prefix: Beginning of their names.
        save_format: Ending of their names, which is their format.
        subset: `"training"` or `"validation"`, by the generator's `validation_split`.
        ignore_class_split: Whether the subsets may have other classes.
        dtype: Dtype of the images; None for `floatx()`.

    Raises:
        ValueError: Lengths differ, the images are not of rank 4, or the subset is unknown.

    Example:
        >>> generator = tf.keras.preprocessing.image.ImageDataGenerator()
        >>> batches = tf.keras.preprocessing.image.NumpyArrayIterator(
        ...     np.ones((8, 4, 4, 3)), np.arange(8), generator, batch_size=2
        ... )
        >>> len(batches)
        4
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        image_data_generator: Any,
        batch_size: int = 32,
        shuffle: bool = False,
        sample_weight: Any = None,
        seed: int | None = None,
        data_format: str | None = None,
        save_to_dir: Any = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        ignore_class_split: bool = False,
        dtype: Any = None,
    ) -> None:
        self.data_format = data_format or image_data_format()
        self.dtype = dtype or floatx()
        misc: list[np.ndarray] = []
        if isinstance(x, (tuple, list)):
            x, others = x
            misc = [np.asarray(each) for each in (others if isinstance(others, list) else [others])]
        for name, values in (("y", y), ("sample_weight", sample_weight)):
            if values is not None and len(values) != len(x):
                raise ValueError(
                    f"`x` and `{name}` must have the same length. Received: {len(x)} and "
                    f"{len(values)}"
                )
        if any(len(each) != len(x) for each in misc):
            raise ValueError(
                f"All arrays in `x` must have the same length. Received: "
                f"{[len(x), *map(len, misc)]}"
            )
        if subset is not None:
            border = int(len(x) * image_data_generator._validation_split)
            part = _part(subset, border, y, ignore_class_split)
            x, misc = x[part], [each[part] for each in misc]
            y = None if y is None else y[part]
        self.x = np.asarray(x, dtype=self.dtype)
        self.x_misc = misc
        check_images(self.x, self.data_format)
        self.y = None if y is None else np.asarray(y)
        self.sample_weight = None if sample_weight is None else np.asarray(sample_weight)
        self.image_data_generator = image_data_generator
        self.save_to_dir, self.save_prefix = save_to_dir, save_prefix
        self.save_format = save_format
        super().__init__(len(self.x), batch_size, shuffle, seed)

    def _get_batches_of_transformed_samples(self, index_array: np.ndarray) -> Any:
        images = np.zeros((len(index_array), *self.x.shape[1:]), dtype=self.dtype)
        make = self.image_data_generator
        for place, index in enumerate(index_array):
            x = self.x[index]
            x = make.apply_transform(x.astype(self.dtype), make.get_random_transform(x.shape))
            images[place] = make.standardize(x)
        self._save_images(images, index_array)
        others = [each[index_array] for each in self.x_misc]
        x_batch: Any = [images, *others] if others else images
        if self.y is None:
            return x_batch
        if self.sample_weight is None:
            return x_batch, self.y[index_array]
        return x_batch, self.y[index_array], self.sample_weight[index_array]


def _part(subset: str, border: int, y: Any, ignore_class_split: bool) -> slice:
    """Return the samples of a subset: those for validation come first."""
    if subset not in ("training", "validation"):
        raise ValueError(f"`subset` must be 'training' or 'validation'. Received: {subset!r}")
    if y is not None and not ignore_class_split:
        y = np.asarray(y)
        if not np.array_equal(np.unique(y[:border]), np.unique(y[border:])):
            raise ValueError(
                "Training and validation data have different classes: shuffle the samples before "
                "the split, or pass ignore_class_split=True."
            )
    return slice(None, border) if subset == "validation" else slice(border, None)


def check_images(x: np.ndarray, data_format: str) -> None:
    """Raise ValueError unless an array is a batch of images; warn of many channels."""
    if x.ndim != 4:
        raise ValueError(f"Expected images as an array of rank 4. Received the shape {x.shape}")
    axis = 3 if data_format == "channels_last" else 1
    if x.shape[axis] not in (1, 3, 4):
        warn_user(
            f"Expected 1, 3 or 4 channels on axis {axis} ({data_format}). Received the shape "
            f"{x.shape}"
        )
