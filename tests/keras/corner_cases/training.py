"""Programs of training; names such as `line` are defined in `programs`."""

from __future__ import annotations

MULTI = """k.optimizers.MultiOptimizer(k.optimizers.OptimizerMap(
    k.optimizers.Adam(k.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5), name="main"),
    {".*bias": k.optimizers.SGD(
        k.optimizers.schedules.PiecewiseConstantDecay([1], [0.1, 0.01]), name="of_bias"),
     "o/kernel": k.optimizers.RMSprop(0.05, name="of_kernel")}))"""

TRAINING = {
    "lists of losses in dicts": """
i = k.Input((4,))
m = k.Model(i, {"p": L.Dense(1, name="p", **ones)(i)})
m.compile("sgd", loss={"p": ["mse"]})
result = fit(m, X, {"p": Y})
""",
    "labels only where there is a loss": """
i = k.Input((4,))
m = k.Model(i, [L.Dense(1, name=n, **ones)(i) for n in "abc"])
m.compile("sgd", loss=["mse", None, None])
result = fit(m, X, [Y])
""",
    **{
        f"averaged weights swapped {when}": f"""
seen = []
class Note(C.Callback):
    def on_epoch_end(self, epoch, logs=None): seen.append(self.model.get_weights())
    def on_test_begin(self, logs=None): seen.append(self.model.get_weights())
    def on_test_end(self, logs=None): seen.append(self.model.get_weights())
opt = k.optimizers.{optimizer}
m = line(optimizer=opt)
h = fit(m, epochs=3, validation_data=(X, Y), callbacks=[C.SwapEMAWeights({swap}), Note()])
after = [m.get_weights(), [np.asarray(v) for v in m.optimizer.variables
         if "average" in v.path]]
loss = m.evaluate(X, Y, verbose=0)
with_callback = m.evaluate(X, Y, verbose=0, callbacks=[C.SwapEMAWeights({swap})])
p = m.predict(X[:2], verbose=0, callbacks=[C.SwapEMAWeights({swap})])
result = [h, seen, after, loss, with_callback, p, m.get_weights()]
"""
        for when, swap, optimizer in (
            (
                "each epoch",
                "swap_on_epoch=True",
                "SGD(0.1, use_ema=True, ema_momentum=0.5)",
            ),
            ("for evaluation", "", "Adam(0.1, use_ema=True, ema_momentum=0.5)"),
            (
                "with overwriting",
                "swap_on_epoch=True",
                "SGD(0.1, use_ema=True, ema_momentum=0.5, ema_overwrite_frequency=3)",
            ),
            (
                "with scaled losses",
                "swap_on_epoch=True",
                "LossScaleOptimizer(k.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.5))",
            ),
        )
    },
    "a metric with a dict of metrics": """
class Several(k.metrics.Metric):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.inner = [k.metrics.Sum(), {"a": k.metrics.Mean()}]
    def update_state(self, x):
        self.inner[0].update_state(x)
        self.inner[1]["a"].update_state(x)
    def result(self): return self.inner[0].result()
m = Several()
m.update_state([1.0, 1.0])
count = len(m.variables)
m.reset_state()
result = [count, m.result()]
""",
    "a generator that ends early": """
def batches(n):
    for _ in range(n): yield X[:5], Y[:5]
found = []
for n, kwargs in ((3, dict(epochs=2)), (3, dict(epochs=2, steps_per_epoch=2)),
                  (5, dict(epochs=3, steps_per_epoch=2))):
    m = line()
    histories = []
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        text = printed(lambda: histories.append(m.fit(batches(n), verbose=2, **kwargs)))
    found.append([histories[0].history, bool(seen), text.count("loss"),
                  [x for x in text.splitlines() if x.startswith("Epoch")]])
result = found
""",
    "stopping evaluation": """
class Stop(C.Callback):
    def on_test_batch_end(self, batch, logs=None): self.model.stop_evaluating = True
    def on_predict_batch_end(self, batch, logs=None): self.model.stop_predicting = True
m = line()
result = [m.evaluate(X, Y, batch_size=4, verbose=0, callbacks=[Stop()]),
          m.predict(X, batch_size=4, verbose=0, callbacks=[Stop()]).shape]
""",
    "averages of a progress bar": """
bar = k.utils.Progbar(3, verbose=2)
def run():
    bar.update(1, [("loss", 0.5)])
    bar.update(2, [("loss", 0.25)])
    bar.update(3, [("loss", 0.25)], finalize=True)
result = printed(run).split("loss: ")[-1].strip()
""",
    "progress of counts": """
bar = k.utils.Progbar(4, verbose=2, stateful_metrics=["s"])
def run():
    for n, v in ((1, .5), (3, .25), (4, .25)): bar.update(n, [("loss", v), ("s", v)])
result = printed(run).split("step - ")[-1].strip()
""",
    **{
        f"several optimizers with {name}": f"""
h, o = L.Dense(3, name="h", **ones), L.Dense(1, name="o", **ones)
m = k.Sequential([k.Input((4,)), h, o])
opt = {optimizer}
m.compile(opt, "mse")
history = fit(m, epochs=3, callbacks=[{callback}])
result = [history, m.get_weights()]
"""
        for name, callback, optimizer in (
            (
                "a schedule",
                "C.LearningRateScheduler(lambda e, lr: lr * 0.5)",
                "k.optimizers.SGD(0.1)",
            ),
            (
                "a plateau",
                "C.ReduceLROnPlateau('loss', patience=1, min_delta=10.0)",
                "k.optimizers.SGD(0.1)",
            ),
            ("schedules of their own", "C.TerminateOnNaN()", MULTI),
            ("one schedule for all", "C.LearningRateScheduler(lambda e, lr: lr * 0.5)", MULTI),
            ("one plateau for all", "C.ReduceLROnPlateau('loss', patience=1)", MULTI),
        )
    },
    "labels that are booleans": """
found = []
for metric in (k.metrics.BinaryAccuracy(), k.metrics.Precision(), k.metrics.AUC(),
               k.metrics.TruePositives(), k.metrics.BinaryIoU(threshold=0.5)):
    metric.update_state(np.array([True, False, True]), np.array([True, True, False]))
    found.append(metric.result())
result = found
""",
    "the loss crossentropy": """
m = line(L.Dense(3, activation="softmax", **ones), loss="crossentropy")
result = fit(m, X, np.eye(3)[np.arange(20) % 3])
""",
    "ctc with the blank label among labels": """
p = tf.constant(np.sin(np.arange(60.0)).reshape(3, 5, 4).astype("float32"))
y = tf.constant([[0, 1, 2], [1, 0, 2], [0, 0, 0]])
result = [k.losses.ctc(y, p), k.losses.CTC()(y, p)]
""",
    "an unknown metric": """
seen = []
def loss(a, b):
    seen.append(1)
    return tf.reduce_mean(a - b)
result = kind(lambda: fit(line(loss=loss, metrics=["no such metric"])))
""",
    "how early stopping compares": """
c = C.EarlyStopping(monitor="accuracy")
found = [c.monitor_op is None, C.EarlyStopping(mode="max").monitor_op is None]
m = line(metrics=["accuracy"])
fit(m, callbacks=[c])
result = [*found, bool(c.monitor_op(2.0, 1.0))]
""",
    "warnings of fit": """
m = line()
data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(5)
def batches():
    while True: yield X, Y
class Data(k.utils.PyDataset):
    def __len__(self): return 2
    def __getitem__(self, i): return X, Y
result = [warned(lambda: m.fit(data, shuffle=True, verbose=0)),
          warned(lambda: m.fit(data, verbose=0)),
          warned(lambda: m.fit(batches(), steps_per_epoch=1, shuffle=True, verbose=0)),
          warned(lambda: m.fit(batches(), steps_per_epoch=1, verbose=0)),
          warned(lambda: m.fit(Data(), shuffle=True, verbose=0))]
""",
    "warnings of the structure of inputs": """
a, b = k.Input((4,), name="a"), k.Input((4,), name="b")
two = k.Model([a, b], L.Add()([a, b]))
one = k.Model(a, L.Dense(1)(a))
named = k.Model({"a": a, "b": b}, L.Add()([a, b]))
listed = k.Model([a], L.Dense(1)(a))
result = [warned(lambda: two({"a": X, "b": X})), warned(lambda: one([X])),
          warned(lambda: one({"a": X})), warned(lambda: two([X, X])), warned(lambda: two((X, X))),
          warned(lambda: named([X, X])), warned(lambda: named({"a": X, "b": X})),
          warned(lambda: listed([X])), warned(lambda: listed.predict(X, verbose=0)),
          warned(lambda: two.predict({"a": X, "b": X}, verbose=0)),
          warned(lambda: one.predict([X], verbose=0))]
""",
    "the order of batches of a PyDataset": """
class Data(k.utils.PyDataset):
    def __len__(self): return 9
    def __getitem__(self, i): return np.full((1, 4), i, "float32"), np.ones((1, 1))
class Seen(k.Model):
    def call(self, x): return x
    def train_step(self, data):
        seen.append(float(data[0][0, 0]))
        return {"loss": tf.constant(0.0)}
seen = []
k.utils.set_random_seed(3)
m = Seen()
m.compile("sgd", "mse", run_eagerly=True)
m.fit(Data(), shuffle=True, epochs=2, verbose=0)
result = np.array(seen)
""",
    **{
        f"the order of shuffled samples, {name}": f"""
class Seen(k.Model):
    def __init__(self):
        super().__init__()
        self.dense = L.Dense(1)
    def call(self, x): return self.dense(x)
    def train_step(self, data):
        seen.append(np.asarray(data[0])[:, 0])
        return {{"loss": tf.constant(0.0)}}
found = []
for _ in range(2):
    seen = []
    k.utils.set_random_seed({seed})
    m = Seen()
    m.compile("sgd", "mse", run_eagerly=True)
    n = np.arange({rows}, dtype="float32")[:, None]
    m.fit(n, n, {arguments}, verbose=0)
    found.append(np.concatenate(seen))
result = [found[0], bool(np.array_equal(*found))]
"""
        for name, seed, rows, arguments in (
            ("one epoch", 1, 10, "batch_size=4"),
            ("two epochs", 42, 10, "batch_size=4, epochs=2"),
            ("batches", 7, 20, "batch_size=4, shuffle='batch', epochs=2"),
            ("many", 3, 300, "batch_size=100, epochs=2"),
            ("validation split", 5, 20, "batch_size=4, validation_split=0.5, epochs=2"),
            ("steps", 9, 10, "batch_size=4, steps_per_epoch=2, epochs=4"),
        )
    },
}
