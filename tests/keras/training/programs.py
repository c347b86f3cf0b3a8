"""Programs of training, evaluation and prediction (`tests.keras.oracle`)."""

from __future__ import annotations

_PRELUDE = """
import contextlib, io, re
L = k.layers
draw = np.random.RandomState(0)
X = draw.randn(50, 4).astype('float32')
Y = draw.randint(0, 3, 50)
B = draw.randint(0, 2, (50, 1))
R = draw.randn(50, 2).astype('float32')
ONE = R[:, :1]
logits = k.losses.SparseCategoricalCrossentropy(from_logits=True)

def start(model):
    values = np.random.RandomState(1)
    model.set_weights([values.uniform(-1, 1, w.shape) for w in model.get_weights()])
    return model

def seq(out=3, act=None):
    first = L.Dense(5, activation='relu', name='h')
    return start(k.Sequential([L.Input((4,)), first, L.Dense(out, activation=act, name='o')]))

def two(kind='list'):
    i = L.Input((4,), name='inp')
    h = L.Dense(3, name='h')(i)
    a, b = L.Dense(2, name='a')(h), L.Dense(1, name='b')(h)
    outputs = {'list': [a, b], 'dict': {'a': a, 'b': b}, 'other': {'p': a, 'q': b}}[kind]
    return start(k.Model(i, outputs))

class Sub(k.Model):
    def __init__(self):
        super().__init__()
        self.d, self.e = L.Dense(2), L.Dense(1)
        self.seen = k.metrics.Mean(name='seen')
    def call(self, x):
        self.seen.update_state(tf.reduce_sum(x))
        self.add_loss(tf.reduce_mean(x) * 0.01)
        return self.d(x), self.e(x)

def sub():
    model = Sub()
    model(X)
    return start(model)

def compiled(model, optimizer='sgd', loss='mse', **kwargs):
    model.compile(optimizer, loss, **kwargs)
    return model

def fit(model, x=X, y=None, **kwargs):
    kwargs = {'batch_size': 16, 'shuffle': False, 'verbose': 0, **kwargs}
    return model.fit(x, y, **kwargs).history

def whole(model, y, **kwargs):
    weights = kwargs.pop('sample_weight', None)
    history = fit(model, X, y, sample_weight=weights, **kwargs)
    values = model.evaluate(X, y, verbose=0, sample_weight=weights, batch_size=16)
    return [history, values, model.get_weights()]
"""

_PROGRAMS = {
    # -- one output ----------------------------------------------------------------------------
    "sgd": "result = whole(compiled(seq(), 'sgd', logits, metrics=['accuracy']), Y, epochs=3)",
    "adam": "result = whole(compiled(seq(), 'adam', logits, metrics=['accuracy']), Y, epochs=3)",
    "rmsprop, named loss": "result = whole(compiled(seq(), 'rmsprop', 'mse'), X[:, :3], epochs=2)",
    "binary": "result = whole(compiled(seq(1, 'sigmoid'), 'sgd', 'binary_crossentropy', "
    "metrics=['acc', 'accuracy', 'mae', 'AUC']), B)",
    "categorical": "result = whole(compiled(seq(3, 'softmax'), 'sgd', 'categorical_crossentropy', "
    "metrics=['accuracy', 'mse']), np.eye(3)[Y])",
    "names of metrics": "result = whole(compiled(seq(), metrics=[lambda a, b: "
    "tf.reduce_mean(a - b), k.metrics.MeanAbsoluteError(name='zoo'), "
    "'MSE', 'MeanSquaredError', k.metrics.MeanAbsoluteError, 'mae', 'mae']), X[:, :3])[0]",
    "lists": "result = whole(compiled(seq(), loss=['mse'], metrics=[['mae', 'mse']]), X[:, :3])",
    "function as loss": "result = whole(compiled(seq(), loss=lambda a, b: tf.square(a - b)), "
    "X[:, :3])",
    "loss weight": "result = whole(compiled(seq(), loss_weights=2.0), X[:, :3])",
    "loss weights": "result = whole(compiled(seq(), loss_weights=[2.0]), X[:, :3])",
    "loss weights, too many": "result = whole(compiled(seq(), loss_weights=[2.0, 1.0]), X[:, :3])",
    "sample weights": "result = whole(compiled(seq(), metrics=['mae'], weighted_metrics=['mse']), "
    "X[:, :3], sample_weight=np.linspace(0, 2, 50))",
    "weighted twice": "result = fit(compiled(seq(), metrics=['mae'], weighted_metrics=['mae']), "
    "X, X[:, :3], sample_weight=np.linspace(0, 2, 50))",
    "class weights": "result = fit(compiled(seq(), 'sgd', logits, metrics=['accuracy'], "
    "weighted_metrics=['accuracy']), X, Y, class_weight={0: 1.0, 1: 2.0, 2: 0.5})",
    "class weights, some": "result = fit(compiled(seq(), 'sgd', logits), X, Y, "
    "class_weight={0: 1.0, 1: 3.0})",
    "class weights, one-hot": "result = fit(compiled(seq(3, 'softmax'), 'sgd', "
    "'categorical_crossentropy'), X, np.eye(3)[Y], class_weight={0: 1.0, 1: 3.0, 2: 0.5})",
    "class and sample weights": "result = fit(compiled(seq(), 'sgd', logits), X, Y, "
    "class_weight={0: 1.0}, sample_weight=np.ones(50))",
    "regularizers alone": "m = start(k.Sequential([L.Input((4,)), L.Dense(3, "
    "activity_regularizer='l2', kernel_regularizer='l2')]))\n"
    "m.compile('sgd')\nresult = [fit(m), m.get_weights()]",
    "schedule": "rate = k.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)\n"
    "result = whole(compiled(seq(), k.optimizers.SGD(rate)), X[:, :3], epochs=2)",
    "clipped, averaged": "opt = k.optimizers.Adam(0.1, clipnorm=0.1, use_ema=True)\n"
    "result = whole(compiled(seq(), opt), X[:, :3], epochs=2)",
    "several steps": "result = whole(compiled(seq(), steps_per_execution=3), X[:, :3], epochs=2)",
    "eagerly": "result = whole(compiled(seq(), run_eagerly=True, metrics=['mae']), X[:, :3])",
    "compiled": "result = whole(compiled(seq(), jit_compile=True, metrics=['mae']), X[:, :3])",
    "batch normalization, dropout 0": "m = start(k.Sequential([L.Input((4,)), "
    "L.BatchNormalization(), L.Dropout(0.0), L.Dense(3)]))\n"
    "result = whole(compiled(m), X[:, :3], epochs=2)",
    # -- several outputs -----------------------------------------------------------------------
    "two": "result = whole(compiled(two(), loss=['mse', 'mae'], metrics=[['mae'], "
    "['mse', 'mae']]), [R, ONE], epochs=2)",
    "two, one metric each": "result = whole(compiled(two(), loss=['mse', 'mae'], "
    "metrics=['mae', 'mse']), [R, ONE])",
    "two, one loss": "result = whole(compiled(two()), [R, ONE])",
    "two, too few metrics": "result = whole(compiled(two(), metrics=['mae']), [R, ONE])",
    "two, too many metrics": "result = whole(compiled(two(), metrics=['mae'] * 3), [R, ONE])",
    "two by name": "result = whole(compiled(two(), loss={'a': 'mse', 'b': 'mae'}, "
    "metrics={'a': 'mae'}, loss_weights={'a': 2.0, 'b': 0.5}), [R, ONE])",
    "two, targets by name": "result = whole(compiled(two(), loss={'a': 'mse', 'b': 'mae'}, "
    "metrics={'a': ['mae', 'mse']}), {'a': R, 'b': ONE})",
    "two, a name is missing": "result = whole(compiled(two(), loss={'a': 'mse'}), [R, ONE])",
    "dict": "result = whole(compiled(two('dict'), loss={'a': 'mse', 'b': 'mae'}, "
    "metrics={'a': ['mae', 'mse']}, weighted_metrics={'b': ['mae']}), {'a': R, 'b': ONE})",
    "dict, one loss": "result = whole(compiled(two('dict')), {'a': R, 'b': ONE})",
    "dict, other keys": "result = whole(compiled(two('other'), loss={'p': 'mse', 'q': 'mae'}, "
    "metrics={'p': ['mae'], 'q': ['mae']}), {'p': R, 'q': ONE})",
    "dict, some losses": "result = whole(compiled(two('dict'), loss={'a': 'mse'}), "
    "{'a': R, 'b': ONE})",
    "dict, unknown loss": "result = whole(compiled(two('dict'), loss={'z': 'mse'}), "
    "{'a': R, 'b': ONE})",
    "dict, unknown metric": "result = whole(compiled(two('dict'), metrics={'z': 'mse'}), "
    "{'a': R, 'b': ONE})",
    "two, one without loss": "result = whole(compiled(two(), loss=['mse', None], "
    "metrics=[None, ['mae']]), [R, ONE])",
    "two, loss weights": "result = whole(compiled(two(), loss=['mse', 'mae'], "
    "loss_weights=[0.1, 2]), [R, ONE])",
    "two, too few weights": "result = whole(compiled(two(), loss=['mse', 'mae'], "
    "loss_weights=[0.1]), [R, ONE])",
    "two, weights of samples": "result = whole(compiled(two(), loss=['mse', 'mae'], "
    "weighted_metrics=[['mse'], []]), [R, ONE], "
    "sample_weight=[np.linspace(0, 1, 50), np.ones(50)])",
    "two, one weight for both": "result = whole(compiled(two()), [R, ONE], "
    "sample_weight=np.linspace(0, 1, 50))",
    "two, one target": "result = whole(compiled(two(), loss=['mse', 'mae']), R)",
    "two, on batches": "m = compiled(two(), loss=['mse', 'mae'], metrics=[['mae'], ['mse']])\n"
    "result = [m.train_on_batch(X, [R, ONE]), m.train_on_batch(X, [R, ONE], return_dict=True), "
    "m.test_on_batch(X, [R, ONE]), m.predict_on_batch(X[:2]), m.metrics_names]",
    "subclass": "result = whole(compiled(sub(), loss=['mse', 'mae'], metrics=[['mae'], ['mse']]), "
    "(R, ONE), epochs=2)",
    "subclass, names": "m = compiled(sub(), loss=['mse', 'mae'], metrics=[['mae'], ['mse']])\n"
    "fit(m, X, (R, ONE))\nresult = m.metrics_names",
    # -- data ----------------------------------------------------------------------------------
    "validation": "result = fit(compiled(seq(), metrics=['mae']), X, X[:, :3], epochs=2, "
    "validation_data=(X[:20], X[:20, :3]))",
    "validation, weights": "result = fit(compiled(seq(), weighted_metrics=['mae']), X, X[:, :3], "
    "validation_data=(X, X[:, :3], np.linspace(0, 1, 50)), validation_batch_size=7)",
    "validation split": "result = fit(compiled(seq()), X, X[:, :3], validation_split=0.2)",
    "validation split of a dataset": "data = tf.data.Dataset.from_tensor_slices((X, X[:, :3]))\n"
    "result = compiled(seq()).fit(data.batch(8), validation_split=0.2, verbose=0).history",
    "validation now and then": "result = fit(compiled(seq()), X, X[:, :3], epochs=4, "
    "validation_data=(X, X[:, :3]), validation_freq=2)",
    "validation in some epochs": "result = fit(compiled(seq()), X, X[:, :3], epochs=4, "
    "validation_data=(X, X[:, :3]), validation_freq=[1, 4])",
    "epochs from two on": "h = compiled(seq()).fit(X, X[:, :3], batch_size=16, epochs=4, "
    "initial_epoch=2, verbose=0, shuffle=False)\nresult = [h.epoch, h.params, h.history]",
    "no epochs": "result = fit(compiled(seq()), X, X[:, :3], epochs=0)",
    "steps of arrays": "result = fit(compiled(seq()), X, X[:, :3], epochs=3, steps_per_epoch=2)",
    "steps of datasets": "data = tf.data.Dataset.from_tensor_slices((X, X[:, :3])).batch(8)\n"
    "result = compiled(seq()).fit(data, epochs=3, steps_per_epoch=4, verbose=0).history",
    "endless dataset": "data = tf.data.Dataset.from_tensor_slices((X, X[:, :3])).batch(8)\n"
    "m = compiled(seq())\n"
    "result = [m.fit(data.repeat(), epochs=2, steps_per_epoch=9, verbose=0).history, "
    "m.evaluate(data.repeat(), steps=3, verbose=0), "
    "m.predict(data.repeat(), steps=2, verbose=0).shape]",
    "dataset": "data = tf.data.Dataset.from_tensor_slices((X, Y, np.ones(50))).batch(8)\n"
    "m = compiled(seq(), 'sgd', logits, metrics=['accuracy'])\n"
    "result = [m.fit(data, epochs=2, verbose=0, validation_data=data).history, "
    "m.evaluate(data, verbose=0), m.predict(data, verbose=0)]",
    "dataset, class weights": "data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(8)\n"
    "result = compiled(seq(), 'sgd', logits).fit(data, verbose=0, "
    "class_weight={0: 1.0, 1: 2.0, 2: 0.5}).history",
    "dataset and targets": "data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(8)\n"
    "result = compiled(seq()).fit(data, Y, verbose=0).history",
    "generator": "def g():\n    for i in range(6):\n"
    "        yield X[i * 8:i * 8 + 8], X[i * 8:i * 8 + 8, :3]\n"
    "m = compiled(seq())\nresult = [m.fit(g(), verbose=0).history, "
    "m.fit(g(), verbose=0, epochs=3, steps_per_epoch=2).history, m.evaluate(g(), verbose=0), "
    "m.predict(((X[i:i + 1],) for i in range(3)), verbose=0)]",
    "empty generator": "result = compiled(seq()).fit((x for x in []), verbose=0)",
    "PyDataset": "class D(k.utils.PyDataset):\n"
    "    def __len__(self):\n        return 3\n"
    "    def __getitem__(self, i):\n"
    "        return X[i * 8:i * 8 + 8], X[i * 8:i * 8 + 8, :3]\n"
    "m = compiled(seq())\nresult = [m.fit(D(), epochs=2, verbose=0, shuffle=False).history, "
    "m.evaluate(D(), verbose=0), m.predict(D(), verbose=0)]",
    "dtypes": "m = compiled(seq())\nresult = [fit(m, (X * 10).astype('uint8'), "
    "X[:, :3].astype('float64')), m.predict((X * 10).astype('int64'), verbose=0).dtype.name]",
    "dicts": "p, q = L.Input((4,), name='p'), L.Input((4,), name='q')\n"
    "m = start(k.Model([p, q], L.Dense(2)(L.Add()([p, q]))))\n"
    "result = [fit(compiled(m), {'p': X, 'q': -2 * X}, R), fit(m, [X, X], R), "
    "m.predict({'p': X, 'q': X}, verbose=0)]",
    "some steps of prediction": "m = seq()\nresult = m.predict(X, batch_size=16, steps=2, "
    "verbose=0)",
    # -- refusals ------------------------------------------------------------------------------
    "not compiled": "result = seq().fit(X, Y)",
    "not compiled, evaluated": "result = seq().evaluate(X, Y)",
    "sizes differ": "result = fit(compiled(seq()), X, Y[:10])",
    "not enough weights": "result = fit(compiled(seq()), X, Y, sample_weight=np.ones(3))",
    "no data": "result = fit(compiled(seq()), object(), Y)",
    "no loss": "result = fit(compiled(seq(), loss=None), X, Y)",
    "unknown loss": "result = fit(compiled(seq(), loss='nope'), X, Y)",
    "unknown metric": "result = fit(compiled(seq(), metrics=['nope']), X, X[:, :3])",
    "metric that is none": "result = fit(compiled(seq(), metrics=[3]), X, X[:, :3])",
    "metrics not in a list": "result = compiled(seq(), metrics='mae')",
    "no targets": "result = fit(compiled(seq()))",
    "shapes differ": "result = fit(compiled(seq()), X, R)",
    "unknown argument": "result = compiled(seq()).evaluate(X, X[:, :3], foo=0)",
    # -- progress ------------------------------------------------------------------------------
    "lines": "m, out = compiled(seq(), metrics=['mae']), io.StringIO()\n"
    "with contextlib.redirect_stdout(out):\n"
    "    m.fit(X, X[:, :3], batch_size=16, epochs=2, verbose=2, validation_data=(X, X[:, :3]), "
    "shuffle=False)\n"
    "    m.evaluate(X, X[:, :3], verbose=2)\n"
    "result = re.sub(r'\\d+s - \\d+m?u?s/step', 'T', out.getvalue())",
    "bars": "m, out = compiled(seq(), metrics=['mae']), io.StringIO()\n"
    "with contextlib.redirect_stdout(out):\n"
    "    m.fit(X, X[:, :3], batch_size=16, verbose=1, shuffle=False)\n"
    "    m.predict(X[:5])\n"
    "ends = [text.split('\\r')[-1].strip() for text in out.getvalue().split('\\n')]\n"
    "result = [re.sub(r'\\d+m?u?s', 'T', text) for text in ends]",
}

PROGRAMS = {name: _PRELUDE + code for name, code in _PROGRAMS.items()}
