"""Corner cases of models, layers and training in which results differed from those of Keras."""

from __future__ import annotations

from tests.keras.corner_cases.refused_calls import CALLS
from tests.keras.corner_cases.training import TRAINING

SHARED = """
import contextlib, io, os, pickle, re, tempfile, warnings
__name__ = "program"
L, C, ops = k.layers, k.callbacks, k.ops
folder = tempfile.mkdtemp()
file = os.path.join(folder, "m.keras")
weights_file = os.path.join(folder, "m.weights.h5")
X = np.arange(80, dtype="float32").reshape(20, 4) / 80
Y = X.sum(1, keepdims=True) * 2
ones = dict(kernel_initializer="ones")
def names(items): return [item.name for item in items]
def kind(function):
    try:
        function()
    except Exception as e:
        return type(e).__name__
    return None
def warned(function):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        function()
    return [w.category.__name__ for w in seen]
def line(*layers, optimizer="sgd", loss="mse", **kwargs):
    m = k.Sequential([k.Input((4,)), *(layers or (L.Dense(1, **ones),))])
    m.compile(optimizer, loss, **kwargs)
    return m
def fit(m, x=X, y=Y, **kwargs):
    kwargs = {"verbose": 0, "shuffle": False, "batch_size": 5, **kwargs}
    return m.fit(x, y, **kwargs).history
def printed(function):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        function()
    return out.getvalue()
"""

MODELS = {
    "subclasses with inputs and outputs exchange weights": """
class Custom(k.Model): pass
i = k.Input((4,))
m = Custom(i, L.Dense(1, name="o", **ones)(L.Dense(3, name="h", **ones)(i)))
m.save_weights(weights_file)
import h5py
found = []
h5py.File(weights_file).visititems(lambda n, o: found.append(n) if hasattr(o, "dtype") else None)
plain = k.Model(i, L.Dense(1, **ones)(L.Dense(3)(i)))
plain.load_weights(weights_file)
result = [sorted(found), plain(X[:2]), names(m.layers)[1:], len(m.layers)]
""",
    "layer.output after pop": """
m = k.Sequential([k.Input((4,)), L.Dense(3, **ones), L.Dense(2)])
m.pop()
extractor = k.Model(m.inputs, m.layers[-1].output)
other = k.Sequential()
other.add(k.Input((4,)))
other.add(L.Dense(3))
other.add(L.Dense(2))
result = [extractor(X[:2]), other.layers[0].output.shape, other.layers[1].input.shape]
""",
    "pickling compiled and fitted models": """
m = line(metrics=["mae"], optimizer="adam")
before = pickle.loads(pickle.dumps(m))
fit(m)
after = pickle.loads(pickle.dumps(m))
result = [before(X[:2]), after(X[:2]), fit(after), fit(m), after.optimizer.name]
""",
    "summary counts the optimizer": """
m = line(L.Dense(3, name="h"), L.Dense(1, name="o"), optimizer="adam")
fit(m)
lines = []
m.summary(print_fn=lambda text, **_: lines.append(text))
result = re.findall(r"[A-Z][a-z-]+ params: \\d+", "".join(lines))
""",
    "order of layers with several inputs": """
a, b, c = (k.Input((4,), name=n) for n in "abc")
x = L.Dense(4, name="d1")(a)
y = L.Add(name="s1")([x, b])
m = k.Model([a, b, c], L.Add(name="s2")([y, c]))
result = [names(m.layers), m.layers[2].name]
""",
    "a part of a model from its config": """
i = k.Input((4,))
mid = L.Dense(3, name="d1", **ones)(i)
partial = k.Model(mid, L.Dense(1, name="d2", **ones)(mid))
again = k.Model.from_config(partial.get_config())
result = [type(partial.layers[0]).__name__, type(again.layers[0]).__name__,
          again(np.ones((2, 3), "float32")), len(again.weights)]
""",
    "tuples of outputs after from_config": """
i = k.Input((4,))
m = k.Model(i, (L.Dense(1)(i), L.Dense(2)(i)))
again = k.Model.from_config(m.get_config())
result = [type(again.output).__name__, type(again(X)).__name__,
          [o.shape for o in again.predict(X, verbose=0)]]
""",
    "dicts of inputs by the names of their inputs": """
a, b = k.Input((4,), name="x"), k.Input((4,), name="y")
m = k.Model({"a": a, "b": b}, L.Subtract()([a, b]))
result = [kind(lambda: m({"x": X, "y": X})), kind(lambda: m({"a": X, "b": X}))]
""",
    "metrics of a compiled model inside a model": """
inner = line(L.Dense(3), metrics=["mae"])
m = line(inner, L.Dense(1), metrics=["mse"])
m.fit(X, Y, verbose=0)
outer = k.Sequential([inner, L.Dense(1)])
result = [names(m.metrics), names(outer.metrics)]
""",
}

FILES = {
    "weights from a whole file": """
m, other = line(), line(L.Dense(1))
m.save(file)
other.load_weights(file)
result = other(X[:2])
""",
    "bfloat16 weights in files": """
m = k.Sequential([k.Input((4,)), L.Dense(2, dtype="bfloat16", **ones)])
m.save(file)
m.save_weights(weights_file)
back = k.models.load_model(file)
other = k.Sequential([k.Input((4,)), L.Dense(2, dtype="bfloat16")])
other.load_weights(weights_file)
def as_text(dtype): return str(getattr(dtype, "name", dtype))
result = [np.asarray(tf.cast(back(X[:2]), "float32")), as_text(back.weights[0].dtype),
          np.asarray(tf.cast(other(X[:2]), "float32"))]
""",
    "an optimizer twice in a checkpoint": """
m = line(optimizer="adam")
fit(m)
path = tf.train.Checkpoint(m, optimizer=m.optimizer).write(os.path.join(folder, "c"))
result = sorted(n.split("/.ATTR")[0] for n, _ in tf.train.list_variables(path)
                if "optimizer" in n)
""",
    "lambdas in files": """
m = k.Sequential([k.Input((4,)), L.Lambda(lambda x: x * 3)])
m.save(file)
result = [kind(lambda: k.models.load_model(file)),
          k.models.load_model(file, safe_mode=False)(X[:2])]
""",
    "weights of an unbuilt model": """
result = [kind(lambda: k.Sequential([L.Dense(2)]).save_weights(weights_file)),
          os.path.exists(weights_file)]
""",
    "an unbuilt subclass after loading": """
class Custom(k.Model):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.dense = L.Dense(1)
    def call(self, x): return self.dense(x)
Custom().save(file)
back = k.models.load_model(file, custom_objects={"Custom": Custom})
result = [back.built, back.dense.built]
""",
}

LAYERS = {
    **{
        f"weights of a subclass of {name}": f"""
class Own(L.{name}):
    def build(self, shape): self.w = self.add_weight(shape=(1,), name="w")
layer = Own(0.1)
layer(np.ones({shape}, "float32"))
result = len(layer.weights)
"""
        for name, shape in {
            "Dropout": (2, 3),
            "SpatialDropout3D": (2, 3, 4, 5, 6),
        }.items()
    },
    "integers can be masked": """
layer = L.Masking(mask_value=0)
x = np.array([[[1], [0], [2]]])
result = [layer(x), layer.compute_mask(x)]
""",
    "softmax over several axes": """
x = np.arange(12, dtype="float32").reshape(2, 3, 2)
result = [k.activations.softmax(x, axis=(1, 2)), k.activations.log_softmax(x, axis=(1, 2)),
          L.Softmax(axis=[1, 2])(x)]
""",
    "alpha dropout over a part of the shape": """
layer = L.AlphaDropout(0.5, noise_shape=(6, 1), seed=1)
y = np.asarray(layer(np.ones((6, 4), "float32"), training=True))
result = [bool((y == y[:, :1]).all()), len(np.unique(y))]
""",
    "layer normalization with rms_scaling": """
layer = L.LayerNormalization(rms_scaling=True)
result = [layer(X), names(layer.weights), layer.get_config()]
""",
    "renormalized batches": """
layer = L.BatchNormalization(renorm=True, momentum=0.5,
                             renorm_clipping={"rmax": 3.0, "rmin": 0.3, "dmax": 5.0})
found = [layer(X * n, training=True) for n in (1, 2)]
result = [found, layer(X), names(layer.weights), layer.get_weights()]
""",
    "synchronized batch normalization": """
layer = L.BatchNormalization(synchronized=True, momentum=0.5)
result = [layer(X, training=True), layer.get_weights(), layer.get_config()["synchronized"]]
""",
    "large values in half precision": """
x = np.array([[70000.0, -70000.0, 1000.0, 2000.0]], "float32")
result = [L.LayerNormalization(dtype="mixed_float16")(x),
          L.GroupNormalization(2, dtype="mixed_float16")(x)]
""",
    "masks set by hand reach layers": """
class Seen(L.Layer):
    def call(self, x, mask=None): return tf.constant(mask is not None)
x = tf.ones((2, 3))
x._keras_mask = tf.constant([[True, False, True]] * 2)
result = Seen()(x)
""",
    "reshaping to an impossible size": """
i = k.Input((4,))
result = [kind(lambda: L.Reshape((5,))(tf.ones((2, 4)))), kind(lambda: L.Reshape((5,))(i)),
          kind(lambda: L.Reshape((3, -1))(i))]
""",
    "dtypes as Python types": """
def name(d): return str(getattr(d, "name", d))
result = [name(k.Variable(1, dtype=int).dtype), name(k.Variable(1, dtype=float).dtype),
          k.metrics.Mean(dtype=float).dtype, k.metrics.Sum(dtype=int).dtype]
""",
    "random integers of other dtypes": """
def name(d): return str(getattr(d, "name", d))
def draw(dtype): return name(k.random.randint((3,), 0, 9, dtype=dtype, seed=1).dtype)
result = [draw("uint32"), draw("int8"), draw("int64"), draw("uint8"),
          kind(lambda: draw("float32")), kind(lambda: draw("bool"))]
""",
    "seeds start streams anew": """
found = []
for _ in range(2):
    k.utils.set_random_seed(42)
    found.append([np.asarray(k.random.normal((3,))), np.asarray(k.random.uniform((2,))),
                  np.random.rand(2)])
result = [bool(np.array_equal(a, b)) for a, b in zip(*found)]
""",
    "sparse tensors in layers": """
s = tf.sparse.from_dense(X[:3])
result = [L.Dense(2, **ones)(s), kind(lambda: L.Embedding(4, 2)(tf.ragged.constant([[1], [2, 3]])))]
""",
}

REFUSED = {
    f"refused arguments of {name}": f"""
codes = {calls.strip()!r}.splitlines()
result = {{code: kind(lambda: eval(code)) for code in codes}}
"""
    for name, calls in CALLS.items()
}

WINDOWS = """
    hann hamming blackman bartlett boxcar tukey nuttall parzen flattop blackmanharris barthann
    bohman cosine triang ones exponential lanczos taylor han ham brt sinc poisson
"""
INITIALIZERS = {
    f"STFT with the window {window}": f"""
found = []
for scaling, periodic in ((None, False), (None, True), ("density", False), ("spectrum", True)):
    i = k.initializers.STFT("real", {window!r}, scaling, periodic)
    found.append(i((7, 1, 2)))
result = [found, k.initializers.STFT(window={window!r}).get_config()]
"""
    for window in WINDOWS.split()
}

PROGRAMS = {
    name: SHARED + code
    for table in (MODELS, FILES, LAYERS, REFUSED, TRAINING, INITIALIZERS)
    for name, code in table.items()
}
