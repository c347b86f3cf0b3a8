"""`tf.compat.v1.layers` and what tracks their variables in layers.

The results were recorded with `TF_USE_LEGACY_KERAS=1`, so that Keras 2 is `tf.keras`.
"""

from __future__ import annotations

_DATA = """
v1 = tf.compat.v1
utils = v1.keras.utils
r = np.random.RandomState(0)
def data(*shape):
    return r.randn(*shape).astype("float32")
def run(build, *arrays, feed=None):
    # What a session computes with weights that are set, and the names of the variables.
    with tf.Graph().as_default():
        outputs = build(*map(tf.constant, arrays))
        g = np.random.RandomState(7)
        weights = v1.global_variables()
        with v1.Session() as session:
            for w in weights:
                session.run(w.assign(np.abs(g.randn(*w.shape)).astype("float32") * 0.5))
            values = session.run(outputs)
        return [values, [w.name for w in weights], [w.trainable for w in weights]]
"""

_FUNCTIONS = {
    "dense": "run(lambda x: v1.layers.dense(x, 3, tf.nn.relu), data(2, 4))",
    "dense of three axes": "run(lambda x: v1.layers.dense(x, 3, use_bias=False), data(2, 5, 4))",
    "dense of float64": ("run(lambda x: v1.layers.dense(x, 3), data(2, 4).astype('float64'))"),
    "conv1d": "run(lambda x: v1.layers.conv1d(x, 3, 2, padding='same'), data(2, 5, 2))",
    "conv2d": "run(lambda x: v1.layers.conv2d(x, 3, 2, strides=2, name='c'), data(2, 5, 5, 2))",
    "conv3d": "run(lambda x: v1.layers.conv3d(x, 2, 2), data(1, 3, 3, 3, 2))",
    "conv2d_transpose": (
        "run(lambda x: v1.layers.conv2d_transpose(x, 2, 3, strides=2), data(1, 3, 3, 2))"
    ),
    "conv3d_transpose": "run(lambda x: v1.layers.conv3d_transpose(x, 2, 2), data(1, 2, 2, 2, 2))",
    "separable_conv1d": "run(lambda x: v1.layers.separable_conv1d(x, 3, 2), data(2, 5, 2))",
    "separable_conv2d": (
        "run(lambda x: v1.layers.separable_conv2d(x, 3, 2, depth_multiplier=2), data(2, 4, 4, 2))"
    ),
    "batch_normalization": "run(lambda x: v1.layers.batch_normalization(x), data(4, 3))",
    "batch_normalization in training": (
        "run(lambda x: v1.layers.batch_normalization(x, training=True), data(4, 3))"
    ),
    "flatten": "run(lambda x: v1.layers.flatten(x), data(2, 3, 4))",
    "dropout outside of training": "run(lambda x: v1.layers.dropout(x), data(2, 3))",
    "max_pooling1d": "run(lambda x: v1.layers.max_pooling1d(x, 2, 2), data(2, 4, 3))",
    "max_pooling2d": "run(lambda x: v1.layers.max_pooling2d(x, 2, 2), data(2, 4, 4, 3))",
    "max_pooling3d": "run(lambda x: v1.layers.max_pooling3d(x, 2, 2), data(1, 2, 2, 2, 3))",
    "average_pooling1d": (
        "run(lambda x: v1.layers.average_pooling1d(x, 2, 1, 'same'), data(2, 4, 3))"
    ),
    "average_pooling2d": "run(lambda x: v1.layers.average_pooling2d(x, 2, 2), data(2, 4, 4, 3))",
    "average_pooling3d": "run(lambda x: v1.layers.average_pooling3d(x, 2, 2), data(1, 2, 2, 2, 3))",
}

_MODEL = """
class Model(tf.keras.layers.Layer):
    def __init__(self, units=2):
        super().__init__()
        self.units = units
        self.inner = v1.layers.Dense(3, kernel_initializer="ones")
    @utils.track_tf1_style_variables
    def call(self, x):
        with v1.variable_scope("model"):
            x = self.inner(x)
            ones = v1.ones_initializer()
            x = v1.layers.dense(x, 4, kernel_regularizer="l2", kernel_initializer=ones)
            w = v1.get_variable("w", [4, self.units], initializer=v1.initializers.ones,
                                regularizer=tf.keras.regularizers.L1(0.5))
            return tf.matmul(x, w)
"""

_TRACKING = {
    "a layer tracks variables": _MODEL
    + "m = Model()\ny = [m(tf.ones([1, 2])) for _ in range(2)]\n"
    + "result = [y, sorted(w.name for w in m.weights), sorted(float(l) for l in m.losses)]",
    "a functional model tracks variables": _MODEL
    + "x = tf.keras.Input((2,))\nm = tf.keras.Model(x, Model()(x))\n"
    + "result = [m(tf.ones([1, 2])), sorted(w.name for w in m.weights), m.count_params()]",
    "a module tracks variables": (
        "class M(tf.Module):\n"
        "    @utils.track_tf1_style_variables\n"
        "    def __call__(self, x):\n"
        "        return x * v1.get_variable('w', initializer=3.0)\n"
        "m = M()\n"
        "result = [m(1.0), m(2.0), [v.name for v in m.variables], len(m.trainable_variables)]"
    ),
    "a function of a layer tracks variables": _MODEL
    + "m = Model()\nresult = [tf.function(m)(tf.ones([1, 2])), len(m.weights)]",
    "a plain object cannot track": (
        "class P:\n"
        "    @utils.track_tf1_style_variables\n"
        "    def f(self):\n"
        "        return 1\n"
        "result = P().f()"
    ),
    "a nested layer": (
        "class N(tf.keras.layers.Layer):\n"
        "    @utils.track_tf1_style_variables\n"
        "    def call(self, x):\n"
        "        make = lambda: tf.keras.layers.Dense(2, kernel_initializer='ones',\n"
        "                                             kernel_regularizer='l2')\n"
        "        return utils.get_or_create_layer('d', make)(x)\n"
        "n = N()\n"
        "y = [n(tf.ones([1, 3])) for _ in range(2)]\n"
        "result = [y, len(n.weights), [float(tf.add_n(n.losses))]]"
    ),
    "no layer outside of a decorated method": (
        "result = utils.get_or_create_layer('d', lambda: tf.keras.layers.Dense(2))"
    ),
    "a template in a layer": (
        "class T(tf.keras.layers.Layer):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        make = lambda x: x * v1.get_variable('y', initializer=1.5)\n"
        "        self.scale = v1.make_template('scale', make)\n"
        "    @utils.track_tf1_style_variables\n"
        "    def call(self, x):\n"
        "        with v1.variable_scope('layer'):\n"
        "            return self.scale(x)\n"
        "t = T()\n"
        "result = [t(tf.ones(2)), t(tf.ones(2)), [w.name for w in t.weights]]"
    ),
}

_COLLECTIONS = {
    "penalties in a graph": (
        "with tf.Graph().as_default():\n"
        "    v1.layers.dense(tf.ones([1, 2]), 3, kernel_regularizer='l2', name='a')\n"
        "    v1.layers.dense(tf.ones([1, 2]), 3, kernel_regularizer='l2', name='a', reuse=True)\n"
        "    result = [t.name for t in v1.losses.get_regularization_losses()]"
    ),
    "updates in a graph": (
        "with tf.Graph().as_default():\n"
        "    x = tf.constant([[1.0, 2.0], [3.0, 6.0]])\n"
        "    y = v1.layers.batch_normalization(x, training=True, momentum=0.9)\n"
        "    updates = v1.get_collection(v1.GraphKeys.UPDATE_OPS)\n"
        "    with v1.Session() as session:\n"
        "        session.run(v1.global_variables_initializer())\n"
        "        before = session.run([y, *v1.global_variables()])\n"
        "        session.run(updates)\n"
        "        after = session.run(v1.global_variables())\n"
        "result = [before, after, len(updates)]"
    ),
    "training as a tensor": (
        "with tf.Graph().as_default():\n"
        "    t = v1.placeholder(tf.bool, [])\n"
        "    x = tf.constant([[1.0, 2.0], [3.0, 6.0]])\n"
        "    y = v1.layers.batch_normalization(x, training=t, momentum=0.9)\n"
        "    z = v1.layers.dropout(x, training=t)\n"
        "    updates = v1.get_collection(v1.GraphKeys.UPDATE_OPS)\n"
        "    seen = []\n"
        "    with v1.Session() as session:\n"
        "        session.run(v1.global_variables_initializer())\n"
        "        for training in (False, True):\n"
        "            seen.append(session.run([y, updates], {t: training})[0])\n"
        "            seen.append(session.run(v1.global_variables()))\n"
        "        seen.append(session.run(z, {t: False}))\n"
        "result = seen"
    ),
    "a name that exists": (
        "with tf.Graph().as_default():\n"
        "    v1.layers.dense(tf.ones([1, 2]), 3, name='a')\n"
        "    v1.layers.dense(tf.ones([1, 2]), 3, name='a')\n"
        "result = 1"
    ),
    "names of operations": (
        "with tf.Graph().as_default():\n"
        "    x = tf.ones([1, 2])\n"
        "    result = [v1.layers.dense(x, 3, tf.nn.relu).name,\n"
        "              v1.layers.dense(x, 3, tf.nn.relu, name='out').name,\n"
        "              v1.layers.flatten(x, name='f').name]"
    ),
    "layers as objects": (
        "d = v1.layers.Dense(3, name='bar')\n"
        "d(tf.ones([1, 2]))\n"
        "result = [d.scope_name, [w.name for w in d.weights], d.name]"
    ),
    "no scope before the first call": "result = v1.layers.Dense(3).scope_name",
}

_RANDOM = {
    f"random numbers, {mode}": (
        "def draw():\n"
        "    return [tf.random.uniform([3]), tf.random.uniform([3]), tf.random.normal([2]),\n"
        "            tf.random.truncated_normal([2], seed=5), tf.random.shuffle(tf.range(5))]\n"
        f"with utils.DeterministicRandomTestTool(mode={mode!r}).scope():\n"
        "    eager = draw()\n"
        f"with utils.DeterministicRandomTestTool(mode={mode!r}).scope():\n"
        "    with tf.Graph().as_default(), v1.Session() as session:\n"
        "        graph = session.run(draw())\n"
        "result = [eager, graph]"
    )
    for mode in ("constant", "num_random_ops")
} | {
    "operation seeds": (
        "tool = utils.DeterministicRandomTestTool(seed=3, mode='num_random_ops')\n"
        "with tool.scope():\n"
        "    tool.operation_seed = 4\n"
        "    a = tf.random.uniform([2])\n"
        "result = [a, tool.operation_seed]"
    ),
    "an operation seed twice": (
        "tool = utils.DeterministicRandomTestTool(mode='num_random_ops')\n"
        "with tool.scope():\n"
        "    tf.random.uniform([2])\n"
        "    tool.operation_seed = 0\n"
        "    result = tf.random.uniform([2])"
    ),
    "an unknown mode": "result = utils.DeterministicRandomTestTool(mode='other')",
}

PROGRAMS = {
    name: _DATA + (code if "result" in code else f"result = {code}")
    for table in (_FUNCTIONS, _TRACKING, _COLLECTIONS, _RANDOM)
    for name, code in table.items()
}
