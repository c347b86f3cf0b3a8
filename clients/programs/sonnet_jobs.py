"""What people do with Sonnet: train, unroll recurrent cores, save and load."""

import tempfile

import numpy as np
import sonnet as snt
import tensorflow as tf

tf.random.set_seed(1)
x, y = tf.random.normal([32, 4]), tf.random.normal([32, 1])

mlp = snt.nets.MLP([8, 1])
optimizer = snt.optimizers.Adam(0.01)


@tf.function
def step():
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((mlp(x) - y) ** 2)
    variables = mlp.trainable_variables
    optimizer.apply(tape.gradient(loss, variables), variables)
    return loss


first = float(step())
for _ in range(50):
    last = float(step())
assert last < first
print("ok: training")

core = snt.LSTM(5)
outputs, _ = snt.dynamic_unroll(core, tf.ones([7, 2, 3]), core.initial_state(2))
assert outputs.shape == [7, 2, 5]
print("ok: recurrent")

net = snt.Sequential([snt.Conv2D(4, 3), snt.BatchNorm(True, True), tf.nn.relu, snt.Flatten()])


class Wrapped(snt.Module):
    def __call__(self, images):
        conv, norm, relu, flat = net._layers
        return flat(relu(norm(conv(images), is_training=True)))


assert Wrapped()(tf.ones([2, 8, 8, 1])).shape == [2, 256]
print("ok: convolution and batch normalization")

folder = tempfile.mkdtemp()
path = tf.train.Checkpoint(module=mlp).save(f"{folder}/ckpt")
other = snt.nets.MLP([8, 1])
tf.train.Checkpoint(module=other).restore(path)
np.testing.assert_allclose(tf.function(other)(x), mlp(x), rtol=1e-5)
print("ok: checkpoint")

exported = tf.Module()
exported.net = mlp
exported.inference = tf.function(mlp, input_signature=[tf.TensorSpec([None, 4])])
tf.saved_model.save(exported, folder)
loaded = tf.saved_model.load(folder)
np.testing.assert_allclose(loaded.inference(x), mlp(x), rtol=1e-5)
print("ok: SavedModel")
