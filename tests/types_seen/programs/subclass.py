import tapeflow as tf


class Block(tf.keras.layers.Layer):
    def __init__(self, units: int, **kwargs) -> None:
        super().__init__(**kwargs)
        self.dense = tf.keras.layers.Dense(units)

    def build(self, input_shape) -> None:
        self.scale = self.add_weight(shape=(1,), initializer="ones", name="scale")

    def call(self, inputs, training: bool = False):
        return self.dense(inputs) * self.scale


class Net(tf.keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.block = Block(4)

    def call(self, inputs):
        return self.block(inputs)


net = Net()
reveal_type(net)  # Net
reveal_type(net.block)  # Block
print(net(tf.ones([1, 3])), net.trainable_variables)
