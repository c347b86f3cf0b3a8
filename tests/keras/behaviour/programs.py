"""What models, layers and training do, in programs that users write."""

from __future__ import annotations

SHARED = """
import os, tempfile
__name__ = "program"
L = k.layers
folder = tempfile.mkdtemp()
file = os.path.join(folder, "m.keras")
weights_file = os.path.join(folder, "m.weights.h5")
X = np.arange(80, dtype="float32").reshape(20, 4) / 80
Y = X.sum(1, keepdims=True) * 2
ones = dict(kernel_initializer="ones")
def classes(items): return [type(item).__name__ for item in items]
def names(items): return [item.name for item in items]
"""

MODELS = {
    "a subclass created from inputs and outputs is functional": """
class Custom(k.Model): pass
i = k.Input((4,), name="in")
m = Custom(i, L.Dense(1, name="o", **ones)(L.Dense(3, name="h", **ones)(i)), name="custom")
m.save(file)
back = k.models.load_model(file, custom_objects={"Custom": Custom})
result = [names(m.layers), m.get_layer("h").name, m.get_config()["output_layers"],
          type(m).__name__, type(m).__mro__[1].__name__, back(X[:2]), names(back.layers),
          [w.path for w in back.weights], type(back).__name__,
          m.output_names]
""",
    "a subclass that passes inputs and outputs to its base": """
class Custom(k.Model):
    def __init__(self, units, **kwargs):
        i = k.Input((4,), name="in")
        super().__init__(i, L.Dense(units, name="d", **ones)(i), **kwargs)
        self.units = units
    def train_step(self, data): return {"seen": tf.constant(1.0)}
    def get_config(self): return {"units": self.units}
m = Custom(2)
m.compile("sgd", "mse")
history = m.fit(X, Y, verbose=0).history
m.save(file)
back = k.models.load_model(file, custom_objects={"Custom": Custom})
result = [names(m.layers), history, back.units, back(X[:2]), names(Custom(3).layers)]
""",
    "outputs of layers after add and pop": """
m = k.Sequential()
m.add(k.Input((4,)))
m.add(L.Dense(3, **ones))
m.add(L.Dense(2, **ones))
first = [layer.output.shape for layer in m.layers]
m.pop()
part = k.Model(m.inputs, m.layers[-1].output)
m.add(L.Dense(5, **ones))
result = [first, part(X[:1]), m.output_shape, m(X[:1]), [l.output.shape for l in m.layers]]
""",
    "the order of layers in models with several inputs": """
a, b = k.Input((4,), name="a"), k.Input((4,), name="b")
x = L.Dense(4, name="d2")(L.Dense(3, name="d1")(a))
m = k.Model([a, b], L.Add(name="s")([x, b]))
result = [names(m.layers), [w.path for w in m.weights]]
""",
    "a model that begins with the output of a layer": """
a, b = k.Input((4,), name="a"), k.Input((4,), name="b")
x = L.Dense(4, name="d1", **ones)(a)
m = k.Model([x, b], L.Add(name="s")([L.Dense(4, name="d2", **ones)(x), b]))
again = k.Model.from_config(m.get_config())
again.set_weights(m.get_weights())
result = [classes(m.layers), classes(again.layers), m([X[:1], X[:1]]), again([X[:1], X[:1]]),
          m.input_shape, again.output_shape]
""",
    "tuples of outputs come back as tuples": """
i = k.Input((4,), name="in")
m = k.Model(i, (L.Dense(1, name="p", **ones)(i), L.Dense(2, name="q", **ones)(i)))
again = k.Model.from_config(m.get_config())
result = [type(m(X)).__name__, type(again(X)).__name__, m.get_config()["output_layers"]]
""",
    "layers and metrics of models inside models": """
inner = k.Sequential([k.Input((4,)), L.Dense(3)], name="inner")
inner.compile("sgd", "mse", metrics=["mae"])
m = k.Sequential([inner, L.Dense(1)])
m.compile("sgd", "mse", metrics=["mae"])
m.fit(X, Y, verbose=0)
result = [names(m.metrics), m.metrics_names]
""",
    "a dict of inputs by key": """
a, b = k.Input((4,), name="x"), k.Input((4,), name="y")
m = k.Model({"a": a, "b": b}, L.Subtract()([a, b]))
found = [m({"a": X[:1], "b": X[:1] * 2})]
try:
    m({"x": X[:1], "y": X[:1]})
except Exception as e:
    found.append(type(e).__name__)
result = found
""",
}

FILES = {
    "own variables saved by hooks": """
class Kept(L.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(1,), initializer="ones", name="w")
    def call(self, x): return x * self.w
    def save_own_variables(self, store): store["mine"] = np.asarray(self.w) * 2
    def load_own_variables(self, store): self.w.assign(store["mine"][...])
m = k.Sequential([k.Input((4,)), Kept()])
m.save(file)
back = k.models.load_model(file, custom_objects={"Kept": Kept})
m.save_weights(weights_file)
m.load_weights(weights_file)
result = [back.get_weights(), m.get_weights()]
""",
    "assets saved by hooks": """
class Words(L.Layer):
    def __init__(self, words=None, **kwargs):
        super().__init__(**kwargs)
        self.words = words
    def call(self, x): return x
    def save_assets(self, path):
        with open(os.path.join(path, "words.txt"), "w") as f: f.write(self.words)
    def load_assets(self, path):
        with open(os.path.join(path, "words.txt")) as f: self.words = f.read()
    def get_config(self): return {"name": self.name}
class Outer(L.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.inside = Words("deep", name="inside")
        self.several = [Words("listed")]
    def call(self, x): return self.several[0](self.inside(x))
m = k.Sequential([k.Input((4,)), Words("hello", name="w"), Outer(name="o")])
m.save(file)
import zipfile
members = [n for n in zipfile.ZipFile(file).namelist() if "assets" in n]
Words.__init__.__defaults__ = ("lost",)
back = k.models.load_model(file, custom_objects={"Words": Words, "Outer": Outer})
result = [back.layers[0].words, back.layers[1].inside.words, back.layers[1].several[0].words,
          sorted(n for n in members if n.endswith("txt"))]
""",
    "building by hooks": """
calls = []
class Own(L.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1],), initializer="ones")
    def call(self, x): return x * self.w
    def get_build_config(self): return {"size": 4}
    def build_from_config(self, config):
        calls.append(dict(config))
        self.build((None, config["size"]))
layer = Own()
layer(X)
config = k.utils.serialize_keras_object(layer)
back = k.utils.deserialize_keras_object(config, custom_objects={"Own": Own})
result = [config["build_config"], calls, back.built, len(back.weights)]
""",
    "metrics of a model are in its files": """
class Custom(k.Model):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.dense = L.Dense(1, **ones)
        self.tracker = k.metrics.Mean(name="m")
    def call(self, x): return self.dense(x)
m = Custom()
m(X)
m.tracker.update_state([2.0, 4.0])
m.save_weights(weights_file)
other = Custom()
other(X)
other.load_weights(weights_file)
import h5py
found = []
h5py.File(weights_file).visititems(lambda n, o: found.append(n) if hasattr(o, "dtype") else None)
result = [sorted(found), other.tracker.result()]
""",
    "layers in lists inside lists are in files": """
class Custom(k.Model):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.grid = [[L.Dense(2, **ones), L.Dense(2, **ones)], [L.Dense(1, **ones)]]
        self.named = {"b": L.Dense(4, **ones), "a": L.Dense(4, **ones)}
    def call(self, x):
        x = self.named["a"](self.named["b"](x))
        for row in self.grid:
            for layer in row: x = layer(x)
        return x
m = Custom()
m(X)
m.save_weights(weights_file)
other = Custom()
other(X)
other.set_weights([w * 0 for w in other.get_weights()])
other.load_weights(weights_file)
import h5py
found = []
h5py.File(weights_file).visititems(lambda n, o: found.append(n) if hasattr(o, "dtype") else None)
result = [sorted(found), other(X[:1])]
""",
    "an unbuilt model has no weights to save": """
class Custom(k.Model):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.dense = L.Dense(1)
    def call(self, x): return self.dense(x)
try:
    Custom().save_weights(weights_file)
    result = "saved"
except Exception as e:
    result = type(e).__name__
""",
    "an unbuilt subclass is unbuilt after loading": """
class Custom(k.Model):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.dense = L.Dense(1)
    def call(self, x): return self.dense(x)
m = Custom()
m.save(file)
back = k.models.load_model(file, custom_objects={"Custom": Custom})
result = [m.built, back.built, len(back.weights)]
""",
    "a checkpoint of a model with its optimizer": """
m = k.Sequential([k.Input((4,)), L.Dense(1, **ones)])
m.compile("adam", "mse")
m.fit(X, Y, verbose=0, shuffle=False)
before = m.get_weights()
path = tf.train.Checkpoint(m, optimizer=m.optimizer).save(os.path.join(folder, "c"))
m.set_weights([w * 0 for w in before])
tf.train.Checkpoint(m, optimizer=m.optimizer).restore(path)
result = [np.allclose(a, b) for a, b in zip(before, m.get_weights())]
""",
}

LAYERS = {
    **{
        f"build of a subclass of {name}": f"""
class Own(L.{name}):
    def build(self, shape):
        super().build(shape)
        self.w = self.add_weight(shape=(1,), initializer="ones")
layer = Own(0.1)
layer(np.ones({shape}, "float32"))
result = [len(layer.weights), layer.built]
"""
        for name, shape in {
            "Dropout": (2, 3),
            "GaussianDropout": (2, 3),
            "GaussianNoise": (2, 3),
            "SpatialDropout1D": (2, 3, 4),
            "SpatialDropout2D": (2, 3, 4, 5),
        }.items()
    },
    "layers that are built from the start": """
result = [l.built for l in (L.Dropout(.1), L.ReLU(), L.Activation("relu"), L.MaxPooling1D(),
          L.Identity(), L.Softmax(), L.Masking(), L.Dense(1), L.Flatten(), L.Add(),
          L.GaussianNoise(.1), L.UnitNormalization(), L.ActivityRegularization(), L.Permute((1,)),
          L.ZeroPadding1D(), L.GlobalMaxPooling1D(), L.RepeatVector(2), L.LeakyReLU(), L.PReLU())]
""",
    "legacy arguments of InputLayer": """
layers = [L.InputLayer(input_shape=(4,)), L.InputLayer(batch_input_shape=(2, 4)),
          L.InputLayer(shape=(4,), batch_size=3), L.InputLayer(batch_shape=(1, 4))]
m = k.Sequential([L.InputLayer(input_shape=(4,)), L.Dense(2, **ones)])
result = [[l.batch_shape for l in layers], m.output_shape, m(X[:1])]
""",
    "variables as inputs": """
layer = L.Dense(2, **ones)
result = [layer(tf.Variable(X[:2])), layer(k.Variable(X[:2])), L.Flatten()(tf.Variable(X[:2]))]
""",
    "masks set by hand": """
import sys
class Seen(L.Layer):
    supports_masking = True
    def call(self, x, mask=None): return x if mask is None else x * tf.cast(mask, x.dtype)
x = tf.ones((2, 3))
x._keras_mask = tf.constant([[1.0, 0.0, 1.0]])
result = Seen()(x)
""",
    "reshape to an impossible size": """
found = []
for shape in ((5,), (3, -1)):
    try:
        L.Reshape(shape)(tf.ones((2, 4)))
    except Exception as e:
        found.append(type(e).__name__)
result = found
""",
    "the dtype of a variable as a Python type": """
result = [str(k.Variable(1, dtype=int).dtype).replace("<dtype: '", "").replace("'>", ""),
          k.metrics.Mean(dtype=float).dtype]
""",
}

SPARSE = {
    "dense layers of sparse tensors": """
s = tf.sparse.from_dense(X[:3])
layer = L.Dense(2, use_bias=True, **ones)
result = [layer(s), layer(X[:3]), L.Dense(2, activation="relu", **ones)(s)]
""",
    "gradients through a dense layer of a sparse tensor": """
s = tf.sparse.from_dense(X[:3])
layer = L.Dense(2, **ones)
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(layer(s) ** 2)
result = [tf.convert_to_tensor(g) for g in tape.gradient(loss, layer.trainable_weights)]
""",
    "sparse inputs of models": """
i = k.Input((4,), sparse=True)
m = k.Model(i, L.Dense(2, **ones)(i))
s = tf.sparse.from_dense(X)
m.compile("sgd", "mse")
m.fit(s, np.concatenate([Y, Y], 1), epochs=2, verbose=0, shuffle=False, batch_size=8)
result = [m(s).shape, m.predict(s, verbose=0).shape, m.get_weights()]
""",
    "embeddings of ragged and sparse tensors": """
layer = L.Embedding(5, 2, embeddings_initializer="ones")
sparse = tf.sparse.from_dense(np.array([[1, 2, 0], [3, 0, 0]]))
result = [np.asarray(layer(sparse)).shape]
""",
    "merging sparse tensors": """
a, b = (tf.sparse.from_dense(x) for x in (X[:2], X[:2] * (X[:2] > .05)))
def dense(x): return tf.sparse.to_dense(x) if isinstance(x, tf.SparseTensor) else x
found = []
for layer in (L.Add(), L.Subtract(), L.Multiply(), L.Maximum(), L.Minimum(), L.Average(),
              L.Concatenate(), L.Concatenate(axis=0)):
    out = layer([a, b])
    found.append([dense(out), isinstance(out, tf.SparseTensor)])
result = found
""",
    "shapes of sparse tensors": """
s = tf.sparse.from_dense(np.arange(12, dtype="float32").reshape(2, 3, 2))
found = []
for layer in (L.Flatten(), L.Reshape((2, 3)), L.Permute((2, 1)), L.Reshape((6,))):
    out = layer(s)
    found.append([isinstance(out, tf.SparseTensor), tf.sparse.to_dense(out)])
result = found
""",
}

TRAINING = {
    "validation steps start anew each epoch": """
seen = []
class Custom(k.Model):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.dense = L.Dense(1, **ones)
    def call(self, x): return self.dense(x)
    def test_step(self, data):
        seen.append(float(data[0][0, 0]))
        return super().test_step(data)
m = Custom()
m.compile("sgd", "mse", run_eagerly=True)
h = m.fit(X[:8], Y[:8], epochs=3, validation_data=(X[:10], Y[:10]), validation_steps=2,
          validation_batch_size=2, verbose=0, shuffle=False)
result = [np.array(seen), np.array(h.history["val_loss"])]
""",
    "losses in lists by output": """
i = k.Input((4,))
m = k.Model(i, {"p": L.Dense(1, name="p", **ones)(i), "q": L.Dense(1, name="q", **ones)(i)})
m.compile("sgd", loss={"p": ["mse"], "q": "mae"})
h = m.fit(X, {"p": Y, "q": Y}, verbose=0, shuffle=False)
result = {name: np.array(v) for name, v in sorted(h.history.items())}
""",
    "losses in nested dicts": """
i = k.Input((4,))
d = lambda n: L.Dense(1, name=n, **ones)(i)
m = k.Model(i, {"a": {"b": d("b"), "c": d("c")}, "d": d("d")})
m.compile("sgd", loss={"a": {"b": "mse", "c": "mae"}, "d": "mse"},
          metrics={"a": {"b": "mae", "c": ["mse"]}, "d": ["mae"]})
h = m.fit(X, {"a": {"b": Y, "c": Y}, "d": Y}, verbose=0, shuffle=False)
result = {name: np.array(v) for name, v in sorted(h.history.items())}
""",
    "labels by name for a list of outputs": """
i = k.Input((4,))
m = k.Model(i, [L.Dense(1, name="b", **ones)(i), L.Dense(1, name="a", **ones)(i)])
m.compile("sgd", loss=["mse", "mae"], metrics={"a": ["mse"], "b": ["mae"]})
h = m.fit(X, {"a": Y * 5, "b": Y}, verbose=0, shuffle=False)
result = {name: np.array(v) for name, v in sorted(h.history.items())}
""",
    "labels only for outputs with a loss": """
i = k.Input((4,))
m = k.Model(i, [L.Dense(1, name=n, **ones)(i) for n in "abc"])
m.compile("sgd", loss=["mse", None, None])
h = m.fit(X, [Y], verbose=0, shuffle=False)
result = {name: np.array(v) for name, v in sorted(h.history.items())}
""",
    "weights averaged for evaluation": """
m = k.Sequential([k.Input((4,)), L.Dense(1, **ones)])
m.compile(k.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.5), "mse")
m.fit(X, Y * 2, epochs=2, verbose=0, shuffle=False, batch_size=5,
      callbacks=[k.callbacks.SwapEMAWeights(swap_on_epoch=True)])
result = m.get_weights()
""",
    "metrics in lists and dicts of metrics": """
class Several(k.metrics.Metric):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.listed = [k.metrics.Sum(), k.metrics.Mean()]
        self.named = {"a": k.metrics.Sum()}
    def update_state(self, x):
        for m in self.listed: m.update_state(x)
        self.named["a"].update_state(x)
    def result(self): return self.listed[0].result() + self.named["a"].result()
m = Several()
m.update_state([1.0, 2.0])
before = m.result()
count = len(m.variables)
m.reset_state()
result = [before, count, m.result()]
""",
    "stopping evaluation and prediction": """
class Stop(k.callbacks.Callback):
    def on_test_batch_end(self, batch, logs=None):
        self.model.stop_evaluating = batch == 1
    def on_predict_batch_end(self, batch, logs=None):
        self.model.stop_predicting = batch == 1
counts = []
class Count(k.callbacks.Callback):
    def on_test_batch_end(self, batch, logs=None): counts.append(("test", batch))
    def on_predict_batch_end(self, batch, logs=None): counts.append(("predict", batch))
m = k.Sequential([k.Input((4,)), L.Dense(1, **ones)])
m.compile("sgd", "mse")
m.evaluate(X, Y, batch_size=4, verbose=0, callbacks=[Stop(), Count()])
found = m.predict(X, batch_size=4, verbose=0, callbacks=[Stop(), Count()])
result = [counts, found.shape]
""",
    "a finite generator over several epochs": """
def batches():
    for n in range(4): yield X[n * 5:n * 5 + 5], Y[n * 5:n * 5 + 5]
m = k.Sequential([k.Input((4,)), L.Dense(1, **ones)])
m.compile("sgd", "mse")
found = []
for arguments in (dict(epochs=2), dict(epochs=2, steps_per_epoch=3)):
    h = m.fit(batches(), verbose=0, **arguments)
    found.append([len(h.history["loss"]), h.epoch])
result = found
""",
    "losses by other names": """
m = k.Sequential([k.Input((4,)), L.Dense(1, activation="sigmoid", **ones)])
m.compile("sgd", "crossentropy")
h = m.fit(X, (Y > .5).astype("float32"), verbose=0, shuffle=False)
result = np.array(h.history["loss"])
""",
    "an unknown metric is found before training": """
steps = []
class Custom(k.Model):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.dense = L.Dense(1)
    def call(self, x):
        steps.append(1)
        return self.dense(x)
m = Custom()
try:
    m.compile("sgd", "mse", metrics=["no such metric"])
    m.fit(X, Y, verbose=0)
except Exception as e:
    result = type(e).__name__
""",
    "schedulers with several optimizers": """
m = k.Sequential([k.Input((4,)), L.Dense(1, **ones)])
m.compile(k.optimizers.SGD(0.1), "mse")
h = m.fit(X, Y, epochs=2, verbose=0, shuffle=False,
          callbacks=[k.callbacks.LearningRateScheduler(lambda e, lr: lr * 0.5)])
result = [np.array(h.history["learning_rate"]), m.get_weights()]
""",
    "compiling again from a config": """
m = k.Sequential([k.Input((4,)), L.Dense(1, **ones)])
m.compile(k.optimizers.SGD(0.25), loss="mse", metrics=["mae"], loss_weights=[2.0])
config = m.get_compile_config()
other = k.Sequential([k.Input((4,)), L.Dense(1, **ones)])
other.compile_from_config(config)
other.fit(X, Y, verbose=0, shuffle=False)
result = [config["loss"], config["metrics"], other.get_weights()]
""",
    "stateless calls": """
m = k.Sequential([k.Input((4,)), L.Dense(1, **ones), L.BatchNormalization(momentum=0.5)])
before = m.get_weights()
y, others = m.stateless_call([v.value for v in m.trainable_variables],
                             [v.value for v in m.non_trainable_variables], X, training=True)
same = [bool(np.array_equal(a, b)) for a, b in zip(before, m.get_weights())]
y2, _, losses = m.stateless_call([v * 2 for v in m.trainable_variables],
                                 m.non_trainable_variables, X, return_losses=True)
result = [y, list(others), same, y2, losses]
""",
    "the state of a model as a tree": """
m = k.Sequential([k.Input((4,), name="i"), L.Dense(1, name="d", **ones)], name="m")
m.compile(k.optimizers.SGD(0.1, momentum=0.9, name="o"), "mse", metrics=["mae"])
m.fit(X, Y, verbose=0, shuffle=False)
tree = m.get_state_tree(value_format="numpy_array")
def doubled(t): return {n: doubled(v) for n, v in t.items()} if isinstance(t, dict) else t * 2
m.set_state_tree({"trainable_variables": doubled(tree["trainable_variables"])})
def keys(t): return {n: keys(v) for n, v in t.items()} if isinstance(t, dict) else None
result = [keys(tree["trainable_variables"]), keys(tree["optimizer_variables"]), sorted(tree),
          m.layers[0].bias]
""",
    "variables of metrics and others": """
m = k.Sequential([k.Input((4,)), L.Dense(1), L.BatchNormalization()])
m.compile("adam", "mse", metrics=["mae"])
m.fit(X, Y, verbose=0)
result = [len(m.metrics_variables), [v.path.split("/")[-1] for v in m.metrics_variables],
          len(m.non_trainable_variables), len(m.trainable_variables), len(m.variables)]
""",
    "early stopping without fit": """
c = k.callbacks.EarlyStopping(monitor="val_loss")
found = [c.monitor_op is None]
m = k.Sequential([k.Input((4,)), L.Dense(1)])
m.compile("sgd", "mse")
m.fit(X, Y, verbose=0, callbacks=[c], validation_split=.5)
found.append(bool(c.monitor_op(1.0, 2.0)))
result = found
""",
    "updates of a progress bar": """
import io, contextlib
out = io.StringIO()
bar = k.utils.Progbar(4, verbose=2)
with contextlib.redirect_stdout(out):
    for n, v in enumerate([.5, .25, .25], 1): bar.update(n, [("loss", v)])
    bar.update(4, [("loss", .25)], finalize=True)
result = [out.getvalue().split("loss")[-1]]
""",
}

PROGRAMS = {
    name: SHARED + code
    for table in (MODELS, FILES, LAYERS, SPARSE, TRAINING)
    for name, code in table.items()
}
