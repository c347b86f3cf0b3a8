"""`tf.compat.v1.nn.rnn_cell`, and the loops of `tf.compat.v1.nn` that run cells.

The results were recorded with `TF_USE_LEGACY_KERAS=1`, so that Keras 2 is `tf.keras`.
"""

from __future__ import annotations

_DATA = """
v1 = tf.compat.v1
cells = v1.nn.rnn_cell
r = np.random.RandomState(0)
def data(*shape):
    return r.randn(*shape).astype("float32")
def run(build, *arrays):
    # What a session computes with weights that are set, its gradients, the names of variables.
    with tf.Graph().as_default():
        tensors = [tf.constant(array) for array in arrays]
        outputs = tf.nest.flatten(build(*tensors))
        g = np.random.RandomState(7)
        weights = v1.global_variables()
        trained = v1.trainable_variables()
        total = tf.add_n([tf.reduce_sum(each * each) for each in outputs])
        slopes = tf.gradients(total, trained + tensors[:1])
        with v1.Session() as session:
            for w in weights:
                session.run(w.assign(g.randn(*w.shape).astype(w.dtype.as_numpy_dtype) * 0.5))
            values = session.run([outputs, slopes])
        return values + [[w.name for w in weights], [str(o.shape) for o in outputs]]
def step(cell, *sizes):
    # One step from states that are not 0.
    def build(x):
        states = [tf.constant(data(2, size)) for size in sizes]
        return cell()(x, tf.nest.pack_sequence_as(cell().state_size, states))
    return run(build, data(2, 3))
"""

_CELLS = {
    "BasicRNNCell": "step(lambda: cells.BasicRNNCell(4), 4)",
    "BasicRNNCell with an activation": "step(lambda: cells.BasicRNNCell(4, 'relu', name='b'), 4)",
    "GRUCell": "step(lambda: cells.GRUCell(4), 4)",
    "BasicLSTMCell": "step(lambda: cells.BasicLSTMCell(4, forget_bias=0.5), 4, 4)",
    "BasicLSTMCell without tuples": (
        "step(lambda: cells.BasicLSTMCell(4, state_is_tuple=False), 8)"
    ),
    "LSTMCell": "step(lambda: cells.LSTMCell(4), 4, 4)",
    "LSTMCell with peepholes and clipping": (
        "step(lambda: cells.LSTMCell(4, use_peepholes=True, cell_clip=0.4), 4, 4)"
    ),
    "LSTMCell with a projection": (
        "step(lambda: cells.LSTMCell(4, num_proj=2, proj_clip=0.2, activation=tf.nn.relu), 4, 2)"
    ),
    "LSTMCell with a projection, without tuples": (
        "step(lambda: cells.LSTMCell(4, num_proj=2, state_is_tuple=False), 6)"
    ),
    "MultiRNNCell": (
        "step(lambda: cells.MultiRNNCell([cells.BasicLSTMCell(4), cells.GRUCell(2)]), 4, 4, 2)"
    ),
    "MultiRNNCell without tuples": (
        "step(lambda: cells.MultiRNNCell([cells.GRUCell(4), cells.GRUCell(2)], False), 6)"
    ),
    "ResidualWrapper": "step(lambda: cells.ResidualWrapper(cells.GRUCell(3)), 3)",
    "ResidualWrapper with a function": (
        "step(lambda: cells.ResidualWrapper(cells.GRUCell(3), lambda i, o: i - 2.0 * o), 3)"
    ),
    "DeviceWrapper": "step(lambda: cells.DeviceWrapper(cells.GRUCell(3), '/cpu:0'), 3)",
    "sizes": (
        "all_cells = [cells.BasicRNNCell(4), cells.LSTMCell(4, num_proj=2),\n"
        "    cells.LSTMCell(4, state_is_tuple=False),\n"
        "    cells.MultiRNNCell([cells.BasicLSTMCell(4), cells.GRUCell(2)]),\n"
        "    cells.DropoutWrapper(cells.GRUCell(3))]\n"
        "result = [[str(c.state_size), c.output_size, [str(s.shape) for s in\n"
        "    tf.nest.flatten(c.zero_state(5, tf.float64))]] for c in all_cells]"
    ),
    "an initial state": (
        "c = cells.BasicLSTMCell(2)\n"
        "result = [c.get_initial_state(inputs=np.ones([3, 2], 'float64')),\n"
        "    c.get_initial_state(batch_size=2, dtype=tf.float32)]"
    ),
    "states of two dtypes": (
        "result = cells.LSTMStateTuple(tf.zeros([1]), tf.zeros([1], tf.float64)).dtype"
    ),
}

_DROPOUT = {
    f"DropoutWrapper, {name}": (
        f"tf.random.set_seed(3)\n"
        f"c = cells.DropoutWrapper(cells.BasicLSTMCell(4, dtype=tf.float32), seed=5, {options})\n"
        f"o, s = c(tf.ones([3, 2]), c.zero_state(3, tf.float32))\n"
        # Which elements are 0 is compared, where the values are random.
        f"result = [tf.cast(tf.equal(each, 0), tf.int32) for each in (o, s.c, s.h)]"
    )
    for name, options in {
        "outputs": "output_keep_prob=0.5",
        "states": "state_keep_prob=0.5",
        "one pattern for all steps": (
            "output_keep_prob=0.5, variational_recurrent=True, dtype=tf.float32"
        ),
        "a filter": (
            "state_keep_prob=0.5, dropout_state_filter_visitor="
            "lambda s: cells.LSTMStateTuple(True, False) if isinstance(s, tuple) else True"
        ),
    }.items()
}

_LOOPS = {
    "dynamic_rnn": (
        "run(lambda x: v1.nn.dynamic_rnn(cells.GRUCell(4), x, dtype=tf.float32), data(2, 5, 3))"
    ),
    "dynamic_rnn of float64": (
        "run(lambda x: v1.nn.dynamic_rnn(cells.BasicRNNCell(4), x, dtype=tf.float64),\n"
        "    data(2, 5, 3).astype('float64'))"
    ),
    "dynamic_rnn with lengths": (
        "run(lambda x: v1.nn.dynamic_rnn(cells.LSTMCell(4), x, [2, 0, 5], dtype=tf.float32),\n"
        "    data(3, 5, 3))"
    ),
    "dynamic_rnn, time first, with a state": (
        "run(lambda x, s: v1.nn.dynamic_rnn(cells.GRUCell(4), x, [5, 1], s, time_major=True,\n"
        "    scope='mine'), data(5, 2, 3), data(2, 4))"
    ),
    "dynamic_rnn of several cells": (
        "run(lambda x: v1.nn.dynamic_rnn(cells.MultiRNNCell([cells.BasicLSTMCell(3),\n"
        "    cells.ResidualWrapper(cells.GRUCell(3))]), x, dtype=tf.float32), data(2, 4, 3))"
    ),
    "dynamic_rnn without static sizes": (
        "with tf.Graph().as_default(), v1.Session() as session:\n"
        "    x = v1.placeholder(tf.float32, [None, None, 3])\n"
        "    n = v1.placeholder(tf.int32, [None])\n"
        "    o, s = v1.nn.dynamic_rnn(cells.GRUCell(2), x, n, dtype=tf.float32)\n"
        "    for w in v1.global_variables():\n"
        "        session.run(w.assign(np.full(w.shape, 0.3)))\n"
        "    result = [str(o.shape), str(s.shape), session.run([o, s], {x: data(2, 4, 3),\n"
        "        n: [3, 4]})]"
    ),
    "dynamic_rnn in one function": (
        "with v1.variable_scope('f', reuse=v1.AUTO_REUSE):\n"
        "    c = cells.GRUCell(2, kernel_initializer=tf.ones_initializer())\n"
        "    f = tf.function(lambda x: v1.nn.dynamic_rnn(c, x, [2, 3], dtype=tf.float32))\n"
        "    result = [f(data(2, 3, 2)), f(data(2, 4, 2))]"
    ),
    "dynamic_rnn at once": (
        "c = cells.GRUCell(2, kernel_initializer=tf.ones_initializer())\n"
        "result = v1.nn.dynamic_rnn(c, data(2, 3, 2), [2, 3], dtype=tf.float32)"
    ),
    "a cell of Keras": (
        "c = k.layers.LSTMCell(2, kernel_initializer='ones', recurrent_initializer='ones')\n"
        "result = v1.nn.dynamic_rnn(c, data(2, 3, 2), [2, 3], dtype=tf.float32)"
    ),
    "a cell of Keras with one state": (
        "c = k.layers.SimpleRNNCell(2, kernel_initializer='ones', recurrent_initializer='ones')\n"
        "result = v1.nn.dynamic_rnn(c, data(2, 3, 2), dtype=tf.float32)"
    ),
    "a cell of a user": (
        "class Own(cells.RNNCell):\n"
        "    state_size = 3\n"
        "    output_size = 2\n"
        "    def call(self, inputs, state):\n"
        "        w = v1.get_variable('w', [3, 2])\n"
        "        return tf.matmul(inputs + state, w), state + inputs\n"
        "own = Own()\n"
        "result = run(lambda x: v1.nn.dynamic_rnn(own, x, dtype=tf.float32), data(2, 4, 3))\n"
        "result = [*result, [w.name for w in own.weights]]"
    ),
    "bidirectional_dynamic_rnn": (
        "run(lambda x: v1.nn.bidirectional_dynamic_rnn(cells.GRUCell(2), cells.LSTMCell(3), x,\n"
        "    dtype=tf.float32), data(2, 4, 3))"
    ),
    "bidirectional_dynamic_rnn with lengths": (
        "run(lambda x: v1.nn.bidirectional_dynamic_rnn(cells.GRUCell(2), cells.GRUCell(3), x,\n"
        "    [3, 1], dtype=tf.float32, time_major=True), data(4, 2, 3))"
    ),
    "static_rnn": (
        "run(lambda x: v1.nn.static_rnn(cells.BasicLSTMCell(4), tf.unstack(x, axis=1),\n"
        "    dtype=tf.float32), data(2, 3, 3))"
    ),
    "static_rnn with lengths and a state": (
        "run(lambda x, s: v1.nn.static_rnn(cells.GRUCell(4), tf.unstack(x, axis=1), s,\n"
        "    sequence_length=[3, 1]), data(2, 3, 3), data(2, 4))"
    ),
    "static_bidirectional_rnn": (
        "run(lambda x: v1.nn.static_bidirectional_rnn(cells.GRUCell(2), cells.GRUCell(3),\n"
        "    tf.unstack(x, axis=1), dtype=tf.float32, sequence_length=[3, 1]), data(2, 3, 3))"
    ),
    "static_state_saving_rnn": (
        "class Saver:\n"
        "    saved = []\n"
        "    def state(self, name):\n"
        "        return tf.ones([2, 4])\n"
        "    def save_state(self, name, value):\n"
        "        self.saved.append(name)\n"
        "        return tf.no_op()\n"
        "saver = Saver()\n"
        "result = [run(lambda x: v1.nn.static_state_saving_rnn(cells.BasicLSTMCell(4),\n"
        "    tf.unstack(x, axis=1), saver, ('c', 'h')), data(2, 3, 3)), saver.saved]"
    ),
    "raw_rnn": (
        "def build(x):\n"
        "    cell = cells.GRUCell(4)\n"
        "    lengths = tf.constant([2, 4])\n"
        "    def loop(time, output, state, loop_state):\n"
        "        if output is None:\n"
        "            state = cell.zero_state(2, tf.float32)\n"
        "        finished = time >= lengths\n"
        "        now = x[:, tf.minimum(time, 3)]\n"
        "        return finished, now, state, output, None\n"
        "    array, state, last = v1.nn.raw_rnn(cell, loop)\n"
        "    assert last is None\n"
        "    return array.stack(), state\n"
        "result = run(build, data(2, 4, 3))[:3]"
    ),
}

_REFUSED = {
    "no dtype": "v1.nn.dynamic_rnn(cells.GRUCell(2), data(2, 3, 2))",
    "no cell": "v1.nn.dynamic_rnn(None, data(2, 3, 2), dtype=tf.float32)",
    "a tensor for static_rnn": "v1.nn.static_rnn(cells.GRUCell(2), data(2, 3), dtype=tf.float32)",
    "no inputs": "v1.nn.static_rnn(cells.GRUCell(2), [], dtype=tf.float32)",
    "lengths of two axes": (
        "v1.nn.dynamic_rnn(cells.GRUCell(2), data(2, 3, 2), [[1], [2]], dtype=tf.float32)"
    ),
    "inputs of two axes": "v1.nn.dynamic_rnn(cells.GRUCell(2), data(2, 3), dtype=tf.float32)",
    "no cells": "cells.MultiRNNCell([])",
    "one cell as a list": "cells.MultiRNNCell(cells.GRUCell(2))",
    "a probability above 1": "cells.DropoutWrapper(cells.GRUCell(2), 1.5)",
    "one pattern without a dtype": (
        "cells.DropoutWrapper(cells.GRUCell(2), variational_recurrent=True)"
    ),
    "a second cell of the same name": (
        "run(lambda x: [v1.nn.dynamic_rnn(cells.GRUCell(2), x, dtype=tf.float32) for _ in '12'],\n"
        "    data(2, 3, 2))"
    ),
}

PROGRAMS = {
    name: _DATA + (code if "result = " in code else f"result = {code}")
    for table in (_CELLS, _DROPOUT, _LOOPS, _REFUSED)
    for name, code in table.items()
}
