"""What recurrent layers take in Keras 2 alone: ragged inputs, constants, nested states, time-major.

The results were recorded from Keras 2 (`tests.keras.oracle`).
"""

from __future__ import annotations

_DATA = """
k.backend.clear_session()
L = k.layers
r = np.random.RandomState(0)
x = tf.constant(r.randn(2, 4, 3).astype("float32"))
c = tf.constant(r.randn(2, 5).astype("float32"))
s = tf.constant(r.randn(2, 6).astype("float32"))
rows = [[[1., 2.], [3., 4.], [5., 6.]], [[1., 0.]], [[.5, .5], [1., 1.]]]
ragged = tf.ragged.constant(rows, ragged_rank=1, inner_shape=(2,))
def filled(layer):
    g = np.random.RandomState(7)
    layer.set_weights([g.randn(*w.shape).astype("float32") * 0.5 for w in layer.get_weights()])
    return layer
def called(layer, *args, **kwargs):
    layer(*args, **kwargs)
    return tf.nest.flatten(filled(layer)(*args, **kwargs), expand_composites=True)
"""

_CELLS = """
class WithConstants(L.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = self.state_size = self.output_size = units
    def build(self, shape):
        self.a = self.add_weight(shape=(shape[-1], self.units), name="a")
        self.b = self.add_weight(shape=(self.units, self.units), name="b")
        self.c = self.add_weight(shape=(5, self.units), name="c")
    def call(self, inputs, states, constants):
        new = inputs @ self.a + states[0] @ self.b + constants[0] @ self.c
        return new, [new]
class Nested(L.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.state_size = [tf.TensorShape([2]), tf.TensorShape([3, 2])]
        self.output_size = self.state_size
    def build(self, shapes):
        self.a = self.add_weight(shape=(shapes[0][1], 2), name="a")
        self.b = self.add_weight(shape=(*shapes[1][1:], 3, 2), name="b")
    def call(self, inputs, states):
        first, second = tf.nest.flatten(inputs)
        first, second = first @ self.a, tf.einsum("bij,ijkl->bkl", second, self.b)
        return (first, second), (states[0] + first, states[1] + second)
two = (tf.ones((2, 5, 2)), tf.ones((2, 5, 3, 4)))
"""


def _program(code: str) -> str:
    return _DATA + code


def _with_cells(code: str) -> str:
    return _DATA + _CELLS + code


PROGRAMS = {
    **{
        f"ragged_{name.lower()}_{at}": _program(f"result = called(L.{name}(3{more}), ragged)")
        for name in ("LSTM", "GRU", "SimpleRNN")
        for at, more in enumerate(
            (
                "",
                ", return_sequences=True, return_state=True",
                ", return_sequences=True, go_backwards=True",
            )
        )
    },
    "ragged_cell": _program("result = called(L.RNN(L.LSTMCell(3)), ragged)"),
    **{
        f"ragged_bidirectional_{many}": _program(
            f"result = called(L.Bidirectional(L.GRU(3, return_sequences={many})), ragged)"
        )
        for many in (False, True)
    },
    "ragged_time_distributed": _program("result = called(L.TimeDistributed(L.Dense(2)), ragged)"),
    "ragged_fit": _program(
        "m = k.Sequential([k.Input((None, 2), ragged=True), L.LSTM(3), L.Dense(1)])\n"
        "filled(m).compile('sgd', 'mse')\n"
        "h = m.fit(ragged, np.ones((3, 1)), epochs=2, batch_size=3, shuffle=False, verbose=0)\n"
        "result = [m(ragged), np.asarray(h.history['loss'], 'float32')]"
    ),
    "constants": _with_cells(
        "result = called(L.RNN(WithConstants(6), return_sequences=True), x, constants=c)"
    ),
    "constants_and_state": _with_cells(
        "result = called(L.RNN(WithConstants(6)), x, initial_state=s, constants=c)"
    ),
    "constants_stacked": _with_cells(
        "result = called(L.RNN([WithConstants(6), L.GRUCell(4), WithConstants(2)]), x, "
        "constants=[c])"
    ),
    "constants_in_a_model": _with_cells(
        "i, j, h = k.Input((None, 3)), k.Input((5,)), k.Input((6,))\n"
        "m = k.Model([i, j, h], L.RNN(WithConstants(6))(i, initial_state=h, constants=j))\n"
        "result = filled(m)([x, c, s])"
    ),
    "nested_states": _with_cells(
        "i, j = k.Input((None, 2)), k.Input((None, 3, 4))\n"
        "m = k.Model([i, j], L.RNN(Nested(), return_state=True)((i, j)))\n"
        "result = tf.nest.flatten(filled(m)(list(two)))"
    ),
    "nested_initial_state": _with_cells(
        "state = [tf.ones((2, 2)), tf.ones((2, 3, 2))]\n"
        "result = called(L.RNN(Nested(), return_sequences=True), two, initial_state=state)"
    ),
    "nested_fit": _with_cells(
        "i, j = k.Input((None, 2)), k.Input((None, 3, 4))\n"
        "m = filled(k.Model([i, j], L.RNN(Nested())((i, j))))\n"
        "m.compile('sgd', 'mse')\n"
        "h = m.fit(list(two), [np.ones((2, 2)), np.ones((2, 3, 2))], batch_size=2, verbose=0)\n"
        "result = np.asarray(h.history['loss'], 'float32')"
    ),
    "stacked_initial_state": _program(
        "state = [[tf.ones((2, 3)), tf.ones((2, 3))], [tf.ones((2, 2)), tf.zeros((2, 2))]]\n"
        "layer = L.RNN([L.LSTMCell(3), L.LSTMCell(2)], return_state=True)\n"
        "result = called(layer, x, initial_state=state)"
    ),
    "states_in_a_list": _program(
        "result = called(L.LSTM(3), [x, tf.ones((2, 3)), tf.ones((2, 3))])"
    ),
    "states_in_a_list_of_bidirectional": _program(
        "result = called(L.Bidirectional(L.GRU(3)), [x, tf.ones((2, 3)), tf.zeros((2, 3))])"
    ),
    **{
        f"time_major_{name.lower()}": _program(
            f"layer = L.{name}(3, time_major=True, return_sequences=True, return_state=True)\n"
            "steps = tf.transpose(x, (1, 0, 2))\n"
            "mask = tf.constant([[1, 1], [1, 0], [1, 1], [0, 1]]) > 0\n"
            "result = called(layer, steps) + called(layer, steps, mask=mask)"
        )
        for name in ("LSTM", "GRU", "SimpleRNN")
    },
    "implementation_1": _program(
        "result = called(L.LSTM(3, implementation=1), x) + called(L.GRU(3, implementation=1), x)"
        " + called(L.GRU(3, implementation=1, reset_after=False), x)"
    ),
    "implementation_with_recurrent_dropout": _program(
        "result = [int(L.LSTM(3, recurrent_dropout=0.2).cell.implementation), "
        "int(L.GRU(3).cell.implementation)]"
    ),
}
