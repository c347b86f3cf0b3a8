"""`ImageDataGenerator`: Keras 2's augmentation of images on the way to a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.config import floatx, standardize_data_format
from tapeflow._src.keras.preprocessing.image.array_iterator import NumpyArrayIterator, check_images
from tapeflow._src.keras.preprocessing.image.file_iterators import (
    DataFrameIterator,
    DirectoryIterator,
)
from tapeflow._src.keras.preprocessing.image.transforms import (
    apply_affine_transform,
    apply_brightness_shift,
    apply_channel_shift,
    flip_axis,
)


class ImageDataGenerator:
    """Makes batches of images that are transformed at random (Keras 2).

    New programs use the layers `tf.keras.layers.Random…` and
    `tf.keras.utils.image_dataset_from_directory`.

    Args:
        featurewise_center: Whether to subtract the mean of the data passed to `fit`.
        samplewise_center: Whether to subtract the mean of each image.
        featurewise_std_normalization: Whether to divide by the deviation of the data passed to
            `fit`.
        samplewise_std_normalization: Whether to divide by the deviation of each image.
        zca_whitening: Whether to apply ZCA whitening, measured by `fit`.
        zca_epsilon: Added to singular values for numerical stability.
        rotation_range: Largest angle, in degrees.
        width_shift_range: A fraction of the width, a number of pixels, or a list of shifts.
        height_shift_range: The same of the height.
        brightness_range: Two factors; None for none.
        shear_range: Largest angle, in degrees.
        zoom_range: Two factors, or one number `z` for `(1 - z, 1 + z)`.
        channel_shift_range: Largest number that is added.
        fill_mode: What lies outside: `"nearest"`, `"constant"` (`cval`), `"reflect"` or `"wrap"`.
        cval: Value outside for `"constant"`.
        horizontal_flip: Whether half of the images are mirrored from left to right.
        vertical_flip: Whether half of the images are turned upside down.
        rescale: Factor of all values; None for none.
        preprocessing_function: Function of an image, applied before it is standardized.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        validation_split: Fraction of images for `subset="validation"`.
        interpolation_order: 0 or 1; higher ones need SciPy.
        dtype: Dtype of the batches; None for `floatx()`.

    Raises:
        ValueError: A range has not two numbers, or `validation_split` is not between 0 and 1.

    Example:
        >>> generator = tf.keras.preprocessing.image.ImageDataGenerator(rescale=1 / 255)
        >>> images, labels = next(generator.flow(np.ones((8, 4, 4, 3)), np.arange(8), batch_size=2))
        >>> images.shape, labels.shape
        ((2, 4, 4, 3), (2,))
    """

    def __init__(
        self,
        featurewise_center: bool = False,
        samplewise_center: bool = False,
        featurewise_std_normalization: bool = False,
        samplewise_std_normalization: bool = False,
        zca_whitening: bool = False,
        zca_epsilon: float = 1e-6,
        rotation_range: float = 0,
        width_shift_range: Any = 0.0,
        height_shift_range: Any = 0.0,
        brightness_range: Any = None,
        shear_range: float = 0.0,
        zoom_range: Any = 0.0,
        channel_shift_range: float = 0.0,
        fill_mode: str = "nearest",
        cval: float = 0.0,
        horizontal_flip: bool = False,
        vertical_flip: bool = False,
        rescale: float | None = None,
        preprocessing_function: Any = None,
        data_format: str | None = None,
        validation_split: float = 0.0,
        interpolation_order: int = 1,
        dtype: Any = None,
    ) -> None:
        self.featurewise_center, self.samplewise_center = featurewise_center, samplewise_center
        self.featurewise_std_normalization = featurewise_std_normalization
        self.samplewise_std_normalization = samplewise_std_normalization
        self.zca_whitening, self.zca_epsilon = zca_whitening, zca_epsilon
        self.rotation_range, self.shear_range = rotation_range, shear_range
        self.width_shift_range, self.height_shift_range = width_shift_range, height_shift_range
        self.brightness_range = _pair(brightness_range, "brightness_range")
        if isinstance(zoom_range, (float, int)):
            zoom_range = [1 - zoom_range, 1 + zoom_range]
        self.zoom_range = list(_pair(zoom_range, "zoom_range"))
        self.channel_shift_range = channel_shift_range
        self.fill_mode, self.cval = fill_mode, cval
        self.horizontal_flip, self.vertical_flip = horizontal_flip, vertical_flip
        self.rescale, self.preprocessing_function = rescale, preprocessing_function
        self.dtype, self.interpolation_order = dtype or floatx(), interpolation_order
        self.data_format = standardize_data_format(data_format)
        last = self.data_format == "channels_last"
        self.channel_axis, self.row_axis, self.col_axis = (3, 1, 2) if last else (1, 2, 3)
        if validation_split and not 0 < validation_split < 1:
            raise ValueError(
                f"`validation_split` must be between 0 and 1. Received: {validation_split}"
            )
        self._validation_split = validation_split
        self.mean: Any = None
        self.std: Any = None
        self.zca_whitening_matrix: Any = None
        self._settle()

    def _settle(self) -> None:
        """Switch on what other settings need, and off what they replace."""
        if self.zca_whitening and self.featurewise_std_normalization:
            warn_user("`zca_whitening` replaces `featurewise_std_normalization`.")
            self.featurewise_std_normalization = False
        for name, needed in (
            ("zca_whitening", "featurewise_center"),
            ("featurewise_std_normalization", "featurewise_center"),
            ("samplewise_std_normalization", "samplewise_center"),
        ):
            if getattr(self, name) and not getattr(self, needed):
                warn_user(f"`{name}` needs `{needed}`, which is switched on.")
                setattr(self, needed, True)

    # -- iterators ---------------------------------------------------------------------------

    def flow(
        self,
        x: Any,
        y: Any = None,
        batch_size: int = 32,
        shuffle: bool = True,
        sample_weight: Any = None,
        seed: int | None = None,
        save_to_dir: Any = None,
        save_prefix: str = "",
        save_format: str = "png",
        ignore_class_split: bool = False,
        subset: str | None = None,
    ) -> NumpyArrayIterator:
        """Return batches of arrays, as `NumpyArrayIterator` does.

        Args:
            x: Images of rank 4, or a pair of them and other arrays, which are passed along.
            y: Targets.
            batch_size: Number of images per batch.
            shuffle: Whether the order is another one in each epoch.
            sample_weight: Weights of the samples.
            seed: Seed of the order and of what is random about the images.
            save_to_dir: Folder that transformed images are written to; None for none.
            save_prefix: Beginning of their names.
            save_format: Ending of their names, which is their format.
            ignore_class_split: Whether the subsets may have other classes.
            subset: `"training"` or `"validation"`, by the generator's `validation_split`.

        Returns:
            A `NumpyArrayIterator`.
        """
        return NumpyArrayIterator(
            *(x, y, self, batch_size, shuffle, sample_weight, seed, self.data_format),
            *(save_to_dir, save_prefix, save_format, subset, ignore_class_split, self.dtype),
        )

    def flow_from_directory(
        self,
        directory: Any,
        target_size: Any = (256, 256),
        color_mode: str = "rgb",
        classes: Any = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        save_to_dir: Any = None,
        save_prefix: str = "",
        save_format: str = "png",
        follow_links: bool = False,
        subset: str | None = None,
        interpolation: str = "nearest",
        keep_aspect_ratio: bool = False,
    ) -> DirectoryIterator:
        """Return batches of files in folders, as `DirectoryIterator` does.

        Args:
            directory: Folder with the folders of the classes.
            target_size: `(height, width)` that images are resized to.
            color_mode: `"rgb"`, `"rgba"` or `"grayscale"`.
            classes: Folders to use, in the order of the class numbers; None for all.
            class_mode: `"categorical"`, `"binary"`, `"sparse"`, `"input"` or None.
            batch_size: Number of images per batch.
            shuffle: Whether the order is another one in each epoch.
            seed: Seed of the order and of what is random about the images.
            save_to_dir: Folder that transformed images are written to; None for none.
            save_prefix: Beginning of their names.
            save_format: Ending of their names, which is their format.
            follow_links: Whether symbolic links to folders are followed.
            subset: `"training"` or `"validation"`, by the generator's `validation_split`.
            interpolation: Method of resizing, such as `"nearest"` or `"bilinear"`.
            keep_aspect_ratio: Whether images are cropped rather than distorted.

        Returns:
            A `DirectoryIterator`.
        """
        return DirectoryIterator(
            *(directory, self, target_size, color_mode, classes, class_mode, batch_size, shuffle),
            *(seed, self.data_format, save_to_dir, save_prefix, save_format, follow_links),
            *(subset, interpolation, keep_aspect_ratio, self.dtype),
        )

    def flow_from_dataframe(
        self,
        dataframe: Any,
        directory: Any = None,
        x_col: str = "filename",
        y_col: Any = "class",
        weight_col: str | None = None,
        target_size: Any = (256, 256),
        color_mode: str = "rgb",
        classes: Any = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        save_to_dir: Any = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        interpolation: str = "nearest",
        validate_filenames: bool = True,
        **kwargs: Any,
    ) -> DataFrameIterator:
        """Return batches of files that a data frame lists, as `DataFrameIterator` does.

        Args:
            dataframe: Pandas data frame with file names and targets.
            directory: Folder of the files; None for absolute paths.
            x_col: Column of file names.
            y_col: Column of targets, or a list of them.
            weight_col: Column of sample weights.
            target_size: `(height, width)` that images are resized to.
            color_mode: `"rgb"`, `"rgba"` or `"grayscale"`.
            classes: Classes to use, in the order of their numbers; None for all.
            class_mode: See `DataFrameIterator`.
            batch_size: Number of images per batch.
            shuffle: Whether the order is another one in each epoch.
            seed: Seed of the order and of what is random about the images.
            save_to_dir: Folder that transformed images are written to; None for none.
            save_prefix: Beginning of their names.
            save_format: Ending of their names, which is their format.
            subset: `"training"` or `"validation"`, by the generator's `validation_split`.
            interpolation: Method of resizing, such as `"nearest"` or `"bilinear"`.
            validate_filenames: Whether to leave out files that do not exist.
            **kwargs: Arguments of earlier versions, without effect.

        Returns:
            A `DataFrameIterator`.
        """
        for name in sorted({"has_ext", "sort", "drop_duplicates"} & kwargs.keys()):
            warn_user(f"`{name}` has no effect any more.", DeprecationWarning)
        class_mode = "raw" if class_mode == "other" else class_mode
        return DataFrameIterator(
            *(dataframe, directory, self, x_col, y_col, weight_col, target_size, color_mode),
            *(classes, class_mode, batch_size, shuffle, seed, self.data_format, save_to_dir),
            *(save_prefix, save_format, subset, interpolation),
            dtype=self.dtype,
            validate_filenames=validate_filenames,
        )

    # -- one image ---------------------------------------------------------------------------

    def standardize(self, x: np.ndarray) -> np.ndarray:
        """Normalize an image or a batch, in place where the array can be changed.

        Args:
            x: Array of floating-point numbers.

        Returns:
            The normalized array.
        """
        if self.preprocessing_function:
            x = self.preprocessing_function(x)
        if self.rescale:
            x *= self.rescale
        if self.samplewise_center:
            x -= x.mean()
        if self.samplewise_std_normalization:
            x /= x.std() + 1e-6
        mean = self._measured("featurewise_center", self.mean)
        if mean is not None:
            x -= mean
        deviation = self._measured("featurewise_std_normalization", self.std)
        if deviation is not None:
            x /= deviation + 1e-6
        whitening = self._measured("zca_whitening", self.zca_whitening_matrix)
        if whitening is None:
            return x
        return (x.reshape(-1, len(whitening)) @ whitening).reshape(x.shape)

    def _measured(self, setting: str, value: Any) -> Any:
        """Return what `fit` has measured for a setting; None if it is off, or not measured."""
        if not getattr(self, setting):
            return None
        if value is None:
            warn_user(f"`{setting}` has no effect before `fit(images)` was called.")
        return value

    def get_random_transform(self, img_shape: Any, seed: int | None = None) -> dict[str, Any]:
        """Draw the parameters of a transformation, for `apply_transform`.

        Args:
            img_shape: Shape of an image.
            seed: Seed of NumPy's global generator; None to draw on.

        Returns:
            A dict of parameters by name.
        """
        if seed is not None:
            np.random.seed(seed)
        uniform: Any = np.random.uniform
        theta = uniform(-self.rotation_range, self.rotation_range) if self.rotation_range else 0
        tx = _shift(self.height_shift_range, img_shape[self.row_axis - 1])
        ty = _shift(self.width_shift_range, img_shape[self.col_axis - 1])
        shear = uniform(-self.shear_range, self.shear_range) if self.shear_range else 0
        zx, zy = (1, 1) if self.zoom_range == [1, 1] else uniform(*self.zoom_range, 2)
        flips = [(np.random.random() < 0.5) * each for each in self._flips()]
        reach = self.channel_shift_range
        intensity = uniform(-reach, reach) if reach != 0 else None
        brightness = None if self.brightness_range is None else uniform(*self.brightness_range)
        return {
            "theta": theta,
            "tx": tx,
            "ty": ty,
            "shear": shear,
            "zx": zx,
            "zy": zy,
            "flip_horizontal": flips[0],
            "flip_vertical": flips[1],
            "channel_shift_intensity": intensity,
            "brightness": brightness,
        }

    def _flips(self) -> tuple[bool, bool]:
        return self.horizontal_flip, self.vertical_flip

    def apply_transform(self, x: np.ndarray, transform_parameters: dict[str, Any]) -> np.ndarray:
        """Transform an image by parameters, as `get_random_transform` returns them.

        They are the angle `theta`, the shifts `tx` and `ty`, `shear`, the zooms `zx` and `zy`,
        `flip_horizontal`, `flip_vertical`, `channel_shift_intensity` and `brightness`.

        Args:
            x: Image, of rank 3.
            transform_parameters: Dict of parameters by name; missing ones change nothing.

        Returns:
            The transformed image.
        """
        values = transform_parameters
        rows, columns, channels = (a - 1 for a in (self.row_axis, self.col_axis, self.channel_axis))
        x = apply_affine_transform(
            x,
            **{name: values.get(name, 0) for name in ("theta", "tx", "ty", "shear")},
            **{name: values.get(name, 1) for name in ("zx", "zy")},
            row_axis=rows,
            col_axis=columns,
            channel_axis=channels,
            fill_mode=self.fill_mode,
            cval=self.cval,
            order=self.interpolation_order,
        )
        if values.get("channel_shift_intensity") is not None:
            x = apply_channel_shift(x, values["channel_shift_intensity"], channels)
        if values.get("flip_horizontal"):
            x = flip_axis(x, columns)
        if values.get("flip_vertical"):
            x = flip_axis(x, rows)
        if values.get("brightness") is not None:
            x = apply_brightness_shift(x, values["brightness"], False)
        return x

    def random_transform(self, x: np.ndarray, seed: int | None = None) -> np.ndarray:
        """Transform an image at random.

        Args:
            x: Image, of rank 3.
            seed: Seed of NumPy's global generator; None to draw on.

        Returns:
            The transformed image.
        """
        return self.apply_transform(x, self.get_random_transform(x.shape, seed))

    def fit(self, x: Any, augment: bool = False, rounds: int = 1, seed: int | None = None) -> None:
        """Measure means, deviations and the whitening of sample images.

        Args:
            x: Images of rank 4.
            augment: Whether to measure transformed images.
            rounds: How often the images are transformed for it.
            seed: Seed of NumPy's global generator; None to draw on.

        Raises:
            ValueError: The images are not of rank 4.
        """
        x = np.array(x, dtype=self.dtype)
        check_images(x, self.data_format)
        if seed is not None:
            np.random.seed(seed)
        if self.rescale:
            x *= self.rescale
        if augment:
            x = np.stack([self.random_transform(each) for _ in range(rounds) for each in x])
            x = x.astype(self.dtype)
        axes, shape = (0, self.row_axis, self.col_axis), [1, 1, 1]
        shape[self.channel_axis - 1] = x.shape[self.channel_axis]
        if self.featurewise_center:
            self.mean = np.mean(x, axis=axes).reshape(shape)
            x -= self.mean
        if self.featurewise_std_normalization:
            self.std = np.std(x, axis=axes).reshape(shape)
            x /= self.std + 1e-6
        if self.zca_whitening:
            flat = x.reshape(len(x), -1)
            u, s, _ = np.linalg.svd(flat.T, full_matrices=False)
            inverse = np.sqrt(len(x)) / (s + self.zca_epsilon)
            self.zca_whitening_matrix = (u * inverse) @ u.T


def _pair(values: Any, name: str) -> Any:
    """Return two numbers; None stays None."""
    if values is None:
        return None
    if (
        not isinstance(values, (tuple, list))
        or len(values) != 2
        or not all(isinstance(value, (int, float)) for value in values)
    ):
        raise ValueError(f"`{name}` must be two numbers. Received: {values}")
    return values


def _shift(reach: Any, length: int) -> Any:
    """Draw a shift: one of a list, or of whole numbers below an integer, or within a fraction."""
    if not np.any(reach):
        return 0
    if isinstance(reach, (float, np.floating)):
        shift = np.random.uniform(-reach, reach)
    else:
        shift = np.random.choice(reach) * np.random.choice([-1, 1])
    return shift * length if np.max(reach) < 1 else shift
