"""Programs on Keras 2's `preprocessing.image`, whose results were recorded from `tf_keras`."""

from __future__ import annotations

_DATA = """
I = k.preprocessing.image
image = np.random.RandomState(0).uniform(0, 255, (5, 6, 3)).astype("float32").round(1)
images = np.random.RandomState(1).uniform(0, 255, (5, 4, 4, 3)).astype("float32").round(1)
labels = np.array([0, 1, 1, 0, 1])
last = dict(row_axis=0, col_axis=1, channel_axis=2)
"""
_MODES = ("nearest", "constant", "reflect", "wrap")
_MOVES = {
    "turn": "theta=30.0",
    "shift": "tx=1.3, ty=-2.6",
    "shear": "shear=20.0",
    "zoom": "zx=0.7, zy=1.4",
    "all": "theta=-50.0, tx=0.5, ty=1.0, shear=10.0, zx=1.2, zy=0.8",
}
_GENERATORS = {
    "turned": "rotation_range=40, zoom_range=0.3, shear_range=10.0",
    "shifted": "width_shift_range=0.3, height_shift_range=2, fill_mode='wrap'",
    "shifted by a list": "width_shift_range=[-1, 0, 1], horizontal_flip=True, vertical_flip=True",
    "other colors": "channel_shift_range=30.0",
    "standardized": "samplewise_center=True, samplewise_std_normalization=True, rescale=1 / 255",
    "prepared": "preprocessing_function=lambda x: x[::-1] * 2.0, rotation_range=20",
}
_FLOW = """
flow = I.ImageDataGenerator({settings}).flow(images, labels, batch_size=2, seed=3)
result = [next(flow) for _ in range(4)] + [flow[1], len(flow)]"""
_OTHERS = {
    "random functions": """
result = []
for name, args in (("rotation", (30,)), ("shift", (0.3, 0.2)), ("shear", (20,)),
                   ("zoom", ((0.7, 1.3),))):
    np.random.seed(5)
    result.append(getattr(I, "random_" + name)(image, *args, **last))
np.random.seed(5)
result += [I.random_channel_shift(image, 20.0, 2), I.apply_channel_shift(image, -30.0)]""",
    "first channels": """
generator = I.ImageDataGenerator(rotation_range=30, zoom_range=0.2, horizontal_flip=True,
                                 data_format="channels_first", fill_mode="reflect")
result = generator.random_transform(image.transpose(2, 0, 1), seed=2)""",
    "drawn parameters": """
generator = I.ImageDataGenerator(rotation_range=30, width_shift_range=3, height_shift_range=0.2,
    shear_range=5.0, zoom_range=(0.5, 1.5), channel_shift_range=9.0, brightness_range=(0.1, 2.0),
    horizontal_flip=True, vertical_flip=True)
result = [float(v) for v in generator.get_random_transform((5, 6, 3), seed=4).values()]""",
    "fit": """
result = []
for settings in (dict(featurewise_center=True, featurewise_std_normalization=True),
                 dict(featurewise_center=True, zca_whitening=True, zca_epsilon=0.1)):
    generator = I.ImageDataGenerator(**settings)
    generator.fit(images)
    result += [generator.mean, generator.std, generator.standardize(images[:2].copy())]
generator = I.ImageDataGenerator(featurewise_center=True, rotation_range=20)
generator.fit(images, augment=True, rounds=2, seed=1)
result.append(generator.mean)""",
    "weights and subsets": """
generator = I.ImageDataGenerator(validation_split=0.4)
weights = np.arange(5.0)
whole = generator.flow(images, labels, sample_weight=weights, shuffle=False)
result = [next(whole)]
for subset in ("training", "validation"):
    result.append(next(generator.flow(images, labels, subset=subset, shuffle=False)))
result.append(next(generator.flow([images, weights], batch_size=2, shuffle=False)))""",
    "smart_resize": """
result = [np.asarray(I.smart_resize(image, size)) for size in ((3, 3), (2, 6), (8, 4))]""",
    "bad arguments": """
result = []
for make in (lambda: I.ImageDataGenerator(zoom_range=(1, 2, 3)),
             lambda: I.ImageDataGenerator(validation_split=2.0),
             lambda: I.ImageDataGenerator(brightness_range=3),
             lambda: I.ImageDataGenerator().flow(images[0]),
             lambda: I.ImageDataGenerator().flow(images, labels[:2]),
             lambda: I.ImageDataGenerator().flow(images, subset="other"),
             lambda: I.random_zoom(image, (1, 2, 3)),
             lambda: I.apply_affine_transform(image[0], 3),
             lambda: I.apply_affine_transform(image, 3, row_axis=1, col_axis=1)):
    try:
        make()
        result.append("none")
    except Exception as error:
        result.append(type(error).__name__)""",
}
PROGRAMS = {
    **{
        f"affine {name} {mode} {order}": f"{_DATA}result = I.apply_affine_transform("
        f"image, {move}, fill_mode={mode!r}, cval=7.0, order={order}, **last)"
        for name, move in _MOVES.items()
        for mode in _MODES
        for order in (0, 1)
        if name in ("shift", "all") or (mode == "nearest" and order == 1)
    },
    **{f"flow {name}": _DATA + _FLOW.format(settings=s) for name, s in _GENERATORS.items()},
    **{name: _DATA + code for name, code in _OTHERS.items()},
}
