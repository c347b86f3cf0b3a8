"""`DirectoryIterator` and `DataFrameIterator`: augmented batches of image files."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.config import floatx, image_data_format
from tapeflow._src.keras.preprocessing.image.iterator import Iterator
from tapeflow._src.keras.utils.console import print_message
from tapeflow._src.keras.utils.images import img_to_array, load_img

_CHANNELS = {"rgb": 3, "rgba": 4, "grayscale": 1}


class _FileIterator(Iterator):
    """Batches of image files, with targets by a class mode."""

    allowed_class_modes: set[Any] = set()
    sample_weight: Any = None
    labels: Any = None
    class_mode: Any
    class_indices: dict[Any, int]
    classes: Any
    dtype: Any

    def _set_reading(
        self, generator: Any, target_size: Any, color_mode: str, subset: Any, **settings: Any
    ) -> None:
        """Keep how files are read, and which part of them is meant."""
        if color_mode not in _CHANNELS:
            raise ValueError(
                f"Invalid color mode: {color_mode!r}; expected one of {sorted(_CHANNELS)}."
            )
        self.image_data_generator = generator
        self.target_size, self.color_mode = tuple(target_size), color_mode
        for name, value in settings.items():
            setattr(self, name, value)
        channels = (_CHANNELS[color_mode],)
        last = self.data_format == "channels_last"
        self.image_shape = self.target_size + channels if last else channels + self.target_size
        self.subset, self.split = subset, None
        if subset is not None:
            border = generator._validation_split
            parts = {"validation": (0, border), "training": (border, 1)}
            if subset not in parts:
                raise ValueError(
                    f"Invalid subset name: {subset!r}; expected 'training' or 'validation'."
                )
            self.split = parts[subset]

    def set_processing_attrs(
        self,
        image_data_generator: Any,
        target_size: Any,
        color_mode: str,
        data_format: str,
        save_to_dir: Any,
        save_prefix: str,
        save_format: str,
        subset: str | None,
        interpolation: str,
        keep_aspect_ratio: bool,
    ) -> None:
        """Set how files become batches from now on.

        Args:
            image_data_generator: An `ImageDataGenerator`, which transforms the images, or None.
            target_size: `(height, width)` that images are resized to.
            color_mode: `"rgb"`, `"rgba"` or `"grayscale"`.
            data_format: `"channels_last"` or `"channels_first"`.
            save_to_dir: Folder that transformed images are written to; None for none.
            save_prefix: Beginning of their names.
            save_format: Ending of their names, which is their format.
            subset: `"training"` or `"validation"`, by the generator's `validation_split`.
            interpolation: Method of resizing, such as `"nearest"` or `"bilinear"`.
            keep_aspect_ratio: Whether images are cropped rather than distorted.

        Raises:
            ValueError: The color mode or the subset is unknown.
        """
        settings = locals()
        named = ("image_data_generator", "target_size", "color_mode", "subset")
        generator, size, mode, part = (settings.pop(name) for name in named)
        del settings["self"]
        self._set_reading(generator, size, mode, part, **settings)

    interpolation: str = "nearest"
    keep_aspect_ratio: bool = False

    def _check_class_mode(self, class_mode: Any) -> None:
        if class_mode not in self.allowed_class_modes:
            raise ValueError(
                f"Invalid class_mode: {class_mode!r}; expected one of {self.allowed_class_modes}."
            )
        self.class_mode = class_mode

    @property
    def filepaths(self) -> list[str]:
        """The paths of the images."""
        return self._filepaths

    _filepaths: list[str]

    def _get_batches_of_transformed_samples(self, index_array: np.ndarray) -> Any:
        images = np.zeros((len(index_array), *self.image_shape), dtype=self.dtype)
        for place, index in enumerate(index_array):
            images[place] = self._image(self.filepaths[index])
        self._save_images(images, index_array)
        if self.class_mode is None:
            return images
        targets = self._targets_of(images, index_array)
        if self.sample_weight is None:
            return images, targets
        return images, targets, self.sample_weight[index_array]

    def _image(self, path: str) -> np.ndarray:
        image = load_img(
            path,
            color_mode=self.color_mode,
            target_size=self.target_size,
            interpolation=self.interpolation,
            keep_aspect_ratio=self.keep_aspect_ratio,
        )
        x = img_to_array(image, data_format=self.data_format)
        make = self.image_data_generator
        if not make:
            return x
        # Pillow's memory is read-only.
        return make.standardize(make.apply_transform(x.copy(), make.get_random_transform(x.shape)))

    def _targets_of(self, images: np.ndarray, index_array: np.ndarray) -> Any:
        if self.class_mode == "input":
            return images.copy()
        if self.class_mode in ("binary", "sparse"):
            return np.array([self.classes[index] for index in index_array], dtype=self.dtype)
        if self.class_mode == "categorical":
            targets = np.zeros((len(images), len(self.class_indices)), dtype=self.dtype)
            for row, index in enumerate(index_array):
                targets[row, self.classes[index]] = 1.0
            return targets
        if self.class_mode == "multi_output":
            return [output[index_array] for output in self.labels]
        return self.labels[index_array]


class DirectoryIterator(_FileIterator):
    """Batches of the images in folders, one for each class (Keras 2).

    Args:
        directory: Folder with the folders of the classes.
        image_data_generator: An `ImageDataGenerator`, which transforms the images, or None.
        target_size: `(height, width)` that images are resized to.
        color_mode: `"rgb"`, `"rgba"` or `"grayscale"`.
        classes: Folders to use, in the order of the class numbers; None for all.
        class_mode: `"categorical"` (one-hot), `"binary"`, `"sparse"`, `"input"` for the images
            themselves, or None for no targets.
        batch_size: Number of images per batch.
        shuffle: Whether the order is another one in each epoch.
        seed: Seed of the order and of what is random about the images.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        save_to_dir: Folder that transformed images are written to; None for none.
        save_prefix: Beginning of their names.
        save_format: Ending of their names, which is their format.
        follow_links: Whether symbolic links to folders are followed.
        subset: `"training"` or `"validation"`, by the generator's `validation_split`.
        interpolation: Method of resizing, such as `"nearest"` or `"bilinear"`.
        keep_aspect_ratio: Whether images are cropped rather than distorted.
        dtype: Dtype of the images; None for `floatx()`.

    Raises:
        ValueError: The class mode, the color mode or the subset is unknown.
    """

    allowed_class_modes = {"categorical", "binary", "sparse", "input", None}

    def __init__(
        self,
        directory: Any,
        image_data_generator: Any,
        target_size: Any = (256, 256),
        color_mode: str = "rgb",
        classes: Any = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        data_format: str | None = None,
        save_to_dir: Any = None,
        save_prefix: str = "",
        save_format: str = "png",
        follow_links: bool = False,
        subset: str | None = None,
        interpolation: str = "nearest",
        keep_aspect_ratio: bool = False,
        dtype: Any = None,
    ) -> None:
        self._set_reading(
            *(image_data_generator, target_size, color_mode, subset),
            data_format=data_format or image_data_format(),
            save_to_dir=save_to_dir,
            save_prefix=save_prefix,
            save_format=save_format,
            interpolation=interpolation,
            keep_aspect_ratio=keep_aspect_ratio,
        )
        self.directory, self.dtype = directory, dtype or floatx()
        self._check_class_mode(class_mode)
        names = list(classes or ()) or _folders(directory)
        self.num_classes = len(names)
        self.class_indices = {name: number for number, name in enumerate(names)}
        with ThreadPoolExecutor() as pool:
            lists = list(pool.map(lambda name: self._files(name, follow_links), names))
        self.filenames = [path for each in lists for path in each]
        self.samples = len(self.filenames)
        counts = [len(each) for each in lists]
        self.classes = np.repeat(np.arange(len(names), dtype="int32"), counts)
        self.labels = self.classes
        print_message(f"Found {self.samples} images belonging to {self.num_classes} classes.")
        self._filepaths = [os.path.join(directory, path) for path in self.filenames]
        super().__init__(self.samples, batch_size, shuffle, seed)

    def _files(self, name: str, follow_links: bool) -> list[str]:
        """Return the images of a class, as paths from the directory on."""
        top = os.path.join(self.directory, name)
        paths = [
            os.path.relpath(os.path.join(root, file), self.directory)
            for root, _, files in sorted(os.walk(top, followlinks=follow_links))
            for file in sorted(files)
            if file.lower().endswith(self.white_list_formats)
        ]
        if self.split:
            start, stop = (int(share * len(paths)) for share in self.split)
            paths = paths[start:stop]
        return paths


def _folders(directory: Any) -> list[str]:
    with os.scandir(directory) as entries:
        return sorted(entry.name for entry in entries if entry.is_dir())


class DataFrameIterator(_FileIterator):
    """Batches of the images that a Pandas data frame lists (Keras 2).

    Args:
        dataframe: Data frame with a column of file names and columns of targets.
        directory: Folder of the files; None for absolute paths.
        image_data_generator: An `ImageDataGenerator`, which transforms the images, or None.
        x_col: Column of file names.
        y_col: Column of targets, or a list of them.
        weight_col: Column of sample weights.
        target_size: `(height, width)` that images are resized to.
        color_mode: `"rgb"`, `"rgba"` or `"grayscale"`.
        classes: Classes to use, in the order of their numbers; None for all.
        class_mode: `"categorical"`, `"binary"`, `"sparse"`, `"input"`, `"raw"` for the values
            themselves, `"multi_output"` for several columns, or None for no targets.
        batch_size: Number of images per batch.
        shuffle: Whether the order is another one in each epoch.
        seed: Seed of the order and of what is random about the images.
        data_format: `"channels_last"` or `"channels_first"`.
        save_to_dir: Folder that transformed images are written to; None for none.
        save_prefix: Beginning of their names.
        save_format: Ending of their names, which is their format.
        subset: `"training"` or `"validation"`, by the generator's `validation_split`.
        interpolation: Method of resizing, such as `"nearest"` or `"bilinear"`.
        keep_aspect_ratio: Whether images are cropped rather than distorted.
        dtype: Dtype of the images.
        validate_filenames: Whether to leave out files that do not exist.

    Raises:
        TypeError: A column has values of another kind.
        ValueError: The class mode, the color mode or the subset is unknown.
    """

    allowed_class_modes = {"binary", "categorical", "input", "multi_output", "raw", "sparse", None}

    def __init__(
        self,
        dataframe: Any,
        directory: Any = None,
        image_data_generator: Any = None,
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
        data_format: str = "channels_last",
        save_to_dir: Any = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        interpolation: str = "nearest",
        keep_aspect_ratio: bool = False,
        dtype: Any = "float32",
        validate_filenames: bool = True,
    ) -> None:
        self._set_reading(
            *(image_data_generator, target_size, color_mode, subset),
            data_format=data_format,
            save_to_dir=save_to_dir,
            save_prefix=save_prefix,
            save_format=save_format,
            interpolation=interpolation,
            keep_aspect_ratio=keep_aspect_ratio,
        )
        self.directory, self.dtype = directory or "", dtype
        self._check_class_mode(class_mode)
        self._check_columns(dataframe, x_col, y_col, weight_col, classes)
        frame = self._existing(dataframe, x_col) if validate_filenames else dataframe
        self._use(frame, x_col, y_col, weight_col, classes)
        super().__init__(self.samples, batch_size, shuffle, seed)

    def _use(self, frame: Any, x_col: str, y_col: Any, weight_col: Any, classes: Any) -> None:
        """Take file names, targets and weights from the frame."""
        classified = self.class_mode in ("binary", "categorical", "sparse")
        if classified:
            names = list(dict.fromkeys(classes)) if classes else _names(frame[y_col])
            self.class_indices = {name: number for number, name in enumerate(names)}
            kept = frame[y_col].map(lambda label: bool(self._numbers(label)))
            frame = frame[kept.astype(bool)]
        if self.split:
            start, stop = (int(share * len(frame)) for share in self.split)
            frame = frame.iloc[start:stop, :]
        if classified:
            single = [isinstance(label, str) for label in frame[y_col]]
            numbers = [self._numbers(label) for label in frame[y_col]]
            self.classes = [n[0] if one else n for n, one in zip(numbers, single)]
            self.labels = self.classes
        elif self.class_mode == "multi_output":
            self.labels = [np.array(frame[column].tolist()) for column in y_col]
        elif self.class_mode == "raw":
            self.labels = frame[y_col].values
        self.filenames = frame[x_col].tolist()
        self.sample_weight = frame[weight_col].values if weight_col else None
        self.samples = len(self.filenames)
        ending = f" belonging to {len(self.class_indices)} classes" if classified else ""
        print_message(f"Found {self.samples} image filenames{ending}.")
        self._filepaths = [os.path.join(self.directory, name) for name in self.filenames]

    def _numbers(self, label: Any) -> list[int]:
        """Return the numbers of the classes of a sample that are used."""
        if not isinstance(label, (str, list, tuple)):
            raise TypeError(f"Expected classes as texts or lists of them. Received: {label!r}")
        labels = [label] if isinstance(label, str) else label
        return [self.class_indices[each] for each in labels if each in self.class_indices]

    def _check_columns(
        self, frame: Any, x_col: str, y_col: Any, weight_col: Any, classes: Any
    ) -> None:
        mode = self.class_mode
        if mode == "multi_output" and not isinstance(y_col, list):
            raise TypeError(f"class_mode='multi_output' needs a list as y_col. Received: {y_col!r}")
        if not frame[x_col].map(lambda value: isinstance(value, str)).all():
            raise TypeError(f"All values of the column x_col={x_col!r} must be file names.")
        if mode in ("binary", "sparse", "categorical"):
            kinds: Any = (str, list, tuple) if mode == "categorical" else str
            if not frame[y_col].map(lambda value: isinstance(value, kinds)).all():
                raise TypeError(
                    f"With class_mode={mode!r} the column y_col={y_col!r} must hold names of "
                    f"classes."
                )
        if mode == "binary":
            count = len(set(classes)) if classes else frame[y_col].nunique()
            if count != 2:
                raise ValueError(f"class_mode='binary' needs 2 classes. Received: {count}")
        if classes and mode not in ("binary", "sparse", "categorical"):
            warn_user(f"`classes` has no meaning with class_mode={mode!r}.")
        if weight_col and frame[weight_col].dtype.kind not in "iufb":
            raise TypeError(f"The column weight_col={weight_col!r} must hold numbers.")

    def _existing(self, frame: Any, x_col: str) -> Any:
        def is_there(name: str) -> bool:
            path = os.path.join(self.directory, name)
            return name.lower().endswith(self.white_list_formats) and os.path.isfile(path)

        there = frame[x_col].map(is_there).astype(bool)
        missing = int((~there).sum())
        if missing:
            warn_user(
                f"{missing} files of the column x_col={x_col!r} are no images or not there: they "
                f"are left out."
            )
        return frame[there]


def _names(column: Any) -> list[Any]:
    """Return the sorted names of classes in a column of names and lists of names."""
    names: set[Any] = set()
    for value in column:
        names.update(value if isinstance(value, (list, tuple)) else [value])
    return sorted(names)
