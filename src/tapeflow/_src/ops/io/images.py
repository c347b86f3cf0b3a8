"""Image files as tensors, and back.

Pillow does the work, except of PNG files with 16 bits and of most JPEG files.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.errors import (
    OpError,
    ResourceExhaustedError,
    UnimplementedError,
    fmt_shape,
    invalid,
)
from tapeflow._src.core.infer import require_rank, require_rank_at_least
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.registry import Free, InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.kernels.codecs import bmp, jpeg, png
from tapeflow._src.ops.strings.text import STRING, bytes_array, one_of

pillow = LazyModule("PIL.Image", "image files", install="pillow")
_HOST = "image files"
_STARTS = {
    b"\xff\xd8\xff": "JPEG",
    b"\x89PNG\r\n\x1a\n": "PNG",
    b"GIF8": "GIF",
    b"BM": "BMP",
}
# Larger pictures and animations are refused before anything is allocated for them.
_MOST_PIXELS = 1 << 29
_MOST_BYTES = 1 << 32
_UNKNOWN = "Unknown image file format. One of JPEG, PNG, GIF, BMP required."


def file_format(data: bytes) -> str | None:
    """Return the format of an image file from its first bytes; WebP by its container."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WEBP"
    for start, name in _STARTS.items():
        if data.startswith(start):
            return name
    return None


@contextmanager
def _refused(kind: str, size: int) -> Iterator[None]:
    """Raise whatever Pillow raises about damaged data as InvalidArgumentError."""
    try:
        yield
    except ImportError as error:
        raise UnimplementedError(None, None, str(error)) from error
    except (OpError, MemoryError):
        raise
    except Exception as error:
        raise invalid(f"Expected a {kind} file, received {size} damaged bytes: {error}.") from error


def _opened(data: bytes, kind: str) -> Any:
    """Read the header of a file.

    By Pillow's own decoder of that format: `PIL.Image.open` warns of pictures of 90 million pixels
    and refuses those of 180 million, which TensorFlow reads.
    """
    with _refused(kind, len(data)):
        pillow.preinit()
        if kind not in pillow.OPEN:
            pillow.init()
        factory, _ = pillow.OPEN[kind]
        image = factory(io.BytesIO(data), "")
    width, height = image.size
    if width * height > _MOST_PIXELS:
        raise invalid(
            f"Expected a {kind} picture of at most {_MOST_PIXELS:,} pixels, received a header of "
            f"{width} x {height}."
        )
    return image


def _loaded(image: Any, kind: str, size: int) -> Any:
    with _refused(kind, size):
        image.load()
    return image


def _frames(data: bytes, kind: str, channels: int, all_frames: bool) -> Iterator[Any]:
    """Yield the frames of an animation, decoded."""
    image = _opened(data, kind)
    with _refused(kind, len(data)):
        count = image.n_frames if all_frames else 1
    needed = count * image.size[0] * image.size[1] * channels
    if needed > _MOST_BYTES:
        raise ResourceExhaustedError(
            None,
            None,
            f"A {kind} file of {count} frames of {image.size[0]} x {image.size[1]} pixels needs "
            f"{needed:,} bytes, at most {_MOST_BYTES:,} are allocated. Decode the first frame with "
            f"decode_image(..., expand_animations=False).",
        )
    for number in range(count):
        with _refused(kind, len(data)):
            image.seek(number)
            image.load()
        yield image


# -- one picture -------------------------------------------------------------------------------


def _natural_mode(image: Any) -> str:
    """Return the mode with the image's own channels."""
    if image.mode == "P":
        return "RGBA" if "transparency" in image.info else "RGB"
    if image.mode in ("1", "L", "I;16", "I", "F"):
        return "LA" if "transparency" in image.info else "L"
    return image.mode if image.mode in ("LA", "RGB", "RGBA") else "RGB"


def _pixels(image: Any, channels: int) -> np.ndarray:
    """Return `[height, width, channels]` of an 8-bit image; 0 channels means as many as it has."""
    mode = _natural_mode(image)
    array = np.asarray(image if image.mode == mode else image.convert(mode))
    return png.as_channels(array[..., None] if array.ndim == 2 else array, channels)


def _decode_png(data: bytes, channels: int, wide: bool) -> np.ndarray:
    png.check_size(data)
    if png.bit_depth(data) == 16:
        array = png.as_channels(png.decode(data), channels)
        return array if wide else (array >> 8).astype(np.uint8)
    small = png.decode_small(data)
    if small is not None:
        own = channels in (0, small.shape[-1])
        array = small if own else png.as_channels(small, channels)
    else:
        image = _loaded(_opened(png.without_text(data), "PNG"), "PNG", len(data))
        array = _pixels(image, channels)
    return array.astype(np.uint16) * 257 if wide else array


def _decode_jpeg(
    data: bytes, channels: int, ratio: int = 1, smooth: bool = True, method: str = ""
) -> np.ndarray:
    quick = method != "INTEGER_ACCURATE"
    if quick and smooth and ratio == 1:
        picture = jpeg.decoded(data, channels, _MOST_PIXELS)
        if picture is not None:
            return picture
    image = _opened(data, "JPEG")
    with _refused("JPEG", len(data)):
        by = jpeg.prepare(image, channels, ratio, quick, smooth)
    loaded = _loaded(image, "JPEG", len(data))
    if loaded.mode == "CMYK":
        if channels == 1:
            raise invalid("Expected a JPEG file in color or gray for 1 channel, received CMYK.")
        colors = jpeg.from_cmyk(np.asarray(loaded))
    elif by is None:
        return _pixels(loaded, channels)
    else:
        colors = jpeg.smoothed(np.asarray(loaded), by)
    if channels == 4:
        return np.concatenate([colors, np.full_like(colors[..., :1], 255)], -1)
    return colors


def _decode_gif(data: bytes, all_frames: bool = True) -> np.ndarray:
    frames = _frames(data, "GIF", 3, all_frames)
    return np.stack([np.asarray(frame.convert("RGB")) for frame in frames])


def _decode_webp(data: bytes, channels: int, all_frames: bool = True) -> np.ndarray:
    frames = _frames(data, "WEBP", channels or 4, all_frames)
    return np.stack([_pixels(frame, channels) for frame in frames])


def _decode_any(
    data: bytes, channels: int, wide: bool = False, ratio: int = 1, **options: Any
) -> np.ndarray:
    """Decode a single image of any format; the options are those of JPEG files."""
    match file_format(data):
        case "JPEG":
            array = _decode_jpeg(data, channels, ratio, **options)
        case "PNG":
            return _decode_png(data, channels, wide)
        case "BMP":
            array = bmp.decode(data, channels)
        case "GIF":
            if channels not in (0, 3):
                raise invalid(f"channels must be 0 or 3 for GIF, got {channels}")
            frames = _decode_gif(data)
            if len(frames) > 1:
                raise invalid(
                    f"Got {len(frames)} frames, but animated gifs can only be decoded by "
                    f"tf.io.decode_gif or tf.io.decode_image"
                )
            array = frames[0]
        case "WEBP":
            array = _decode_webp(data, channels, all_frames=False)[0]
        case _:
            raise invalid(_UNKNOWN)
    return array.astype(np.uint16) * 257 if wide else array


# -- decoding ----------------------------------------------------------------------------------


def _check_contents(contents: Any, channels: int) -> None:
    if contents.shape not in ((), None):
        raise InferError(f"`contents` must be scalar but got shape{fmt_shape(contents.shape)}")
    if channels not in (0, 1, 3, 4):
        raise InferError(f"`channels` must be 0, 1, 3 or 4 but got {channels}")


def _picture(channels: int, dtype: Any = dtypes.uint8) -> Spec:
    return Spec((None, None, channels or None), dtype)


@op("DecodePng", dtypes=STRING, grad=None, host=_HOST, checked=True)
def decode_png(xp, contents, *, channels=0, dtype=dtypes.uint8):
    """Decode a PNG file of 8 or 16 bits, or a single image of another format."""
    return _decode_any(contents.item(), channels, as_dtype(dtype) is dtypes.uint16)


@decode_png.infer
def _(contents, *, channels, dtype):
    _check_contents(contents, channels)
    kind = as_dtype(dtype)
    if kind not in (dtypes.uint8, dtypes.uint16):
        raise InferError(f"`dtype` must be uint8 or uint16 but got {kind.name}")
    return _picture(channels, kind)


@op("DecodeWebP", dtypes=STRING, grad=None, host=_HOST, checked=True)
def decode_webp(xp, contents, *, channels=0, dtype=dtypes.uint8):
    """Decode the frames of a WebP file along a first axis, also if there is only one."""
    data = contents.item()
    if file_format(data) != "WEBP":
        raise invalid("Trying to decode a file that is no WebP using DecodeWebP op.")
    return _decode_webp(data, channels)


@decode_webp.infer
def _(contents, *, channels, dtype):
    _check_contents(contents, channels)
    if as_dtype(dtype) is not dtypes.uint8:
        raise InferError(f"`dtype` must be uint8 but got {as_dtype(dtype).name}")
    return Spec((None, None, None, channels or None), dtypes.uint8)


@op("DecodeBmp", dtypes=STRING, grad=None, host=_HOST, checked=True)
def decode_bmp(xp, contents, *, channels=0):
    """Decode a BMP file."""
    data = contents.item()
    kind = file_format(data)
    if kind not in ("BMP", None):
        raise invalid(
            f"Trying to decode {kind} format using DecodeBmp op. Use `decode_{kind.lower()}` or "
            f"`decode_image` instead."
        )
    if kind is None:
        raise invalid(_UNKNOWN)
    return bmp.decode(data, channels)


@decode_bmp.infer
def _(contents, *, channels):
    _check_contents(contents, channels)
    if channels == 1:
        raise InferError("`channels` must be 0, 3 or 4 for BMP, but got 1")
    return _picture(channels)


@op("DecodeGif", dtypes=STRING, grad=None, host=_HOST, checked=True)
def decode_gif(xp, contents):
    """Decode the frames of a GIF file, or one image of another file, along a first axis."""
    data = contents.item()
    return _decode_gif(data) if file_format(data) == "GIF" else _decode_any(data, 3)[None]


@decode_gif.infer
def _(contents):
    _check_contents(contents, 0)
    return Spec((None, None, None, 3), dtypes.uint8)


@op("DecodeImage", dtypes=STRING, grad=None, host=_HOST, checked=True)
def decode_image(xp, contents, *, channels=0, dtype=dtypes.uint8, expand_animations=True):
    """Decode an image of any format; all frames of a GIF or WebP along axis 0, or the first."""
    data, kind = contents.item(), as_dtype(dtype)
    format_ = file_format(data)
    if format_ in ("GIF", "WEBP"):
        if format_ == "GIF" and channels not in (0, 3):
            raise invalid(f"channels must be 0 or 3 for GIF, got {channels}")
        if format_ == "GIF":
            frames = _decode_gif(data, expand_animations)
        else:
            frames = _decode_webp(data, channels, expand_animations)
        array = frames if expand_animations else frames[0]
        array = array.astype(np.uint16) * 257 if kind is not dtypes.uint8 else array
    else:
        array = _decode_any(data, channels, wide=kind is not dtypes.uint8)
    return array * np.float32(1 / 65535) if kind is dtypes.float32 else array


@decode_image.infer
def _(contents, *, channels, dtype, expand_animations):
    _check_contents(contents, channels)
    kind = as_dtype(dtype)
    if kind not in (dtypes.uint8, dtypes.uint16, dtypes.float32):
        raise InferError(f"`dtype` must be uint8, uint16 or float32 but got {kind.name}")
    return Spec(None, kind) if expand_animations else _picture(channels, kind)


# -- JPEG --------------------------------------------------------------------------------------

_DCT = ("", "INTEGER_FAST", "INTEGER_ACCURATE")


def _check_jpeg(contents: Any, attrs: dict[str, Any]) -> None:
    _check_contents(contents, attrs["channels"])
    if attrs["ratio"] not in (1, 2, 4, 8):
        raise InferError(f"ratio must be 1, 2, 4, or 8, got {attrs['ratio']}")
    if attrs["dct_method"] not in _DCT:
        raise InferError(
            "dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}, got "
            f"{attrs['dct_method']!r}"
        )


@op("DecodeJpeg", dtypes=STRING, grad=None, host=_HOST, checked=True)
def decode_jpeg(
    xp,
    contents,
    *,
    channels=0,
    ratio=1,
    fancy_upscaling=True,
    try_recover_truncated=False,
    acceptable_fraction=1.0,
    dct_method="",
):
    """Decode a JPEG file, or a single image of another format; `ratio` downsamples it."""
    options = {"smooth": fancy_upscaling, "method": dct_method}
    return _decode_any(contents.item(), channels, ratio=ratio, **options)


@decode_jpeg.infer
def _(contents, **attrs):
    _check_jpeg(contents, attrs)
    return _picture(attrs["channels"])


@op("DecodeAndCropJpeg", dtypes=STRING, grad=None, host=_HOST, checked=True)
def decode_and_crop_jpeg(
    xp,
    contents,
    crop_window: Free,
    *,
    channels=0,
    ratio=1,
    fancy_upscaling=True,
    try_recover_truncated=False,
    acceptable_fraction=1.0,
    dct_method="",
):
    """Decode a part of an image: its top, left, height and width."""
    data = contents.item()
    if file_format(data) != "JPEG":
        raise invalid("DecodeAndCropJpeg operation can run on JPEG only.")
    array = _decode_jpeg(data, channels, ratio, fancy_upscaling, dct_method)
    top, left, height, width = crop_window.tolist()
    fits = top + height <= array.shape[0] and left + width <= array.shape[1]
    if not fits or min(top, left) < 0 or min(height, width) <= 0:
        raise invalid(
            f"The crop window {crop_window.tolist()} does not lie in a picture of shape "
            f"{fmt_shape(array.shape)}"
        )
    return array[top : top + height, left : left + width].copy()


@decode_and_crop_jpeg.infer
def _(contents, crop_window, **attrs):
    _check_jpeg(contents, attrs)
    if crop_window.shape not in ((4,), (None,), None) or crop_window.dtype is not dtypes.int32:
        raise InferError("crop_window must be 4 numbers of dtype int32")
    window = crop_window.value
    sizes = (None, None) if window is None else (int(window[2]), int(window[3]))
    return Spec((*sizes, attrs["channels"] or None), dtypes.uint8)


@op("ExtractJpegShape", dtypes=STRING, grad=None, host=_HOST, checked=True)
def extract_jpeg_shape(xp, contents, *, output_type=dtypes.int32):
    """Return height, width and channels of a JPEG file, from its header."""
    return np.array(_jpeg_shape(contents.item()), as_dtype(output_type).np)


def _jpeg_shape(data: bytes) -> tuple[int, int, int]:
    at = 2
    while file_format(data) == "JPEG" and at + 10 <= len(data):
        mark, kind, size = struct.unpack_from(">BBH", data, at)
        if mark != 0xFF:
            break
        # A frame begins; three of these numbers mean something else.
        if 0xC0 <= kind <= 0xCF and kind not in (0xC4, 0xC8, 0xCC):
            height, width, channels = struct.unpack_from(">HHB", data, at + 5)
            return height, width, channels
        at += 2 + size
    raise invalid(f"Invalid JPEG data, size {len(data)}")


@extract_jpeg_shape.infer
def _(contents, *, output_type):
    _check_contents(contents, 0)
    return Spec((3,), as_dtype(output_type))


# -- encoding ----------------------------------------------------------------------------------


@op(
    "EncodePng",
    dtypes=frozenset({dtypes.uint8, dtypes.uint16}),
    grad=None,
    host=_HOST,
    checked=True,
)
def encode_png(xp, image, *, compression=-1):
    """Encode images of 8 or 16 bits as PNG files."""
    outer = int(np.prod(image.shape[:-3], dtype=np.int64))
    pictures = image.reshape(outer, *image.shape[-3:])
    files = bytes_array([png.encode(picture, compression) for picture in pictures])
    return files.reshape(image.shape[:-3])


@encode_png.infer
def _(image, *, compression):
    require_rank_at_least(image, 3, "image")
    if not -1 <= compression <= 9:
        raise InferError(f"compression should be in [-1,9], got {compression}")
    if image.shape is None:
        return Spec(None, dtypes.string)
    if image.shape[-1] not in (None, 1, 2, 3, 4):
        raise InferError(f"image must have 1, 2, 3, or 4 channels, got {image.shape[-1]}")
    return Spec(image.shape[:-3], dtypes.string)


@op("EncodeJpeg", dtypes=frozenset({dtypes.uint8}), grad=None, host=_HOST, checked=True)
def encode_jpeg(
    xp,
    image,
    *,
    format="",
    quality=95,
    progressive=False,
    optimize_size=False,
    chroma_downsampling=True,
    density_unit="in",
    x_density=300,
    y_density=300,
    xmp_metadata="",
):
    """Encode an image as a JPEG file."""
    array = image[..., 0] if image.shape[-1] == 1 else image
    # JPEG files know no centimetres here: Pillow writes points per inch.
    scale = 1.0 if density_unit == "in" else 2.54
    buffer = io.BytesIO()
    options: dict[str, Any] = {"xmp": xmp_metadata.encode()} if xmp_metadata else {}
    try:
        picture = pillow.fromarray(np.ascontiguousarray(array))
    except ImportError as error:
        raise UnimplementedError(None, None, str(error)) from error
    picture.save(
        buffer,
        "JPEG",
        quality=quality,
        progressive=progressive,
        optimize=optimize_size,
        subsampling=2 if chroma_downsampling else 0,
        dpi=(round(x_density * scale), round(y_density * scale)),
        **options,
    )
    return np.array(buffer.getvalue(), object)


_CHANNELS = {"grayscale": (1,), "rgb": (3,), "": (1, 3)}


@encode_jpeg.infer
def _(image, *, format, quality, density_unit, **options):
    one_of("format", format, ("", "grayscale", "rgb"))
    one_of("density_unit", density_unit, ("in", "cm"))
    if not 0 <= quality <= 100:
        raise InferError(f"quality must be in [0,100], got {quality}")
    shape = image.shape
    if shape is not None:
        if len(shape) != 3:
            raise InferError(f"image must be 3-dimensional, got {fmt_shape(shape)}")
        if shape[2] is not None and shape[2] not in _CHANNELS[format]:
            counts = " or ".join(map(str, _CHANNELS[format]))
            raise InferError(f"image must have {counts} channels, got {fmt_shape(shape)}")
    return Spec((), dtypes.string)


@op("EncodeJpegVariableQuality", grad=None, host=_HOST, checked=True)
def encode_jpeg_variable_quality(xp, images: Free, quality: Free):
    """Encode an image as a JPEG file whose quality is a tensor."""
    if quality.ndim or not 0 <= quality <= 100:
        raise invalid(f"quality must be a number in [0,100], got {quality.tolist()}")
    return encode_jpeg.body(xp, images, quality=int(quality))


@encode_jpeg_variable_quality.infer
def _(images, quality):
    if images.dtype is not dtypes.uint8 or quality.dtype is not dtypes.int32:
        raise InferError(
            f"images must be uint8 and quality int32, got {images.dtype.name} and "
            f"{quality.dtype.name}"
        )
    require_rank(quality, 0, "quality")
    spec: Spec = encode_jpeg.infer_rule(encode_jpeg, (images,), dict(encode_jpeg.defaults))
    return spec
