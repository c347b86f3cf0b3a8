"""Programs on the layers for images and sounds, whose results were recorded from Keras.

What is random is told: a layer is asked to apply a given transformation.
"""

from __future__ import annotations

_DATA = """
k.backend.clear_session()
L = k.layers
B = k.utils.bounding_boxes
images = np.random.RandomState(0).uniform(0, 255, (2, 5, 6, 3)).astype("float32").round(2)
first = images.transpose(0, 3, 1, 2)
masks = np.arange(60, dtype="float32").reshape(2, 5, 6, 1)
corners = [[[1, 0, 3, 2], [2, 1, 6, 4.5]], [[0, 0, 1, 1], [4, 2, 5, 5]]]
boxes = {"boxes": np.array(corners, "float32"),
         "labels": np.array([[1, 2], [3, 4]])}
def t(*values):
    return tf.constant(values, "float32")
def apply(layer, transformation):
    '''Images, masks and boxes after a transformation.'''
    found = [layer.transform_images(tf.constant(images), transformation),
             layer.transform_segmentation_masks(tf.constant(masks), transformation)]
    if layer.bounding_box_format:
        copy = {key: tf.constant(value) for key, value in boxes.items()}
        moved = layer.transform_bounding_boxes(copy, transformation)
        found += [moved["boxes"], moved["labels"]]
    return found
"""
_SHAPE = '"input_shape": (2, 5, 6, 3)'


def _apply(layer: str, transformation: str) -> str:
    return f"{_DATA}result = apply(L.{layer}, {transformation})"


def _call(layer: str, inputs: str = "images") -> str:
    return f"{_DATA}result = L.{layer}({inputs})"


def _config(layer: str) -> str:
    return f"""{_DATA}
config = L.{layer}.get_config()
config.pop("dtype"); config.pop("name"); config.pop("trainable")
result = config"""


_BOXES = 'bounding_box_format="xyxy"'
_TRANSFORMED = {
    "RandomFlip horizontal": (
        f'RandomFlip("horizontal", {_BOXES})',
        '{"flips": tf.constant([True, False])[:, None, None, None], ' + _SHAPE + "}",
    ),
    "RandomFlip vertical": (
        f'RandomFlip("vertical", {_BOXES})',
        '{"flips": tf.constant([True, False])[:, None, None, None], ' + _SHAPE + "}",
    ),
    "RandomFlip both": (
        "RandomFlip()",
        '{"flips": tf.constant([False, True])[:, None, None, None], ' + _SHAPE + "}",
    ),
    "RandomTranslation": (
        f"RandomTranslation(0.5, 0.5, {_BOXES})",
        '{"translations": tf.constant([[1.5, -2.0], [-1.0, 0.25]]), ' + _SHAPE + "}",
    ),
    "RandomTranslation constant": (
        'RandomTranslation(0.5, 0.5, "constant", "nearest", fill_value=7.0)',
        '{"translations": tf.constant([[1.5, -2.0], [-1.0, 0.25]]), ' + _SHAPE + "}",
    ),
    "RandomZoom in": (
        f"RandomZoom(0.5, {_BOXES})",
        '{"height_zoom": tf.constant([[0.5], [0.8]]), "width_zoom": tf.constant([[0.7], [0.6]]), '
        + _SHAPE
        + "}",
    ),
    "RandomZoom out": (
        f'RandomZoom(0.5, fill_mode="wrap", {_BOXES})',
        '{"height_zoom": tf.constant([[1.5], [1.2]]), "width_zoom": tf.constant([[1.4], [1.3]]), '
        + _SHAPE
        + "}",
    ),
    "RandomShear": (
        f'RandomShear(0.5, 0.5, fill_mode="nearest", {_BOXES})',
        '{"shear_factor": tf.constant([[0.3, 0.1], [-0.2, 0.4]]), ' + _SHAPE + "}",
    ),
    "RandomPerspective": (
        f"RandomPerspective({_BOXES})",
        """{"apply_perspective": tf.constant([True, False]), "input_shape": (2, 5, 6, 3),
            "start_points": tf.constant([[[0., 0], [5, 0], [0, 4], [5, 4]]] * 2),
            "end_points": tf.constant([[[0.5, 0.25], [4.5, 0], [0, 4], [5, 3]]] * 2)}""",
    ),
    "RandomBrightness": (
        "RandomBrightness(0.5)",
        '{"rgb_delta": t(-50.0, 70.0)[:, None, None, None]}',
    ),
    "RandomContrast": (
        "RandomContrast(0.5)",
        '{"contrast_factor": t(0.5, 1.5)[:, None, None, None]}',
    ),
    "RandomHue": ("RandomHue(0.5)", '{"factor": t(0.2, -0.4)}'),
    "RandomSaturation": ("RandomSaturation(0.5, (0, 1))", '{"factor": t(0.2, 0.5)}'),
    "RandomColorDegeneration": (
        "RandomColorDegeneration(0.5)",
        '{"factor": t(0.2, 0.9)[:, None, None, None]}',
    ),
    "RandomInvert": ("RandomInvert()", '{"apply_inversion": tf.constant([True, False])}'),
    "RandomPosterization": (
        "RandomPosterization(4)",
        '{"shift_factor": tf.constant([4, 6], "uint8")}',
    ),
    "RandomPosterization of fractions": (
        "RandomPosterization(4, (-255, 255))",
        '{"shift_factor": tf.constant([3, 7], "uint8")}',
    ),
    "RandomSharpness": ("RandomSharpness(0.5)", '{"factor": t(0.1, 0.9)}'),
    "RandomGaussianBlur": (
        "RandomGaussianBlur(1.0, 5)",
        '{"should_apply_blur": tf.constant([True, False]), "blur_factor": t(0.8, 0.4)}',
    ),
    "Solarization": (
        "Solarization(0.5, 0.5)",
        """{"additions": t(30.0, 0.0)[:, None, None, None],
            "thresholds": t(100.0, 200.0)[:, None, None, None]}""",
    ),
    "RandomErasing": (
        "RandomErasing(fill_value=9.0)",
        """{"apply_erasing": tf.constant([True, False]), "fill_value": t(9.0)[0],
            "batch_masks": tf.constant(images < 100.0)}""",
    ),
}
_CALLED = {
    "Resizing": "Resizing(3, 4)",
    "Resizing larger": 'Resizing(7, 9, "bicubic")',
    "Resizing antialias": 'Resizing(3, 4, "lanczos3", antialias=True)',
    "Resizing crop": 'Resizing(4, 3, "nearest", crop_to_aspect_ratio=True)',
    "Resizing pad": "Resizing(8, 4, pad_to_aspect_ratio=True, fill_value=3.0)",
    "CenterCrop": "CenterCrop(3, 4)",
    "CenterCrop of small images": "CenterCrop(8, 4)",
    "AutoContrast": "AutoContrast()",
    "AutoContrast of another range": "AutoContrast((0, 300))",
    "Equalization": "Equalization()",
    "Equalization with few bins": "Equalization((0, 300), bins=16)",
    "CLAHE": "ContrastLimitedAdaptiveHistogramEqualization(tile_grid_size=(2, 2))",
    "CLAHE without limit": (
        "ContrastLimitedAdaptiveHistogramEqualization((0, 300), 0.0, tile_grid_size=(2, 3))"
    ),
}
_CONFIGS = (
    *("RandomFlip('vertical', seed=1)", "RandomRotation(0.2, seed=1)", "RandomZoom(0.1, seed=1)"),
    *("RandomTranslation(0.1, (0.1, 0.2), seed=1)", "RandomShear(0.1, seed=1)"),
    *("RandomPerspective(seed=1)", "RandomElasticTransform(seed=1)", "RandomBrightness(0.1)"),
    *("RandomContrast(0.1, seed=1)", "RandomHue(0.1)", "RandomSaturation(0.1)"),
    *("RandomGrayscale()", "RandomColorDegeneration(0.1)", "RandomColorJitter(hue_factor=0.1)"),
    *("RandomPosterization(4)", "RandomSharpness(0.1)", "RandomErasing()", "RandomGaussianBlur()"),
    *("RandomInvert()", "Solarization(0.1)", "AutoContrast()", "Equalization()", "CutMix()"),
    *("MixUp()", "AugMix()", "RandAugment()", "MaxNumBoundingBoxes(4)", "Resizing(3, 4)"),
    *("CenterCrop(3, 4, bounding_box_format='xyxy')", "RandomCrop(3, 4, seed=1)"),
    *("ContrastLimitedAdaptiveHistogramEqualization()", "MelSpectrogram()", "STFTSpectrogram()"),
)
_FORMATS = (
    *("xyxy", "yxyx", "xywh", "center_xywh", "center_yxhw"),
    *("rel_xyxy", "rel_yxyx", "rel_xywh", "rel_center_xywh"),
)
_OTHERS = {
    "first channels": """
result = [layer.transform_images(tf.constant(first), transformation) for layer, transformation in (
    (L.RandomHue(0.5, data_format="channels_first"), {"factor": t(0.2, -0.4)}),
    (L.RandomContrast(0.5, data_format="channels_first"),
     {"contrast_factor": t(0.5, 1.5)[:, None, None, None]}),
    (L.Resizing(3, 4, data_format="channels_first"), None),
    (L.RandomTranslation(0.5, 0.5, data_format="channels_first"),
     {"translations": tf.constant([[1.0, -2.0], [-1.0, 0.0]]), "input_shape": (2, 3, 5, 6)}),
)]""",
    "boxes of Resizing": """
result = []
for kwargs in ({}, {"crop_to_aspect_ratio": True}, {"pad_to_aspect_ratio": True}):
    data = {"images": images, "bounding_boxes": {k: v.copy() for k, v in boxes.items()}}
    found = L.Resizing(8, 4, bounding_box_format="xyxy", **kwargs)(data)["bounding_boxes"]
    result.append([found["boxes"], found["labels"]])""",
    "boxes of CenterCrop": """
result = []
for size in ((3, 4), (8, 4)):
    data = {"images": images, "bounding_boxes": {k: v.copy() for k, v in boxes.items()}}
    layer = L.CenterCrop(*size, bounding_box_format="xywh")
    result.append(layer(data)["bounding_boxes"]["boxes"])""",
    "boxes of RandomRotation": """
layer = L.RandomRotation(0.5, bounding_box_format="xyxy")
copy = {key: tf.constant(value) for key, value in boxes.items()}
found = layer.transform_bounding_boxes(copy, {"angle": t(30.0, -100.0), "image_height": 5,
                                              "image_width": 6, "batch_size": 2})
result = [found["boxes"], found["labels"]]""",
    "conversions of boxes": f"""
result = [[B.convert_format(boxes["boxes"], a, b, height=5, width=6) for b in {_FORMATS}]
          for a in {_FORMATS}]""",
    "overlaps": """
a, b = boxes["boxes"], boxes["boxes"][:, ::-1] + 0.5
result = [B.compute_iou(a, b, "xyxy"), B.compute_iou(a[0], b[1], "xywh"),
          B.compute_iou(a - 3, b, "yxyx", use_masking=True), B.compute_ciou(a, b, "xyxy")]""",
    "deltas": """
result = []
for variance in (None, [0.1, 0.1, 0.2, 0.2]):
    delta = B.encode_box_to_deltas(boxes["boxes"] + 1, boxes["boxes"], "xyxy", "xywh",
                                   variance=variance)
    back = B.decode_deltas_to_boxes(boxes["boxes"] + 1, delta, "xyxy", "xywh", variance=variance)
    result.append([delta, back])""",
    "geometry of boxes": """
copy = {key: tf.constant(value) for key, value in boxes.items()}
clipped = B.clip_to_image_size(copy, height=4, width=5)
moved = B.affine_transform(boxes["boxes"], t(30.0, 0.0), t(0.1, 0.2), t(0.0, 0.3), t(1.0, 2.0),
                           t(5.0, 0.0), t(0.0, 10.0), 5, 6)
result = [clipped["boxes"], clipped["labels"], moved, B.crop(boxes["boxes"], 1, 2, 3, 3),
          B.pad(boxes["boxes"], 1, 2)]""",
    "labels of CutMix and MixUp": """
labels = tf.constant([[1.0, 0.0], [0.0, 1.0]])
drawn = {"permutation_order": tf.constant([1, 0]), "mix_weight": t(0.3, 0.8)}
mixed = L.MixUp()
result = [mixed.transform_labels(labels, drawn), mixed.transform_images(tf.constant(images), drawn)]
drawn["batch_masks"] = tf.constant(images < 100.0)
cut = L.CutMix()
result += [cut.transform_labels(labels, drawn)]
result += [cut.transform_images(tf.constant(images), drawn)]""",
    "MaxNumBoundingBoxes": """
result = []
for count in (1, 3):
    copy = {key: tf.constant(value) for key, value in boxes.items()}
    found = L.MaxNumBoundingBoxes(count).transform_bounding_boxes(copy, None)
    result.append([found["boxes"], found["labels"]])""",
    "MelSpectrogram": """
sound = np.sin(np.arange(2 * 300) ** 1.5 / 40).reshape(2, 300).astype("float32")
small = {"fft_length": 64, "sequence_stride": 48, "num_mel_bins": 6, "sampling_rate": 1000,
         "top_db": 30.0}
result = [L.MelSpectrogram(**small)(sound), L.MelSpectrogram(**small, power_to_db=False)(sound[0]),
          L.MelSpectrogram(64, 48, 40, "hamming", 1000, 5, 50.0, 300, top_db=20.0)(sound),
          list(L.MelSpectrogram(**small).compute_output_shape((2, 300)))]""",
    "STFTSpectrogram": """
sound = np.sin(np.arange(2 * 50 * 2) ** 1.5 / 40).reshape(2, 50, 2).astype("float32")
result = []
for mode in ("log", "magnitude", "psd", "real", "imag", "angle", "stft"):
    layer = L.STFTSpectrogram(mode, frame_length=12, frame_step=10)
    result.append([layer(sound), [list(v.shape) for v in layer.weights]])
for kwargs in ({"expand_dims": True}, {"padding": "same", "window": "blackman"},
               {"scaling": "spectrum", "periodic": True}, {"window": None, "fft_length": 32}):
    layer = L.STFTSpectrogram(frame_length=12, frame_step=10, **kwargs)
    result.append([layer(sound), list(layer.compute_output_shape((2, 50, 2)))])""",
    "windows of STFT": """
result = [k.initializers.STFT("real", window, None, periodic)((n, 1, 2))[:, 0, 0]
          for window in ("hann", "hamming", "blackman", "boxcar", "nuttall", "flattop")
          for periodic in (False, True) for n in (5, 8)]""",
    "integers": """
whole = images.astype("uint8")
result = [L.Resizing(3, 4)(whole), L.CenterCrop(3, 4)(whole), L.AutoContrast()(whole),
          L.Equalization()(whole)]""",
    "bad arguments": """
result = []
for make in (lambda: L.RandomFlip(factor=1), lambda: L.RandomRotation(2.0),
             lambda: L.RandomZoom(2.0), lambda: L.RandomZoom((0.1, 0.2, 0.3)),
             lambda: L.RandomTranslation("a", 0.1), lambda: L.RandomContrast(1.5),
             lambda: L.RandomRotation(0.1, fill_mode="x"), lambda: L.RandomBrightness(0.1, (1,)),
             lambda: L.RandomGaussianBlur(kernel_size=4), lambda: L.RandomPosterization(0),
             lambda: L.RandomPerspective(scale=2.0), lambda: L.RandomGrayscale(2.0),
             lambda: L.RandomShear(-0.5), lambda: L.RandomHue(-1), lambda: L.AutoContrast(3),
             lambda: L.RandomFlip()(np.ones((2, 2)))):
    try:
        make()
        result.append("none")
    except Exception as error:
        result.append(type(error).__name__)""",
}
PROGRAMS = {
    **{f"transform {name}": _apply(*code) for name, code in _TRANSFORMED.items()},
    **{f"call {name}": _call(layer) for name, layer in _CALLED.items()},
    **{f"config {layer}": _config(layer) for layer in _CONFIGS},
    **{name: _DATA + code for name, code in _OTHERS.items()},
}
