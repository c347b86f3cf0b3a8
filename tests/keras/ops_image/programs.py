"""The ops of `keras.ops.image`, on single images and batches, in both layouts, and in models."""

from __future__ import annotations

_SETUP = """
o = k.ops.image
r = np.random.RandomState(3)
im = tf.constant(r.rand(2, 4, 6, 3).astype("float32"))
one = im[0]
first = tf.transpose(im, (0, 3, 1, 2))
ints = tf.cast(im[:1] * 255, "uint8")
vol = tf.constant(r.rand(1, 3, 4, 4, 1).astype("float32"))
turn = tf.constant([0.9, -0.2, 1.0, 0.1, 1.1, -0.5, 0.0, 0.01])
start = tf.constant([[0.0, 0.0], [5.0, 0.0], [0.0, 3.0], [5.0, 3.0]])
end = tf.constant([[1.0, 0.0], [4.0, 1.0], [0.0, 3.0], [5.0, 2.0]])
"""
_CALLS = (
    *("rgb_to_grayscale(im)", "rgb_to_grayscale(first, 'channels_first')"),
    *("rgb_to_grayscale(ints)", "rgb_to_grayscale(im[..., :2])", "rgb_to_hsv(one)"),
    *("hsv_to_rgb(first, 'channels_first')", "rgb_to_hsv(ints)", "resize(one, (2, 3))"),
    *("resize(first, (3, 4), data_format='channels_first')", "resize(ints, (3, 4))"),
    *("resize(im, (2, 2), 'bicubic', antialias=True)", "resize(im, (3, 3), 'nearest')"),
    *("resize(im, (3, 3), crop_to_aspect_ratio=True)", "resize(im, (3, 3), 'x')"),
    *("resize(im, (3, 3), pad_to_aspect_ratio=True, fill_value=0.5)", "resize(im, (0, 3))"),
    *("resize(ints, (3, 3), pad_to_aspect_ratio=True, fill_value=7)", "resize(im, (3,))"),
    *("affine_transform(im, turn)", "affine_transform(one, turn, 'nearest', 'reflect')"),
    *("affine_transform(first, turn, fill_mode='wrap', data_format='channels_first')",),
    *("affine_transform(im, tf.stack([turn, turn * 0.5]), fill_value=0.3)",),
    *("affine_transform(im, turn, 'x')", "affine_transform(im, turn, fill_mode='x')"),
    *("perspective_transform(im, start, end)", "perspective_transform(one, start, start)"),
    *("perspective_transform(im, start, end[:3])",),
    *("perspective_transform(first, start, end, 'nearest', 0.5, 'channels_first')",),
    *("extract_patches(im, 2)", "extract_patches(one, (2, 3), 1, padding='same')"),
    *("extract_patches(im, 2, dilation_rate=2, strides=1)", "extract_patches(im, 1.5)"),
    *("extract_patches(vol, (2, 2, 2))", "extract_patches_3d(vol, 2, 1)"),
    *("map_coordinates(one[..., 0], [[0.5, 2.2, -1.0], [1.5, 7.0, 0.3]], 1)",),
    *(
        f"map_coordinates(one[..., 0], [[0.5, 2.2, -1.3], [1.5, 7.2, 0.3]], {n}, '{mode}')"
        for n, mode in ((0, "nearest"), (1, "wrap"), (1, "mirror"), (1, "reflect"), (1, "nearest"))
    ),
    *("map_coordinates(ints[0, :, :, 0], [[0.5], [1.5]], 1)",),
    *("map_coordinates(one[..., 0], [[0.5], [1.5]], 2)", "map_coordinates(one, [[0.5]], 1)"),
    *("pad_images(im, 1, 2, 1, 0)", "pad_images(one, 1, 0, target_height=7, target_width=8)"),
    *("pad_images(im, 1, 1)", "pad_images(im, 5, 1, target_height=7, target_width=9)"),
    *("crop_images(im, 1, 2, 1, 0)", "crop_images(im, 1, 1)"),
    *("crop_images(first, 1, 0, target_height=2, target_width=3, data_format='channels_first')",),
    *("gaussian_blur(im)", "gaussian_blur(one, (5, 3), (1.5, 0.7))", "sobel_edges(im)"),
    *("sobel_edges(first, 'channels_first')", "ssim(im, im * 0.9, filter_size=3)"),
    *("ssim(one, one, filter_size=3)", "elastic_transform(im, 2.0, 1.0, seed=5)"),
    *("elastic_transform(one, 2.0, 1.0, 'nearest', 'constant', 0.2, 5)",),
    *("scale_and_translate(one, (5, 5, 3), [1.5, 0.8], [0.5, -0.3], (0, 1), 'linear')",),
    *("scale_and_translate(one, (3, 3, 3), [0.5, 0.5], [0.0, 0.1], (0, 1), 'cubic', False)",),
    *("scale_and_translate(one, (5, 6, 3), [1.2], [0.0], (0,), 'lanczos3')",),
)
_PROGRAMS = {
    "in a model": """
x = k.Input((4, 6, 3))
y = o.rgb_to_grayscale(o.resize(x, (3, 4)))
y = o.pad_images(o.gaussian_blur(y), 1, 1, 1, 1)
m = k.Model(x, o.affine_transform(y, turn))
result = [m(im), [list(t.shape) for t in (y, o.extract_patches(x, 2), o.crop_images(x, 1, 1, 1, 1),
          o.sobel_edges(x), o.ssim(x, x, filter_size=3), o.elastic_transform(x, seed=1))]]""",
}

PROGRAMS = {
    **{call: f"{_SETUP}\nresult = o.{call}" for call in _CALLS},
    **{name: _SETUP + code for name, code in _PROGRAMS.items()},
}
